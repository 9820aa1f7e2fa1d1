#include "lamarck/text/bert_encoder.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <nlohmann/json.hpp>

#include "lamarck/base/json.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/tensor/gemm.h"
#include "lamarck/tensor/vector_math.h"
#include "lamarck/text/internal/unit_length.h"

namespace lamarck::text {
namespace {

constexpr std::size_t kMaxSize = 1 << 16;  // Of any number in the config.

Result<std::size_t> read_size(const Json& config, std::string_view name) {
  ASSIGN_OR_RETURN(const auto value, json_field<std::int64_t>(config, name));
  if (value < 1 || value > static_cast<std::int64_t>(kMaxSize)) {
    return Error(ErrorCode::DataDamaged,
                 "config.json: " + std::string(name) +
                     " must be between 1 and 65,536, got " +
                     std::to_string(value) + ".");
  }
  return static_cast<std::size_t>(value);
}

}  // namespace

Result<BertConfig> BertConfig::parse(std::string_view json) {
  ASSIGN_OR_RETURN(const Json root, parse_json(json));
  ASSIGN_OR_RETURN(const auto kind,
                   json_field<std::string>(root, "model_type"));
  ASSIGN_OR_RETURN(const auto activation,
                   json_field<std::string>(root, "hidden_act"));
  if (kind != "bert" || activation != "gelu") {
    return Error(ErrorCode::Unsupported,
                 "config.json must describe a BERT model with gelu, got " +
                     in_quotes(kind) + " with " + in_quotes(activation) + ".");
  }
  BertConfig config;
  ASSIGN_OR_RETURN(config.hidden, read_size(root, "hidden_size"));
  ASSIGN_OR_RETURN(config.heads, read_size(root, "num_attention_heads"));
  ASSIGN_OR_RETURN(config.layers, read_size(root, "num_hidden_layers"));
  ASSIGN_OR_RETURN(config.intermediate, read_size(root, "intermediate_size"));
  ASSIGN_OR_RETURN(config.max_tokens,
                   read_size(root, "max_position_embeddings"));
  ASSIGN_OR_RETURN(const auto epsilon,
                   json_field<double>(root, "layer_norm_eps"));
  config.norm_epsilon = static_cast<float>(epsilon);
  if (config.hidden % config.heads != 0) {
    return Error(ErrorCode::DataDamaged, "config.json: num_attention_heads (" +
                                             std::to_string(config.heads) +
                                             ") must divide hidden_size (" +
                                             std::to_string(config.hidden) +
                                             ").");
  }
  return config;
}

// Reads the weights and checks their shapes.
class BertEncoder::Reader {
 public:
  Reader(const BertConfig& config, const NamedTensors& tensors)
      : config_(config), tensors_(tensors) {}

  // -1 stands for any size.
  Result<std::vector<float>> read(const std::string& name,
                                  std::vector<std::int64_t> sizes) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      return Error(ErrorCode::DataDamaged,
                   "The model has no tensor " + in_quotes(name) + ".");
    }
    const Shape& shape = found->second.shape();
    const bool fits = std::equal(
        shape.begin(), shape.end(), sizes.begin(), sizes.end(),
        [](std::int64_t a, std::int64_t b) { return b == -1 || a == b; });
    if (!fits) {
      return Error(ErrorCode::DataDamaged,
                   "The tensor " + in_quotes(name) + " has the shape " +
                       shape.to_string() + ", which does not fit config.json.");
    }
    return found->second.to_vector();
  }

  Result<Norm> read_norm(const std::string& name) const {
    Norm norm;
    ASSIGN_OR_RETURN(norm.scale, read(name + ".weight", {hidden()}));
    ASSIGN_OR_RETURN(norm.shift, read(name + ".bias", {hidden()}));
    return norm;
  }

  // Several matrices with the same inputs become one.
  Result<Linear> read_linear(const std::vector<std::string>& names,
                             std::int64_t outputs, std::int64_t inputs) const {
    std::vector<float> weights;
    Linear linear;
    for (const std::string& name : names) {
      ASSIGN_OR_RETURN(const auto part,
                       read(name + ".weight", {outputs, inputs}));
      ASSIGN_OR_RETURN(const auto bias, read(name + ".bias", {outputs}));
      weights.insert(weights.end(), part.begin(), part.end());
      linear.bias.insert(linear.bias.end(), bias.begin(), bias.end());
    }
    linear.weights = PackedMatrix(weights.data(), linear.bias.size(),
                                  static_cast<std::size_t>(inputs));
    return linear;
  }

  Result<Layer> read_layer(std::size_t index) const {
    const std::string name = "encoder.layer." + std::to_string(index) + ".";
    const std::string self = name + "attention.self.";
    const std::string after = name + "attention.output.";
    const auto wide = static_cast<std::int64_t>(config_.intermediate);
    Layer layer;
    ASSIGN_OR_RETURN(layer.query_key_value,
                     read_linear({self + "query", self + "key", self + "value"},
                                 hidden(), hidden()));
    ASSIGN_OR_RETURN(layer.attention_output,
                     read_linear({after + "dense"}, hidden(), hidden()));
    ASSIGN_OR_RETURN(layer.attention_norm, read_norm(after + "LayerNorm"));
    ASSIGN_OR_RETURN(
        layer.intermediate,
        read_linear({name + "intermediate.dense"}, wide, hidden()));
    ASSIGN_OR_RETURN(layer.output,
                     read_linear({name + "output.dense"}, hidden(), wide));
    ASSIGN_OR_RETURN(layer.output_norm, read_norm(name + "output.LayerNorm"));
    return layer;
  }

  std::int64_t hidden() const {
    return static_cast<std::int64_t>(config_.hidden);
  }

 private:
  const BertConfig& config_;
  const NamedTensors& tensors_;
};

