#include "judge/findings.hpp"

#include "catch.hpp"

namespace findings_test {

namespace {

using grader::diagnose_finding;
using grader::is_decisive;
using grader::SourceText;
using testing::contains;
using vgpu::Fault;
using vgpu::FaultKind;
using vgpu::ptx::Space;

constexpr std::uint64_t kStart = 0x4000000800000000;

const SourceText kSource{
    "tiled_matmul.cu",
    {"constexpr int kWidth = 16;", "  __shared__ float tile[kWidth][kWidth + 1];", "  tile[ty][tx] = M[i];"}};

Fault finding(FaultKind kind, Space space) {
  Fault made;
  made.kind = kind;
  made.kernel = "_Z12tiled_kernelPKfS0_Pfiii";
  made.file = "/box/tiled_matmul.cu";
  made.source.line = 3;
  made.access_bytes = 4;
  made.space = space;
  return made;
}

}  // namespace

TEST_CASE("barriers in two branches are named with both lines") {
  Fault finding;
  finding.kind = FaultKind::parted_barriers;
  finding.kernel = "k";
  finding.file = "x.cu";
  finding.source.line = 3;
  finding.other.emplace();
  finding.other->file = "/src/x.cu";
  finding.other->source.line = 6;
  finding.other->thread = {0, 8, 0};
  const auto diagnostic = diagnose_finding(finding, {}, kSource);
  CHECK(diagnostic.code == "WG-B06");
  CHECK(diagnostic.first ==
        "block (0, 0, 0), thread (0, 0, 0) at x.cu:3; block (0, 0, 0), thread (0, 8, 0) at x.cu:6");
}

TEST_CASE("an element of a tile has a row and a column if the file shows how long its rows are") {
  Fault race = finding(FaultKind::shared_race, Space::shared);
  race.variable = "_ZZ12tiled_kernelPKfS0_PfiiiE4tile";
  race.variable_offset = (2 * 17 + 5) * 4;
  race.other.emplace();
  CHECK_THAT(diagnose_finding(race, {}, kSource).first, contains("`tile[2][5]`: "));
  CHECK_THAT(diagnose_finding(race, {}, {}).first, contains("`tile[39]`: "));
}

TEST_CASE("a single variable in shared memory has no index, an array without known rows has no row") {
  Fault read = finding(FaultKind::uninitialised_read, Space::shared);
  read.variable = "_ZZ12tiled_kernelPKfS0_PfiiiE5count";
  const SourceText source{"tiled_matmul.cu", {"__shared__ int count;", "__shared__ float Ns[TH][TW];"}};
  const auto scalar = diagnose_finding(read, {}, source);
  CHECK_THAT(scalar.first, contains("`count`;"));
  CHECK_THAT(scalar.next_step, contains("let one thread of the block set it"));
  read.variable = "_ZZ12tiled_kernelPKfS0_PfiiiE2Ns";
  read.variable_offset = 4;
  const auto matrix = diagnose_finding(read, {}, source);
  CHECK_THAT(matrix.first, contains("element 1 of `Ns`, row by row"));
  CHECK_THAT(matrix.next_step, contains("write every element"));
}

TEST_CASE("a read of unwritten memory names the place of its allocation, except for a lab's own array") {
  Fault read = finding(FaultKind::uninitialised_read, Space::global);
  read.address = kStart + 8;
  read.nearest = Fault::Nearest{kStart, 64, 0, 2};
  vgpu::cudart::MemoryNames memory;
  memory[kStart].allocated = {"src/tiled_matmul.cu", 12, "matmul"};
  const std::string allocated = "; allocated at tiled_matmul.cu:12";
  CHECK_THAT(diagnose_finding(read, {}, kSource, memory).first,
             contains("element 2 of allocation 2 (64 bytes)") && contains(allocated));
  CHECK_THAT(diagnose_finding(read, {}, kSource).first, !contains("allocated"));
  grader::harness::Job job;
  job.inputs = {{"M", {4, 4}, {}}, {"N", {4, 4}, {}}};
  CHECK_THAT(diagnose_finding(read, job, kSource, memory).first,
             contains("`N[2]`") && !contains("allocated"));
}

TEST_CASE("a use of the old contents of an output is decisive, that of other unwritten memory is not") {
  grader::harness::Job job;
  job.inputs = {{"M", {4, 4}, {}}};
  job.outputs = {{"P", {2, 2}}};
  Fault read = finding(FaultKind::uninitialised_read, Space::global);
  const auto diagnosed = [&] { return diagnose_finding(read, job, kSource); };
  read.nearest = Fault::Nearest{read.address, 16, 0, 2};
  CHECK(is_decisive(read, job));
  CHECK_THAT(diagnosed().what, contains("uses the old contents of the output `P`"));
  read.detail = "2";  // the first unwritten byte
  CHECK_THAT(diagnosed().likely_cause, contains("set only in part"));
  read.is_harmless = true;
  CHECK_FALSE(is_decisive(read, job));
  read.is_harmless = false;
  read.nearest = Fault::Nearest{read.address, 64, 0, 3};  // of the program
  CHECK_FALSE(is_decisive(read, job));
  CHECK_THAT(diagnosed().what, !contains("output"));
  read = finding(FaultKind::uninitialised_read, Space::shared);
  CHECK_FALSE(is_decisive(read, job));
}

TEST_CASE("a barrier without parentheses is the cause of a race in shared memory") {
  const auto cause = [](const char* line) {
    Fault race = finding(FaultKind::shared_race, Space::shared);
    race.file = "/src/k.cu";
    race.source.line = 3;
    race.other.emplace();
    const SourceText source{
        "k.cu",
        {"__global__ void k() {", line, "  a[0] = a[1];", "}", "__global__ void l() { __syncthreads; }"}};
    return diagnose_finding(race, {}, source).likely_cause;
  };
  CHECK_THAT(cause("  __syncthreads;"), contains("line 2 names __syncthreads without parentheses"));
  for (const char* other : {"  __syncthreads ();", "  // __syncthreads;", "  __syncthreads_count(n);"})
    CHECK_THAT(cause(other), !contains("parentheses"));
}

TEST_CASE("races get different advice: an order, an index or an atomic operation") {
  const auto reported = [](FaultKind kind, std::uint32_t other_block, bool reads, std::uint32_t other_line) {
    Fault race = finding(kind, Space::global);
    race.source.line = 5;
    race.is_store = true;
    race.other.emplace();
    race.other->file = race.file;
    race.other->source.line = other_line;
    race.other->block = {other_block, 0, 0};
    race.other->is_store = !reads;
    return diagnose_finding(race, {}, {});
  };
  constexpr auto kGlobal = FaultKind::global_race, kShared = FaultKind::shared_race;
  CHECK_THAT(reported(kGlobal, 0, true, 6).next_step, contains("put __syncthreads() between the two lines"));
  CHECK_THAT(reported(kGlobal, 0, true, 5).next_step, contains("atomicAdd"));
  CHECK_THAT(reported(kGlobal, 0, false, 6).next_step, contains("an element of its own"));
  CHECK_THAT(reported(kGlobal, 1, true, 6).next_step, contains("two launches"));
  CHECK_THAT(reported(kGlobal, 1, true, 5).next_step, contains("blockIdx.x * blockDim.x + threadIdx.x"));
  CHECK_THAT(reported(kGlobal, 1, false, 6).likely_cause,
             contains("blockIdx is missing") && contains("a guard compares only the whole index"));
  CHECK_THAT(reported(kGlobal, 0, false, 6).likely_cause, contains("threadIdx is missing"));
  // 256 blocks of 256 threads are 65,536 threads; 300 blocks of no size are.
  CHECK_THAT(reported(kGlobal, 256, false, 6).likely_cause, contains("16 bits"));
  for (const std::uint32_t blocks : {1U, 32U, 300U})
    CHECK_THAT(reported(kGlobal, blocks, false, 6).likely_cause, !contains("16 bits"));
  CHECK_THAT(reported(kShared, 0, true, 5).likely_cause, contains("__syncthreads() is missing"));
  CHECK_THAT(reported(kShared, 0, false, 6).likely_cause,
             Catch::Matchers::StartsWith("__syncthreads() is missing") && contains("overlap"));
  CHECK_THAT(reported(kShared, 0, false, 5).likely_cause,
             Catch::Matchers::StartsWith("two threads compute the same index"));

  Fault race = finding(kGlobal, Space::global);
  race.source.line = 5;
  race.is_store = true;
  race.other.emplace();
  race.other->source.line = 6;
  race.other->block = {1, 0, 0};
  const SourceText fenced{"k.cu", {"__global__ void k() {", "  __threadfence_block();"}};
  CHECK_THAT(diagnose_finding(race, {}, fenced).likely_cause,
             contains("__threadfence_block() in line 2 orders accesses for threads of its own block only"));
  const SourceText scoped{"k.cu", {"cuda::atomic_ref<int, cuda::thread_scope_block> flag(f);"}};
  CHECK(diagnose_finding(race, {}, scoped).code == "WG-R10");
  CHECK_THAT(
      diagnose_finding(race, {}, scoped).likely_cause,
      contains("the atomic operation with thread_scope_block in line 1 orders accesses for threads of"));
  const SourceText barrier{"k.cu", {"__shared__ cuda::barrier<cuda::thread_scope_block> ready;"}};
  CHECK(diagnose_finding(race, {}, barrier).code == "WG-R04");
  const SourceText unfenced{"k.cu", {"partials[b] = sum;", "last = atomicInc(&done, n) == n;"}};
  CHECK_THAT(diagnose_finding(race, {}, unfenced).likely_cause,
             contains("atomicInc in line 2 does not order them, because no __threadfence() precedes it"));
  const SourceText ordered{"k.cu", {"__threadfence();", "last = atomicInc(&done, n) == n;"}};
  CHECK_THAT(diagnose_finding(race, {}, ordered).likely_cause, !contains("__threadfence"));
}

TEST_CASE("a lock or a counter without an order is the cause of a race, also within one line") {
  const auto cause = [](const char* atomic, const char* last, bool is_store = false) {
    Fault race = finding(FaultKind::global_race, Space::global);
    race.is_store = is_store;
    race.other.emplace();
    race.other->file = race.file;
    race.other->source = race.source;
    race.other->block = {1, 0, 0};
    race.other->is_store = true;
    return diagnose_finding(race, {},
                            {"tiled_matmul.cu", {"__global__ void k() {", atomic, "arrived += 1;", last}})
        .likely_cause;
  };
  const char* lock = "while (atomicCAS(&mutex, 0, 1) != 0) {}";
  CHECK_THAT(cause(lock, "atomicExch(&mutex, 0);"),
             contains("atomicCAS in line 2 does not order them, because no __threadfence()"));
  CHECK_THAT(cause(lock, "__threadfence();", true), contains("a __threadfence() is on one side of it only"));
  CHECK_THAT(cause("if (gate.fetch_add(1, cuda::memory_order_relaxed) == n - 1)", "}"),
             contains("fetch_add in line 2") && contains("memory_order_relaxed orders no other accesses"));
  CHECK_THAT(cause("if (gate.fetch_add(1, cuda::memory_order_acq_rel) == n - 1)", "}"),
             contains("blockIdx is missing"));
  CHECK_THAT(cause("last = atomicAdd(&done, 1) == n;", "}"), contains("no __threadfence() precedes it"));
  CHECK_THAT(cause("last = atomicAdd(&done, 1) == n;", "}", true), contains("blockIdx is missing"));
  CHECK_THAT(cause("last = atomicAdd(&done, 1) == n;", "__threadfence();"), contains("blockIdx is missing"));
  CHECK_THAT(cause("atomicAdd(&done, 1);", "}"), contains("blockIdx is missing"));
}

TEST_CASE("an announcement with a fence at the wrong place, or by a volatile flag, is the cause of a race") {
  const auto cause = [](std::vector<std::string> body) {
    Fault race = finding(FaultKind::global_race, Space::global);
    race.kernel = "_Z1kv";
    race.other.emplace();
    race.other->file = race.file;
    race.other->source.line = 5;
    race.other->block = {1, 0, 0};
    race.other->is_store = true;
    body.insert(body.begin(), "__global__ void k() {");
    body.emplace_back("}");
    return diagnose_finding(race, {}, {"tiled_matmul.cu", std::move(body)}).likely_cause;
  };
  CHECK_THAT(cause({"  __threadfence();", "  sums[b] = sum;", "  atomicAdd(&done, 1);"}),
             contains("the __threadfence() in line 2 is not between the write and atomicAdd in line 4"));
  CHECK_THAT(cause({"  sums[b] = sum;", "  atomicAdd(&done, 1);"}),
             contains("no __threadfence() precedes it"));
  CHECK_THAT(cause({"  sums[b] = sum;", "  volatile int* flag = flags;", "  flag[b] = 1;"}),
             contains("volatile (line 3) orders nothing, and there is no __threadfence()"));
  CHECK_THAT(cause({"  volatile int* flag = flags;", "  while (flag[b] == 0) {}", "  __threadfence();"}),
             contains("the __threadfence() in line 4 is on one side of the flag only"));
  CHECK_THAT(cause({"  sums[b] = sums[b - 1];"}), contains("the array that the kernel still reads"));
}

TEST_CASE("stores of two blocks to an early element of a long array point to an index of 16 bits") {
  const SourceText narrow{"tiled_matmul.cu",
                          {"__global__ void k() {", "", "  P[(unsigned short)(row * n + col)] = sum;"}};
  const auto cause = [](std::uint64_t element, std::uint64_t elements, const SourceText& source) {
    Fault race = finding(FaultKind::global_race, Space::global);
    race.is_store = true;
    race.address = kStart + 4 * element;
    race.nearest = Fault::Nearest{kStart, 4 * elements, 0, 2};
    race.other.emplace();
    race.other->block = {1, 2, 0};
    race.other->is_store = true;
    return diagnose_finding(race, {}, source).likely_cause;
  };
  CHECK_THAT(cause(65535, 65537, narrow), contains("16 bits"));
  CHECK_THAT(cause(65536, 65537, narrow), !contains("16 bits"));
  CHECK_THAT(cause(65535, 65536, narrow), !contains("16 bits"));
  CHECK_THAT(cause(65535, 65537, kSource), !contains("16 bits"));
}

TEST_CASE("a barrier for a part of the warp is named as the cause of a race in the warp") {
  const Fault race = [] {
    Fault made = finding(FaultKind::warp_race, Space::shared);
    made.other.emplace();
    return made;
  }();
  const SourceText part{"tiled_matmul.cu",
                        {"__global__ void k(float* a) {", "  __syncwarp(lane < 16 ? 0xffffu : 0xffff0000u);",
                         "  sum = a[0];", "}"}};
  CHECK_THAT(diagnose_finding(race, {}, part).likely_cause, contains("the barrier in line 2"));
  CHECK_THAT(diagnose_finding(race, {}, kSource).likely_cause, contains("lockstep"));
}

TEST_CASE("a race with an atomic operation shows which of the two accesses it is") {
  Fault race = finding(FaultKind::global_race, Space::global);
  race.instruction = "atom.global.add.u32";
  race.is_store = true;
  race.other.emplace();
  race.other->instruction = "st.global.u32";
  race.other->is_store = true;
  race.other->file = race.file;
  race.other->source.line = 7;
  CHECK(diagnose_finding(race, {}, {}).where->line == 7);
  CHECK_THAT(diagnose_finding(race, {}, {}).next_step, contains("clear the element before the launch"));
  CHECK_THAT(diagnose_finding(race, {}, {}).first,
             contains(": atomic operation by block (0, 0, 0), thread (0, 0, 0)") &&
                 contains(", write by block (0, 0, 0), thread (0, 0, 0)"));
}

}  // namespace findings_test
