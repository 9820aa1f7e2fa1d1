// Constant texts, one after the other, as one constant text.

#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace lamarck::server {

template <const std::string_view&... kParts>
class JoinedText {
  static constexpr auto kCharacters = [] {
    std::array<char, (kParts.size() + ...)> characters{};
    auto* to = characters.data();
    ((to = std::copy(kParts.begin(), kParts.end(), to)), ...);
    return characters;
  }();

 public:
  static constexpr std::string_view kText{kCharacters.data(),
                                          kCharacters.size()};
};

}  // namespace lamarck::server
