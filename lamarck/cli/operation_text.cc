#include "lamarck/cli/operation_text.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/display_number.h"
#include "lamarck/base/string_split.h"
#include "lamarck/report/report_text.h"

namespace lamarck::cli {
namespace {

using report::labelled_row;

std::string get_text(const Json& json, const char* field) {
  return json[field].get<std::string>();
}

std::string yes_or_no(const Json& flag) {
  return flag.get<bool>() ? "yes" : "no";
}

std::vector<std::string> get_words(const Json& list) {
  return list.get<std::vector<std::string>>();
}

// Prints a float without the digits that a double would add.
std::string number_text(const Json& number) {
  return number.is_number_integer() ? number.dump()
                                    : short_number(number.get<float>(), 6);
}

std::vector<std::string> number_texts(const Json& numbers) {
  std::vector<std::string> texts;
  for (const Json& number : numbers) {
    texts.push_back(number.is_string() ? number.get<std::string>()
                                       : number_text(number));
  }
  return texts;
}

std::string list_text(const Json& numbers) {
  return "[" + join_text(number_texts(numbers), ", ") + "]";
}

// Returns "2", "2 to 3" or "1 or more".
std::string input_text(const Json& operation) {
  const std::string min = operation["min_inputs"].dump();
  const Json& max = operation["max_inputs"];
  if (max.is_null()) return min + " or more";
  return max.dump() == min ? min : min + " to " + max.dump();
}

std::string gradient_text(const Json& operation) {
  // Null means that all inputs are differentiable.
  const Json& inputs = operation["differentiable_inputs"];
  if (inputs.is_null()) return "yes";
  if (inputs == 0) return "no";
  return inputs == 1 ? "first" : fmt::format("first {}", inputs.get<int>());
}

std::string place_text(const Json& operation) {
  return operation["is_view"].get<bool>() ? "view"
                                          : yes_or_no(operation["in_place"]);
}

std::string operators_text(const Json& operation) {
  return join_text(get_words(operation["onnx"]["operators"]), ", ");
}

// Returns the attributes that are not 0, such as "p0 = 0.5" and "i2 = 1".
std::vector<std::string> attribute_texts(const Json& sample) {
  std::vector<std::string> texts;
  for (const auto& [field, letter] :
       {std::pair("numbers", 'p'), std::pair("integers", 'i')}) {
    const Json& numbers = sample[field];
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == 0) continue;
      texts.push_back(
          fmt::format("{}{} = {}", letter, i, number_text(numbers[i])));
    }
  }
  if (!sample["shape"].empty()) {
    texts.push_back("shape " + list_text(sample["shape"]));
  }
  return texts;
}

// Returns a line such as "[3, 4] [4] -> [3, 4], with i0 = 1".
std::string sample_text(const Json& sample) {
  std::vector<std::string> inputs;
  for (const Json& shape : sample["inputs"]) inputs.push_back(list_text(shape));
  const auto attributes = attribute_texts(sample);
  return join_text(inputs, " ") + " -> " + list_text(sample["output"]) +
         (attributes.empty() ? "" : ", with " + join_text(attributes, ", "));
}

// Shortens the expression, which can be pages long; --json has all of it.
std::string sample_onnx_text(const Json& onnx) {
  constexpr std::size_t kMaxLength = 100;
  if (onnx.is_null()) return "  cannot be exported";
  const auto text = onnx.get<std::string>();
  return "  ONNX " + (text.size() <= kMaxLength
                          ? text
                          : text.substr(0, kMaxLength) + " ...");
}

std::string range_text(const Json& range) {
  return number_text(range[0]) + " to " + number_text(range[1]);
}

std::string parameters_text(const Json& parameters) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    texts.push_back(fmt::format("p{} = {}", i, number_text(parameters[i])));
  }
  return join_text(texts, ", ");
}

std::string samples_text(const Json& samples) {
  std::string text;
  for (const Json& sample : samples) {
    text += labelled_row(text.empty() ? "samples" : "", sample_text(sample));
    if (sample.contains("onnx")) {
      text += labelled_row("", sample_onnx_text(sample["onnx"]));
    }
  }
  return text;
}

