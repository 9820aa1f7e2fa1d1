// The result of an evolution as bytes, for the members of a crew.

#pragma once

#include <string>
#include <string_view>

#include "lamarck/evolution/evolution.h"

namespace lamarck::evolution {

std::string encode_result(const MultiEvolutionResult& result);
Result<MultiEvolutionResult> decode_result(std::string_view bytes);

}  // namespace lamarck::evolution
