// Converts tables to tensors and back; fitted once and stored with a model.
//
//   LAMARCK_ASSIGN_OR_RETURN(const TableEncoding encoding,
//                            TableEncoding::fit(table, {.target = "species"}));
//   LAMARCK_ASSIGN_OR_RETURN(const Dataset known, encoding.dataset(table));
//   LAMARCK_ASSIGN_OR_RETURN(const EncodedRows rows,
//                            encoding.encode(new_table));
//   const Column species = encoding.decode(outputs_for(rows.inputs));

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/data/dataset.h"
#include "lamarck/data/table.h"
#include "lamarck/data/to_dataset.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

struct TableEncodingOptions {
  std::string target;               // The column to predict.
  std::vector<std::string> ignore;  // Columns that are not inputs.
  // Auto treats words as classes. It treats numbers as classes if they are
  // integers, at most 10 of them are distinct, and each occurs 5 times on
  // average (twice if there are only two, such as 0 and 1); `remarks` then says
  // so.
  TargetKind target_kind = TargetKind::Auto;
  bool drop_text = false;  // If false, text among the inputs is an error.
};

struct InputColumn {
  std::string name;
  ColumnKind kind = ColumnKind::Number;  // Number or Category.
  double mean = 0;                       // For numbers.
  double deviation = 1;                  // For numbers; above 0.
  std::vector<std::string> categories;   // For a category; one input each.

  friend bool operator==(const InputColumn&, const InputColumn&) = default;
};

struct DroppedColumn {
  std::string name;
  std::string reason;  // A predicate of the name, such as "is always 5".

  friend bool operator==(const DroppedColumn&, const DroppedColumn&) = default;
};

struct TargetColumn {
  std::string name;
  std::vector<std::string> classes;       // At least 2; empty for a number.
  std::vector<std::size_t> class_counts;  // Rows of each when fitted.
  double mean = 0;                        // For a number.
  double deviation = 1;                   // For a number; above 0.

  bool has_classes() const { return !classes.empty(); }
  friend bool operator==(const TargetColumn&, const TargetColumn&) = default;
};

struct EncodedRows {
  Tensor inputs;  // [n, input_count].
  // Row i of inputs is row rows[i] of the table.
  std::vector<std::size_t> rows;
  std::vector<std::string> remarks;  // About unknown categories.
};

// A number becomes (x - mean) / deviation, or 0 if it is missing. A column of
// times is replaced by numbers first, see time_columns.h. A category
// becomes one-hot, or all 0 if it is missing or was not present when the
// encoding was fitted. Thread safety: immutable, so threads may share it.
class TableEncoding {
 public:
  // Fits to the rows that have a target. Drops columns that cannot help: those
  // without values, constant columns, and row numbers ("id", "index", "..._id"
  // and similar names whose values increase by 1). Fails, naming the column,
  // for an unknown name, for text, for a target without values, with only one
  // class, or with words where a number is required, for numbers that do not
  // fit into a float, for bytes that are not UTF-8, and if no input is left.
  static Result<TableEncoding> fit(const Table& table,
                                   const TableEncodingOptions& options);

  const std::vector<InputColumn>& inputs() const { return inputs_; }
  const TargetColumn& target() const { return target_; }
  const std::vector<DroppedColumn>& dropped() const { return dropped_; }
  // Notes for the user: how the target was treated, skipped rows, rare classes.
  const std::vector<std::string>& remarks() const { return remarks_; }

  std::size_t input_count() const;   // Numbers per row of inputs.
  std::size_t output_count() const;  // Number of classes, or 1.
  // One name per number of a row of inputs: "length", "colour=red".
  std::vector<std::string> input_names() const;

  // Encodes all rows and ignores other columns, including the target. Fails if
  // columns are missing, or contain words where the encoding expects numbers.
  Result<EncodedRows> encode(const Table& table) const;
  // Encodes the rows that have a target. Targets are one-hot [n, classes], also
  // for two classes, or standardized numbers [n, 1]. Also fails for a class
  // that the encoding was not fitted on.
  Result<Dataset> dataset(const Table& table) const;
  // The targets of `dataset` alone.
  Result<Tensor> targets(const Table& table) const;
  // The rows that `dataset` uses, in order.
  Result<std::vector<std::size_t>> rows_with_target(const Table& table) const;

  // Converts a model's outputs to a column named like the target: the most
  // likely class of [n, classes], for two classes also of [n, 1] with the
  // probability of the second class; or numbers [n, 1] in the units of the
  // table. Throws LogicError for other shapes, and if a class must be derived
  // from NaN.
  Column decode(const Tensor& outputs) const;
  std::vector<std::string> decode_classes(const Tensor& outputs) const;
  std::vector<double> decode_numbers(const Tensor& outputs) const;

  Json to_json() const;
  // Returns an encoding equal to the one `to_json` was called on.
  static Result<TableEncoding> from_json(const Json& json);

  friend bool operator==(const TableEncoding&, const TableEncoding&) = default;

 private:
  TableEncoding(std::vector<InputColumn> inputs, TargetColumn target,
                std::vector<DroppedColumn> dropped,
                std::vector<std::string> remarks);
  std::vector<std::size_t> decoded_labels(const Tensor& outputs) const;

  std::vector<InputColumn> inputs_;
  TargetColumn target_;
  std::vector<DroppedColumn> dropped_;
  std::vector<std::string> remarks_;
};

}  // namespace lamarck::data
