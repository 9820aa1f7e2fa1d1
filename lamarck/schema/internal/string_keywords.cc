// minLength and maxLength, pattern, format.

#include <optional>
#include <string>
#include <utility>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/unicode.h"
#include "lamarck/schema/internal/ecma_pattern.h"
#include "lamarck/schema/internal/keyword_table.h"
#include "lamarck/schema/internal/string_format.h"
#include "lamarck/schema/internal/validation.h"

namespace lamarck::schema {
namespace {

using Count = std::optional<std::size_t>;

class Lengths : public Keyword {
 public:
  Lengths(Count min, Count max) : min_(min), max_(max) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_string()) return true;
    const auto& text = value.get_ref<const std::string&>();
    if (!validation.spend(text.size() / 64)) return false;
    const std::size_t length = unicode_length(text);
    if (min_.has_value() && length < *min_) {
      return refuse(value, length, validation, "minLength", "at least", *min_);
    }
    if (max_.has_value() && length > *max_) {
      return refuse(value, length, validation, "maxLength", "at most", *max_);
    }
    return true;
  }

 private:
  static bool refuse(const Json& value, std::size_t length,
                     Validation& validation, std::string_view keyword,
                     std::string_view wanted, std::size_t bound) {
    return validation.refuse(keyword, [&] {
      return fmt::format("The text {} has {} character{}; it must have {} {}.",
                         describe_value(value), length, length == 1 ? "" : "s",
                         wanted, bound);
    });
  }

  Count min_;
  Count max_;
};

class Pattern : public Keyword {
 public:
  Pattern(std::string source, EcmaPattern pattern)
      : source_(std::move(source)), pattern_(std::move(pattern)) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_string()) return true;
    const auto& text = value.get_ref<const std::string&>();
    if (!validation.spend(pattern_.cost(text))) return false;
    if (pattern_.is_found_in(text)) return true;
    return validation.refuse("pattern", [&] {
      return fmt::format("The text {} must match the pattern {}.",
                         describe_value(value), in_quotes(source_));
    });
  }

 private:
  std::string source_;
  EcmaPattern pattern_;
};

class Format : public Keyword {
 public:
  explicit Format(const StringFormat& format) : format_(format) {}

  bool accepts(const Json& value, Validation& validation) const override {
    if (!value.is_string()) return true;
    const auto& text = value.get_ref<const std::string&>();
    if (!validation.spend(text.size())) return false;
    if (format_.matches(text)) return true;
    return validation.refuse("format", [&] {
      return fmt::format("The text {} is not a valid {}; write it like '{}'.",
                         describe_value(value), format_.name, format_.example);
    });
  }

 private:
  const StringFormat& format_;
};

}  // namespace

Result<KeywordPtr> make_lengths(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const Count min, builder.read_count("minLength"));
  ASSIGN_OR_RETURN(const Count max, builder.read_count("maxLength"));
  if (!min.has_value() && !max.has_value()) return KeywordPtr();
  return KeywordPtr(std::make_unique<Lengths>(min, max));
}

Result<KeywordPtr> make_pattern(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const auto source, builder.read_string("pattern"));
  if (!source.has_value()) return KeywordPtr();
  ASSIGN_OR_RETURN(EcmaPattern pattern,
                   builder.compile_pattern("pattern", *source));
  return KeywordPtr(std::make_unique<Pattern>(*source, std::move(pattern)));
}

Result<KeywordPtr> make_format(SchemaBuilder& builder) {
  ASSIGN_OR_RETURN(const auto name, builder.read_string("format"));
  if (!name.has_value() || !builder.checks_formats()) return KeywordPtr();
  // An unknown format is only an annotation.
  const StringFormat* format = find_string_format(*name);
  if (format == nullptr) return KeywordPtr();
  return KeywordPtr(std::make_unique<Format>(*format));
}

}  // namespace lamarck::schema
