#include "lamarck/gp/gp_bytes.h"

#include <gtest/gtest.h>

#include "lamarck/base/rng.h"
#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

GpModel random_model(std::uint64_t seed) {
  Rng rng(seed);
  GpModel model;
  for (int i = 0; i < 3; ++i) {
    model.terms.push_back(toy_tree(rng, 4, 3));
    model.coefficients.push_back(rng.normal());
  }
  model.intercept = rng.normal();
  model.nmse = rng.uniform();
  model.ancestor = rng.below(1000);
  return model;
}

TEST(GpBytes, RestoreRandomModels) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const GpModel model = random_model(seed);
    crew::ByteWriter out;
    add_model(out, model);
    crew::ByteReader in(out.bytes());

    const GpModel restored = read_model(in, 3);

    ASSERT_TRUE(in.check("It")) << "seed " << seed;
    EXPECT_EQ(restored.terms, model.terms) << "seed " << seed;
    EXPECT_EQ(restored.coefficients, model.coefficients) << "seed " << seed;
    EXPECT_EQ(restored.nmse, model.nmse);
    EXPECT_EQ(restored.ancestor, model.ancestor);
  }
}

TEST(GpBytes, DamagedBytesAreNoModel) {
  crew::ByteWriter out;
  add_model(out, random_model(3));
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    std::string bytes = out.bytes();
    bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
    bytes.resize(bytes.size() - rng.below(2));
    crew::ByteReader in(bytes);
    const GpModel model = read_model(in, 3);  // Must not crash.
    if (!in.check("It")) {
      ++refused;
      continue;
    }
    for (const GpTree& term : model.terms) {
      for (std::size_t i = 0; i < term.size(); ++i) {
        EXPECT_LE(term[i].length, i + 1) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace lamarck::gp
