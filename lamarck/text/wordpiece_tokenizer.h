// Splits text into the pieces of words that BERT models use.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::text {

// The uncased BERT tokenizer: cleans the text, drops accents and case, isolates
// punctuation and ideographs, and splits each word greedily into the longest
// known pieces. Gives the same pieces as the tokenizers library, except that
// the names of special tokens, such as "[SEP]", are ordinary text here: a text
// from outside cannot insert one.
// Thread safety: all members may be called from any thread.
class WordPieceTokenizer {
 public:
  // Reads the format of tokenizer.json. Fails if it describes another kind of
  // tokenizer.
  static Result<WordPieceTokenizer> parse(std::string_view json);

  // The pieces between [CLS] and [SEP]; texts beyond `max_tokens`, which
  // counts these two, are cut. REQUIRES: max_tokens >= 2.
  std::vector<std::int32_t> encode(std::string_view text,
                                   std::size_t max_tokens) const;

  std::size_t vocabulary_size() const { return pieces_.size(); }

 private:
  WordPieceTokenizer() = default;
  void append_word(std::u32string_view word,
                   std::vector<std::int32_t>& tokens) const;

  std::unordered_map<std::string, std::int32_t> pieces_;
  std::int32_t unknown_ = 0;
  std::int32_t begin_ = 0;
  std::int32_t end_ = 0;
};

}  // namespace lamarck::text
