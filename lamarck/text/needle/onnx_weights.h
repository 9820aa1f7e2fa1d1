// The weights in an ONNX file. Exporters fold and rename weights, so a weight
// is found by the node that uses it; the graph itself is not run.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck::text {

struct OnnxTensor {
  std::vector<std::int64_t> sizes;
  std::vector<float> values;
};

// Points into the bytes of the file.
class OnnxWeights {
 public:
  // Fails if the file is damaged. Nodes inside of nodes are not read.
  static Result<OnnxWeights> parse(std::string_view file);

  // Reads 16-bit and 32-bit floats. Fails if the tensor is missing, has another
  // type or other sizes; -1 stands for any size.
  Result<OnnxTensor> tensor(const std::string& name,
                            const std::vector<std::int64_t>& sizes) const;
  // The one stored tensor among the inputs of the node that yields `output`.
  Result<OnnxTensor> tensor_for(const std::string& output,
                                const std::vector<std::int64_t>& sizes) const;
  bool has_node(const std::string& output) const;

 private:
  struct Stored {
    std::vector<std::int64_t> sizes;
    std::uint64_t type = 0;
    std::string_view raw;
  };

  Result<void> read_graph(std::string_view graph);
  Result<void> read_tensor(std::string_view tensor);
  Result<void> read_node(std::string_view node);

  std::map<std::string, Stored, std::less<>> tensors_;
  std::map<std::string, std::vector<std::string>, std::less<>> inputs_;
};

}  // namespace lamarck::text
