// Exports an evolved network as self-contained C++ source.

#pragma once

#include <string>
#include <vector>

#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

struct CppOptions {
  std::string name_space = "evolved";  // A C++ identifier.
  std::string struct_name = "Model";   // A C++ identifier.
  // Written as comments: one name per input or output, or empty.
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
  std::string comment;  // Written at the top, such as how to prepare inputs.
};

// The source needs C++17 and the standard library only. It defines a struct
// whose call operator takes an array of inputs and returns an array of outputs
// (probabilities, if the head is cross entropy). The weights are exact. If the
// network is recurrent, each call is one step and reset() clears the state.
// With LAMARCK_MODEL_MAIN defined the source also has a main, which reads rows
// of inputs from stdin and prints rows of outputs.
std::string to_cpp(const Network& network, const CppOptions& options = {});

}  // namespace lamarck::evolution
