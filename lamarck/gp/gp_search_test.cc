#include "lamarck/gp/gp_search.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lamarck/gp/toy_problem_fixture.h"

namespace lamarck::gp {
namespace {

using formula::Op;
using Row = std::vector<double>;

GpOptions small_search_options() {
  GpOptions options;
  options.library = 150;
  options.screened = 60;
  options.population = 20;
  options.max_nodes = 25;
  return options;
}

struct SearchFixture {
  explicit SearchFixture(GpLink link = GpLink::Identity)
      : problem(
            toy_problem({.rows = 50, .inputs = 2},
                        [](const Row& r) { return 2 * r[0] * r[0] / r[1]; })),
        data(problem, link, {}, Rng(1)),
        plain(problem, GpLink::Identity, {}, Rng(1)),
        library(plain, small_search_options(), {0, 1}, Rng(2)) {}

  GpSearch search() const {
    return {data, plain, library, small_search_options()};
  }

  RegressionProblem problem;
  GpData data;
  GpData plain;
  GpLibrary library;
};

GpFind make_find(std::size_t terms, double nmse) {
  GpFind find;
  find.plain.terms.assign(terms, gp_input(0));
  find.plain.coefficients.assign(terms, 1);
  find.plain.nmse = nmse;
  return find;
}

TEST(GpArchive, KeepsParetoFrontOfSizeAndError) {
  GpArchive archive;
  EXPECT_TRUE(std::isinf(archive.min_error()));
  EXPECT_TRUE(archive.insert(make_find(2, 0.5)));
  EXPECT_FALSE(archive.insert(make_find(3, 0.5)));
  EXPECT_FALSE(archive.insert(make_find(2, 0.6)));
  EXPECT_TRUE(archive.insert(make_find(3, 0.1)));
  EXPECT_TRUE(archive.insert(make_find(1, 0.9)));
  EXPECT_FALSE(archive.insert(make_find(1, NAN)));
  EXPECT_FALSE(archive.insert(make_find(1, INFINITY)));
  EXPECT_EQ(archive.finds().size(), 3u);
  EXPECT_EQ(archive.min_error(), 0.1);
  EXPECT_TRUE(archive.insert(make_find(1, 0.05)));
  EXPECT_EQ(archive.finds().size(), 1u);
}

TEST(GpArchive, RestoresSavedState) {
  GpArchive archive;
  archive.insert(make_find(1, 0.5));
  archive.insert(make_find(2, 0.1));
  GpArchive other;
  ASSERT_TRUE(other.restore(archive.state(), 1));
  EXPECT_EQ(other.state(), archive.state());
  EXPECT_FALSE(other.restore(archive.state(), 0));
  EXPECT_FALSE(other.restore(Json::array({"text"}), 1));
}

TEST(GpSearch, FindsLawWithAnyLink) {
  for (const GpLink link : {GpLink::Identity, GpLink::Log, GpLink::Inverse}) {
    const SearchFixture fixture(link);
    GpSearch search = fixture.search();
    Rng rng(3);
    search.run(1500, rng, {});
    EXPECT_EQ(search.trials(), 1500u);
    EXPECT_LT(search.archive().min_error(), 1e-20) << gp_link_name(link);
  }
}

TEST(GpSearch, ErrorsFallAsModelsGrow) {
  const SearchFixture fixture;
  GpSearch search = fixture.search();
  Rng rng(4);
  search.run(300, rng, {});
  double last = INFINITY;
  for (const auto& [size, find] : search.archive().finds()) {
    EXPECT_EQ(find.plain.size(), size);
    EXPECT_LT(find.plain.nmse, last);
    EXPECT_LE(size, small_search_options().max_nodes);
    EXPECT_FALSE(find.move.empty());
    last = find.plain.nmse;
  }
  const auto news = search.take_news();
  ASSERT_FALSE(news.empty());
  EXPECT_EQ(news.front().plain.nmse, last);
  EXPECT_TRUE(search.take_news().empty());
}

TEST(GpSearch, RestoredSearchContinuesIdentically) {
  for (const GpLink link : {GpLink::Identity, GpLink::Log}) {
    const SearchFixture fixture(link);
    GpSearch one = fixture.search();
    Rng rng(5);
    one.run(80, rng, {});
    GpSearch two = fixture.search();
    ASSERT_TRUE(two.restore(parse_json(dump_json(one.state())).value()));
    EXPECT_EQ(one.state(), two.state());
    Rng same = rng;
    one.run(120, rng, {});
    two.run(120, same, {});
    EXPECT_EQ(one.state(), two.state()) << gp_link_name(link);
    EXPECT_EQ(one.stalled(), two.stalled());
  }
}

TEST(GpSearch, RejectsDamagedState) {
  const SearchFixture fixture;
  GpSearch search = fixture.search();
  Rng rng(5);
  search.run(30, rng, {});
  const Json good = search.state();
  for (const auto& [field_name, value] : good.items()) {
    Json bad = good;
    bad.erase(field_name);
    EXPECT_FALSE(fixture.search().restore(bad)) << field_name;
    bad[field_name] = "text";
    EXPECT_FALSE(fixture.search().restore(bad)) << field_name;
  }
  Json empty = good;
  empty["population"][0]["terms"] = Json::array();
  empty["population"][0]["coefficients"] = Json::array();
  const auto restored = fixture.search().restore(empty);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().message(),
            "The state of the genetic engine is damaged: a model has no "
            "terms.");
}

TEST(GpSearch, AcceptsInjectedModel) {
  const SearchFixture fixture;
  GpSearch search = fixture.search();
  GpModel model;
  model.terms = {gp_apply(Op::Div, gp_apply(Op::Mul, gp_input(0), gp_input(0)),
                          gp_input(1))};
  search.inject(model);
  const auto news = search.take_news();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_LT(news[0].plain.nmse, 1e-20);
  EXPECT_EQ(news[0].move, "injected");
  EXPECT_NEAR(news[0].plain.coefficients.at(0), 2, 1e-9);
  search.inject(GpModel{});
  EXPECT_TRUE(search.take_news().empty());
}

TEST(GpSearch, StopsWhenCancelled) {
  const SearchFixture fixture;
  GpSearch search = fixture.search();
  CancelSource source;
  source.cancel("Enough.");
  Rng rng(1);
  search.run(1000, rng, source.token());
  EXPECT_EQ(search.trials(), 0u);
}

TEST(GpSearch, ExactLawMayGrowWithoutBoundBeyondTheRows) {
  const auto problem = toy_problem(
      {.rows = 100}, [](const Row& r) { return std::exp(4 * r[0]); });
  const GpData data(problem, GpLink::Identity, {}, Rng(1));
  const GpLibrary library(data, small_search_options(), {0}, Rng(2));
  GpSearch search(data, data, library, small_search_options());
  GpModel law;
  law.terms = {
      gp_apply(Op::Exp, gp_apply(Op::Mul, gp_input(0), gp_constant(4)))};
  search.inject(law);
  EXPECT_LT(search.archive().min_error(), 1e-20);
}

}  // namespace
}  // namespace lamarck::gp
