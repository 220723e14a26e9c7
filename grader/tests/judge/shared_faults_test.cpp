// Causes of accesses outside of shared memory that the launch and the source show.
#include "judge/shared_faults.hpp"

#include "catch.hpp"

namespace shared_faults_test {

using namespace grader;
using testing::contains;

namespace {

struct Outside {
  std::string declaration = "  __shared__ float tile[16][16];";
  std::vector<std::string> body = {"  tile[threadIdx.x] = 0;"};
  std::string variable = "_ZZ1kPfE4tile";
  std::uint64_t address = 0, size = 0;
  std::uint32_t threads = 32, static_bytes = 0, dynamic_bytes = 0;
  std::uint64_t count = 1;
  bool is_store = false;
};

std::string cause_of(const Outside& made) {
  std::vector<std::string> lines = {"__global__ void k(float* p) {", made.declaration};
  lines.insert(lines.end(), made.body.begin(), made.body.end());
  lines.emplace_back("}");
  vgpu::LaunchRecord launch;
  launch.kernel = "_Z1kPf";
  launch.block = {made.threads, 1, 1};
  launch.static_shared_bytes = made.static_bytes;
  launch.dynamic_shared_bytes = made.dynamic_bytes;
  vgpu::Fault fault;
  fault.kind = vgpu::FaultKind::out_of_bounds;
  fault.space = vgpu::ptx::Space::shared;
  fault.variable = made.variable;
  fault.address = made.address;
  fault.access_bytes = 4;
  fault.file = "k.cu";
  fault.source.line = 3;
  fault.count = made.count;
  fault.is_store = made.is_store;
  fault.nearest = {0, made.size, static_cast<std::int64_t>(made.address + 4 - made.size), 0};
  Diagnostic outside;
  explain_shared_fault(launch, fault, {"k.cu", lines}, "f", outside);
  return outside.likely_cause;
}

}  // namespace

TEST_CASE("a block with more threads than the tile has columns") {
  CHECK_THAT(cause_of({.address = 1024, .size = 1024, .static_bytes = 1024}),
             contains("blocks of 32 × 1 threads, but a row of `tile` has only 16 elements"));
}

TEST_CASE("the element after the last one, and one far after it") {
  Outside past{.variable = "", .address = 1024, .size = 1024, .threads = 16, .static_bytes = 1024};
  CHECK_THAT(cause_of(past), contains("the element after the last one") && contains("`<=` for `<`"));
  past.address = 2048;
  CHECK(cause_of(past).empty());
}

TEST_CASE("an array with an element per thread") {
  Outside past{.declaration = "  __shared__ float tile[64];", .address = 256, .size = 256, .threads = 128};
  CHECK_THAT(cause_of(past), contains("blocks of 128 threads, but `tile` has only 64 elements"));
  past.threads = 64;
  CHECK_THAT(cause_of(past), contains("the element after the last one"));  // a load, as of a tree's step
  past.is_store = true;
  CHECK_THAT(cause_of(past), contains("its index, 64 in thread 0, is not that of the thread"));
}

TEST_CASE("a row after the last one") {
  Outside past{.address = 1024, .size = 1024, .threads = 16, .static_bytes = 1024, .count = 16};
  past.is_store = true;
  CHECK_THAT(cause_of(past), contains("a row after the last one of `tile`: the array lacks rows"));
  past.is_store = false;
  past.body = {"  for (int i = 0; i <= 16; ++i)"};
  CHECK_THAT(cause_of(past), contains("a row after the last one of `tile`: a loop over rows runs once"));
  past.count = 15;
  CHECK_THAT(cause_of(past), contains("the element after the last one"));
  past.is_store = true;
  CHECK_THAT(cause_of(past), contains("15 threads of a warp store after the last element"));
}

TEST_CASE("memory that the launch did not request has no last element") {
  CHECK(cause_of({.variable = "", .address = 0, .size = 0}).empty());
}

TEST_CASE("dynamic shared memory whose size lacks a factor, and a place in it that has one too many") {
  Outside dynamic{.variable = "", .address = 2048, .size = 2048, .dynamic_bytes = 2048};
  CHECK_THAT(cause_of(dynamic),
             contains("requests 2048 bytes of dynamic shared memory") && contains("lacks the factor sizeof"));
  dynamic.address = 8192;  // not even with the factor
  CHECK_THAT(cause_of(dynamic),
             contains("requests 2048 bytes of dynamic shared memory, and the kernel uses more"));
  dynamic.body = {"  float* N = tiles + 4 * sizeof(float);"};
  CHECK_THAT(cause_of(dynamic), contains("line 3 uses sizeof in the kernel"));
}

}  // namespace shared_faults_test
