#include "schedule/baseline_pace.hpp"

#include <filesystem>
#include <fstream>

#include "base/files.hpp"
#include "catch.hpp"
#include "schedule/build_cache.hpp"

namespace baseline_pace_test {

using grader::BaselinePace;

TEST_CASE("the pace is the fastest measurement, and is known from the second one on") {
  BaselinePace pace;
  CHECK_FALSE(pace.fastest_s("a"));
  pace.add("a", 2);
  CHECK(pace.fastest_s("a") == 2);
  CHECK_FALSE(pace.is_known("a"));
  pace.add("a", 3);
  CHECK(pace.fastest_s("a") == 2);
  CHECK(pace.is_known("a"));
  CHECK_FALSE(pace.fastest_s("b"));
}

TEST_CASE("an assumed pace holds until a measurement contradicts it") {
  BaselinePace pace;
  pace.assume("a", 2);
  CHECK_FALSE(pace.contradicts("a", 1));
  CHECK_FALSE(pace.contradicts("a", 2.3));
  pace.add("a", 2.3);
  CHECK(pace.is_known("a"));
  CHECK(pace.contradicts("a", 2.5));
  CHECK_FALSE(pace.fastest_s("a"));
}

TEST_CASE("a measured pace holds whatever follows") {
  BaselinePace pace;
  pace.add("a", 2);
  CHECK_FALSE(pace.contradicts("a", 100));
  CHECK(pace.fastest_s("a") == 2);
}

TEST_CASE("a forgotten pace is learned again, however slow") {
  BaselinePace pace;
  pace.add("a", 2);
  pace.add("a", 2);
  pace.forget("a");
  CHECK_FALSE(pace.fastest_s("a"));
  CHECK_FALSE(pace.is_known("a"));
  pace.add("a", 3);
  CHECK(pace.fastest_s("a") == 3);
}

TEST_CASE("the cache keeps durations by their keys, and an entry that is no duration counts as none") {
  const grader::TemporaryFolder folder("warpgrade-test");
  const grader::BuildCache cache(folder.path());
  CHECK_FALSE(cache.seconds("pace on A"));
  cache.keep_seconds("pace on A", 0.3125);
  CHECK(cache.seconds("pace on A") == 0.3125);
  CHECK_FALSE(cache.seconds("pace on B"));
  for (const char* text : {"", "fast", "-1", "0", "nan", "inf"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      std::ofstream(entry.path()) << text;
    CHECK_FALSE(cache.seconds("pace on A"));
  }
}

}  // namespace baseline_pace_test
