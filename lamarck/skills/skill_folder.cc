#include "lamarck/skills/skill_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lamarck/base/ascii.h"
#include "lamarck/base/file.h"
#include "lamarck/base/hash.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/base/unicode.h"
#include "lamarck/skills/skill_safety.h"

namespace lamarck::skills {
namespace {

constexpr const char* kManifest = "SKILL.md";
constexpr const char* kDefinition = "references/skill.json";
constexpr const char* kEvals = "evals/evals.json";
constexpr std::size_t kMaxFileBytes = 4'194'304;

Error folder_error(std::string_view rule) {
  return invalid_argument(fmt::format("SKILL.md: {}", rule));
}

bool is_folder_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name.front() == '-' ||
      name.back() == '-' || name.find("--") != std::string_view::npos) {
    return false;
  }
  for (const char c : name) {
    const bool is_small = c >= 'a' && c <= 'z';
    if (!is_small && !ascii::is_digit(c) && c != '-') return false;
  }
  return true;
}

// The format allows no angle brackets and 1,024 characters.
std::string manifest_description(const SkillDraft& draft) {
  std::string text = draft.description;
  for (char& c : text) {
    if (c == '<' || c == '>') c = ' ';
  }
  return truncate_characters(text, 1'024);
}

std::string manifest_body(const SkillDraft& draft) {
  std::string body = fmt::format("# {}\n\n{}\n", one_line(draft.name),
                                 one_line(draft.description, 1'000));
  if (!draft.parameters.empty()) {
    body += "\n## Parameters\n\n";
    for (const auto& [name, schema] : draft.parameters.items()) {
      body += fmt::format("- `{}`: {}\n", name, one_line(dump_json(schema)));
    }
  }
  body += "\n## Steps\n\n";
  for (std::size_t i = 0; i < draft.steps.size(); ++i) {
    const SkillStep& step = draft.steps[i];
    body += fmt::format("{}. {}: call `{}` with `{}`\n", i + 1,
                        one_line(step.action), one_line(step.tool),
                        one_line(dump_json(step.arguments), 400));
  }
  if (!draft.expected_outcome.empty()) {
    body += fmt::format("\n## Outcome\n\n{}\n",
                        one_line(draft.expected_outcome, 1'000));
  }
  return body;
}

// The fields of the front matter on their own lines; nested lines belong to the
// field before them.
struct FrontMatter {
  std::map<std::string, std::string> fields;
  std::size_t body_lines = 0;
};

std::string unquoted(std::string_view value) {
  while (!value.empty() && ascii::is_space(value.front())) {
    value.remove_prefix(1);
  }
  while (!value.empty() && ascii::is_space(value.back())) {
    value.remove_suffix(1);
  }
  if (value.size() >= 2 && value.front() == '"') {
    // A double-quoted scalar of YAML as we write it is a JSON string.
    const Result<Json> text = parse_json(value);
    if (text && text->is_string()) return text->get<std::string>();
  }
  if (value.size() >= 2 && value.front() == '\'' && value.back() == '\'') {
    value = value.substr(1, value.size() - 2);
  }
  return std::string(value);
}

Result<FrontMatter> parse_front_matter(std::string_view text) {
  const auto lines = split_text(text, '\n');
  if (lines.empty() || unquoted(lines[0]) != "---") {
    return folder_error("it must begin with a line '---'.");
  }
  FrontMatter matter;
  std::size_t line = 1;
  std::string last;
  for (; line < lines.size() && unquoted(lines[line]) != "---"; ++line) {
    const std::string_view content = lines[line];
    if (unquoted(content).empty() || content.front() == '#') continue;
    if (ascii::is_space(content.front())) {
      matter.fields[last] += " " + unquoted(content);
      continue;
    }
    const std::size_t colon = content.find(':');
    if (colon == std::string_view::npos) {
      return folder_error(
          fmt::format("the line {} must be 'field: value'.", line + 1));
    }
    last = content.substr(0, colon);
    matter.fields[last] = unquoted(content.substr(colon + 1));
  }
  if (line == lines.size()) {
    return folder_error("the front matter must end with a line '---'.");
  }
  matter.body_lines = lines.size() - line - 1;
  return matter;
}

}  // namespace

std::string skill_folder_name(std::string_view name) {
  std::string slug;
  for (const char c : name) {
    if (ascii::is_alphanumeric(c)) {
      slug += ascii::lower(c);
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  slug = slug.substr(0, 64);
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  // A name without Latin letters.
  if (slug.empty()) slug = "skill-" + to_hex64(stable_hash(name));
  return slug;
}

SkillFiles skill_files(const SkillDraft& draft) {
  Json definition = to_json(draft);
  const Json evals = definition["evals"];
  definition.erase("evals");
  std::string tools;
  for (const std::string& tool : draft.tools_used) {
    if (!tools.empty()) tools += ' ';
    tools += one_line(tool);
  }
  SkillFiles files;
  files[kManifest] = fmt::format(
      "---\nname: {}\ndescription: {}\nallowed-tools: {}\nmetadata:\n"
      "  source: \"lamarck\"\n  quality: \"{:.2f}\"\n---\n\n{}",
      skill_folder_name(draft.name),
      dump_json(Json(manifest_description(draft))), dump_json(Json(tools)),
      draft.quality_score, manifest_body(draft));
  files[kDefinition] = dump_json(definition, 2) + "\n";
  files[kEvals] = dump_json(evals, 2) + "\n";
  return files;
}

Result<void> check_skill_md(std::string_view text,
                            std::string_view folder_name) {
  ASSIGN_OR_RETURN(FrontMatter matter, parse_front_matter(text));
  for (const auto& [field, value] : matter.fields) {
    const bool is_known = field == "name" || field == "description" ||
                          field == "license" || field == "compatibility" ||
                          field == "metadata" || field == "allowed-tools";
    if (!is_known) {
      return folder_error(
          fmt::format("the field {} is unknown.", in_quotes(field)));
    }
  }
  const std::string& name = matter.fields["name"];
  if (!is_folder_name(name)) {
    return folder_error(fmt::format(
        "name must have 1 to 64 of a-z, 0-9 and single hyphens inside, got "
        "{}.",
        in_quotes(name)));
  }
  if (name != folder_name) {
    return folder_error(
        fmt::format("name must be the name of the folder, {}, "
                    "got {}.",
                    in_quotes(folder_name), in_quotes(name)));
  }
  const std::string& description = matter.fields["description"];
  if (description.empty() || unicode_length(description) > 1'024 ||
      description.find_first_of("<>") != std::string::npos) {
    return folder_error(
        "description must have 1 to 1024 characters without "
        "angle brackets.");
  }
  if (unicode_length(matter.fields["compatibility"]) > 500) {
    return folder_error("compatibility must have at most 500 characters.");
  }
  if (matter.body_lines >= 500) {
    return folder_error(fmt::format(
        "the body must have fewer than 500 lines, got {}.", matter.body_lines));
  }
  return {};
}

Result<SkillDraft> parse_skill_files(const SkillFiles& files,
                                     std::string_view folder_name) {
  const auto manifest = files.find(kManifest);
  if (manifest == files.end()) {
    return Error(ErrorCode::NotFound,
                 fmt::format("{} must be a folder with a SKILL.md, such as "
                             "`lamarck skills export` writes.",
                             in_quotes(folder_name)));
  }
  RETURN_IF_ERROR(check_skill_md(manifest->second, folder_name));
  const auto definition = files.find(kDefinition);
  if (definition == files.end()) {
    return Error(ErrorCode::Unsupported,
                 fmt::format("The skill {} has no steps to run: it needs {}.",
                             in_quotes(folder_name), kDefinition));
  }
  ASSIGN_OR_RETURN(Json json, parse_json(definition->second, {.depth = 64}));
  if (const auto evals = files.find(kEvals);
      evals != files.end() && json.is_object()) {
    ASSIGN_OR_RETURN(json["evals"], parse_json(evals->second, {.depth = 64}));
  }
  ASSIGN_OR_RETURN(SkillDraft draft, parse_skill_draft(json));
  RETURN_IF_ERROR(check_draft(draft));
  return draft;
}

Result<std::filesystem::path> write_skill_folder(
    const SkillDraft& draft, const std::filesystem::path& parent) {
  const std::filesystem::path folder = parent / skill_folder_name(draft.name);
  std::error_code failure;
  if (std::filesystem::exists(folder, failure)) {
    return Error(ErrorCode::AlreadyExists,
                 fmt::format("The folder {} exists; remove it or choose "
                             "another place.",
                             folder.string()));
  }
  for (const auto& [path, bytes] : skill_files(draft)) {
    const std::filesystem::path file = folder / path;
    std::filesystem::create_directories(file.parent_path(), failure);
    RETURN_IF_ERROR(write_file(file, bytes));
  }
  return folder;
}

Result<SkillDraft> read_skill_folder(const std::filesystem::path& folder) {
  SkillFiles files;
  for (const char* const path : {kManifest, kDefinition, kEvals}) {
    Result<std::string> bytes = read_file(folder / path, kMaxFileBytes);
    if (bytes) {
      files[path] = std::move(*bytes);
    } else if (bytes.error().code() != ErrorCode::NotFound) {
      return bytes.error();
    }
  }
  const std::filesystem::path named =
      folder.has_filename() ? folder : folder.parent_path();
  return parse_skill_files(files, named.filename().string());
}

}  // namespace lamarck::skills
