#include "lamarck/cli/evolve/fn_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <nlohmann/json.hpp>

#include "lamarck/base/error.h"
#include "lamarck/base/file.h"
#include "lamarck/base/macros.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/cli/evolve/column_identifier.h"

namespace lamarck::cli {
namespace {

using formula::NodeIndex;

// Smaller parts are shared by chance.
constexpr std::size_t kMinPartSize = 3;

// The nodes of all laws in one graph, so that equal parts are one node.
class JoinedLaws {
 public:
  explicit JoinedLaws(const std::vector<law::Law>& laws) : laws_(&laws) {
    for (const law::Law& law : laws) {
      std::vector<NodeIndex> params;
      for (const double param : law.params) {
        params.push_back(builder_.constant(param));
      }
      mark(builder_.append(law.formula.body, {}, params));
      users_.emplace_back();
      for (const NodeIndex node : reached_) users_.back().insert(node);
      reached_.clear();
    }
  }

  // The laws that contain the node.
  std::vector<std::size_t> users(NodeIndex node) const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < users_.size(); ++i) {
      if (users_[i].contains(node)) result.push_back(i);
    }
    return result;
  }

  bool is_part(NodeIndex node) const {
    const formula::Expression part = builder_.finish(node);
    return part.size() >= kMinPartSize && part.input_count() > 0;
  }

  std::size_t size() const { return builder_.node_count(); }
  const formula::Node& node(NodeIndex index) const {
    return builder_.node(index);
  }
  std::string text(NodeIndex node) const {
    formula::Formula formula = laws_->front().formula;
    formula.body = builder_.finish(node);
    return formula::to_infix(formula);
  }

 private:
  void mark(NodeIndex index) {
    if (!reached_.insert(index).second) return;
    const formula::Node node = builder_.node(index);
    for (std::size_t i = 0; i < formula::arity_of(node); ++i) {
      mark(node.arguments[i]);
    }
  }

  const std::vector<law::Law>* laws_;
  formula::ExpressionBuilder builder_;
  std::set<NodeIndex> reached_;
  std::vector<std::set<NodeIndex>> users_;
};

}  // namespace

Result<std::vector<std::string>> target_names(const data::Table& table,
                                              const std::string& target) {
  if (table.find(target)) return std::vector<std::string>{target};
  std::vector<std::string> names;
  for (const auto& name : split_text(target, ',')) {
    RETURN_IF_ERROR(table.find(name));
    names.emplace_back(name);
    if (std::ranges::count(names, names.back()) > 1) {
      return invalid_argument(
          fmt::format("--target contains {} more than once; name each column "
                      "once.",
                      in_quotes(names.back())));
    }
  }
  return names;
}

Result<std::vector<SearchFlags>> flags_of_targets(
    const SearchFlags& flags, const std::filesystem::path& out,
    const data::Table& table, const std::vector<std::string>& targets) {
  std::vector<std::string> inputs;
  for (const data::Column& column : table.columns()) {
    if (column.kind != data::ColumnKind::Number) continue;
    if (std::ranges::find(targets, column.name) != targets.end()) continue;
    if (!flags.inputs && column.name.find(',') != std::string::npos) {
      return invalid_argument(fmt::format(
          "The column {} has a comma in its name, so with several targets "
          "--inputs must name the columns to use.",
          in_quotes(column.name)));
    }
    inputs.push_back(column.name);
  }
  const std::vector<std::string> folders = column_identifiers(targets);
  std::vector<SearchFlags> result;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    SearchFlags one = flags;
    one.target = targets[i];
    if (!one.inputs) one.inputs = join_text(inputs, ",");
    one.out = (out / folders[i]).string();
    result.push_back(std::move(one));
  }
  return result;
}

bool contains_targets(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / kTargetsFile, ignored);
}

Result<void> write_targets(const std::filesystem::path& folder,
                           const std::vector<SearchFlags>& flags) {
  Json targets = Json::array();
  for (const SearchFlags& one : flags) {
    const std::filesystem::path path = *one.out;
    targets.push_back(
        {{"target", *one.target}, {"folder", path.filename().string()}});
  }
  return write_file(folder / kTargetsFile,
                    dump_json({{"targets", targets}}, 2) + "\n");
}

Result<std::vector<FnTarget>> read_targets(
    const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const std::string text, read_file(folder / kTargetsFile));
  ASSIGN_OR_RETURN(const Json json, parse_json(text));
  ASSIGN_OR_RETURN(const Json list, json_field<Json>(json, "targets"));
  std::vector<FnTarget> targets;
  for (const Json& each : list) {
    FnTarget target;
    ASSIGN_OR_RETURN(target.name, json_field<std::string>(each, "target"));
    ASSIGN_OR_RETURN(const std::string name,
                     json_field<std::string>(each, "folder"));
    target.folder = folder / std::filesystem::path(name).filename();
    targets.push_back(std::move(target));
  }
  return targets;
}

std::vector<SharedPart> shared_parts(const std::vector<law::Law>& laws,
                                     const std::vector<std::string>& targets) {
  const JoinedLaws joined(laws);
  std::vector<std::vector<std::size_t>> users;
  std::vector<bool> is_covered(joined.size(), false);
  for (NodeIndex node = 0; node < joined.size(); ++node) {
    users.push_back(joined.users(node));
  }
  // Arguments come before the nodes that use them.
  for (NodeIndex node = 0; node < joined.size(); ++node) {
    if (users[node].size() < 2) continue;
    const formula::Node& at = joined.node(node);
    for (std::size_t i = 0; i < formula::arity_of(at); ++i) {
      if (users[at.arguments[i]] == users[node]) {
        is_covered[at.arguments[i]] = true;
      }
    }
  }
  std::vector<SharedPart> parts;
  for (NodeIndex node = 0; node < joined.size(); ++node) {
    if (users[node].size() < 2 || is_covered[node] || !joined.is_part(node)) {
      continue;
    }
    SharedPart part{.formula = joined.text(node), .targets = {}};
    for (const std::size_t user : users[node]) {
      part.targets.push_back(targets[user]);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::string shared_text(const std::vector<SharedPart>& parts) {
  std::string text;
  for (const SharedPart& part : parts) {
    std::vector<std::string> names;
    for (const std::string& name : part.targets) {
      names.push_back(in_quotes(name));
    }
    text += fmt::format("Shared by {}: {}\n", join_text(names, " and "),
                        part.formula);
  }
  return text;
}

Json shared_json(const std::vector<SharedPart>& parts) {
  Json json = Json::array();
  for (const SharedPart& part : parts) {
    json.push_back({{"formula", part.formula}, {"targets", part.targets}});
  }
  return json;
}

}  // namespace lamarck::cli
