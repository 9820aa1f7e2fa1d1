#include "lamarck/text/minilm_embedder.h"

#include <utility>

#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"

namespace lamarck::text {
namespace {

// Tokens that are read in one pass. More would not be faster, because the
// weights are then used often enough for each time they are loaded.
constexpr std::size_t kBatchTokens = 128;

Result<std::string> read_part(const std::filesystem::path& folder,
                              const char* name) {
  Result<std::string> bytes = read_file(folder / name);
  if (bytes || bytes.error().code() != ErrorCode::NotFound) return bytes;
  return Error(ErrorCode::NotFound,
               "The model MiniLM is not in '" + folder.string() + "': " + name +
                   " is missing; run: lamarck models fetch minilm");
}

}  // namespace

MiniLmEmbedder::MiniLmEmbedder(WordPieceTokenizer tokenizer,
                               BertEncoder encoder)
    : tokenizer_(std::move(tokenizer)), encoder_(std::move(encoder)) {}

Result<std::unique_ptr<MiniLmEmbedder>> MiniLmEmbedder::open(
    const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const std::string config_text,
                   read_part(folder, "config.json"));
  ASSIGN_OR_RETURN(const std::string tokenizer_text,
                   read_part(folder, "tokenizer.json"));
  const bool is_wide = std::filesystem::exists(folder / "model.safetensors");
  ASSIGN_OR_RETURN(const std::string weights,
                   read_part(folder, is_wide ? "model.safetensors"
                                             : "model.fp16.safetensors"));
  ASSIGN_OR_RETURN(const BertConfig config, BertConfig::parse(config_text));
  ASSIGN_OR_RETURN(WordPieceTokenizer tokenizer,
                   WordPieceTokenizer::parse(tokenizer_text));
  ASSIGN_OR_RETURN(const NamedTensors tensors, safetensors_from_bytes(weights));
  ASSIGN_OR_RETURN(BertEncoder encoder, BertEncoder::make(config, tensors));
  return std::unique_ptr<MiniLmEmbedder>(
      new MiniLmEmbedder(std::move(tokenizer), std::move(encoder)));
}

SimilarityThresholds MiniLmEmbedder::thresholds() const {
  return {.duplicate = 0.65, .fits = 0.36};
}

Result<std::vector<std::vector<float>>> MiniLmEmbedder::embed(
    const std::vector<std::string>& texts, const CancelToken& cancel) {
  std::vector<std::vector<float>> vectors(texts.size());
  std::vector<std::vector<std::int32_t>> batch;
  std::vector<std::size_t> places;
  std::size_t batch_tokens = 0;
  const auto run_batch = [&]() -> Result<void> {
    RETURN_IF_ERROR(cancel.check());
    ASSIGN_OR_RETURN(auto encoded, encoder_.encode(batch));
    for (std::size_t i = 0; i < places.size(); ++i) {
      vectors[places[i]] = std::move(encoded[i]);
    }
    batch.clear();
    places.clear();
    batch_tokens = 0;
    return {};
  };
  const std::size_t max_tokens =
      std::min(kMaxTokens, encoder_.config().max_tokens);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::vector<std::int32_t> tokens = tokenizer_.encode(texts[i], max_tokens);
    if (tokens.size() <= 2) {  // No words.
      vectors[i].assign(dimensions(), 0.0f);
      continue;
    }
    batch_tokens += tokens.size();
    batch.push_back(std::move(tokens));
    places.push_back(i);
    if (batch_tokens >= kBatchTokens) RETURN_IF_ERROR(run_batch());
  }
  if (!batch.empty()) RETURN_IF_ERROR(run_batch());
  return vectors;
}

}  // namespace lamarck::text
