// Needle, a model of 26 million parameters that turns a request into a call of
// a tool. It does not chat or plan. Run by this library.

#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/llm/chat_model.h"
#include "lamarck/text/needle/call_grammar.h"
#include "lamarck/text/needle/needle_network.h"
#include "lamarck/text/needle/sentencepiece_tokenizer.h"

namespace lamarck::text {

// Decoding is greedy and constrained: names and keys are those of the tools,
// and values are literals of the request, of earlier results or of the schema.
// `seed` and `temperature` have no effect. If no tool fits, the reply is a text
// that says so.
class NeedleModel : public llm::ChatModel {
 public:
  // The error says how to fetch the files if they are missing.
  static Result<std::unique_ptr<NeedleModel>> open(
      const std::filesystem::path& folder);

  const std::string& name() const override { return name_; }
  const std::optional<llm::ModelPrice>& price() const override {
    return price_;
  }
  Result<llm::ChatReply> complete(const llm::ChatRequest& request,
                                  const CancelToken& cancel) override;
  // A call is only known when it is complete, so nothing is streamed.
  Result<llm::ChatReply> stream(const llm::ChatRequest& request,
                                const OnText& on_text,
                                const CancelToken& cancel) override;

  // Query and tools as one sequence, cut at `max_tokens`.
  std::vector<std::int32_t> input_tokens(std::string_view query,
                                         std::string_view tools,
                                         std::size_t max_tokens) const;
  // Greedy decoding without constraints, for comparisons.
  Result<std::vector<std::int32_t>> write_freely(
      const std::vector<std::int32_t>& input, std::size_t max_tokens,
      const CancelToken& cancel) const;

  const SentencePieceTokenizer& tokenizer() const { return tokenizer_; }
  const NeedleNetwork& network() const { return network_; }

 private:
  struct Written {
    std::string text;
    std::int64_t tokens = 0;
    bool is_complete = false;
  };

  NeedleModel(SentencePieceTokenizer tokenizer, NeedleNetwork network);
  Result<Written> write(const std::vector<std::int32_t>& input,
                        CallGrammar& grammar, std::size_t max_tokens,
                        const CancelToken& cancel) const;
  std::int32_t best_token(std::span<const float> scores,
                          const CallGrammar& grammar,
                          const CallGrammar::Position& at) const;

  std::string name_ = "needle";
  std::optional<llm::ModelPrice> price_ = llm::ModelPrice{};
  SentencePieceTokenizer tokenizer_;
  NeedleNetwork network_;
  std::array<std::vector<std::int32_t>, 256> tokens_by_first_byte_;
};

}  // namespace lamarck::text
