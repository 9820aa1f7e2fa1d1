#include "lamarck/skills/trace_generalization.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "lamarck/base/ascii.h"
#include "lamarck/base/ensure.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/string_split.h"
#include "lamarck/skills/internal/data_flow.h"
#include "lamarck/skills/internal/request_text.h"
#include "lamarck/skills/skill_replay.h"

namespace lamarck::skills {
namespace {

using internal::NamedLiteral;

constexpr std::size_t kMaxDepth = 64;

// One value of each trace, at the same place of their calls.
using Values = std::vector<const Json*>;

// What the plans of the traces wrote there; null = not known.
using Plans = std::vector<const Json*>;

template <typename Key>
Plans planned_parts(const Plans& plans, const Key& key) {
  Plans parts;
  for (const Json* plan : plans) {
    const bool has_part = plan != nullptr && plan->is_structured() && [&] {
      if constexpr (std::is_integral_v<Key>) {
        return plan->is_array() && key < plan->size();
      } else {
        return plan->is_object() && plan->contains(key);
      }
    }();
    parts.push_back(has_part ? &plan->at(key) : nullptr);
  }
  return parts;
}

// The reference that the plan wrote; nullopt = plain data, or not known.
std::optional<ArgumentReference> planned_reference(const Json* plan) {
  if (plan == nullptr) return std::nullopt;
  const auto reference = parse_reference(*plan);
  return reference ? *reference : std::nullopt;
}

bool are_equal(const Values& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const Json* one) { return *one == *values.front(); });
}

bool have_one_shape(const Values& values) {
  const Json& first = *values.front();
  return std::all_of(values.begin(), values.end(), [&](const Json* one) {
    if (one->type() != first.type() || one->size() != first.size()) {
      return false;
    }
    if (!first.is_object()) return first.is_array();
    return std::all_of(
        first.items().begin(), first.items().end(),
        [&](const auto& item) { return one->contains(item.key()); });
  });
}

// A type that admits all values.
Json common_type(const Values& values) {
  std::vector<std::string> types;
  for (const Json* value : values) {
    std::string type =
        value->is_number_integer() ? "integer" : value->type_name();
    if (std::find(types.begin(), types.end(), type) == types.end()) {
      types.push_back(std::move(type));
    }
  }
  if (types.size() == 1) return types.front();
  const bool are_numbers =
      std::all_of(values.begin(), values.end(),
                  [](const Json* value) { return value->is_number(); });
  return are_numbers ? Json("number") : Json(types);
}

// "order id" -> "order_id", a valid name of a parameter.
std::string parameter_name(std::string_view hint) {
  std::string name;
  for (const char c : hint.substr(0, 60)) {
    name += ascii::is_word(c) ? c : '_';
  }
  if (name.empty() || ascii::is_digit(name[0])) name.insert(0, "value_");
  return name;
}

class Generalization {
 public:
  explicit Generalization(const std::vector<Trace>& traces)
      : traces_(traces), results_(traces.size()), arguments_(traces.size()) {
    for (Json& one : arguments_) one = Json::object();
  }

  SkillStep generalize_step(std::size_t place) {
    SkillStep step;
    step.tool = traces_[0].calls[place].tool;
    step.action = internal::spaced_words(step.tool);
    step.action[0] = ascii::upper(step.action[0]);
    tool_ = step.tool;
    Values values;
    for (const Trace& trace : traces_) {
      values.push_back(&trace.calls[place].arguments);
    }
    Plans plans;
    for (const Trace& trace : traces_) {
      const Json& planned = trace.calls[place].planned;
      plans.push_back(planned.is_null() ? nullptr : &planned);
    }
    for (const auto& [name, first] : values.front()->items()) {
      Values parts;
      for (const Json* one : values) parts.push_back(&one->at(name));
      step.arguments[name] =
          generalize(parts, planned_parts(plans, name), name, 0);
    }
    for (std::size_t i = 0; i < traces_.size(); ++i) {
      results_[i].push_back(traces_[i].calls[place].result);
    }
    return step;
  }

  const Json& parameters() const { return parameters_; }
  const Json& arguments(std::size_t trace) const { return arguments_[trace]; }
  // What to replace in the first request.
  std::vector<NamedLiteral> literals() const {
    std::vector<NamedLiteral> literals;
    for (const auto& [name, value] : arguments_[0].items()) {
      literals.push_back(
          {value.is_string() ? value.get<std::string>() : dump_json(value),
           name});
    }
    return literals;
  }

