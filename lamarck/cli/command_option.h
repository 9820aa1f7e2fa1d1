// Adds arguments and flags to a command. Commands use this instead of CLI11,
// whose header takes four seconds to compile.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lamarck/base/error.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lamarck::cli {

// The variable that a value of the command line is parsed into.
using OptionValue =
    std::variant<std::string*, std::optional<std::string>*,
                 std::vector<std::string>*, std::uint16_t*, std::int64_t*,
                 std::optional<std::int64_t>*, std::optional<std::uint64_t>*,
                 std::optional<double>*>;

struct OptionForm {
  std::string type;   // "FILE", or "a|b" for a choice; shown in the help.
  std::string group;  // A heading of the help; "" for the default.
  bool is_required = false;
  bool is_repeatable = false;  // Takes one value per use.
  bool is_choice = false;      // Refuses what is not in a type "a|b".
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  // Returns what is wrong with a value, or "" if it is valid.
  std::function<std::string(const std::string&)> problem;
};

// Adds an argument such as "MODEL", or a flag with a value such as
// "-n,--count". The option lives as long as `app`.
const CLI::Option* add_option(CLI::App& app, const std::string& name,
                              OptionValue value, const std::string& what,
                              const OptionForm& form = {});
// Adds a flag without a value.
const CLI::Option* add_switch(CLI::App& app, const std::string& name,
                              bool& value, const std::string& what,
                              const std::string& group = "");

// "--engine must be gp, llm or mix, got 'gpt'; did you mean 'gp'?"
Error invalid_choice(std::string_view flag,
                     std::span<const std::string_view> choices,
                     std::string_view value);

// Joins {"a", "b", "c"} to "a, b or c".
std::string join_choices(std::span<const std::string> choices,
                         std::string_view last = " or ");

// Whether the option was given. Call it after parsing.
bool is_given(const CLI::Option& option);
// Returns false if `app` has no option `name`.
bool is_given(const CLI::App& app, const std::string& name);
// Returns the name with its dashes, such as "--out".
std::string option_name(const CLI::Option& option);

}  // namespace lamarck::cli
