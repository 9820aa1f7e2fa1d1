#include "lamarck/optim/optimizer_file.h"

#include <string_view>
#include <nlohmann/json.hpp>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::optim {
namespace {

// Tensors of the optimizer `name` are stored as "<name>/<tensor>".
std::string tensor_prefix(const std::string& name) {
  REQUIRE(!name.empty() && name.find('/') == std::string::npos,
          "add_optimizer or restore_optimizer: the name must not be empty and "
          "must not contain '/', got '{}'.",
          name);
  return name + "/";
}

// Parses the note that add_optimizer wrote; the tensors are read separately.
Result<OptimizerState> parse_note(const std::string& note) {
  ASSIGN_OR_RETURN(const Json json, parse_json(note));
  OptimizerState state;
  ASSIGN_OR_RETURN(state.kind, json_field<std::string>(json, "kind"));
  ASSIGN_OR_RETURN(state.steps, json_field<std::int64_t>(json, "steps"));
  ASSIGN_OR_RETURN(const double rate, json_field<double>(json, "rate"));
  state.rate = static_cast<float>(rate);
  return state;
}

}  // namespace

void add_optimizer(ModelExtras& extras, const Optimizer& optimizer,
                   const std::string& name) {
  const std::string prefix = tensor_prefix(name);
  OptimizerState state = optimizer.state();
  // Another kind of optimizer may have stored other tensors under this name.
  std::erase_if(extras.tensors, [&](const auto& entry) {
    return entry.first.starts_with(prefix);
  });
  for (auto& [key, tensor] : state.tensors) {
    extras.tensors.insert_or_assign(prefix + key, std::move(tensor));
  }
  extras.notes.insert_or_assign(name, dump_json({{"kind", state.kind},
                                                 {"steps", state.steps},
                                                 {"rate", state.rate}}));
}

Result<void> restore_optimizer(const ModelExtras& extras, Optimizer& optimizer,
                               const std::string& name) {
  const std::string prefix = tensor_prefix(name);
  const auto note = extras.notes.find(name);
  if (note == extras.notes.end()) {
    return Error(ErrorCode::NotFound,
                 "The model contains no optimizer " + in_quotes(name) +
                     "; call add_optimizer before saving the model.");
  }
  Result<OptimizerState> state = parse_note(note->second);
  if (!state) {
    return Error(ErrorCode::DataDamaged,
                 "The model's optimizer " + in_quotes(name) +
                     " is damaged: " + state.error().message());
  }
  for (const auto& [key, tensor] : extras.tensors) {
    if (!key.starts_with(prefix)) continue;
    state->tensors.emplace(key.substr(prefix.size()), tensor);
  }
  return optimizer.restore(*state);
}

}  // namespace lamarck::optim
