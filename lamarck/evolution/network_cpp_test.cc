#include "lamarck/evolution/network_cpp.h"
#include "lamarck/base/text_fixture.h"

#include <gtest/gtest.h>

#include "lamarck/base/error.h"

namespace lamarck::evolution {
namespace {

// tests/formats/cpp_check.py compiles and runs exported sources.
TEST(NetworkCpp, WritesNeuronsAsFormulas) {
  Network network = minimal_network(2, 1);
  network.parameters().values = {0.5f, 0.1f, -3};

  const std::string source = to_cpp(network, {.input_names = {"age", "size"}});

  EXPECT_TRUE(contains(source,
                       "    const float n2 = (\n"
                       "        0.1f * x[0] +  // age\n"
                       "        -3.0f * x[1] +  // size\n"
                       "        0.5f);\n"))
      << source;
  EXPECT_FALSE(contains(source, "std::vector<float> product"));
}

TEST(NetworkCpp, NamesCannotEscapeComments) {
  const std::string source =
      to_cpp(minimal_network(1, 1),
             {.input_names = {"a\nint b; \\"}, .comment = "one\nint two;\\"});

  EXPECT_FALSE(contains(source, "\nint b"));
  EXPECT_FALSE(contains(source, "\nint two"));
  EXPECT_FALSE(contains(source, "\\\n"));
}

TEST(NetworkCpp, UsesGivenNamespaceAndStructName) {
  const std::string source = to_cpp(
      minimal_network(1, 1), {.name_space = "iris", .struct_name = "Flower"});

  EXPECT_TRUE(contains(source, "namespace iris {"));
  EXPECT_TRUE(contains(source, "struct Flower {"));
  EXPECT_THROW(to_cpp(minimal_network(1, 1), {.name_space = "a b"}),
               LogicError);
}

}  // namespace
}  // namespace lamarck::evolution
