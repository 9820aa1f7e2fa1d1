// The way from a table to tensors and back, fitted once and kept with a model.
//
//   LAMARCK_ASSIGN_OR_RETURN(const TableEncoding encoding,
//                    TableEncoding::fit(table, {.target = "species"}));
//   LAMARCK_ASSIGN_OR_RETURN(const Dataset known, encoding.dataset(table));
//   LAMARCK_ASSIGN_OR_RETURN(const EncodedRows rows,
//   encoding.encode(new_table)); const Column species =
//   encoding.decode(outputs_for(rows.inputs));

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
  std::string target;               // The column to be predicted.
  std::vector<std::string> ignore;  // Columns that are not inputs.
  // Auto reads words as classes, and numbers as classes if they are whole, at
  // most 10 of them differ and each comes 5 times on average (twice if there
  // are only two, as 0 and 1). It says so in `remarks`.
  TargetKind target_kind = TargetKind::Auto;
  bool drop_text = false;  // Otherwise text among the inputs is an error.
};

struct InputColumn {
  std::string name;
  ColumnKind kind = ColumnKind::Number;  // Or Category.
  double mean = 0;                       // Of numbers.
  double deviation = 1;                  // Likewise; above 0.
  std::vector<std::string> categories;   // Of a category; one input each.

  friend bool operator==(const InputColumn&, const InputColumn&) = default;
};

struct DroppedColumn {
  std::string name;
  std::string reason;  // "is always 5", to be read behind the name.

  friend bool operator==(const DroppedColumn&, const DroppedColumn&) = default;
};

struct TargetColumn {
  std::string name;
  std::vector<std::string> classes;       // At least 2; empty for a number.
  std::vector<std::size_t> class_counts;  // Rows of each when it was fitted.
  double mean = 0;                        // Of a number.
  double deviation = 1;                   // Likewise; above 0.

  bool has_classes() const { return !classes.empty(); }
  friend bool operator==(const TargetColumn&, const TargetColumn&) = default;
};

struct EncodedRows {
  Tensor inputs;                  // [n, input_count].
  std::vector<std::size_t> rows;  // Of the table; row i of inputs is rows[i].
  std::vector<std::string> remarks;  // On words that were not known.
};

// A number becomes (x - mean) / deviation, and 0 if it is missing. A category
// becomes a 1 among 0s, and all 0s if it is missing or was not known when the
// encoding was fitted. Immutable, so threads may share it.
class TableEncoding {
 public:
  // Learns from the rows that have a target. Columns that cannot help are
  // dropped: those without values, those that are always the same, and ids
  // ("id", "index", "..._id" and the like that count the rows one by one).
  // Fails, naming the column, for a name that is not there, text, a target
  // without values, with one class only, or with words where a number is
  // wanted, numbers that a float cannot hold, bytes that are not UTF-8, and if
  // no input is left.
  static Result<TableEncoding> fit(const Table& table,
                                   const TableEncodingOptions& options);

  const std::vector<InputColumn>& inputs() const { return inputs_; }
  const TargetColumn& target() const { return target_; }
  const std::vector<DroppedColumn>& dropped() const { return dropped_; }
  // What a person should know: how the target was read, rows left out, rare
  // classes.
  const std::vector<std::string>& remarks() const { return remarks_; }

  std::size_t input_count() const;   // Numbers in a row of inputs.
  std::size_t output_count() const;  // Classes, or 1 for a number.
  // One for each number of a row of inputs: "length", "colour=red".
  std::vector<std::string> input_names() const;

  // All rows; other columns, the target among them, are not looked at. Fails
  // if columns are absent, or hold words where there were numbers.
  Result<EncodedRows> encode(const Table& table) const;
  // The rows that have a target; targets are one-hot [n, classes], also for two
  // classes, or a number [n, 1] with mean 0 and deviation 1. Fails also for a
  // class that was not known.
  Result<Dataset> dataset(const Table& table) const;
  // Which rows `dataset` takes, in order.
  Result<std::vector<std::size_t>> rows_with_target(const Table& table) const;

  // What a model says, as a column named like the target: the likeliest class
  // of [n, classes], or for two classes of [n, 1] with the probability of the
  // second; or numbers in the units of the table. Throws LogicError for other
  // shapes and for classes from NaN.
  Column decode(const Tensor& outputs) const;
  std::vector<std::string> decode_classes(const Tensor& outputs) const;
  std::vector<double> decode_numbers(const Tensor& outputs) const;

  Json to_json() const;
  // Of what `to_json` gave, an equal encoding.
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
