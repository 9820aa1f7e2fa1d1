#include "lamarck/text/vector_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "lamarck/base/error.h"
#include "lamarck/base/rng.h"
#include "lamarck/text/internal/unit_length.h"

namespace lamarck::text {
namespace {

std::vector<float> random_unit_vector(std::size_t dimensions, Rng& rng) {
  std::vector<float> vector(dimensions);
  for (float& x : vector) x = static_cast<float>(rng.normal());
  make_unit_length(vector);
  return vector;
}

using Model = std::map<std::string, std::vector<float>>;

std::vector<VectorMatch> search_model(const Model& model,
                                      const std::vector<float>& query,
                                      std::size_t count) {
  std::vector<VectorMatch> all;
  for (const auto& [key, vector] : model) {
    double sum = 0;
    for (std::size_t i = 0; i < vector.size(); ++i) {
      sum += double{vector[i]} * double{query[i]};
    }
    all.push_back({key, sum});
  }
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) {
    return a.similarity > b.similarity;
  });
  all.resize(std::min(count, all.size()));
  return all;
}

TEST(VectorIndex, AgreesWithAModelAfterRandomChanges) {
  for (const std::size_t dimensions : {1, 5, 64, 384, 513}) {
    for (const VectorFormat format :
         {VectorFormat::Float32, VectorFormat::Int8}) {
      Rng rng(dimensions);
      VectorIndex index(dimensions, format);
      Model model;
      for (int step = 0; step < 1500; ++step) {
        const std::string key = std::to_string(rng.below(700));
        if (rng.below(4) == 0) {
          EXPECT_EQ(index.erase(key), model.erase(key) == 1);
        } else {
          model[key] = random_unit_vector(dimensions, rng);
          index.insert(key, model[key]);
        }
      }
      ASSERT_EQ(index.size(), model.size());
      const auto query = random_unit_vector(dimensions, rng);
      const auto found = index.search(query, 10);
      const auto expected = search_model(model, query, 10);
      ASSERT_EQ(found.size(), 10u);
      const double tolerance = format == VectorFormat::Int8 ? 0.01 : 1e-5;
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i].similarity, expected[i].similarity, tolerance);
        if (dimensions > 1 && format == VectorFormat::Float32) {
          EXPECT_EQ(found[i].key, expected[i].key);
        }
      }
    }
  }
}

TEST(VectorIndex, OrdersEqualSimilaritiesByKey) {
  const std::vector<float> same = {0.6f, 0.8f};
  VectorIndex index(2);
  for (const char* key : {"d", "b", "e", "a", "c"}) index.insert(key, same);
  const auto found = index.search(same, 3);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].key, "a");
  EXPECT_EQ(found[1].key, "b");
  EXPECT_EQ(found[2].key, "c");
}

TEST(VectorIndex, HandlesEmptySearchesAndZeros) {
  VectorIndex index(3, VectorFormat::Int8);
  EXPECT_TRUE(index.search(std::vector<float>{1, 0, 0}, 5).empty());
  index.insert("zero", std::vector<float>{0, 0, 0});
  EXPECT_TRUE(index.search(std::vector<float>{1, 0, 0}, 0).empty());
  EXPECT_EQ(index.search(std::vector<float>{1, 0, 0}, 5),
            (std::vector<VectorMatch>{{"zero", 0}}));
}

TEST(VectorIndex, RefusesWrongSizesAndNonFiniteElements) {
  VectorIndex index(2);
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THROW(index.insert("a", std::vector<float>{1}), LogicError);
  EXPECT_THROW(index.insert("a", std::vector<float>{1, infinity}), LogicError);
  EXPECT_THROW(index.search(std::vector<float>{1}, 1), LogicError);
  EXPECT_EQ(index.size(), 0u);
}

}  // namespace
}  // namespace lamarck::text
