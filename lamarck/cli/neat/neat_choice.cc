#include "lamarck/cli/neat/neat_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lamarck/base/macros.h"
#include "lamarck/data/csv.h"
#include "lamarck/data/to_dataset.h"
#include "lamarck/data/train_test_split.h"
#include "lamarck/neat/neat_data_task.h"

namespace lamarck::cli {
namespace {

constexpr double kDefaultGoal = 0.95;  // Accuracy or r2.
constexpr double kHeldOutShare = 0.2;
constexpr std::size_t kMinSplitRows = 20;  // With fewer, all rows are known.

bool is_named(const std::string& task) {
  const auto names = neat::neat_benchmark_names();
  return std::find(names.begin(), names.end(), task) != names.end();
}

bool is_file(const std::string& task) {
  std::error_code ignored;
  return data::is_standard_input(task) ||
         task.find_first_of("./\\") != std::string::npos ||
         std::filesystem::exists(task, ignored);
}

Result<void> check_no_file_flags(const NeatChoice& choice) {
  const std::string flag = choice.target              ? "--target"
                           : choice.goal              ? "--goal"
                           : !choice.ignore.empty()   ? "--ignore"
                           : !choice.encoding.empty() ? "--encoding"
                                                      : "";
  if (flag.empty()) return {};
  return Error(ErrorCode::InvalidArgument,
               flag +
                   " applies to CSV files only; leave it out for the task '" +
                   choice.task + "'.");
}

Error missing_target(const std::string& file, const data::Table& table) {
  std::string columns;
  for (const std::string& name : table.column_names()) {
    columns += (columns.empty() ? "" : ", ") + name;
  }
  return Error(ErrorCode::InvalidArgument,
               "--target is required: the column of " + file +
                   " to predict, one of " + columns + ".");
}

Result<neat::NeatBenchmark> file_benchmark(const NeatChoice& choice,
                                           const CancelToken& cancel) {
  const double goal = choice.goal.value_or(kDefaultGoal);
  // The negated form also rejects NaN.
  if (!(goal > 0 && goal <= 1)) {
    return Error(
        ErrorCode::InvalidArgument,
        fmt::format("--goal must be above 0 and at most 1, got {}.", goal));
  }
  ASSIGN_OR_RETURN(const data::Table table,
                   data::read_csv(choice.task, {.encoding = choice.encoding,
                                                .cancel = cancel}));
  if (!choice.target) return missing_target(choice.task, table);
  ASSIGN_OR_RETURN(const data::Dataset rows,
                   data::to_dataset(table, {.target = *choice.target,
                                            .ignore = choice.ignore})
                       .transform_error([&](const Error& error) {
                         return error.within(data::csv_name(choice.task));
                       }));
  if (rows.size() < kMinSplitRows) return neat::data_benchmark(rows, goal);
  const data::TrainTest parts =
      data::train_test_split(rows, {.test_fraction = kHeldOutShare,
                                    .stratify = !rows.class_names().empty()});
  return neat::data_benchmark(parts.train, goal, &parts.test);
}

}  // namespace

bool is_data_file(const NeatChoice& choice) {
  return !is_named(choice.task) && is_file(choice.task);
}

Result<neat::NeatBenchmark> make_neat_benchmark(const NeatChoice& choice,
                                                const CancelToken& cancel) {
  if (is_data_file(choice)) return file_benchmark(choice, cancel);
  if (is_named(choice.task)) RETURN_IF_ERROR(check_no_file_flags(choice));
  return neat::neat_benchmark_named(choice.task);
}

}  // namespace lamarck::cli
