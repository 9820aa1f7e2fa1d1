#include "lamarck/store/sqlite_library.h"

#include <gtest/gtest.h>

namespace lamarck {
namespace {

TEST(SqliteLibrary, IsVersion3WithLocks) {
  EXPECT_EQ(sqlite_library().version.rfind("3.", 0), 0u);
  EXPECT_TRUE(sqlite_library().is_thread_safe);
}

}  // namespace
}  // namespace lamarck
