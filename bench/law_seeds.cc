// Measures which laws of law_table.h the search recovers, and how exactly.
//
//   law_seeds physics 30 3          20 laws, 30 s each, seeds 1 to 3
//   law_seeds physics 30 3 0.01     with 1 % of noise
//   law_seeds laboratory 30 3
//   law_seeds kepler 10 1           a single law
//   law_seeds LIST.csv 30 3 0.01 I.1   the laws of a list, such as
//                                    feynman_laws.csv, whose names begin so
//   law_seeds DIR 30 10             DIR/train.csv, test_id.csv, test_ood.csv,
//                                    the last column is the target

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/base/string_split.h"
#include "lamarck/data/csv.h"
#include "lamarck/formula/expression_plan.h"
#include "lamarck/formula/formula.h"
#include "lamarck/law/law_search.h"
#include "bench/law_table.h"

namespace {

using lamarck::Rng;
using lamarck::bench::Law;
using lamarck::bench::LawInput;
using lamarck::gp::RegressionProblem;

constexpr std::size_t kRows = 2000;

struct Case {
  std::string name;
  RegressionProblem train;
  RegressionProblem near;  // Unseen rows from the same ranges.
  RegressionProblem far;   // Rows from other ranges.
};

double drawn(const LawInput& input, bool is_far, Rng& rng) {
  if (is_far) return rng.uniform(input.far_low, input.far_high);
  if (input.levels == 0) return rng.uniform(input.low, input.high);
  while (true) {
    const double share = static_cast<double>(rng.below(
                             static_cast<std::uint64_t>(input.levels))) /
                         (input.levels - 1);
    const double value = input.low + share * (input.high - input.low);
    // Skips the level that the far rows test.
    if (std::fabs(value - input.far_low) > 1e-3 * (input.high - input.low) ||
        input.far_low != input.far_high) {
      return value;
    }
  }
}

// Beyond the usual ranges, a root may have a negative argument.
void drop_infinite_rows(RegressionProblem& problem) {
  std::size_t kept = 0;
  for (std::size_t row = 0; row < problem.target.size(); ++row) {
    if (!std::isfinite(problem.target[row])) continue;
    for (auto& column : problem.inputs) column[kept] = column[row];
    problem.target[kept++] = problem.target[row];
  }
  for (auto& column : problem.inputs) column.resize(kept);
  problem.target.resize(kept);
}

RegressionProblem make_rows(const Law& law, bool is_far, double noise,
                            Rng rng) {
  RegressionProblem problem;
  problem.target_name = "y";
  for (const LawInput& input : law.inputs) {
    problem.input_names.emplace_back(input.name);
  }
  problem.inputs.resize(law.inputs.size());
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t i = 0; i < law.inputs.size(); ++i) {
      problem.inputs[i].push_back(drawn(law.inputs[i], is_far, rng));
    }
  }
  const auto formula =
      lamarck::formula::parse_infix(law.formula, problem.input_names).value();
  lamarck::formula::ExpressionPlan plan(formula.body);
  problem.target.resize(kRows);
  const auto pointers = problem.input_pointers();
  plan.values({.inputs = pointers, .rows = kRows}, {}, problem.target);
  drop_infinite_rows(problem);
  const auto count = static_cast<double>(problem.rows());
  if (noise > 0) {
    double mean = 0;
    for (const double y : problem.target) mean += y / count;
    double square = 0;
    for (const double y : problem.target) square += (y - mean) * (y - mean);
    const double deviation = std::sqrt(square / count);
    for (double& y : problem.target) y += rng.normal(0, noise * deviation);
  }
  return problem;
}

Case make_case(const Law& law, double noise) {
  const Rng rng = Rng(1).split(law.name);
  return {.name = std::string(law.name),
          .train = make_rows(law, false, noise, rng.split("train")),
          .near = make_rows(law, false, 0, rng.split("near")),
          .far = make_rows(law, true, 0, rng.split("far"))};
}

RegressionProblem read_problem(const std::filesystem::path& path) {
  const auto table = lamarck::data::read_csv(path).value();
  return lamarck::gp::regression_problem(table, table.columns().back().name, {})
      .value();
}

