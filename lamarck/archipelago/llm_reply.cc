#include "lamarck/archipelago/llm_reply.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "lamarck/archipelago/llm_body.h"
#include "lamarck/archipelago/llm_code_blocks.h"
#include "lamarck/archipelago/llm_source.h"

namespace lamarck::archipelago {
namespace {

// Each candidate costs a parse, or a run of a program.
constexpr std::size_t kMaxCandidates = 8;

// Removes ">>> " and "... " of a Python session or "> " of a quotation, if
// every line has one.
std::string without_line_marks(const std::string& text) {
  std::string result;
  for (const std::string& line : source_lines(text)) {
    std::size_t mark = 0;
    for (const std::string_view each : {">>> ", "... ", "> "}) {
      if (mark == 0 && line.starts_with(each)) mark = each.size();
    }
    if (mark == 0 && !is_blank(line) && line != ">" && line != "...") {
      return text;
    }
    result += (mark > 0 ? line.substr(mark) : "") + "\n";
  }
  return result;
}

// How likely it is that `function` is the wanted one: highest for the name
// itself, then for later versions of it; 0 for any other name.
std::size_t likelihood(std::string_view function, std::string_view name) {
  if (function == name) return std::numeric_limits<std::size_t>::max();
  const std::string front = std::string(name) + "_v";
  if (!function.starts_with(front)) return 0;
  std::size_t version = 0;
  for (const char c : function.substr(front.size())) {
    if (c < '0' || c > '9' || version > 1'000'000) return 0;
    version = 10 * version + static_cast<std::size_t>(c - '0');
  }
  return version + 1;
}

// Returns the last of the most likely functions, since models put corrections
// last. Returns null if there is no function.
const SourceBlock* main_function(const std::vector<SourceBlock>& blocks,
                                 std::string_view name) {
  const SourceBlock* best = nullptr;
  for (const SourceBlock& block : blocks) {
    if (block.kind != SourceKind::Function) continue;
    if (best == nullptr ||
        likelihood(block.name, name) >= likelihood(best->name, name)) {
      best = &block;
    }
  }
  return best;
}

// `main` and the functions that it calls, directly or indirectly.
std::set<const SourceBlock*> needed_functions(
    const std::vector<SourceBlock>& blocks, const SourceBlock& main) {
  std::set<const SourceBlock*> needed = {&main};
  std::vector<const SourceBlock*> open = {&main};
  while (!open.empty()) {
    const SourceBlock& user = *open.back();
    open.pop_back();
    for (const SourceBlock& block : blocks) {
      const bool is_used = block.kind == SourceKind::Function &&
                           block.name != main.name &&
                           user.text.find(block.name) != std::string::npos;
      if (is_used && needed.insert(&block).second) open.push_back(&block);
    }
  }
  return needed;
}

// Returns the shown versions that `code` calls but does not define. Goes from
// the last to the first, because a version can only call earlier ones.
std::string borrowed_versions(const std::string& code,
                              const WantedFunction& wanted) {
  std::string borrowed;
  for (std::size_t i = wanted.versions.size(); i-- > 0;) {
    const std::string name = versioned_name(wanted.name, i);
    const bool is_called = calls(code, name) || calls(borrowed, name);
    if (is_called && code.find("def " + name) == std::string::npos) {
      borrowed =
          with_renamed(wanted.versions[i], wanted.name, name) + "\n" + borrowed;
    }
  }
  return borrowed;
}

// Joins the imports, the definitions if wanted, the helpers and the function.
std::string assemble(const std::vector<SourceBlock>& blocks,
                     const SourceBlock& main, const WantedFunction& wanted,
                     bool with_definitions) {
  const auto needed = needed_functions(blocks, main);
  std::string imports;
  std::string code;
  for (const SourceBlock& block : blocks) {
    if (block.kind == SourceKind::Import) {
      imports += block.text;
    } else if (&block != &main &&
               (needed.contains(&block) ||
                (with_definitions && block.kind == SourceKind::Definition))) {
      code += block.text;
    }
  }
  code = with_renamed(code + main.text, main.name, wanted.name);
  return imports + borrowed_versions(code, wanted) + code;
}

// Collects candidates without repetitions.
class Candidates {
 public:
  explicit Candidates(const WantedFunction& wanted) : wanted_(wanted) {}

  void add_functions(const std::string& raw) {
    const auto blocks = source_blocks(dedented(without_line_marks(raw)));
    const SourceBlock* main = main_function(blocks, wanted_.name);
    if (main == nullptr) return;
    // Without definitions as well: they may be example values or a test.
    add(assemble(blocks, *main, wanted_, true));
    add(assemble(blocks, *main, wanted_, false));
  }
  void add_body(const std::string& raw) {
    if (wanted_.header.empty() || raw.find("def ") != std::string::npos) return;
    const std::string body = function_body(without_line_marks(raw));
    if (is_blank(body)) return;
    const std::string code = wanted_.header + "\n" + body;
    add(borrowed_versions(code, wanted_) + code);
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  void add(std::string candidate) {
    candidate.erase(candidate.find_last_not_of(" \n") + 1);
    candidate += '\n';
    if (found_.size() < kMaxCandidates &&
        std::ranges::find(found_, candidate) == found_.end()) {
      found_.push_back(std::move(candidate));
    }
  }

  const WantedFunction& wanted_;
  std::vector<std::string> found_;
};

}  // namespace

std::string versioned_name(std::string_view name, std::size_t index) {
  return std::string(name) + "_v" + std::to_string(index);
}

std::vector<std::string> function_candidates(std::string_view reply,
                                             const WantedFunction& wanted) {
  const std::string text = clean_reply(reply);
  std::vector<std::string> blocks = fenced_blocks(text);
  std::string joined;
  for (const std::string& block : blocks) joined += block + "\n";
  std::ranges::reverse(blocks);
  Candidates candidates(wanted);
  // All blocks together first: helpers may be in a separate block. Then later
  // blocks first, since models put corrections last.
  candidates.add_functions(joined);
  for (const std::string& block : blocks) candidates.add_functions(block);
  for (const std::string& block : blocks) candidates.add_body(block);
  if (!blocks.empty()) return candidates.take();
  candidates.add_functions(text);
  std::vector<std::string> words = inline_code(text);
  std::ranges::reverse(words);
  for (const std::string& word : words) candidates.add_body(word);
  candidates.add_body(text);
  return candidates.take();
}

}  // namespace lamarck::archipelago
