#include "lamarck/schema/json_schema.h"

#include <algorithm>
#include <utility>
#include <fmt/core.h>

#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/schema/internal/compiled_schema.h"
#include "lamarck/schema/internal/schema_compiler.h"
#include "lamarck/schema/internal/validation.h"

namespace lamarck::schema {

struct JsonSchema::Program {
  CompiledSchema compiled;
  ValidationLimits limits;
  std::size_t max_violations = 1;
};

namespace {

constexpr std::size_t kMaxDepthOption = 2'000;  // Fits into small stacks.

// The depth of the violation in the instance.
std::ptrdiff_t level(const Violation& violation) {
  return std::ranges::count(violation.instance_path, '/');
}

}  // namespace

JsonSchema::JsonSchema(std::shared_ptr<const Program> program)
    : program_(std::move(program)) {}

Result<JsonSchema> JsonSchema::compile(const Json& schema,
                                       const SchemaOptions& options) {
  REQUIRE(options.max_depth <= kMaxDepthOption,
          "JsonSchema::compile: max_depth must be at most {}, got {}.",
          kMaxDepthOption, options.max_depth);
  REQUIRE(options.max_violations >= 1,
          "JsonSchema::compile: max_violations must be at least 1, got {}.",
          options.max_violations);
  ASSIGN_OR_RETURN(CompiledSchema compiled, compile_schema(schema, options));
  return JsonSchema(std::make_shared<const Program>(
      Program{std::move(compiled),
              {options.max_depth, options.max_steps},
              options.max_violations}));
}

Result<std::vector<Violation>> JsonSchema::validate(
    const Json& instance) const {
  ViolationList list{program_->max_violations, {}};
  Validation validation(program_->compiled, program_->limits, &list);
  const bool is_accepted = validation.accepts(0, instance);
  if (validation.has_stopped()) return *validation.error();
  ENSURE(is_accepted == list.violations.empty(),
         "a rejected value has a violation");
  std::ranges::stable_sort(list.violations, {}, level);
  return std::move(list.violations);
}

Result<void> JsonSchema::check(const Json& instance,
                               std::string_view what) const {
  auto violations = validate(instance);
  if (!violations) return violations.error().within(what);
  if (violations->empty()) return {};
  const Violation& first = violations->front();
  const std::string place =
      first.instance_path.empty() ? "" : " at " + first.instance_path;
  return Error(ErrorCode::InvalidArgument,
               fmt::format("{} is not valid{}: {}.", what, place,
                           as_clause(first.message)),
               {{"instance_path", first.instance_path},
                {"schema_path", first.schema_path}});
}

}  // namespace lamarck::schema
