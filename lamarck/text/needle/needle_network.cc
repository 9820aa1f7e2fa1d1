#include "lamarck/text/needle/needle_network.h"

#include <algorithm>
#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/tensor/gemm.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck::text {
namespace {

constexpr float kEpsilon = 17 * 0x1p-24f;  // 1e-6 as a 16-bit float.

}  // namespace

void NeedleNetwork::embed(std::int32_t token, float* to) const {
  std::copy_n(embedding_.data() + static_cast<std::size_t>(token) * hidden_,
              hidden_, to);
}

void NeedleNetwork::normalize(const float* x, const std::vector<float>& scales,
                              std::size_t rows, float* to) const {
  const std::size_t size = scales.size();
  for (std::size_t row = 0; row < rows; ++row, x += size, to += size) {
    const float mean = dot(x, x, size) / static_cast<float>(size);
    const float factor = 1 / std::sqrt(mean + kEpsilon);
    for (std::size_t i = 0; i < size; ++i) to[i] = x[i] * factor * scales[i];
  }
}

// What heads do to rows of queries, keys and values.
class NeedleNetwork::Heads {
 public:
  explicit Heads(const NeedleNetwork& network)
      : network_(network),
        size_(network.head_size_),
        keys_(network.key_heads_ * network.head_size_) {}

  // Normalizes each head of a row in place.
  void normalize(float* row, std::size_t heads,
                 const std::vector<float>& scales) const {
    network_.normalize(row, scales, heads, row);
  }

  // Turns the pairs (i, i + half) of each head by the angles of a position.
  void rotate(float* row, std::size_t heads, std::size_t position) const {
    const std::size_t half = size_ / 2;
    const float* const cosines = network_.cosines_.data() + position * half;
    const float* const sines = network_.sines_.data() + position * half;
    for (std::size_t head = 0; head < heads; ++head, row += size_) {
      for (std::size_t i = 0; i < half; ++i) {
        const float a = row[i];
        const float b = row[i + half];
        row[i] = a * cosines[i] - b * sines[i];
        row[i + half] = b * cosines[i] + a * sines[i];
      }
    }
  }

  // Attention of one query head of one row to `count` rows of keys and values.
  void attend(const float* query, std::size_t head, const float* keys_values,
              std::size_t count, float* to) {
    const std::size_t group =
        head / (network_.heads_ / network_.key_heads_) * size_;
    const std::size_t stride = 2 * keys_;
    scores_.resize(count);
    const float factor = 1 / std::sqrt(static_cast<float>(size_));
    for (std::size_t i = 0; i < count; ++i) {
      scores_[i] = factor * dot(query, keys_values + i * stride + group, size_);
    }
    const float sum = exp_shifted(scores_.data(), max_of(scores_.data(), count),
                                  scores_.data(), count);
    std::fill_n(to, size_, 0.0f);
    for (std::size_t i = 0; i < count; ++i) {
      add_scaled_to(scores_[i] / sum, keys_values + i * stride + keys_ + group,
                    to, size_);
    }
  }

  std::size_t keys() const { return keys_; }

 private:
  const NeedleNetwork& network_;
  std::size_t size_;
  std::size_t keys_;  // Width of the keys of a row.
  std::vector<float> scores_;
};

Result<NeedleNetwork::Memory> NeedleNetwork::read(
    std::span<const std::int32_t> tokens, const CancelToken& cancel) const {
  const std::size_t rows = tokens.size();
  if (rows == 0 || rows > max_tokens_) {
    return invalid_argument("Needle reads between 1 and " +
                            std::to_string(max_tokens_) + " tokens, got " +
                            std::to_string(rows) + ".");
  }
  std::vector<float> x(rows * hidden_);
  for (std::size_t i = 0; i < rows; ++i) {
    if (tokens[i] < 0 || static_cast<std::size_t>(tokens[i]) >= vocabulary_) {
      return invalid_argument("The token " + std::to_string(tokens[i]) +
                              " is not in Needle's vocabulary.");
    }
    embed(tokens[i], x.data() + i * hidden_);
  }
  Heads heads(*this);
  const std::size_t keys = heads.keys();
  const std::size_t width = hidden_ + 2 * keys;
  const auto m = static_cast<std::int64_t>(rows);
  const auto k = static_cast<std::int64_t>(head_size_);
  std::vector<float> input(rows * hidden_);
  std::vector<float> projected(rows * width);
  std::vector<float> heard(rows * hidden_);
  std::vector<float> query(rows * head_size_);
  std::vector<float> key(rows * head_size_);
  std::vector<float> value(rows * head_size_);
  std::vector<float> scores(rows * rows);
  const auto gather = [&](std::size_t offset, std::vector<float>& to) {
    for (std::size_t i = 0; i < rows; ++i) {
      std::copy_n(projected.data() + i * width + offset, head_size_,
                  to.data() + i * head_size_);
    }
  };
  for (const Attention& layer : encoder_) {
    RETURN_IF_ERROR(cancel.check());
    normalize(x.data(), layer.norm, rows, input.data());
    layer.project.multiply(input.data(), rows, nullptr, projected.data());
    for (std::size_t i = 0; i < rows; ++i) {
      float* const row = projected.data() + i * width;
      heads.normalize(row, heads_, layer.query_norm);
      heads.normalize(row + hidden_, key_heads_, layer.key_norm);
      heads.rotate(row, heads_, i);
      heads.rotate(row + hidden_, key_heads_, i);
    }
    for (std::size_t head = 0; head < heads_; ++head) {
      const std::size_t group = head / (heads_ / key_heads_) * head_size_;
      gather(head * head_size_, query);
      gather(hidden_ + group, key);
      gather(hidden_ + keys + group, value);
      gemm({.m = m, .n = m, .k = k, .transpose_b = true}, query.data(),
           key.data(), scores.data());
      const float factor = 1 / std::sqrt(static_cast<float>(head_size_));
      for (std::size_t i = 0; i < rows; ++i) {
        float* const row = scores.data() + i * rows;
        scale(factor, row, row, rows);
        const float sum = exp_shifted(row, max_of(row, rows), row, rows);
        scale(1 / sum, row, row, rows);
      }
      gemm({.m = m, .n = k, .k = m}, scores.data(), value.data(), query.data());
      for (std::size_t i = 0; i < rows; ++i) {
        std::copy_n(query.data() + i * head_size_, head_size_,
                    heard.data() + i * hidden_ + head * head_size_);
      }
    }
    layer.output.multiply(heard.data(), rows, nullptr, input.data());
    add_scaled_to(layer.gate, input.data(), x.data(), rows * hidden_);
  }
  Memory memory;
  memory.hidden.resize(rows * hidden_);
  normalize(x.data(), encoder_norm_, rows, memory.hidden.data());
  for (const Attention& layer : crossing_) {
    std::vector<float> both(rows * 2 * keys);
    layer.remember.multiply(memory.hidden.data(), rows, nullptr, both.data());
    for (std::size_t i = 0; i < rows; ++i) {
      heads.normalize(both.data() + i * 2 * keys, key_heads_, layer.key_norm);
    }
    memory.keys_values.push_back(std::move(both));
  }
  return memory;
}

