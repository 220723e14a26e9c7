// Tests why an index leaves a vector although there is a thread for each element.
#include "judge/index_mistakes.hpp"

#include "catch.hpp"

namespace index_mistakes_test {

using namespace grader;
using testing::contains;
using vgpu::Fault;

namespace {

constexpr std::uint64_t kStart = 0x4000000800000000;

SourceText file(std::vector<std::string> body) {
  std::vector<std::string> lines = {"__global__ void k(const float* x, float* y, int n) {"};
  lines.insert(lines.end(), body.begin(), body.end());
  lines.emplace_back("}");
  return {"k.cu", lines};
}

struct Access {
  std::uint64_t index = 0, elements = 0;
  std::uint32_t block = 0, thread = 0, line = 2;
  std::uint64_t count = 32;
};

std::string cause(const Access& access, const SourceText& source, vgpu::Dim3 grid = {4, 1, 1}) {
  Fault fault;
  fault.kind = vgpu::FaultKind::out_of_bounds;
  fault.kernel = "_Z1kPKfPfi";
  fault.file = "/box/k.cu";
  fault.source.line = access.line;
  fault.access_bytes = 4;
  fault.block = {access.block, 0, 0};
  fault.thread = {access.thread, 0, 0};
  fault.address = kStart + 4 * access.index;
  fault.nearest = Fault::Nearest{kStart, 4 * access.elements, 0, 1};
  fault.count = access.count;
  vgpu::LaunchRecord launch;
  launch.kernel = fault.kernel;
  launch.grid = grid;
  launch.block = {256, 1, 1};
  const auto found = mistake_of_index(fault, launch, source);
  return found ? found->likely_cause : "";
}

}  // namespace

TEST_CASE("an index that counts bytes is named, with the line") {
  const SourceText source = file({"  *(y + i * sizeof(float)) = 0;"});
  CHECK_THAT(cause({256, 256, 0, 64}, source, {1, 1, 1}),
             contains("the index is 4 times the thread's number, 64: line 2 multiplies by sizeof"));
  CHECK(cause({257, 256, 1, 1}, source, {2, 1, 1}).empty());
}

TEST_CASE("an index with a factor for which the array has no room is named") {
  const SourceText source = file({"  y[4 * i] = 0;"});
  CHECK_THAT(cause({3072, 3072, 3, 0}, source),
             contains("4 times the thread's number, 768; the launch has 1024 threads, and the array 3072"));
  CHECK(cause({1024, 1000, 4, 0}, source, {5, 1, 1}).empty());  // more threads than elements
  CHECK(cause({30720, 3072, 3, 0}, source).empty());            // the length of a row, perhaps
  // One thread reaches the first element past the end in a loop.
  CHECK(cause({3072, 3072, 3, 0, 2, 1}, source).empty());
}

TEST_CASE("an access beyond what the loop's condition tests is named") {
  const std::string loop = "  for (int col = lane; col < n; col += 64) {";
  const SourceText unrolled = file({loop, "    sum += x[col];", "    sum += x[col + 32];", "  }"});
  CHECK_THAT(cause({1000, 1000, 0, 8, 4}, unrolled),
             contains("the loop in line 2 tests `col`, but this line adds"));
  CHECK(cause({1000, 1000, 0, 8, 3}, unrolled).empty());
  CHECK(cause({1000, 1000, 0, 8, 3}, file({loop, "    sum += x[col + offset];", "  }"})).empty());
  CHECK(cause({1000, 1000, 0, 8, 3}, file({loop, "    sum += x[row * n + col];", "  }"})).empty());
}

TEST_CASE("several threads that store an element of their block or warp are named") {
  const auto cause_of = [](std::uint64_t elements, bool is_of_block) {
    Fault race;
    race.kind = vgpu::FaultKind::global_race;
    race.access_bytes = 4;
    race.address = kStart;
    race.nearest = Fault::Nearest{kStart, 4 * elements, 0, 1};
    race.other.emplace();
    race.other->block = {is_of_block ? 0U : 1U, 0, 0};
    vgpu::LaunchRecord launch;
    launch.grid = {16, 1, 1};
    launch.block = {256, 1, 1};
    const auto found = mistake_of_shared_element(race, launch);
    return found ? found->likely_cause : "";
  };
  CHECK_THAT(cause_of(16, true), contains("one element for each of the 16 blocks, but several threads"));
  CHECK_THAT(cause_of(16, false), contains("the index is not the block's number"));
  CHECK_THAT(cause_of(128, true), contains("one element for each of the 128 warps"));
  CHECK(cause_of(4096, true).empty());
}

}  // namespace index_mistakes_test
