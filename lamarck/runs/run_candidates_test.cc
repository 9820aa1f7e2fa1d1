#include "lamarck/runs/run_candidates.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/runs/run_folder_fixture.h"

namespace lamarck::runs {
namespace {

// A folder with a journal of `count` functions; every third one fails, and
// every tenth one a model wrote.
class RunCandidates : public testing::Test {
 protected:
  RunCandidates() { run_.summary.folder = folder_.path().string(); }

  void write(int count, const std::string& tail = "") {
    std::ofstream file(run_.summary.folder + "/journal.jsonl");
    file << R"({"event":"run","format":2})" << '\n';
    file
        << R"({"event":"first","id":0,"engine":"first","source":"x","score":-1})"
        << '\n';
    for (int i = 1; i <= count; ++i) {
      Json line = {
          {"event", "function"},
          {"id", i},
          {"engine", "gp"},
          {"cycle", i},
          {"island", i % 4},
          {"parents", {i - 1}},
          {"source", "def f(x):\n    return x + " + std::to_string(i) + "\n"},
          {"fate", "fresh"}};
      if (i % 3 == 0) {
        line["failure"] = "division by zero";
      } else {
        line["score"] = -1.0 / i;
        line["island_best"] = i % 7 == 0;
      }
      if (i % 10 == 0) {
        line["prompt"] = "Improve \"id\":" + std::to_string(i - 1) + ",";
        line["reply"] = "Here it is.";
        line["cost"] = {{"tokens_in", 100}, {"tokens_out", 20}};
      }
      file << line.dump() << '\n';
      if (i % 5 == 0) {
        file << R"({"event":"cycle","cycle":)" << i << "}\n";
      }
    }
    file << R"({"event":"error","cycle":9,"island":1,"code":"llm",)"
         << R"("message":"no code in the reply"})" << '\n'
         << tail;
  }

  // All pages, newest first.
  std::vector<Json> all(const std::string& only, std::size_t limit) {
    std::vector<Json> found;
    std::int64_t before = 0;
    for (;;) {
      const Json page =
          candidates_json(run_,
                          {.only = only, .before = before, .limit = limit})
              .value();
      EXPECT_LE(page["candidates"].size(), limit);
      found.insert(found.end(), page["candidates"].begin(),
                   page["candidates"].end());
      if (page["next"].is_null()) return found;
      before = page["next"];
    }
  }

  RunFolder folder_;
  RunView run_;
};

TEST_F(RunCandidates, TrialWithoutGainIsNotAFailure) {
  write(
      6,
      R"({"event":"error","cycle":10,"island":2,"code":"failed_precondition",)"
      R"("message":"The trials found no better formula."})"
      "\n");
  const std::vector<Json> found = all("", 50);
  ASSERT_EQ(found.size(), 9U);
  EXPECT_EQ(found[0]["failed"], false);
  EXPECT_EQ(found[0]["failure"], "The trials found no better formula.");
  EXPECT_EQ(found[1]["failed"], true);
  EXPECT_EQ(all("failed", 50).size(), 3U);
  const std::vector<Json> evaluated = all("evaluated", 50);
  ASSERT_EQ(evaluated.size(), 7U);
  EXPECT_EQ(evaluated[0]["id"], 6);
}

TEST_F(RunCandidates, PagesListEveryCandidateOnceNewestFirst) {
  write(5000);  // More than one chunk.
  for (const std::size_t limit : {std::size_t{7}, std::size_t{500}}) {
    const std::vector<Json> found = all("", limit);
    ASSERT_EQ(found.size(), 5002U);
    EXPECT_EQ(found[0]["failure"], "no code in the reply");
    EXPECT_TRUE(found[0]["failed"]);
    for (int i = 0; i <= 5000; ++i) {
      ASSERT_EQ(found[5001U - static_cast<std::size_t>(i)]["id"], i);
    }
  }
}

TEST_F(RunCandidates, FiltersFailedImprovedAndThoseOfAModel) {
  write(100);
  EXPECT_EQ(all("failed", 10).size(), 34U);
  EXPECT_EQ(all("model", 10).size(), 10U);
  for (const Json& each : all("improved", 10)) {
    EXPECT_EQ(each["id"].get<int>() % 7, 0);
  }
  const std::vector<Json> model = all("model", 10);
  EXPECT_EQ(model[0]["tokens"], 120);
  EXPECT_TRUE(model[0]["has_prompt"]);
  EXPECT_EQ(model[0]["text"], "return x + 100");
}

TEST_F(RunCandidates, CandidateHasPromptReplyAndSourceOfItsParent) {
  write(100);
  const std::vector<Json> model = all("model", 10);
  const Json shown = candidate_json(run_, model[0]["at"]).value();
  EXPECT_EQ(shown["id"], 100);
  EXPECT_EQ(shown["reply"], "Here it is.");
  EXPECT_EQ(shown["source"], "def f(x):\n    return x + 100\n");
  ASSERT_EQ(shown["parents"].size(), 1U);
  EXPECT_EQ(shown["parents"][0]["id"], 99);
  EXPECT_EQ(shown["parents"][0]["source"], "def f(x):\n    return x + 99\n");
  const std::vector<Json> everything = all("", 200);
  const Json first = candidate_json(run_, everything.back()["at"]).value();
  EXPECT_EQ(first["source"], "x");
  EXPECT_TRUE(first["parents"].empty());
}

TEST_F(RunCandidates, LineThatIsStillBeingWrittenIsLeftOut) {
  write(3, R"({"event":"function","id":4,"sour)");
  const std::vector<Json> found = all("", 2);
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[1]["id"], 3);
}

TEST_F(RunCandidates, WrongPlaceAndMissingJournalAreErrors) {
  EXPECT_EQ(candidates_json(run_, {}).error().code(),
            ErrorCode::FailedPrecondition);
  write(3);
  for (const std::int64_t at : {-1, 0, 1, 5, 1'000'000}) {
    const auto shown = candidate_json(run_, at);
    ASSERT_FALSE(shown) << at;
    EXPECT_EQ(shown.error().code(), ErrorCode::NotFound);
  }
}

}  // namespace
}  // namespace lamarck::runs
