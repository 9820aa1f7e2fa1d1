#include "lamarck/cli/usage_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string_view>

#include "lamarck/base/one_line.h"
#include "lamarck/base/suggestion.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/settings.h"

namespace lamarck::cli {
namespace {

std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) words.push_back("--" + name);
  }
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    words.push_back(sub->get_name());
    const auto more = known_words(*sub);
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

// Returns the words that may follow a command: its flags, those of the commands
// around it, and its subcommands.
std::vector<std::string> words_after(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::App* app = &command; app != nullptr;
       app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      for (const auto& name : option->get_lnames()) {
        words.push_back("--" + name);
      }
    }
  }
  for (const CLI::App* sub : command.get_subcommands(nullptr)) {
    words.push_back(sub->get_name());
  }
  return words;
}

// Appends the commands below `app` that have the flag.
void find_owners(const CLI::App& app, const std::string& flag,
                 std::vector<std::string>& owners) {
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    if (sub->get_option_no_throw(flag) != nullptr) {
      owners.push_back("`" + full_name(*sub) + "`");
    }
    find_owners(*sub, flag, owners);
  }
}

// Says that a flag belongs to other commands, preferably to those beside this
// one; "" if it does not.
std::string other_flag_message(const CLI::App& command,
                               const std::string& flag) {
  constexpr std::size_t kMaxOwners = 3;
  const CLI::App* parent = command.get_parent();
  if (parent == nullptr || !flag.starts_with("--")) return "";
  if (command.get_option_no_throw(flag) != nullptr) return "";
  std::vector<std::string> owners;
  for (; parent != nullptr && owners.empty(); parent = parent->get_parent()) {
    find_owners(*parent, flag, owners);
  }
  if (owners.empty()) return "";
  if (owners.size() > kMaxOwners) owners.resize(kMaxOwners);
  return fmt::format("{} is a flag of {}, not of `{}`.", flag,
                     join_choices(owners, " and "), full_name(command));
}

// Names the role of an unknown word: a flag, a command or an argument.
std::string_view word_role(const CLI::App& app, std::string_view word) {
  if (word.starts_with("-")) return "flag";
  return app.get_subcommands().empty() ? "command" : "argument";
}

// Drops the value after an =, because it may be a secret.
std::string unknown_word_message(const CLI::App& app, const std::string& word) {
  const std::string bare = word.substr(0, word.find('='));
  for (const Setting& setting : kSettings) {
    if (setting.is_secret && bare == flag_name(setting)) {
      return fmt::format(
          "{} is not a flag, because other users can see command lines; set "
          "{}, or {} in lamarck.toml.",
          bare, environment_name(setting), setting.key);
    }
  }
  const CLI::App& command = parsed_command(app);
  if (wants_subcommand(command) && !bare.starts_with("-")) {
    return fmt::format("Unknown kind {}; use {}.", in_quotes(bare),
                       join_choices(subcommand_names(command)));
  }
  if (std::string message = other_flag_message(command, bare);
      !message.empty()) {
    return message;
  }
  const auto all = known_words(app);
  if (std::ranges::find(all, bare) != all.end()) {
    return fmt::format(
        "'{}' is not valid here; flags follow the command they belong to.",
        bare);
  }
  const auto nearest = nearest_word(bare, words_after(command));
  return fmt::format(
      "Unknown {} {}{}", word_role(app, bare), in_quotes(bare),
      nearest ? fmt::format("; did you mean '{}'?", *nearest) : ".");
}

// Rewords the messages of CLI11 that do not say what to do, such as
// "Could not convert: --goal = high" and "--goal: 1 required X missing".
std::string reworded(const std::string& text) {
  constexpr std::string_view kConvert = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (text.starts_with(kConvert) && equals != std::string::npos) {
    return fmt::format("{} must be a number, got {}",
                       text.substr(kConvert.size(), equals - kConvert.size()),
                       in_quotes(text.substr(equals + 3)));
  }
  // "--count: Value -1 not in range 0 to 9"
  static const std::regex kRange("(.+): Value (.+) not in range (.+) to (.+)");
  if (std::smatch parts; std::regex_match(text, parts, kRange)) {
    return fmt::format("{} must be between {} and {}, got {}", parts[1].str(),
                       parts[3].str(), parts[4].str(), parts[2].str());
  }
  // "--port: must be ..." from a check of ours.
  if (const std::size_t must = text.find(": must ");
      must != std::string::npos && text.starts_with("--")) {
    return text.substr(0, must) + text.substr(must + 1);
  }
  const std::size_t required = text.find(": 1 required ");
  if (required != std::string::npos && text.ends_with(" missing")) {
    return text.substr(0, required) + " requires a value";
  }
  return text;
}

}  // namespace

const CLI::App& parsed_command(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : parsed_command(*parsed.front());
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name()
                           : full_name(*parent) + " " + command.get_name();
}

std::vector<std::string> subcommand_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : command.get_subcommands(nullptr)) {
    names.push_back(sub->get_name());
  }
  return names;
}

bool wants_subcommand(const CLI::App& command) {
  return command.get_parent() != nullptr &&
         !command.get_subcommands(nullptr).empty();
}

std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto extras = app.remaining(true);
    text = unknown_word_message(app, extras.empty() ? "" : extras.front());
  } else {
    text = one_line(reworded(text), 300);
    if (!text.empty() && text.back() != '.') text += '.';
  }
  return fmt::format("lamarck: {} See `{} --help`.", text,
                     full_name(parsed_command(app)));
}

}  // namespace lamarck::cli
