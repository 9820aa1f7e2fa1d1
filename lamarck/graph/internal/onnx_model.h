// The parts of an ONNX file that an importer needs.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck {

struct OnnxTensor {
  std::vector<std::int64_t> sizes;
  bool is_integer = false;             // Says which of the two is filled.
  std::vector<float> numbers;          // From floats and doubles.
  std::vector<std::int64_t> integers;  // From integers and booleans.
};

struct OnnxNodeAttribute {
  std::int64_t integer = 0;
  float number = 0;
  std::string text;
  std::vector<std::int64_t> integers;
  std::optional<OnnxTensor> tensor;
};

struct OnnxNode {
  std::string operation;
  std::vector<std::string> inputs;  // "" for one that is left out.
  std::vector<std::string> outputs;
  std::map<std::string, OnnxNodeAttribute> attributes;
};

struct OnnxInput {
  std::string name;
  std::vector<std::int64_t> sizes;  // -1 for a size that is open.
};

struct OnnxModel {
  std::vector<OnnxNode> nodes;  // Each after those that it reads.
  std::map<std::string, OnnxTensor> constants;
  std::vector<OnnxInput> inputs;  // Without the constants.
  std::vector<std::string> outputs;
};

// Returns an Error of code DataDamaged if the bytes are not an ONNX file, and
// of code Unsupported if a tensor has a type other than floats and integers.
Result<OnnxModel> parse_onnx(std::string_view bytes);

}  // namespace lamarck
