#include "lamarck/cli/short_id.h"

#include <gtest/gtest.h>

#include "lamarck/store/memory_journal.h"

namespace lamarck::cli {
namespace {

class ShortIdTest : public testing::Test {
 protected:
  void add(const std::string& id, const std::string& kind) {
    store::Append append;
    append.run = id;
    append.new_run = store::Run{.id = id, .kind = kind, .state = "done"};
    append.events = {store::Event{.id = "evt_" + id, .type = "t"}};
    ASSERT_TRUE(journal_->append(append));
  }
  std::string find(const std::string& text) {
    const auto found = find_run_id(*journal_, "thought", text);
    return found ? *found : found.error().message();
  }

  std::unique_ptr<store::Journal> journal_ = store::make_memory_journal();
};

TEST_F(ShortIdTest, BeginningEndOrLastNameARun) {
  add("sess_0123-aaaa", "thought");
  add("sess_0123-bbbb", "thought");
  add("net-4567", "net");
  EXPECT_EQ(find("sess_0123-aaaa"), "sess_0123-aaaa");
  EXPECT_EQ(find("aaaa"), "sess_0123-aaaa");
  EXPECT_EQ(find("sess_0123-b"), "sess_0123-bbbb");
  EXPECT_EQ(find("0123-b"), "sess_0123-bbbb");
  EXPECT_EQ(find("last"), "sess_0123-bbbb");
}

TEST_F(ShortIdTest, WhatFitsSeveralRunsIsRefused) {
  add("sess_0123-aaaa", "thought");
  add("sess_0123-bbbb", "thought");
  const std::string message = find("0123");
  EXPECT_NE(message.find("write more of the id"), std::string::npos) << message;
}

TEST_F(ShortIdTest, WhatFitsNoneStaysAsItIs) {
  add("sess_0123-aaaa", "thought");
  EXPECT_EQ(find("aa"), "aa");
  EXPECT_EQ(find("9999"), "9999");
}

}  // namespace
}  // namespace lamarck::cli