 private:
  Json generalize(const Values& values, const Plans& plans,
                  const std::string& name, std::size_t depth) {
    const Json& first = *values.front();
    if (auto source = planned_source(values, plans)) return *source;
    if (auto param = planned_parameter(values, plans)) return *param;
    if (occurs_in_requests(values)) return parameter(values, name);
    if (auto source = common_source(values, name)) return *source;
    if (first.is_structured() && have_one_shape(values) && depth < kMaxDepth) {
      return generalize_parts(values, plans, name, depth);
    }
    if (are_equal(values)) return constant(first);
    return parameter(values, name);
  }

  // The result that a plan named, if it is the source in all traces.
  std::optional<Json> planned_source(const Values& values,
                                     const Plans& plans) const {
    for (const Json* plan : plans) {
      const auto reference = planned_reference(plan);
      if (!reference ||
          reference->kind != ArgumentReference::Kind::StepResult) {
        continue;
      }
      bool holds = true;
      for (std::size_t i = 0; i < values.size() && holds; ++i) {
        holds = internal::is_source(*reference, *values[i], results_[i]);
      }
      if (holds) return to_json(*reference);
    }
    return std::nullopt;
  }

  // A parameter of a plan stays one, by its name. Where the request does not
  // say its value, the value of the plan is the default.
  std::optional<Json> planned_parameter(const Values& values,
                                        const Plans& plans) {
    for (const Json* plan : plans) {
      const auto reference = planned_reference(plan);
      if (!reference || reference->kind != ArgumentReference::Kind::Parameter) {
        continue;
      }
      const std::string key = "$" + reference->parameter + ' ' + key_of(values);
      Json made = parameter(values, reference->parameter, key);
      if (are_equal(values) && !occurs_in_requests(values)) {
        Json& entry = parameters_[made["$param"].get<std::string>()];
        entry["default"] = *values.front();
        entry["required"] = false;
      }
      names_.emplace(key_of(values), made["$param"]);
      return made;
    }
    return std::nullopt;
  }

  Json generalize_parts(const Values& values, const Plans& plans,
                        const std::string& name, std::size_t depth) {
    Json parts = *values.front();
    const auto part_of_all = [&](const auto& key) {
      Values part;
      for (const Json* one : values) part.push_back(&one->at(key));
      return part;
    };
    if (parts.is_array()) {
      for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i] = generalize(part_of_all(i), planned_parts(plans, i), name,
                              depth + 1);
      }
      return parts;
    }
    for (auto& [key, part] : parts.items()) {
      part = generalize(part_of_all(key), planned_parts(plans, key), key,
                        depth + 1);
    }
    return constant_if_reference(*values.front(), std::move(parts));
  }

  // Data that looks like a reference stays data.
  static Json constant(const Json& value) {
    return constant_if_reference(value, value);
  }
  static Json constant_if_reference(const Json& value, Json otherwise) {
    const bool looks_like_one = value.is_object() && value.size() == 1 &&
                                value.begin().key().starts_with('$');
    return looks_like_one ? Json{{"$literal", value}} : otherwise;
  }

  // Whether each request contains its value, as data rather than as the words
  // that say what to do.
  bool occurs_in_requests(const Values& values) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Json& value = *values[i];
      if (!internal::request_contains(traces_[i].request, value)) return false;
      if (value.is_string() &&
          internal::is_verb(value.get_ref<const std::string&>())) {
        return false;
      }
    }
    return true;
  }

  std::optional<Json> common_source(const Values& values,
                                    const std::string& name) const {
    const bool is_evidence = (values.size() > 1 && !are_equal(values)) ||
                             internal::is_specific(*values.front());
    if (!is_evidence && !values.front()->is_number()) return std::nullopt;
    for (const ArgumentReference& source :
         internal::find_sources(*values.front(), name, results_.front())) {
      if (!is_evidence && !internal::is_named_source(source, name)) continue;
      bool holds = true;
      for (std::size_t i = 1; i < values.size() && holds; ++i) {
        holds = internal::is_source(source, *values[i], results_[i]);
      }
      if (holds) return to_json(source);
    }
    return std::nullopt;
  }

  static std::string key_of(const Values& values) {
    std::string key;
    for (const Json* value : values) key += dump_json(*value) + '\n';
    return key;
  }

  Json parameter(const Values& values, const std::string& hint) {
    return parameter(values, hint, key_of(values));
  }
  // The parameter of that key, or a new one.
  Json parameter(const Values& values, const std::string& hint,
                 const std::string& key) {
    const auto known = names_.find(key);
    if (known != names_.end()) return {{"$param", known->second}};
    const std::string base = parameter_name(hint);
    std::string name = base;
    for (int number = 2; parameters_.contains(name); ++number) {
      name = fmt::format("{}_{}", base, number);
    }
    names_[key] = name;
    parameters_[name] = {
        {"type", common_type(values)},
        {"description",
         fmt::format("The {} of {}.", internal::spaced_words(hint), tool_)},
        {"required", true}};
    for (std::size_t i = 0; i < values.size(); ++i) {
      arguments_[i][name] = *values[i];
    }
    return {{"$param", name}};
  }

  const std::vector<Trace>& traces_;
  std::string tool_;                          // Of the current step.
  std::vector<std::vector<Json>> results_;    // Of earlier steps, per trace.
  std::vector<Json> arguments_;               // Of the skill, per trace.
  std::map<std::string, std::string> names_;  // Values -> parameter.
  Json parameters_ = Json::object();
};

