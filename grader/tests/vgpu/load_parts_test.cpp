// The parts in which a warp's loads of global memory are noted.
#include "vgpu/check/load_parts.hpp"

#include <bit>

#include "catch.hpp"

namespace load_parts_test {

using vgpu::exec::kFullMask;
using vgpu::exec::kWarpLanes;
using vgpu::exec::LoadPlan;
using vgpu::exec::Memo;

namespace {

constexpr std::uint32_t kBytes = 4;

/// Lane i accesses the element with number `element(i)`.
template <class Element>
LoadPlan plan_of(std::uint32_t mask, Element element) {
  Memo memo;
  memo.mask = mask;
  memo.learned = 1;
  memo.form.bytes = kBytes;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    memo.delta[lane] = (mask >> lane & 1U) != 0 ? element(lane) * kBytes : 0;
  LoadPlan plan;
  CHECK_FALSE(plan.is_of(memo));
  plan.make(memo);
  CHECK_FALSE(plan.is_of(memo));  // one execution is no pattern
  CHECK(plan.parts().empty());
  plan.make(memo);
  CHECK(plan.is_of(memo));
  ++memo.learned;
  CHECK_FALSE(plan.is_of(memo));
  return plan;
}

}  // namespace

TEST_CASE("whole groups of lanes side by side are one part and one stretch") {
  const LoadPlan plan = plan_of(kFullMask, [](unsigned lane) { return lane; });
  REQUIRE(plan.parts().size() == 1);
  CHECK(plan.parts()[0].lanes() == kWarpLanes);
  CHECK_FALSE(plan.parts()[0].is_uniform);
  REQUIRE(plan.stretches().size() == 1);
  CHECK(plan.stretches()[0].elements == 32);
}

TEST_CASE("lanes that load one element are one part, whatever lanes are missing at the end") {
  for (const std::uint32_t mask : {kFullMask, kFullMask >> 1U, 0x3FFU}) {
    const LoadPlan plan = plan_of(mask, [](unsigned) { return 0U; });
    REQUIRE(plan.parts().size() == 1);
    CHECK(plan.parts()[0].is_uniform);
    CHECK(plan.parts()[0].last == static_cast<unsigned>(std::bit_width(mask)) - 1);
    CHECK(plan.stretches().size() == 1);
  }
  // A part of several groups begins with a whole one.
  CHECK(plan_of(~0xFU, [](unsigned) { return 0U; }).parts().size() == 2);
}

TEST_CASE("elements that several groups load are in one stretch, and groups in between are marked") {
  const LoadPlan rows = plan_of(kFullMask, [](unsigned lane) { return lane % 16; });
  REQUIRE(rows.parts().size() == 2);
  CHECK(rows.parts()[1].first == 16);
  CHECK(rows.parts()[1].delta == 0);
  REQUIRE(rows.stretches().size() == 1);
  CHECK(rows.stretches()[0].elements == 16);
  CHECK_FALSE(rows.parts()[1].is_between);
  const LoadPlan groups = plan_of(kFullMask, [](unsigned lane) { return lane % 8; });
  CHECK_FALSE(groups.parts()[0].is_between);
  CHECK(groups.parts()[1].is_between);
  CHECK(groups.parts()[2].is_between);
  CHECK_FALSE(groups.parts()[3].is_between);
  // Seven lanes of eight load no more than the whole group.
  CHECK(plan_of(0x7FFFU, [](unsigned lane) { return lane % 8; }).stretches().size() == 1);
  CHECK(plan_of(0xFF7FU, [](unsigned lane) { return lane % 8; }).stretches().size() == 2);
}

TEST_CASE("lanes that are neither side by side nor at one place are parts of their own") {
  const LoadPlan plan = plan_of(kFullMask, [](unsigned lane) { return 2 * lane; });
  REQUIRE(plan.parts().size() == kWarpLanes);
  CHECK(plan.stretches().size() == kWarpLanes);
  CHECK(plan.parts()[9].first == 9);
  CHECK(plan.parts()[9].last == 9);
  CHECK(plan.parts()[9].delta == 18 * kBytes);
  CHECK(plan_of(0x5555U, [](unsigned lane) { return lane; }).parts().size() == 8);  // not adjacent lanes
}

TEST_CASE("a group has as few parts as its lanes from the first one on permit") {
  // The last lane loads what the first one loads.
  const LoadPlan wrapped = plan_of(kFullMask, [](unsigned lane) { return lane == 31 ? 0 : lane; });
  REQUIRE(wrapped.parts().size() == 3);
  CHECK(wrapped.parts()[1].lanes() == 7);
  CHECK(wrapped.parts()[1].delta == 24 * kBytes);
  CHECK(wrapped.parts()[2].lanes() == 1);
  REQUIRE(wrapped.stretches().size() == 1);
  CHECK(wrapped.stretches()[0].elements == 31);
  const LoadPlan pairs = plan_of(0xFFU, [](unsigned lane) { return 5 * (lane / 2); });
  CHECK(pairs.parts().size() == 4);
  CHECK(pairs.parts()[2].is_uniform);
  CHECK(plan_of(0x1FFU, [](unsigned lane) { return lane; }).parts().size() == 2);  // one lane of a group
}

}  // namespace load_parts_test