std::string table_row(const Json& operation) {
  return fmt::format("  {:<15}{:<11}{:<10}{:<10}{}\n",
                     get_text(operation, "name"), input_text(operation),
                     gradient_text(operation), place_text(operation),
                     operators_text(operation));
}

std::string markdown_row(const Json& operation) {
  const Json& expression = operation["onnx"]["expression"];
  const std::string onnx =
      expression.is_null() ? operators_text(operation) + ", by shape"
                           : fmt::format("`{}`", expression.get<std::string>());
  return fmt::format("| `{}` | {} | {} | {} | {} | {} |\n",
                     get_text(operation, "name"), get_text(operation, "what"),
                     input_text(operation), gradient_text(operation),
                     place_text(operation), onnx);
}

// Returns the rows of the operations, with a heading above each group.
template <class Heading, class Row>
std::string by_group(const Json& operations, Heading heading, Row make_row) {
  std::string text;
  std::string group;
  for (const Json& operation : operations) {
    if (get_text(operation, "group") != group) {
      group = get_text(operation, "group");
      text += heading(group);
    }
    text += make_row(operation);
  }
  return text;
}

}  // namespace

std::string operation_text(const Json& operation) {
  const Json& onnx = operation["onnx"];
  std::string text = fmt::format("{}: {}\n", get_text(operation, "name"),
                                 get_text(operation, "what"));
  text += labelled_row("group", get_text(operation, "group"));
  text += labelled_row("inputs", input_text(operation));
  text += labelled_row("gradient", gradient_text(operation));
  text += labelled_row("in place", place_text(operation));
  text += labelled_row("activation", yes_or_no(operation["activation"]));
  if (!operation["parameters"].empty()) {
    text +=
        labelled_row("parameters", parameters_text(operation["parameters"]));
  }
  if (operation.contains("domain")) {
    text += labelled_row("domain", range_text(operation["domain"]));
  }
  if (operation.contains("domain_of_b")) {
    text += labelled_row("domain of b", range_text(operation["domain_of_b"]));
  }
  if (!operation["kinks"].empty()) {
    text += labelled_row(
        "kinks", "at " + join_text(number_texts(operation["kinks"]), ", "));
  }
  text += labelled_row("ONNX", onnx["expression"].is_null()
                                   ? operators_text(operation) + ", by shape"
                                   : get_text(onnx, "expression"));
  return text + samples_text(operation["samples"]);
}

std::string operations_text(const Json& report) {
  const std::string columns =
      fmt::format("{:<17}{:<11}{:<10}{:<10}{}\n", "", "inputs", "gradient",
                  "in place", "ONNX");
  return columns +
         by_group(
             report["operations"],
             [](const std::string& group) { return group + "\n"; }, table_row) +
         "Activations: " + join_text(get_words(report["activations"]), ", ") +
         ".\n`lamarck ops NAME` shows all details of one operation.\n";
}

std::string operations_markdown(const Json& report) {
  std::string text =
      "# Operations\n\n"
      "This page lists the operations of computation graphs. `lamarck ops "
      "--markdown` generates it from\n"
      "[operation_table.h](../lamarck/graph/operation_table.h), and a test "
      "checks that it is current; `lamarck ops NAME` shows\n"
      "all details of one operation. To add one, see "
      "[add-an-operation.md](howto/add-an-operation.md).\n\n"
      "*Gradient* says whether all inputs have a gradient, only the first "
      "ones, or none. *In place* says whether the result\n"
      "may overwrite an input; a view writes nothing. *ONNX* is the exported "
      "expression: a, b, ... or x are inputs, * stands for\n"
      "all inputs, p0 and p1 are numbers and i0 to i7 are integers of the "
      "node; \"by shape\" means that it depends on shapes.\n";
  text += by_group(
      report["operations"],
      [](const std::string& group) {
        return "\n## " + group +
               "\n\n| operation | gives | inputs | gradient | in place | ONNX "
               "|\n|---|---|---|---|---|---|\n";
      },
      markdown_row);
  std::vector<std::string> activations;
  for (const std::string& name : get_words(report["activations"])) {
    activations.push_back("`" + name + "`");
  }
  return text +
         "\n## Activations\n\nThese operations serve as activation "
         "functions:\n" +
         join_text(activations, ", ") + ".\n";
}

}  // namespace lamarck::cli
