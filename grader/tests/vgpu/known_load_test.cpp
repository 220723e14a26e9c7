// The fast path of the checks of shared memory: it must not classify a load as known that has to be checked.
#include "catch.hpp"
#include "vgpu/races/group_load.hpp"

namespace known_load_test {

using vgpu::AccessKey;
using vgpu::GroupStarts;
using vgpu::Shadow;
using vgpu::ShadowSpan;
using vgpu::WarpLoad;

namespace {

constexpr GroupStarts kStarts{0, 8, 0, 16};
const std::int32_t kUnsettled = AccessKey::first_of(7);
const std::int32_t kOldest = AccessKey::first_of(3);

WarpLoad load() {
  WarpLoad load;
  load.unsettled = kUnsettled;
  load.oldest_write = kOldest;
  return load;
}

/// 24 granules, written in this block and read since by two warps.
struct KnownGranules {
  Shadow shadow{24};
  ShadowSpan span = shadow.span();

  KnownGranules() {
    for (unsigned i = 0; i < 24; ++i) {
      span.write[i] = kOldest;
      span.read[i] = kUnsettled | AccessKey::kMany;
    }
  }
  bool is_known() const { return is_known_load(span, kStarts, load()); }
};

}  // namespace

TEST_CASE("granules that two warps have read are distinguished") { CHECK(KnownGranules().is_known()); }

TEST_CASE("one granule that must be checked, at any lane, is sufficient") {
  for (unsigned i = 0; i < 24; ++i) {
    INFO(i);
    KnownGranules granules;
    granules.span.write[i] = kUnsettled;  // a race, perhaps
    CHECK_FALSE(granules.is_known());
    granules.span.write[i] = kOldest - 1;  // by an earlier block: unwritten in this one
    CHECK_FALSE(granules.is_known());
    granules.span.write[i] = kUnsettled - 1;
    CHECK(granules.is_known());
    granules.span.read[i] = kUnsettled;  // one warp only
    CHECK_FALSE(granules.is_known());
    granules.span.read[i] =
        (kUnsettled - AccessKey::first_of(1)) | AccessKey::kMany;  // before the last barrier
    CHECK_FALSE(granules.is_known());
  }
}

TEST_CASE("known groups are found at any place, until a key changes or for other clocks") {
  constexpr unsigned kAll = vgpu::AllGranules::bits, kCount = vgpu::kGroup;
  vgpu::KnownGranules<64> known;
  for (const std::size_t first : {0U, 3U, 15U, 56U}) {
    INFO(first);
    CHECK_FALSE(known.has(first, kCount, kUnsettled));
    known.add(first, kAll, kUnsettled);
    CHECK(known.has(first, kCount, kUnsettled));
    CHECK_FALSE(known.has(first, kCount, kUnsettled + 1));
    known.forget();
    CHECK_FALSE(known.has(first, kCount, kUnsettled));
  }
  known.add(8, kAll, kOldest);
  known.add(24, kAll, kUnsettled);  // discards what other clocks knew
  known.add(32, kAll, kUnsettled);
  CHECK(known.has(24, 2 * kCount, kUnsettled));
  CHECK(known.has(27, kCount, kUnsettled));
  CHECK_FALSE(known.has(8, kCount, kUnsettled));
  CHECK_FALSE(known.has(23, kCount, kUnsettled));
  CHECK_FALSE(known.has(33, kCount, kUnsettled));
  CHECK(known.has(33, kCount - 1, kUnsettled));
  known.add(42, 0b101, kUnsettled);
  CHECK(known.has(42, 1, kUnsettled));
  CHECK_FALSE(known.has(42, 2, kUnsettled));
}

TEST_CASE("long rows of granules are known if each of their granules is") {
  constexpr unsigned kAll = vgpu::AllGranules::bits, kFirst = 3, kCount = 150;
  vgpu::KnownGranules<256> known;
  for (unsigned at = 0; at < kFirst + kCount; at += vgpu::kGroup) known.add(at, kAll, kUnsettled);
  CHECK(known.has(kFirst, kCount, kUnsettled));
  CHECK_FALSE(known.has(kFirst, kCount, kUnsettled + 1));
  for (unsigned missing = kFirst; missing < kFirst + kCount; ++missing) {
    vgpu::KnownGranules<256> others;
    for (unsigned at = 0; at < 160; ++at)
      if (at != missing) others.add(at, 1, kUnsettled);
    REQUIRE_FALSE(others.has(kFirst, kCount, kUnsettled));
  }
}

}  // namespace known_load_test