Result<void> check_same_kind(const std::vector<Trace>& traces) {
  const auto differs = [](std::string what) {
    return Error(ErrorCode::FailedPrecondition, std::move(what));
  };
  for (const Trace& trace : traces) {
    if (trace.calls.size() != traces[0].calls.size()) {
      return differs(fmt::format(
          "The traces must have the same calls, but one has {} and one {}.",
          traces[0].calls.size(), trace.calls.size()));
    }
    for (std::size_t i = 0; i < trace.calls.size(); ++i) {
      const ToolCall& one = traces[0].calls[i];
      const ToolCall& other = trace.calls[i];
      if (one.tool != other.tool) {
        return differs(
            fmt::format("The traces must have the same calls, but "
                        "call {} is {} in one and {} in another.",
                        i + 1, one.tool, other.tool));
      }
      const Values both = {&one.arguments, &other.arguments};
      if (!have_one_shape(both)) {
        return differs(
            fmt::format("The traces must give {} the same "
                        "arguments.",
                        one.tool));
      }
    }
  }
  return {};
}

void describe(SkillDraft& draft, const Trace& trace,
              const std::vector<NamedLiteral>& literals) {
  draft.description = internal::generalized_request(trace.request, literals);
  draft.name = internal::skill_name(draft.description, draft.steps.back().tool);
  if (draft.description.empty()) draft.description = draft.name + ".";
  draft.trigger_keywords = internal::request_keywords(draft.description);
  for (const SkillStep& step : draft.steps) {
    if (std::find(draft.tools_used.begin(), draft.tools_used.end(),
                  step.tool) == draft.tools_used.end()) {
      draft.tools_used.push_back(step.tool);
    }
  }
  draft.preconditions = {{"required_tools", draft.tools_used},
                         {"description", "The tools are available."}};
  // Not the answer: it may repeat what a tool returned.
  draft.expected_outcome =
      fmt::format("{} returns without an error.", draft.steps.back().tool);
}

}  // namespace

Trace effective_trace(const Trace& trace) {
  Trace effective = trace;
  effective.calls.clear();
  // How many effective calls there are up to each call.
  std::vector<std::size_t> places;
  for (const ToolCall& call : trace.calls) {
    places.push_back(effective.calls.size());
    if (!call.succeeded) continue;
    const bool repeats = !effective.calls.empty() &&
                         effective.calls.back().tool == call.tool &&
                         effective.calls.back().arguments == call.arguments &&
                         effective.calls.back().result == call.result;
    if (repeats) continue;
    effective.calls.push_back(call);
    places.back() = effective.calls.size();
    renumber_results(effective.calls.back().planned, places);
  }
  return effective;
}

Result<SkillDraft> generalize_traces(const std::vector<Trace>& traces) {
  REQUIRE(!traces.empty(), "generalize_traces: there must be a trace.");
  std::vector<Trace> effective;
  for (const Trace& trace : traces) effective.push_back(effective_trace(trace));
  if (effective[0].calls.empty()) {
    return Error(ErrorCode::FailedPrecondition,
                 "The trace must have a successful tool call.");
  }
  RETURN_IF_ERROR(check_same_kind(effective));
  Generalization generalization(effective);
  SkillDraft draft;
  for (std::size_t i = 0; i < effective[0].calls.size(); ++i) {
    draft.steps.push_back(generalization.generalize_step(i));
  }
  draft.parameters = generalization.parameters();
  describe(draft, effective[0], generalization.literals());
  for (std::size_t i = 0; i < effective.size(); ++i) {
    draft.evals.push_back(make_eval(effective[i], generalization.arguments(i)));
  }
  return draft;
}

}  // namespace lamarck::skills
