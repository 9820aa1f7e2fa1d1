#include "lamarck/text/needle/needle_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lamarck/base/file.h"
#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/text/needle/needle_prompt.h"

namespace lamarck::text {
namespace {

// Tokens with a meaning of their own.
constexpr std::int32_t kEndToken = 1;  // Also begins what the decoder writes.
constexpr std::int32_t kCallToken = 4;
constexpr std::int32_t kToolsToken = 5;

constexpr std::size_t kMaxWritten = 512;

Result<std::string> read_needle_file(const std::filesystem::path& folder,
                                     const char* name) {
  Result<std::string> bytes = read_file(folder / name);
  if (bytes || bytes.error().code() != ErrorCode::NotFound) return bytes;
  return Error(ErrorCode::NotFound,
               "The model Needle is not in '" + folder.string() + "': " + name +
                   " is missing; run: lamarck models fetch needle");
}

}  // namespace

NeedleModel::NeedleModel(SentencePieceTokenizer tokenizer,
                         NeedleNetwork network)
    : tokenizer_(std::move(tokenizer)), network_(std::move(network)) {
  for (std::size_t i = 0; i < tokenizer_.size(); ++i) {
    const auto token = static_cast<std::int32_t>(i);
    const std::string& bytes = tokenizer_.bytes(token);
    if (bytes.empty() || token == kCallToken || token == kToolsToken) continue;
    tokens_by_first_byte_[static_cast<unsigned char>(bytes[0])].push_back(
        token);
  }
}

Result<std::unique_ptr<NeedleModel>> NeedleModel::open(
    const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const std::string pieces,
                   read_needle_file(folder, "tokenizer/needle.model"));
  ASSIGN_OR_RETURN(const std::string encoder_file,
                   read_needle_file(folder, "needle_encoder_fp16.onnx"));
  ASSIGN_OR_RETURN(const std::string decoder_file,
                   read_needle_file(folder, "needle_decoder_fp16.onnx"));
  ASSIGN_OR_RETURN(SentencePieceTokenizer tokenizer,
                   SentencePieceTokenizer::parse(pieces));
  ASSIGN_OR_RETURN(const OnnxWeights encoder, OnnxWeights::parse(encoder_file));
  ASSIGN_OR_RETURN(const OnnxWeights decoder, OnnxWeights::parse(decoder_file));
  ASSIGN_OR_RETURN(NeedleNetwork network,
                   NeedleNetwork::make(encoder, decoder));
  const bool fits = tokenizer.size() == network.vocabulary() &&
                    tokenizer.find("</s>") == kEndToken &&
                    tokenizer.find("<tool_call>") == kCallToken &&
                    tokenizer.find("<tools>") == kToolsToken;
  if (!fits) {
    return Error(ErrorCode::DataDamaged,
                 "The tokenizer does not belong to the model; fetch it again.");
  }
  return std::unique_ptr<NeedleModel>(
      new NeedleModel(std::move(tokenizer), std::move(network)));
}

std::vector<std::int32_t> NeedleModel::input_tokens(
    std::string_view query, std::string_view tools,
    std::size_t max_tokens) const {
  std::vector<std::int32_t> input = tokenizer_.encode(query);
  input.resize(std::min(input.size(), max_tokens - 2));
  input.push_back(kToolsToken);
  for (const std::int32_t token : tokenizer_.encode(tools)) {
    if (input.size() == max_tokens) break;
    input.push_back(token);
  }
  return input;
}

Result<std::vector<std::int32_t>> NeedleModel::write_freely(
    const std::vector<std::int32_t>& input, std::size_t max_tokens,
    const CancelToken& cancel) const {
  ASSIGN_OR_RETURN(const NeedleNetwork::Memory memory,
                   network_.read(input, cancel));
  NeedleNetwork::Writer writer(network_, memory);
  std::vector<std::int32_t> written;
  std::int32_t token = kEndToken;
  while (written.size() < max_tokens && writer.size() < network_.max_tokens()) {
    RETURN_IF_ERROR(cancel.check());
    const auto scores = writer.write(token);
    token = static_cast<std::int32_t>(std::ranges::max_element(scores) -
                                      scores.begin());
    if (token == kEndToken) break;
    written.push_back(token);
  }
  return written;
}

