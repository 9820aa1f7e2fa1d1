// Cross-validates networks evolved from a table: the mean score over stratified
// folds, with SECONDS for each fold.
//
//   evolution_folds DATA.csv TARGET [SECONDS] [FOLDS] [SEED]

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "lamarck/base/rng.h"
#include "lamarck/data/csv.h"
#include "lamarck/table/table_evolution.h"

namespace {

using lamarck::Rng;
using lamarck::data::Column;
using lamarck::data::ColumnKind;
using lamarck::data::Table;

// The fold of each row. Rows of a class are distributed evenly over the folds.
std::vector<std::size_t> stratified_folds(const Column& target,
                                          std::size_t rows, std::size_t folds,
                                          Rng& rng) {
  std::map<double, std::vector<std::size_t>> by_class;
  for (std::size_t row = 0; row < rows; ++row) {
    by_class[target.kind == ColumnKind::Number
                 ? target.numbers[row]
                 : static_cast<double>(target.codes[row])]
        .push_back(row);
  }
  std::vector<std::size_t> fold(rows);
  std::size_t next = 0;
  for (auto& [label, own] : by_class) {
    rng.shuffle(own);
    for (const std::size_t row : own) fold[row] = next++ % folds;
  }
  return fold;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr,
                 "usage: evolution_folds DATA.csv TARGET [SECONDS] [FOLDS] "
                 "[SEED]\n");
    return 2;
  }
  const double seconds = count > 3 ? std::strtod(arguments[3], nullptr) : 60;
  const std::size_t folds =
      count > 4 ? std::strtoull(arguments[4], nullptr, 10) : 5;
  const std::uint64_t seed =
      count > 5 ? std::strtoull(arguments[5], nullptr, 10) : 1;
  const auto table = lamarck::data::read_csv(arguments[1]);
  if (!table) {
    std::fprintf(stderr, "%s\n", table.error().message().c_str());
    return 1;
  }
  const auto place = table->find(arguments[2]);
  if (!place) {
    std::fprintf(stderr, "%s\n", place.error().message().c_str());
    return 1;
  }
  Rng rng = Rng(seed).split("folds");
  const auto fold = stratified_folds(table->columns()[*place],
                                     table->row_count(), folds, rng);
  double sum = 0;
  for (std::size_t k = 0; k < folds; ++k) {
    std::vector<std::size_t> known;
    std::vector<std::size_t> unseen;
    for (std::size_t row = 0; row < fold.size(); ++row) {
      (fold[row] == k ? unseen : known).push_back(row);
    }
    const Table test = table->rows(unseen);
    lamarck::table::TableEvolutionOptions options{.target = arguments[2]};
    options.evolution.seed = seed;
    options.evolution.budget.seconds = seconds;
    options.evolution.budget.flat_generations = 40;
    const auto outcome =
        lamarck::table::evolve_table(table->rows(known), &test, options);
    if (!outcome) {
      std::fprintf(stderr, "%s\n", outcome.error().message().c_str());
      return 1;
    }
    const auto& result = outcome->result;
    std::printf(
        "fold %zu: %s %.4f, on the check rows %.4f; %.1f s, "
        "%ld candidates, %zu hidden nodes, %zu units\n",
        k + 1, std::string(outcome->metric.name).c_str(), outcome->test_score,
        outcome->score, result.seconds,
        static_cast<long>(result.counts.evaluations),
        result.network.hidden_count(), result.network.hidden_units());
    std::fflush(stdout);
    sum += outcome->test_score / static_cast<double>(folds);
  }
  std::printf("mean %.4f\n", sum);
}
