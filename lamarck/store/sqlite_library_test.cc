#include "lamarck/store/sqlite_library.h"

#include <gtest/gtest.h>

namespace lamarck {
namespace {

TEST(SqliteLibrary, IsThreadSafeVersion3) {
  EXPECT_EQ(sqlite_library().version.rfind("3.", 0), 0u);
  EXPECT_TRUE(sqlite_library().is_thread_safe);
}

}  // namespace
}  // namespace lamarck
