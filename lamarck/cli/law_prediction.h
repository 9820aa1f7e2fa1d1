// Predictions of the law that a run of `lamarck evolve fn` found.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/cli/model_prediction.h"
#include "lamarck/law/law.h"

namespace lamarck::cli {

struct LawModel {
  law::Law law;
  std::vector<std::string> columns;  // Of the table, one for each input.
  std::string target;
};

// Opens the law that the run in the folder recommends. Fails for a run of
// `lamarck evolve program`.
Result<LawModel> open_law_model(const std::filesystem::path& folder);

// Fails if the table lacks a column that the law uses, or has a cell there that
// is not a number. A row where the law is not finite gets an empty cell and a
// remark. The score is the NMSE.
Result<TablePrediction> predict_by_law(const LawModel& model,
                                       const data::Table& table);

}  // namespace lamarck::cli
