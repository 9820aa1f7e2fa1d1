#include "lamarck/store/internal/known_places.h"

#include <gtest/gtest.h>

namespace lamarck::store::internal {
namespace {

TEST(KnownPlaces, FindsAddedPlaces) {
  KnownPlaces known;
  EXPECT_EQ(known.find_run("a"), nullptr);
  EXPECT_EQ(known.find_event("e"), nullptr);
  EXPECT_EQ(known.find_event(""), nullptr);
  known.add_run("a", {.number = 3, .head = 7});
  known.add_event("e", {.number = 5, .run = 3});
  EXPECT_EQ(known.find_run("a")->place.head, 7u);
  EXPECT_EQ(known.find_event("e")->number, 5);
  known.forget();
  EXPECT_EQ(known.find_run("a"), nullptr);
  EXPECT_EQ(known.find_event("e"), nullptr);
}

TEST(KnownPlaces, ReturnsEachChangedRunOnce) {
  KnownPlaces known;
  known.add_run("a", {.number = 1});
  known.add_run("b", {.number = 2});
  known.known_run("a").place.head = 2;
  known.note_change(known.known_run("a"));
  known.note_change(known.known_run("a"));
  const auto changed = known.take_changed();
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0]->place.head, 2u);
  EXPECT_TRUE(known.take_changed().empty());
}

TEST(KnownPlaces, KeepsMostRecentEvents) {
  KnownPlaces known;
  for (int i = 0; i < 50'000; ++i) {
    known.add_event(std::to_string(i), {.number = i});
    ASSERT_EQ(known.find_event(std::to_string(i))->number, i);
  }
  int found = 0;
  for (int i = 49'900; i < 50'000; ++i) {
    const EventPlace* place = known.find_event(std::to_string(i));
    if (place == nullptr) continue;
    EXPECT_EQ(place->number, i);
    ++found;
  }
  EXPECT_GT(found, 80);
  EXPECT_EQ(known.find_event("0"), nullptr);
}

TEST(KnownPlaces, ForgetsWhenTooLarge) {
  KnownPlaces known;
  known.add_run("a", {.number = 1});
  known.trim();
  EXPECT_NE(known.find_run("a"), nullptr);
  for (int i = 0; i < 2000; ++i) {
    known.add_run(std::to_string(i), {.number = i + 2});
  }
  known.trim();
  EXPECT_EQ(known.find_run("a"), nullptr);
}

}  // namespace
}  // namespace lamarck::store::internal
