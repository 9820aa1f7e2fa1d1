// Concatenates constant texts at compile time.

#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace lamarck::server {

template <const std::string_view&... Parts>
class JoinedText {
  static constexpr auto kCharacters = [] {
    std::array<char, (Parts.size() + ...)> characters{};
    auto* to = characters.data();
    ((to = std::copy(Parts.begin(), Parts.end(), to)), ...);
    return characters;
  }();

 public:
  static constexpr std::string_view kText{kCharacters.data(),
                                          kCharacters.size()};
};

}  // namespace lamarck::server
