#include "catch.hpp"
#include "goldens.hpp"
#include "profile/access_picture.hpp"
#include "profile/access_use.hpp"
#include "profile/profile_sample.hpp"
#include "profile/svg.hpp"

using namespace grader;
using namespace profile_sample;

TEST_CASE("neighbouring words fill four sectors, and a stride of 32 bytes touches one sector per lane") {
  const auto dense = sectors_of(strided(0x1000, 4), 4);
  REQUIRE(dense.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(dense[i].start == 0x1000 + 32 * i);
    CHECK(dense[i].used_words() == 8);
    CHECK(dense[i].lanes[3] == 1U << (8 * i + 3));
  }
  const auto sparse = sectors_of(strided(0x1000, 32), 4);
  CHECK(sparse.size() == 32);
  CHECK(sparse[7].used_words() == 1);
}

TEST_CASE("an access that begins in the middle of a sector touches one more, and inactive lanes touch none") {
  CHECK(sectors_of(strided(0x1010, 4), 4).size() == 5);
  CHECK(sectors_of(strided(0x1000, 4, 0xFF), 4).size() == 1);
  CHECK(sectors_of(strided(0x1000, 4, 0), 4).empty());
}

TEST_CASE("lanes that read one word share it, and wide and narrow accesses cover their words") {
  const auto same = sectors_of(strided(0x1000, 0), 4);
  REQUIRE(same.size() == 1);
  CHECK(same[0].lanes[0] == 0xFFFFFFFF);
  CHECK(sectors_of(strided(0x1000, 16), 16).size() == 16);
  CHECK(sectors_of(strided(0x1000, 16), 16)[0].used_words() == 8);
  const auto bytes = sectors_of(strided(0x1000, 1), 1);
  REQUIRE(bytes.size() == 1);
  CHECK(bytes[0].lanes[1] == 0xF0U);
}

TEST_CASE("banks deliver different words one after another, and one word to any number of lanes") {
  const auto column = banks_of(strided(0, 128), 4);
  CHECK(column[0].size() == 32);
  CHECK(column[1].empty());
  const auto padded = banks_of(strided(0, 132), 4);
  for (const auto& bank : padded) CHECK(bank.size() == 1);
  const auto broadcast = banks_of(strided(8, 0), 4);
  REQUIRE(broadcast[2].size() == 1);
  CHECK(broadcast[2][0].lanes == 0xFFFFFFFF);
  const auto even = banks_of(strided(0, 8), 4);
  CHECK(even[0].size() == 2);
  CHECK(even[0][1].lanes == 1U << 16);
}

TEST_CASE("lanes are listed as ranges") {
  CHECK(lane_list(0xFFFFFFFF) == "0–31");
  CHECK(lane_list(0b1011) == "0, 1, 3");
  CHECK(lane_list(1U << 31) == "31");
  CHECK(lane_list(0).empty());
}

TEST_CASE("the pictures of accesses are as approved, in text and as SVG") {
  const RunProfile profile = sample_profile();
  const auto chosen = chosen_accesses(profile.kernels.front(), {});
  REQUIRE(chosen.size() == 2);
  CHECK(chosen[0]->line == 3);
  CHECK(chosen[1]->line == 5);
  for (const auto* site : chosen) {
    const std::string kind = site->space == vgpu::ptx::Space::shared ? "shared" : "global";
    CHECK(testing::changed_goldens("access-" + kind, golden, [&](const Terminal& terminal) {
            return access_text(*site, site->worst, terminal);
          }) == testing::kNoChange);
    const auto svg = access_svg(*site, site->worst);
    CHECK(svg == golden("access-" + kind + ".svg", svg));
  }
}

TEST_CASE("headlines name the array of the lab, the shared variable, or the allocation") {
  const RunProfile profile = sample_profile();
  const auto headline = [&](const char* instruction) {
    for (const NamedAccess& one : profile.kernels.front().accesses)
      if (one.instruction == instruction) return access_headline(one, one.first).substr(0, 50);
    return std::string();
  };
  CHECK_THAT(headline("ld.global.f32"), testing::contains("ld.global.f32 of `in<i>` in transpose.cu:3"));
  CHECK_THAT(headline("ld.shared.f32"), testing::contains("ld.shared.f32 of `tile` in"));
  CHECK_THAT(headline("st.global.f32"), testing::contains("st.global.f32 to allocation 2 (16384 bytes) in"));
}

TEST_CASE("a line chooses its accesses, with or without the file") {
  const RunProfile profile = sample_profile();
  CHECK(chosen_accesses(profile.kernels.front(), {"", 5}).size() == 2);
  CHECK(chosen_accesses(profile.kernels.front(), {"transpose.cu", 3}).size() == 2);
  CHECK(chosen_accesses(profile.kernels.front(), {"other.cu", 3}).empty());
  CHECK(chosen_accesses(profile.kernels.front(), {"", 4}).empty());
}
