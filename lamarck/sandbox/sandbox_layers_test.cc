#include "lamarck/sandbox/sandbox_layers.h"

#include <sys/resource.h>
#include <gtest/gtest.h>

#include <set>

namespace lamarck {
namespace {

TEST(SandboxLayers, EveryLayerHasNamePurposeAndDetail) {
  std::set<std::string> names;
  for (const SandboxLayer& layer : sandbox_layers()) {
    EXPECT_TRUE(names.insert(layer.name).second);
    EXPECT_FALSE(layer.purpose.empty());
    EXPECT_EQ(layer.detail == "works", layer.is_available) << layer.name;
  }
  EXPECT_TRUE(names.contains("namespaces"));
  EXPECT_TRUE(names.contains("seccomp"));
}

TEST(SandboxLayers, LimitsWorkOnEveryLinux) {
  for (const SandboxLayer& layer : sandbox_layers()) {
    if (layer.name == "rlimits" || layer.name == "no_new_privs") {
      EXPECT_TRUE(layer.is_available) << layer.detail;
    }
  }
}

TEST(SandboxLayers, TestingLayersDoesNotAffectThisProcess) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  sandbox_layers();
  rlimit after{};
  getrlimit(RLIMIT_FSIZE, &after);
  EXPECT_EQ(after.rlim_cur, before.rlim_cur);
}

}  // namespace
}  // namespace lamarck