std::int32_t NeedleModel::best_token(std::span<const float> scores,
                                     const CallGrammar& grammar,
                                     const CallGrammar::Position& at) const {
  std::int32_t best = -1;
  for (std::size_t first = 0; first < tokens_by_first_byte_.size(); ++first) {
    const char byte = static_cast<char>(first);
    if (!grammar.advance(at, {&byte, 1})) continue;
    for (const std::int32_t token : tokens_by_first_byte_[first]) {
      const float score = scores[static_cast<std::size_t>(token)];
      if (best != -1 && score <= scores[static_cast<std::size_t>(best)]) {
        continue;
      }
      if (grammar.advance(at, tokenizer_.bytes(token))) best = token;
    }
  }
  return best;
}

Result<NeedleModel::Written> NeedleModel::write(
    const std::vector<std::int32_t>& input, CallGrammar& grammar,
    std::size_t max_tokens, const CancelToken& cancel) const {
  ASSIGN_OR_RETURN(const NeedleNetwork::Memory memory,
                   network_.read(input, cancel));
  NeedleNetwork::Writer writer(network_, memory);
  writer.write(kEndToken);
  auto scores = writer.write(kCallToken);
  Written written{.tokens = 1};
  CallGrammar::Position at;
  while (static_cast<std::size_t>(written.tokens) < max_tokens &&
         writer.size() < network_.max_tokens()) {
    RETURN_IF_ERROR(cancel.check());
    const std::int32_t token = best_token(scores, grammar, at);
    if (token == -1) {
      return Error(ErrorCode::Internal,
                   "Needle: no token continues '" + written.text + "'.");
    }
    const std::string& bytes = tokenizer_.bytes(token);
    at = *grammar.advance(at, bytes);
    grammar.use_up_last_value(at);
    written.text += bytes;
    ++written.tokens;
    written.is_complete = CallGrammar::is_end(at);
    if (written.is_complete) break;
    scores = writer.write(token);
  }
  return written;
}

Result<llm::ChatReply> NeedleModel::complete(const llm::ChatRequest& request,
                                             const CancelToken& cancel) {
  ASSIGN_OR_RETURN(NeedlePrompt prompt, make_needle_prompt(request));
  const std::vector<std::int32_t> input =
      input_tokens(prompt.query, prompt.tools, network_.max_tokens() + 1);
  if (input.size() > network_.max_tokens()) {
    return invalid_argument(
        "Needle reads at most " + std::to_string(network_.max_tokens()) +
        " tokens; the request and its " + std::to_string(prompt.names.size()) +
        " tools have more. Send fewer tools or shorter descriptions.");
  }
  llm::ChatReply reply;
  reply.usage.tokens_in = static_cast<std::int64_t>(input.size());
  reply.money_micros = 0;
  std::vector<CallTool> tools = prompt.callable;
  CallGrammar grammar(
      std::move(prompt.callable),
      {.must_call = request.tool_choice == llm::ToolChoice::Required});
  // Clients expect a text if there is no call.
  reply.text = "No tool fits the request.";
  if (!grammar.is_possible()) return reply;  // No tool has all its values.
  const auto max_tokens = static_cast<std::size_t>(std::clamp<std::int64_t>(
      request.max_tokens, 1, static_cast<std::int64_t>(kMaxWritten)));
  ASSIGN_OR_RETURN(const Written written,
                   write(input, grammar, max_tokens, cancel));
  reply.usage.tokens_out = written.tokens;
  if (!written.is_complete) {
    reply.text = "The call is longer than max_tokens allows.";
    reply.finish = llm::FinishReason::Length;
    return reply;
  }
  ASSIGN_OR_RETURN(const Json calls, parse_json(written.text));
  for (const Json& call : calls) {
    const auto index = std::ranges::find(tools, call["name"].get<std::string>(),
                                         &CallTool::name) -
                       tools.begin();
    reply.tool_calls.push_back(
        {.id = "call_" + std::to_string(request.messages.size()) + "_" +
               std::to_string(reply.tool_calls.size() + 1),
         .name = prompt.names[static_cast<std::size_t>(index)],
         .arguments = dump_json(call["arguments"])});
  }
  if (!reply.tool_calls.empty()) {
    reply.text.clear();
    reply.finish = llm::FinishReason::ToolCalls;
  }
  return reply;
}

Result<llm::ChatReply> NeedleModel::stream(const llm::ChatRequest& request,
                                           const OnText&,
                                           const CancelToken& cancel) {
  return complete(request, cancel);
}

}  // namespace lamarck::text