Result<BertEncoder> BertEncoder::make(const BertConfig& config,
                                      const NamedTensors& tensors) {
  const Reader reader(config, tensors);
  const std::string name = "embeddings.";
  const std::int64_t hidden = reader.hidden();
  BertEncoder encoder;
  encoder.config_ = config;
  ASSIGN_OR_RETURN(encoder.words_,
                   reader.read(name + "word_embeddings.weight", {-1, hidden}));
  ASSIGN_OR_RETURN(
      encoder.positions_,
      reader.read(name + "position_embeddings.weight",
                  {static_cast<std::int64_t>(config.max_tokens), hidden}));
  ASSIGN_OR_RETURN(
      const std::vector<float> types,
      reader.read(name + "token_type_embeddings.weight", {-1, hidden}));
  if (types.empty()) {
    return Error(ErrorCode::DataDamaged, "The model has no token types.");
  }
  for (std::size_t i = 0; i < config.max_tokens; ++i) {
    add_to(types.data(), encoder.positions_.data() + i * config.hidden,
           config.hidden);
  }
  ASSIGN_OR_RETURN(encoder.embedding_norm_,
                   reader.read_norm(name + "LayerNorm"));
  for (std::size_t i = 0; i < config.layers; ++i) {
    ASSIGN_OR_RETURN(Layer layer, reader.read_layer(i));
    encoder.layers_.push_back(std::move(layer));
  }
  return encoder;
}

// One pass over the tokens of several texts, which follow each other as rows.
// Only attention looks at the texts separately.
class BertEncoder::Pass {
 public:
  Pass(const BertEncoder& model,
       std::span<const std::vector<std::int32_t>> texts)
      : model_(model), hidden_(model.config_.hidden) {
    for (const auto& text : texts) {
      begins_.push_back(rows_);
      rows_ += text.size();
    }
    begins_.push_back(rows_);
    x_.resize(rows_ * hidden_);
    y_.resize(rows_ * hidden_);
    wide_.resize(rows_ * std::max(3 * hidden_, model.config_.intermediate));
    add_embeddings(texts);
    for (const Layer& layer : model.layers_) run_layer(layer);
  }

  std::vector<float> mean(std::size_t text) const {
    std::vector<float> sum(hidden_, 0.0f);
    for (std::size_t row = begins_[text]; row < begins_[text + 1]; ++row) {
      add_to(x_.data() + row * hidden_, sum.data(), hidden_);
    }
    make_unit_length(sum);  // So dividing by the count is not needed.
    return sum;
  }

 private:
  void add_embeddings(std::span<const std::vector<std::int32_t>> texts) {
    float* to = x_.data();
    for (const auto& text : texts) {
      const float* position = model_.positions_.data();
      for (const std::int32_t token : text) {
        const float* const word =
            model_.words_.data() + static_cast<std::size_t>(token) * hidden_;
        std::copy_n(word, hidden_, to);
        add_to(position, to, hidden_);
        position += hidden_;
        to += hidden_;
      }
    }
    normalize(model_.embedding_norm_);
  }

