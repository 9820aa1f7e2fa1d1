#include "lamarck/evolution/evolution_checkpoint.h"

namespace lamarck::evolution {

Result<void> save_checkpoint(const std::filesystem::path& path,
                             const EvolutionState& /*state*/) {
  return Error(ErrorCode::Unsupported, path.string());
}
Result<EvolutionState> load_checkpoint(const std::filesystem::path& path) {
  return Error(ErrorCode::Unsupported, path.string());
}

}  // namespace lamarck::evolution
