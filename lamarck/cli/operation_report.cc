#include "lamarck/cli/operation_report.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "lamarck/graph/operation_table.h"

namespace lamarck::cli {
namespace {

// A limit at or above this means any number of inputs.
constexpr std::size_t kAnyNumber = 1'000'000;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) {
    words.push_back(word);
  }
}

Json to_json(const Shape& shape) {
  return std::vector<std::int64_t>(shape.begin(), shape.end());
}

// "onnx" is present if the expression depends on shapes; it is null if this
// sample cannot be exported.
Json sample_report(const Operation& operation, const OperationSample& sample) {
  const Attributes& attributes = sample.attributes;
  const Shape output = operation.shape(operation, sample.shapes, attributes);
  Json json = {{"inputs", Json::array()},
               {"output", to_json(output)},
               {"numbers", attributes.numbers},
               {"integers", attributes.integers},
               {"shape", to_json(attributes.shape)},
               {"low", sample.low},
               {"high", sample.high}};
  for (const Shape& shape : sample.shapes) {
    json["inputs"].push_back(to_json(shape));
  }
  if (operation.write_onnx != nullptr) {
    const std::string onnx =
        operation.write_onnx({sample.shapes, output}, attributes);
    json["onnx"] = onnx.empty() ? Json(nullptr) : Json(onnx);
  }
  return json;
}

// "expression" is null if it depends on shapes; then each sample has its own.
Json onnx_report(const Operation& operation, const Json& samples) {
  std::vector<std::string> operators = onnx_operators(operation.onnx);
  for (const Json& sample : samples) {
    if (!sample.contains("onnx") || sample["onnx"].is_null()) continue;
    const auto expression = sample["onnx"].get<std::string>();
    for (const std::string& name : onnx_operators(expression)) {
      add_once(operators, name);
    }
  }
  return {{"expression",
           operation.onnx.empty() ? Json(nullptr) : Json(operation.onnx)},
          {"operators", operators}};
}

void add_unary(const UnaryOp& op, Json& json) {
  json["activation"] = op.is_activation;
  json["domain"] = {op.domain_low, op.domain_high};
  for (std::size_t i = 0; i < op.kink_count; ++i) {
    json["kinks"].push_back(op.kinks[i]);
  }
  for (std::size_t i = 0; i < op.parameter_count; ++i) {
    json["parameters"].push_back(op.default_parameters[i]);
  }
}

void add_binary(const BinaryOp& op, Json& json) {
  json["domain_of_b"] = {op.b_low, op.b_high};
  if (op.has_kink) json["kinks"].push_back("a = b");
}

}  // namespace

std::vector<std::string> onnx_operators(std::string_view expression) {
  std::vector<std::string> operators;
  for (std::size_t at = 0; at < expression.size();) {
    std::size_t end = at;
    while (end < expression.size() && is_word(expression[end])) ++end;
    const std::string word(expression.substr(at, end - at));
    // Skip the output index of "LSTM@2(".
    if (end < expression.size() && expression[end] == '@') {
      end = std::min(expression.find('(', end), expression.size());
    }
    if (!word.empty() && end < expression.size() && expression[end] == '(') {
      add_once(operators, word);
    }
    at = end + 1;
  }
  return operators;
}

Json operation_report(const Operation& operation) {
  Json samples = Json::array();
  for (const OperationSample& sample : operation.samples) {
    samples.push_back(sample_report(operation, sample));
  }
  const bool takes_any = operation.max_inputs >= kAnyNumber;
  const std::size_t smooth =
      operation.gradient == nullptr ? 0 : operation.differentiable_inputs;
  Json json = {
      {"name", operation.name},
      {"what", operation.what},
      {"group", operation.group},
      {"min_inputs", operation.min_inputs},
      {"max_inputs", takes_any ? Json(nullptr) : Json(operation.max_inputs)},
      {"differentiable", operation.gradient != nullptr},
      // Null: all of them.
      {"differentiable_inputs",
       smooth >= operation.max_inputs ? Json(nullptr) : Json(smooth)},
      {"in_place", operation.in_place},
      {"is_view", operation.is_view},
      {"activation", false},
      {"kinks", Json::array()},
      {"parameters", Json::array()},
      {"onnx", onnx_report(operation, samples)},
      {"samples", samples}};
  if (operation.unary != nullptr) add_unary(*operation.unary, json);
  if (operation.binary != nullptr) add_binary(*operation.binary, json);
  return json;
}

Result<Json> operation_report_named(std::string_view name) {
  try {
    return operation_report(operation_named(name));
  } catch (const LogicError& unknown) {
    return Error(ErrorCode::InvalidArgument, unknown.error().message(),
                 unknown.error().fields());
  }
}

Json operations_report() {
  Json report = {{"operations", Json::array()}, {"activations", Json::array()}};
  for (const Operation& operation : operation_table()) {
    Json json = operation_report(operation);
    if (json["activation"].get<bool>()) {
      report["activations"].push_back(operation.name);
    }
    report["operations"].push_back(std::move(json));
  }
  return report;
}

}  // namespace lamarck::cli
