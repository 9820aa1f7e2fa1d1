#include "lamarck/base/named_entry.h"

#include <gtest/gtest.h>

#include <array>

#include "lamarck/base/error.h"

namespace lamarck {
namespace {

struct Animal {
  std::string_view name;
  int legs;
};

constexpr std::array kAnimals = {Animal{"spider", 8}, Animal{"giraffe", 4}};

TEST(NamedEntry, FindsEntryByName) {
  EXPECT_EQ(find_entry<Animal>(kAnimals, "giraffe", "animal").legs, 4);
}

TEST(NamedEntry, UnknownNameSuggestsTheNearest) {
  try {
    find_entry<Animal>(kAnimals, "girafe", "animal");
    FAIL() << "nothing was thrown";
  } catch (const LogicError& caught) {
    EXPECT_STREQ(caught.what(),
                 "There is no animal 'girafe'; did you mean 'giraffe'?");
    EXPECT_EQ(caught.error().code(), ErrorCode::NotFound);
  }
  EXPECT_THROW(find_entry<Animal>(kAnimals, "", "animal"), LogicError);
}

}  // namespace
}  // namespace lamarck
