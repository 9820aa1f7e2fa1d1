#include "lamarck/llm/internal/event_stream.h"

#include <gtest/gtest.h>

namespace lamarck::llm::internal {
namespace {

using Events = std::vector<std::string>;

Events read_in_pieces(std::string_view bytes, std::size_t piece_size) {
  EventStream stream;
  Events all;
  for (std::size_t at = 0; at < bytes.size(); at += piece_size) {
    for (auto& event : stream.feed(bytes.substr(at, piece_size))) {
      all.push_back(event);
    }
  }
  for (auto& event : stream.finish()) all.push_back(event);
  return all;
}

TEST(EventStream, IsIndependentOfSplits) {
  constexpr std::string_view kBytes =
      ": comment\r\nevent: x\r\ndata: {\"a\":1}\r\n\r\n"
      "data:no space\n\ndata: two\ndata: lines\n\n\n\nid: 7\n\ndata: "
      "[DONE]\n\n";
  const Events expected = {"{\"a\":1}", "no space", "two\nlines", "[DONE]"};
  for (std::size_t size = 1; size <= kBytes.size(); ++size) {
    EXPECT_EQ(read_in_pieces(kBytes, size), expected) << "pieces of " << size;
  }
}

TEST(EventStream, AcceptsLastEventWithoutEmptyLine) {
  EXPECT_EQ(read_in_pieces("data: a\n\ndata: b", 3), (Events{"a", "b"}));
  EXPECT_EQ(read_in_pieces("", 1), Events{});
  EXPECT_EQ(read_in_pieces("data:\n\n", 1), Events{""});
}

}  // namespace
}  // namespace lamarck::llm::internal
