// Reads the weights of Needle's network from its two ONNX files.

#pragma once

#include <string>
#include <vector>

#include "lamarck/text/needle/needle_network.h"

namespace lamarck::text {

class NeedleNetwork::Loader {
 public:
  Loader(const OnnxWeights& encoder, const OnnxWeights& decoder)
      : encoder_(encoder), decoder_(decoder) {}

  Result<NeedleNetwork> load();

 private:
  Result<void> load_sizes();
  Result<Attention> load_attention(const OnnxWeights& file,
                                   const std::string& layer,
                                   const std::string& norm,
                                   const std::string& part, bool is_crossing);
  Result<std::vector<float>> load_norm(const OnnxWeights& file,
                                       const std::string& name,
                                       std::size_t size) const;
  // Several matrices with the same inputs become one.
  Result<PackedMatrix> load_matrix(const OnnxWeights& file,
                                   const std::vector<std::string>& nodes) const;

  const OnnxWeights& encoder_;
  const OnnxWeights& decoder_;
  NeedleNetwork network_;
};

}  // namespace lamarck::text
