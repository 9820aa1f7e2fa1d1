#include "lamarck/runs/law_json.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "lamarck/formula/formula.h"
#include "lamarck/report/law_mathml.h"

namespace lamarck::runs {
namespace {

// Appends the character with this code as UTF-8.
void append_character(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xE0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

std::string decode_entities(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    const std::size_t mark = text.find('&');
    decoded += text.substr(0, mark);
    if (mark == std::string_view::npos) break;
    const std::size_t end = text.find(';', mark);
    if (end == std::string_view::npos) break;
    const std::string_view name = text.substr(mark + 1, end - mark - 1);
    if (name == "lt") decoded += '<';
    if (name == "gt") decoded += '>';
    if (name == "amp") decoded += '&';
    if (name == "quot") decoded += '"';
    if (name.starts_with('#')) {
      std::uint32_t code = 0;
      std::from_chars(name.data() + 1, name.data() + name.size(), code);
      append_character(decoded, code);
    }
    text.remove_prefix(end + 1);
  }
  return decoded;
}

// A reader of well-formed markup with tags, attributes and text.
class MarkupReader {
 public:
  explicit MarkupReader(std::string_view text) : rest_(text) {}

  std::optional<Json> element() {
    if (!rest_.starts_with('<')) return std::nullopt;
    const std::size_t end = rest_.find('>');
    if (end == std::string_view::npos || ++depth_ > kMaxDepth) {
      return std::nullopt;
    }
    const std::string_view head = rest_.substr(1, end - 1);
    const std::string tag(head.substr(0, head.find(' ')));
    rest_.remove_prefix(end + 1);
    Json json = {{"tag", tag}};
    Json children = Json::array();
    std::string text;
    while (!rest_.starts_with("</")) {
      if (rest_.empty()) return std::nullopt;
      if (rest_.starts_with('<')) {
        auto child = element();
        if (!child) return std::nullopt;
        children.push_back(*std::move(child));
      } else {
        const std::size_t next = std::min(rest_.find('<'), rest_.size());
        text += rest_.substr(0, next);
        rest_.remove_prefix(next);
      }
    }
    const std::string closing = "</" + tag + ">";
    if (!rest_.starts_with(closing)) return std::nullopt;
    rest_.remove_prefix(closing.size());
    --depth_;
    if (children.empty()) {
      json["text"] = decode_entities(text);
    } else {
      json["children"] = std::move(children);
    }
    return json;
  }

 private:
  static constexpr int kMaxDepth = 400;
  std::string_view rest_;
  int depth_ = 0;
};

std::vector<std::string> names_in(const Json& options, const char* key) {
  std::vector<std::string> names;
  const auto found = options.find(key);
  if (found == options.end() || !found->is_array()) return names;
  for (const Json& name : *found) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

// The names of the inputs that the formula contains.
Json used_inputs(const formula::Formula& law) {
  Json names = Json::array();
  for (std::size_t i = 0; i < law.inputs.size(); ++i) {
    const bool is_used =
        std::ranges::any_of(law.body.nodes(), [&](const formula::Node& node) {
          return node.op == formula::Op::Input && node.index == i;
        });
    if (is_used) names.push_back(law.inputs[i]);
  }
  return names;
}

// Adds the notations of a formula that is stored as text.
void add_notations(Json& law, const std::string& target,
                   const std::vector<std::string>& inputs) {
  const auto parsed =
      formula::parse_infix(law.value("formula", std::string()), inputs);
  if (!parsed) return;
  const std::vector<double> none;
  law["python"] = formula::to_python(*parsed, &none);
  law["latex"] = formula::to_latex(*parsed, &none);
  law["cpp"] = formula::to_cpp(*parsed, &none);
  law["mathml"] = markup_tree(report::to_mathml(target, *parsed, none));
  law["formula"] = formula::to_infix(*parsed, &none);
  law["inputs"] = used_inputs(*parsed);
}

}  // namespace

Json markup_tree(std::string_view markup) {
  auto tree = MarkupReader(markup).element();
  return tree ? *std::move(tree) : Json();
}

void add_laws(const Json& front, const RunSummary& summary, Json& view) {
  const std::string target = summary.facts.value("target", std::string("y"));
  const std::vector<std::string> inputs = names_in(summary.facts, "inputs");
  const std::size_t chosen = front.value("chosen", std::size_t{0});
  Json laws = front.value("laws", Json::array());
  for (std::size_t i = 0; i < laws.size(); ++i) {
    add_notations(laws[i], target, inputs);
    laws[i]["chosen"] = i == chosen;
  }
  Json lineage = front.value("lineage", Json::array());
  for (Json& each : lineage) {
    const auto parsed =
        formula::parse_infix(each.value("formula", std::string()), inputs);
    if (!parsed) continue;
    each["mathml"] = markup_tree(report::to_mathml(target, *parsed, {}));
  }
  view["target"] = target;
  view["front"] = std::move(laws);
  view["islands"] = front.value("islands", Json::array());
  view["lineage"] = std::move(lineage);
}

}  // namespace lamarck::runs
