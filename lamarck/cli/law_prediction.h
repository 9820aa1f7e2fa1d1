// Predictions of the law that a run of `lamarck evolve fn` found.

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/cli/evolve/fn_classes.h"
#include "lamarck/cli/model_prediction.h"
#include "lamarck/law/law.h"

namespace lamarck::cli {

struct LawModel {
  law::Law law;
  std::vector<std::string> columns;  // Of the table, one for each input.
  std::string target;
  std::optional<StoredClasses> classes;  // Which its sign decides.
};

// Opens the law that the run in the folder recommends. Fails for a run of
// `lamarck evolve program`.
Result<LawModel> open_law_model(const std::filesystem::path& folder);

// Fails if the table lacks a column that the law uses, or has a cell there that
// is not a number. A row where the law is not finite gets an empty cell and a
// remark. The score is the NMSE or, for classes, the accuracy; there is also a
// column with the probability of each class.
Result<TablePrediction> predict_by_law(const LawModel& model,
                                       const data::Table& table);

// The same for a run with several targets: the columns of each target, such as
// "prediction_y", and no score.
Result<TablePrediction> predict_by_laws(const std::filesystem::path& folder,
                                        const data::Table& table);

}  // namespace lamarck::cli
