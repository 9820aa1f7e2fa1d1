#include "lamarck/cli/operation_text.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/string_split.h"
#include "lamarck/report/report_text.h"

namespace lamarck::cli {
namespace {

using report::labelled_row;

std::string text_of(const Json& json, const char* field) {
  return json[field].get<std::string>();
}

std::string yes_or_no(const Json& flag) {
  return flag.get<bool>() ? "yes" : "no";
}

std::vector<std::string> words_of(const Json& list) {
  return list.get<std::vector<std::string>>();
}

std::string number_text(const Json& number) {
  return number.is_number_integer() ? number.dump()
                                    : fmt::format("{:g}", number.get<float>());
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

// "2", "2 to 3", "1 or more".
std::string input_text(const Json& operation) {
  const std::string least = operation["least_inputs"].dump();
  const Json& most = operation["most_inputs"];
  if (most.is_null()) return least + " or more";
  return most.dump() == least ? least : least + " to " + most.dump();
}

std::string gradient_text(const Json& operation) {
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
  return join_text(words_of(operation["onnx"]["operators"]), ", ");
}

// "p0 = 0.5, i2 = 1": those that are not 0.
std::vector<std::string> settings_of(const Json& sample) {
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

// "[3, 4] [4] -> [3, 4], with i0 = 1"
std::string sample_text(const Json& sample) {
  std::vector<std::string> inputs;
  for (const Json& shape : sample["inputs"]) inputs.push_back(list_text(shape));
  const auto settings = settings_of(sample);
  return join_text(inputs, " ") + " -> " + list_text(sample["output"]) +
         (settings.empty() ? "" : ", with " + join_text(settings, ", "));
}

// Some are pages long; --json has them whole.
std::string sample_onnx_text(const Json& onnx) {
  constexpr std::size_t kLongest = 100;
  if (onnx.is_null()) return "  is not exported";
  const auto text = onnx.get<std::string>();
  return "  ONNX " +
         (text.size() <= kLongest ? text : text.substr(0, kLongest) + " ...");
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
                     text_of(operation, "name"), input_text(operation),
                     gradient_text(operation), place_text(operation),
                     operators_text(operation));
}

std::string markdown_row(const Json& operation) {
  const Json& expression = operation["onnx"]["expression"];
  const std::string onnx =
      expression.is_null() ? operators_text(operation) + ", by shape"
                           : fmt::format("`{}`", expression.get<std::string>());
  return fmt::format("| `{}` | {} | {} | {} | {} | {} |\n",
                     text_of(operation, "name"), text_of(operation, "what"),
                     input_text(operation), gradient_text(operation),
                     place_text(operation), onnx);
}

// Each operation's row, below a heading for each group.
template <class Heading, class Row>
std::string by_group(const Json& operations, Heading heading, Row make_row) {
  std::string text;
  std::string group;
  for (const Json& operation : operations) {
    if (text_of(operation, "group") != group) {
      group = text_of(operation, "group");
      text += heading(group);
    }
    text += make_row(operation);
  }
  return text;
}

}  // namespace

std::string operation_text(const Json& operation) {
  const Json& onnx = operation["onnx"];
  std::string text = fmt::format("{}: {}\n", text_of(operation, "name"),
                                 text_of(operation, "what"));
  text += labelled_row("group", text_of(operation, "group"));
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
                                   : text_of(onnx, "expression"));
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
         "Activations that evolution may choose: " +
         join_text(words_of(report["activations"]), ", ") +
         ".\n`lamarck ops NAME` shows all that is known about one.\n";
}

std::string operations_markdown(const Json& report) {
  std::string text =
      "# Operations\n\n"
      "What a graph can compute. `lamarck ops --markdown` writes this page "
      "from the one list of operations\n"
      "([operation_table.h](../lamarck/graph/operation_table.h)), and a test "
      "compares them; `lamarck ops NAME` shows more\n"
      "about one. How to add one: "
      "[add-an-operation.md](howto/add-an-operation.md).\n\n"
      "*Gradient*: whether all inputs have one, only the first, or none. *In "
      "place*: whether the result may be written\n"
      "over an input; a view writes nothing. *ONNX*: what it is exported as, "
      "with a, b, ... or x for inputs, * for all of\n"
      "them, p0 and p1 for numbers, i0 to i7 for integers of the node; \"by "
      "shape\" where it depends on shapes.\n";
  text += by_group(
      report["operations"],
      [](const std::string& group) {
        return "\n## " + group +
               "\n\n| operation | gives | inputs | gradient | in place | ONNX "
               "|\n|---|---|---|---|---|---|\n";
      },
      markdown_row);
  std::vector<std::string> activations;
  for (const std::string& name : words_of(report["activations"])) {
    activations.push_back("`" + name + "`");
  }
  return text + "\n## Activations\n\nEvolution may choose these:\n" +
         join_text(activations, ", ") + ".\n";
}

}  // namespace lamarck::cli
