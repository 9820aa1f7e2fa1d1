// An evolved network as C++ source that needs nothing but itself.

#pragma once

#include <string>
#include <vector>

#include "lamarck/evolution/network.h"

namespace lamarck::evolution {

struct CppOptions {
  std::string name_space = "evolved";  // Identifiers of C++.
  std::string struct_name = "Model";
  // May be empty; else one for each number that goes in or comes out.
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
  std::string comment;  // Written at the top: how to make inputs, for example.
};

// C++17 with the standard library alone: a struct whose call takes an array of
// inputs and returns an array of outputs (with a head of cross entropy,
// probabilities). The weights are exact. If the network is recurrent, each call
// is a step and reset() begins anew. With LAMARCK_MODEL_MAIN defined there is
// also a main: rows of numbers in, rows of outputs out.
std::string to_cpp(const Network& network, const CppOptions& options = {});

}  // namespace lamarck::evolution
