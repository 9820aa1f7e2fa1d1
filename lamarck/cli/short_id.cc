#include "lamarck/cli/short_id.h"

#include <fmt/format.h>

#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"

namespace lamarck::cli {
namespace {

constexpr std::size_t kIdPage = 200;
constexpr std::size_t kSkillPage = 100;
constexpr std::size_t kShortest = 4;  // Characters of a part.

// Collects the ids, newest first, that a text may name.
class IdSearch {
 public:
  explicit IdSearch(const std::string& text) : text_(text) {}

  // Returns whether the search has ended.
  bool add(const std::string& id, const std::string& name = "") {
    const bool is_exact =
        id == text_ || text_ == "last" || (!name.empty() && name == text_);
    if (is_exact) first_ = id;
    if (is_exact) second_.clear();
    if (is_exact || !is_part(id)) return is_exact;
    (first_.empty() ? first_ : second_) = id;
    return false;
  }

  Result<std::string> result() const {
    if (!second_.empty()) {
      return invalid_argument(
          fmt::format("{} could be {} or {}; write more of the id.",
                      in_quotes(text_), first_, second_));
    }
    return first_.empty() ? text_ : first_;
  }

 private:
  // An id begins with the word for its kind, which need not be written.
  bool is_part(const std::string& id) const {
    if (text_.size() < kShortest) return false;
    const std::size_t mark = id.find('_');
    return id.starts_with(text_) || id.ends_with(text_) ||
           (mark != std::string::npos &&
            id.substr(mark + 1).starts_with(text_));
  }

  const std::string& text_;
  std::string first_;
  std::string second_;
};

}  // namespace

Result<std::string> find_run_id(store::Journal& journal, std::string_view kind,
                                const std::string& text) {
  if (journal.run(text)) return text;
  IdSearch search(text);
  store::RunFilter filter{.kind = std::string(kind), .limit = kIdPage};
  while (true) {
    ASSIGN_OR_RETURN(const auto runs, journal.runs(filter));
    for (const store::Run& run : runs) {
      if (search.add(run.id)) return search.result();
    }
    if (runs.size() < filter.limit) return search.result();
    filter.after = runs.back().id;
  }
}

Result<std::string> find_skill_id(skills::SkillStore& store,
                                  const std::string& org,
                                  const std::string& text) {
  if (store.skill(org, text)) return text;
  IdSearch search(text);
  skills::SkillFilter filter{.limit = kSkillPage};
  while (true) {
    ASSIGN_OR_RETURN(const auto page, store.skills(org, filter));
    for (const skills::Skill& skill : page.skills) {
      if (search.add(skill.id, skill.definition.name)) return search.result();
    }
    if (page.next_cursor.empty()) return search.result();
    filter.cursor = page.next_cursor;
  }
}

}  // namespace lamarck::cli
