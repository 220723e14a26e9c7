// How the steps of a graph are divided among streams.
#include "vgpu/cudart/client/streams/branches.hpp"

#include <set>

#include "catch.hpp"

namespace branches_test {

using namespace vgpu::cudart::client;
using Steps = std::vector<std::size_t>;

namespace {

std::vector<unsigned> branches_of(const std::vector<Steps>& after) {
  std::vector<unsigned> branches;
  for (const Placement& one : place_in_branches(after)) branches.push_back(one.branch);
  return branches;
}

}  // namespace

TEST_CASE("a chain stays in one branch and waits for nothing else") {
  const auto placed = place_in_branches({{}, {0}, {1}, {0, 2}});
  for (const Placement& one : placed) {
    CHECK(one.branch == 0);
    CHECK(one.awaited.empty());
    CHECK_FALSE(one.is_awaited);
  }
  CHECK(last_steps(placed) == Steps{3});
}

TEST_CASE("steps without an order are in different branches, which wait where they join") {
  const auto placed = place_in_branches({{}, {0}, {0}, {1, 2}});
  CHECK(branches_of({{}, {0}, {0}, {1, 2}}) == std::vector<unsigned>{0, 0, 1, 0});
  CHECK(placed[2].awaited == Steps{0});
  CHECK(placed[3].awaited == Steps{2});
  CHECK(placed[0].is_awaited);
  CHECK_FALSE(placed[1].is_awaited);
  CHECK(last_steps(placed) == Steps{3, 2});
}

TEST_CASE("a step waits for each other branch at most once") {
  // Step 2 has waited for step 1, in whose branch step 3 runs now.
  const auto placed = place_in_branches({{}, {}, {0, 1}, {1}, {1, 2}});
  CHECK(placed[4].branch == placed[2].branch);
  CHECK(placed[4].awaited.empty());
}

TEST_CASE("a branch is used again when everything in it has ended") {
  // Two inputs, a kernel, a copy back, again and again: copies in two branches.
  std::vector<Steps> after = {{}, {}, {0, 1}, {2}};
  for (std::size_t i = 4; i < 40; i += 4)
    after.insert(after.end(), {Steps{i - 2}, Steps{i - 2}, Steps{i, i + 1}, Steps{i - 1, i + 2}});
  const auto branches = branches_of(after);
  CHECK(std::set<unsigned>(branches.begin(), branches.end()).size() <= 4);
}

TEST_CASE("any number of independent steps shares a bounded number of branches") {
  const auto branches = branches_of(std::vector<Steps>(1000));
  CHECK(std::set<unsigned>(branches.begin(), branches.end()).size() == kMaxBranches);
}

}  // namespace branches_test
