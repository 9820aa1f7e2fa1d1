#include "lamarck/skills/internal/data_flow.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/skills/internal/request_text.h"

namespace lamarck::skills::internal {
namespace {

constexpr std::size_t kMaxParts = 20'000;  // Looked at per result.
constexpr std::size_t kMaxContext = 24;    // Bytes before a value in a text.

std::string escaped_name(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '~') {
      escaped += "~0";
    } else if (c == '/') {
      escaped += "~1";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// 0 for equal names, 1 if one ends with the other ("order id" and "id"),
// else 2.
int name_distance(std::string_view argument, std::string_view name) {
  const std::string wanted = spaced_words(argument);
  const std::string known = spaced_words(name);
  if (wanted == known) return 0;
  const bool is_part =
      wanted.ends_with(" " + known) || known.ends_with(" " + wanted);
  return is_part ? 1 : 2;
}

struct Candidate {
  ArgumentReference reference;
  int name_distance = 2;
  int list_positions = 0;
};

class SourceSearch {
 public:
  SourceSearch(const Json& value, std::string_view argument)
      : value_(value), argument_(argument) {}

  void search(const Json& result, std::size_t step) {
    step_ = step;
    left_ = kMaxParts;
    visit(result, "", "", 0);
  }

  std::vector<ArgumentReference> found() {
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) {
                       return rank(a) < rank(b);
                     });
    std::vector<ArgumentReference> references;
    for (Candidate& one : candidates_) {
      references.push_back(std::move(one.reference));
    }
    return references;
  }

 private:
  static std::tuple<bool, int, int, std::size_t, std::ptrdiff_t> rank(
      const Candidate& one) {
    const bool is_text =
        !one.reference.after.empty() || !one.reference.until.empty();
    return {is_text, one.name_distance, one.list_positions,
            one.reference.path.size(),
            -static_cast<std::ptrdiff_t>(one.reference.step)};
  }

  void visit(const Json& part, const std::string& path, std::string_view name,
             int positions) {
    if (left_ == 0) return;
    --left_;
    if (part == value_) {
      add({.kind = ArgumentReference::Kind::StepResult,
           .step = step_,
           .path = path},
          name, positions);
      return;
    }
    if (part.is_string()) visit_text(part, path, name, positions);
    if (part.is_object()) {
      for (const auto& [key, child] : part.items()) {
        visit(child, fmt::format("{}/{}", path, escaped_name(key)), key,
              positions);
      }
    } else if (part.is_array()) {
      for (std::size_t i = 0; i < part.size(); ++i) {
        visit(part[i], fmt::format("{}/{}", path, i), name, positions + 1);
      }
    }
  }

  // The words before the value and the character after it must lead to it.
  void visit_text(const Json& part, const std::string& path,
                  std::string_view name, int positions) {
    if (!value_.is_string()) return;
    const std::string& value = value_.get_ref<const std::string&>();
    const std::string& text = part.get_ref<const std::string&>();
    if (value.size() < 3) return;
    for (std::size_t at = find_literal(text, value); at != std::string::npos;
         at = find_literal(text, value, at + 1)) {
      std::size_t begin = at;
      while (begin > 0 && at - begin < kMaxContext && text[begin - 1] != '\n') {
        --begin;
      }
      // Not in the middle of a character or, where possible, of a word.
      while (begin < at &&
             (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) {
        ++begin;
      }
      const std::size_t space = text.find(' ', begin);
      if (begin > 0 && at - begin >= kMaxContext && space < at - 2) {
        begin = space + 1;
      }
      const std::size_t end = at + value.size();
      ArgumentReference reference{
          .kind = ArgumentReference::Kind::StepResult,
          .step = step_,
          .path = path,
          .after = text.substr(begin, at - begin),
          .until = end < text.size() ? text.substr(end, 1) : ""};
      if (is_cut_well(reference, text, value)) {
        add(std::move(reference), name, positions);
      }
    }
  }

  static bool is_cut_well(const ArgumentReference& reference,
                          std::string_view text, std::string_view value) {
    if (reference.after.empty() && reference.until.empty()) return false;
    const std::size_t found = text.find(reference.after);
    if (found == std::string_view::npos) return false;
    const std::string_view rest = text.substr(found + reference.after.size());
    return reference.until.empty()
               ? rest == value
               : rest.substr(0, rest.find(reference.until)) == value;
  }

  void add(ArgumentReference reference, std::string_view name, int positions) {
    candidates_.push_back(
        {std::move(reference), name_distance(argument_, name), positions});
  }

  const Json& value_;
  std::string_view argument_;
  std::size_t step_ = 0;
  std::size_t left_ = 0;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::vector<ArgumentReference> find_sources(const Json& value,
                                            std::string_view argument,
                                            const std::vector<Json>& results) {
  SourceSearch search(value, argument);
  for (std::size_t i = 0; i < results.size(); ++i) {
    search.search(results[i], i + 1);
  }
  return search.found();
}

bool is_source(const ArgumentReference& reference, const Json& value,
               const std::vector<Json>& results) {
  const auto resolved = resolve_step(
      {.arguments = {{"value", to_json(reference)}}}, Json::object(), results);
  return resolved && resolved->at("value") == value;
}

bool is_named_source(const ArgumentReference& reference,
                     std::string_view argument) {
  if (reference.path.empty()) return true;
  // The last name of the path that is not a position in a list.
  std::string_view path = reference.path;
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view name = path.substr(slash + 1);
    if (!std::all_of(name.begin(), name.end(), ascii::is_digit)) {
      return name_distance(argument, name) < 2;
    }
    path = path.substr(0, slash);
  }
  return false;
}

bool is_specific(const Json& value) {
  if (value.is_string()) {
    return value.get_ref<const std::string&>().size() >= 3;
  }
  if (value.is_number()) {
    const double number = value.get<double>();
    return std::abs(number) >= 10 || number != std::floor(number);
  }
  return value.is_structured() && !value.empty();
}

}  // namespace lamarck::skills::internal