  void run_layer(const Layer& layer) {
    multiply(layer.query_key_value, x_, wide_);
    for (std::size_t text = 0; text + 1 < begins_.size(); ++text) {
      for (std::size_t head = 0; head < model_.config_.heads; ++head) {
        attend(begins_[text], begins_[text + 1] - begins_[text], head);
      }
    }
    multiply(layer.attention_output, y_, wide_);
    add_to(wide_.data(), x_.data(), rows_ * hidden_);
    normalize(layer.attention_norm);
    multiply(layer.intermediate, x_, wide_);
    gelu_in_place(wide_.data(), rows_ * model_.config_.intermediate);
    multiply(layer.output, wide_, y_);
    add_to(y_.data(), x_.data(), rows_ * hidden_);
    normalize(layer.output_norm);
  }

  // Reads queries, keys and values from wide_ and writes this head's part of
  // y_.
  void attend(std::size_t begin, std::size_t count, std::size_t head) {
    const std::size_t size = hidden_ / model_.config_.heads;
    const auto part = [&](std::size_t which, std::vector<float>& to) {
      to.resize(count * size);
      for (std::size_t i = 0; i < count; ++i) {
        std::copy_n(wide_.data() + (begin + i) * 3 * hidden_ + which * hidden_ +
                        head * size,
                    size, to.data() + i * size);
      }
    };
    part(0, query_);
    part(1, key_);
    part(2, value_);
    scores_.resize(count * count);
    const auto m = static_cast<std::int64_t>(count);
    const auto k = static_cast<std::int64_t>(size);
    gemm({.m = m, .n = m, .k = k, .transpose_b = true}, query_.data(),
         key_.data(), scores_.data());
    const float factor = 1 / std::sqrt(static_cast<float>(size));
    for (std::size_t i = 0; i < count; ++i) softmax_row(i, count, factor);
    gemm({.m = m, .n = k, .k = m}, scores_.data(), value_.data(),
         query_.data());
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(query_.data() + i * size, size,
                  y_.data() + (begin + i) * hidden_ + head * size);
    }
  }

  void softmax_row(std::size_t row, std::size_t count, float factor) {
    float* const scores = scores_.data() + row * count;
    scale(factor, scores, scores, count);
    const float sum = exp_shifted(scores, max_of(scores, count), scores, count);
    scale(1 / sum, scores, scores, count);
  }

  void multiply(const Linear& linear, const std::vector<float>& from,
                std::vector<float>& to) {
    linear.weights.multiply(from.data(), rows_, linear.bias.data(), to.data());
  }

  void normalize(const Norm& norm) {
    const auto size = static_cast<float>(hidden_);
    for (std::size_t row = 0; row < rows_; ++row) {
      float* const x = x_.data() + row * hidden_;
      const float mean = sum_of(x, hidden_) / size;
      for (std::size_t i = 0; i < hidden_; ++i) x[i] -= mean;
      const float variance = dot(x, x, hidden_) / size;
      const float factor =
          1 / std::sqrt(variance + model_.config_.norm_epsilon);
      for (std::size_t i = 0; i < hidden_; ++i) {
        x[i] = x[i] * factor * norm.scale[i] + norm.shift[i];
      }
    }
  }

  const BertEncoder& model_;
  std::size_t hidden_;
  std::size_t rows_ = 0;
  std::vector<std::size_t> begins_;  // Of the texts, and the end of the last.
  std::vector<float> x_, y_, wide_;
  std::vector<float> query_, key_, value_, scores_;  // Of one head.
};

Result<std::vector<std::vector<float>>> BertEncoder::encode(
    std::span<const std::vector<std::int32_t>> texts) const {
  const std::size_t vocabulary = words_.size() / config_.hidden;
  for (const auto& text : texts) {
    if (text.size() > config_.max_tokens) {
      return invalid_argument(
          "A text may have at most " + std::to_string(config_.max_tokens) +
          " tokens, got " + std::to_string(text.size()) + ".");
    }
    for (const std::int32_t token : text) {
      if (token < 0 || static_cast<std::size_t>(token) >= vocabulary) {
        return Error(ErrorCode::DataDamaged,
                     "The tokenizer does not belong to the model: token " +
                         std::to_string(token) + " is out of range.");
      }
    }
  }
  const Pass pass(*this, texts);
  std::vector<std::vector<float>> vectors;
  for (std::size_t i = 0; i < texts.size(); ++i)
    vectors.push_back(pass.mean(i));
  return vectors;
}

}  // namespace lamarck::text