NeedleNetwork::Writer::Writer(const NeedleNetwork& network,
                              const Memory& memory)
    : network_(network),
      memory_(memory),
      keys_values_(network.decoder_.size()),
      x_(network.hidden_),
      input_(network.hidden_),
      heard_(network.hidden_),
      output_(network.hidden_),
      logits_(network.vocabulary_) {}

std::span<const float> NeedleNetwork::Writer::write(std::int32_t token) {
  const NeedleNetwork& net = network_;
  REQUIRE(size_ < net.max_tokens_,
          "Needle: a text may have at most {} tokens, got one more.",
          net.max_tokens_);
  REQUIRE(token >= 0 && static_cast<std::size_t>(token) < net.vocabulary_,
          "Needle: the token must be below {}, got {}.", net.vocabulary_,
          token);
  Heads heads(net);
  const std::size_t keys = heads.keys();
  net.embed(token, x_.data());
  const auto finish = [&](const Attention& part) {
    part.output.multiply(heard_.data(), 1, nullptr, output_.data());
    add_scaled_to(part.gate, output_.data(), x_.data(), net.hidden_);
  };
  for (std::size_t i = 0; i < net.decoder_.size(); ++i) {
    const Attention& self = net.decoder_[i];
    projected_.resize(net.hidden_ + 2 * keys);
    net.normalize(x_.data(), self.norm, 1, input_.data());
    self.project.multiply(input_.data(), 1, nullptr, projected_.data());
    heads.normalize(projected_.data(), net.heads_, self.query_norm);
    float* const key = projected_.data() + net.hidden_;
    heads.normalize(key, net.key_heads_, self.key_norm);
    heads.rotate(projected_.data(), net.heads_, size_);
    heads.rotate(key, net.key_heads_, size_);
    std::vector<float>& cache = keys_values_[i];
    cache.insert(cache.end(), key, key + 2 * keys);
    for (std::size_t head = 0; head < net.heads_; ++head) {
      const std::size_t at = head * net.head_size_;
      heads.attend(projected_.data() + at, head, cache.data(), size_ + 1,
                   heard_.data() + at);
    }
    finish(self);

    const Attention& cross = net.crossing_[i];
    net.normalize(x_.data(), cross.norm, 1, input_.data());
    cross.project.multiply(input_.data(), 1, nullptr, projected_.data());
    heads.normalize(projected_.data(), net.heads_, cross.query_norm);
    const std::vector<float>& known = memory_.keys_values[i];
    for (std::size_t head = 0; head < net.heads_; ++head) {
      const std::size_t at = head * net.head_size_;
      heads.attend(projected_.data() + at, head, known.data(),
                   known.size() / (2 * keys), heard_.data() + at);
    }
    finish(cross);
  }
  ++size_;
  net.normalize(x_.data(), net.decoder_norm_, 1, input_.data());
  net.output_.multiply(input_.data(), 1, nullptr, logits_.data());
  return logits_;
}

void NeedleNetwork::Writer::rewind(std::size_t size) {
  REQUIRE(size <= size_, "Needle: can go back to at most {} tokens, got {}.",
          size_, size);
  size_ = size;
  const std::size_t width = 2 * network_.key_heads_ * network_.head_size_;
  for (auto& cache : keys_values_) cache.resize(size * width);
}

}  // namespace lamarck::text