// Half as wide again; inputs that are positive stay so.
LawInput widened(std::string_view name, double low, double high) {
  const double margin = (high - low) / 4;
  const double far_low = low > 0 ? std::max(low - margin, low / 2) : low;
  return {name, low, high, far_low, high + margin};
}

// The texts that the laws of a list refer to.
const std::string& kept_text(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text));
}

// Reads lines such as "I.14.4,U,k*x**2/2,k:1:5 x:1:5", after a header.
std::vector<Law> read_laws(const std::string& path, const std::string& prefix) {
  std::ifstream file(path);
  std::vector<Law> laws;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    if (!line.starts_with(prefix)) continue;
    const auto cells = lamarck::split_text(line, ',');
    Law law{kept_text(std::string(cells.at(0))),
            kept_text(std::string(cells.at(2))),
            {}};
    std::istringstream words{std::string(cells.at(3))};
    for (std::string word; words >> word;) {
      const auto first = word.find(':');
      const auto second = word.find(':', first + 1);
      law.inputs.push_back(widened(kept_text(word.substr(0, first)),
                                   std::stod(word.substr(first + 1)),
                                   std::stod(word.substr(second + 1))));
    }
    laws.push_back(std::move(law));
  }
  return laws;
}

std::vector<Case> make_cases(const std::string& which, double noise,
                             const std::string& prefix) {
  if (which.ends_with(".csv")) {
    std::vector<Case> cases;
    for (const Law& law : read_laws(which, prefix)) {
      cases.push_back(make_case(law, noise));
    }
    return cases;
  }
  if (std::filesystem::is_directory(which)) {
    const std::filesystem::path folder = which;
    return {{.name = folder.filename().string(),
             .train = read_problem(folder / "train.csv"),
             .near = read_problem(folder / "test_id.csv"),
             .far = read_problem(folder / "test_ood.csv")}};
  }
  std::vector<Case> cases;
  const auto add = [&](const std::vector<Law>& laws, const char* name) {
    for (const Law& law : laws) {
      if (which == name || which == law.name) {
        cases.push_back(make_case(law, noise));
      }
    }
  };
  add(lamarck::bench::physics_laws(), "physics");
  add(lamarck::bench::laboratory_laws(), "laboratory");
  return cases;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::puts(
        "usage: law_seeds physics|laboratory|NAME|LIST.csv|DIR SECONDS SEEDS "
        "[NOISE [PREFIX]]");
    return 2;
  }
  const double seconds = std::atof(argv[2]);
  const int seeds = std::atoi(argv[3]);
  const double noise = argc > 4 ? std::atof(argv[4]) : 0;
  int exact = 0;
  const std::vector<Case> cases =
      make_cases(argv[1], noise, argc > 5 ? argv[5] : "");
  for (const Case& one : cases) {
    std::vector<double> nears;
    std::vector<double> fars;
    for (int seed = 1; seed <= seeds; ++seed) {
      lamarck::law::LawSearchOptions options;
      options.evolver.seed = static_cast<std::uint64_t>(seed);
      options.evolver.reset_period = {.evaluations = std::nullopt,
                                      .time = std::nullopt};
      options.evolver.budget.wall_time =
          std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
      const auto began = std::chrono::steady_clock::now();
      const auto result = lamarck::law::find_laws(one.train, options).value();
      const double took = std::chrono::duration<double>(
                              std::chrono::steady_clock::now() - began)
                              .count();
      const auto& best = result.front[result.best];
      const double near =
          lamarck::law::law_nmse(best.formula.body, best.params, one.near);
      const double far =
          lamarck::law::law_nmse(best.formula.body, best.params, one.far);
      nears.push_back(near);
      fars.push_back(far);
      std::printf(
          "%-20s seed %d  %5.1f s %7.0f /s  size %2zu  near %.1e  far %.1e  "
          "%s\n",
          one.name.c_str(), seed, took,
          static_cast<double>(result.counts.evaluations) / took, best.size,
          near, far, to_infix(best.formula, &best.params, 6).c_str());
      std::printf("    %s\n", result.reason.c_str());
      std::fflush(stdout);
    }
    std::printf("%-20s median near %.1e  far %.1e\n", one.name.c_str(),
                median(nears), median(fars));
    exact += median(fars) < 1e-12 ? 1 : 0;
  }
  std::printf("%d of %zu found exactly in the median seed\n", exact,
              cases.size());
  return 0;
}
