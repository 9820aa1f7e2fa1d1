#include "lamarck/schema/internal/ecma_pattern.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>
#include <fmt/core.h>
#include <re2/re2.h>

#include "lamarck/base/one_line.h"
#include "lamarck/schema/internal/ecma_translation.h"

namespace lamarck::schema {

struct EcmaPattern::Machine {
  struct Part {
    std::unique_ptr<const re2::RE2> expression;
    bool is_wanted = true;
  };
  std::vector<Part> parts;
  std::size_t instruction_count = 0;
};

namespace {

re2::RE2::Options quiet_options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  return options;
}

Error unusable(std::string_view pattern, std::string_view reason) {
  return {ErrorCode::InvalidArgument,
          fmt::format("the pattern {} cannot be used: {}", in_quotes(pattern),
                      one_line(reason, 200))};
}

}  // namespace

EcmaPattern::EcmaPattern(std::shared_ptr<const Machine> machine)
    : machine_(std::move(machine)) {}

Result<EcmaPattern> EcmaPattern::compile(std::string_view pattern) {
  const auto translated = translate_pattern(pattern);
  if (!translated) return unusable(pattern, translated.error().message());
  auto machine = std::make_shared<Machine>();
  for (const PatternPart& part : *translated) {
    auto compiled =
        std::make_unique<const re2::RE2>(part.expression, quiet_options());
    if (!compiled->ok()) return unusable(pattern, compiled->error());
    machine->instruction_count +=
        static_cast<std::size_t>(std::max(compiled->ProgramSize(), 1));
    machine->parts.push_back({std::move(compiled), part.is_wanted});
  }
  return EcmaPattern(std::move(machine));
}

// Every part must match, or not match, independently of the others.
bool EcmaPattern::is_found_in(std::string_view text) const {
  const re2::StringPiece piece(text.data(), text.size());
  return std::ranges::all_of(machine_->parts, [&](const Machine::Part& part) {
    return re2::RE2::PartialMatch(piece, *part.expression) == part.is_wanted;
  });
}

std::size_t EcmaPattern::instruction_count() const {
  return machine_->instruction_count;
}

// RE2 is linear in the text; large programs cost more per byte.
std::size_t EcmaPattern::cost(std::string_view text) const {
  return 4 + text.size() / 16 * (1 + machine_->instruction_count / 256);
}

}  // namespace lamarck::schema
