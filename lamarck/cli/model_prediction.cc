#include "lamarck/cli/model_prediction.h"

#include "lamarck/base/error.h"

namespace lamarck::cli {

Result<TablePrediction> predict_table(const OpenedModel& model,
                                      const data::Table& table,
                                      std::optional<double> level) {
  if (!model.evolved) {
    return Error(ErrorCode::Unsupported,
                 "Only evolved networks can predict tables, and this model is "
                 "a plain graph; run it from C++ or export it as ONNX.");
  }
  if (!model.encoding) {
    return Error(ErrorCode::Unsupported,
                 "The model has no table encoding, because it was not evolved "
                 "from a table; run it from C++ or export it as ONNX.");
  }
  return table::predict_table({*model.evolved, *model.encoding}, table, level);
}

}  // namespace lamarck::cli
