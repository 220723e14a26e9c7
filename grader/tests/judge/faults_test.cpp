#include "judge/faults.hpp"

#include "catch.hpp"

namespace faults_test {

namespace {

using grader::diagnose_fault;
using grader::Diagnostic;
using grader::SourceText;
using grader::harness::Job;
using testing::contains;
using vgpu::Fault;
using vgpu::FaultKind;
using vgpu::ptx::Space;

constexpr std::uint64_t kStart = 0x4000000800000000;

const SourceText kSource{"tiled_matmul.cu", {"line one", "  tile[ty][tx] = M[i];"}};

Job job() {
  Job one;
  one.inputs = {{"M", {17, 33}, {}}, {"N", {33, 65}, {}}};
  one.outputs = {{"P", {17, 65}}};
  return one;
}

/// `offset` bytes from the start of allocation `ordinal`, which has `size` bytes.
Fault memory_fault(std::uint32_t ordinal, std::uint64_t size, std::int64_t offset) {
  Fault fault;
  fault.kind = FaultKind::out_of_bounds;
  fault.kernel = "_Z12tiled_kernelPKfS0_Pfiii";
  fault.file = "/box/tiled_matmul.cu";
  fault.source.line = 2;
  fault.block = {1, 2, 0};
  fault.thread = {3, 4, 0};
  fault.count = 16;
  fault.space = Space::global;
  fault.access_bytes = 4;
  fault.address = kStart + static_cast<std::uint64_t>(offset);
  fault.nearest = Fault::Nearest{kStart, size, 0, ordinal};
  return fault;
}

Diagnostic diagnosis(const Fault& fault) { return diagnose_fault(fault, job(), kSource); }

TEST_CASE("a read past the end names the array, the index, the line and the thread") {
  const Diagnostic found = diagnosis(memory_fault(1, 17 * 33 * 4, 17 * 33 * 4));
  CHECK(found.code == "WG-M01");
  CHECK(found.what == "`tiled_kernel` reads past the end of `M`");
  CHECK(found.first ==
        "index 561, but `M` has 17 × 33 = 561 elements (0 to 560); block (1, 2, 0), thread (3, 4, 0)");
  CHECK(found.where == grader::SourceLocation{"tiled_matmul.cu", 2});
  CHECK(found.source_line == "  tile[ty][tx] = M[i];");
  CHECK(found.count == 16);
}

TEST_CASE("the index -32768 is that of a short that overflows") {
  Job job;
  job.inputs = {{"x", {70000}, {}}};
  const auto cause = [&](std::int64_t element) {
    return diagnose_fault(memory_fault(1, 70000 * 4, element * 4), job, kSource).likely_cause;
  };
  CHECK_THAT(cause(-32768), contains("16 bits"));
  CHECK_THAT(cause(-1), contains("an index is negative"));
}

TEST_CASE("a write before the start has a negative index and another code") {
  Fault fault = memory_fault(3, 17 * 65 * 4, -4);
  fault.is_store = true;
  CHECK(diagnosis(fault).code == "WG-M02");
  CHECK(diagnosis(fault).what == "`tiled_kernel` writes before the start of `P`");
  CHECK_THAT(diagnosis(fault).first, contains("index -1, but `P` has 17 × 65 = 1105 elements (0 to 1104)"));
  fault.address = kStart - 5;
  CHECK_THAT(diagnosis(fault).first, contains("index -2,"));
}

TEST_CASE("the message for an array of one element is in the singular") {
  grader::harness::Job tiny = job();
  tiny.inputs[0].shape = {1, 1};
  CHECK_THAT(diagnose_fault(memory_fault(1, 4, 4), tiny, kSource).first,
             contains("index 1, but `M` has 1 element (index 0); "));
}

TEST_CASE("an array is named only if the size of the allocation matches") {
  CHECK_THAT(diagnosis(memory_fault(2, 33 * 65 * 4, 33 * 65 * 4)).what, contains("`N`"));
  const Diagnostic other = diagnosis(memory_fault(2, 100, 112));
  CHECK(other.what == "`tiled_kernel` reads past the end of allocation 2 (100 bytes)");
  CHECK_THAT(other.first, contains("index 28, but there are 25 elements of 4 bytes; "));
  CHECK_THAT(diagnosis(memory_fault(2, 102, 113)).first, contains("11 bytes past the end; "));
  CHECK_THAT(diagnosis(memory_fault(4, 100, 100)).what, contains("allocation 4 (100 bytes)"));
  CHECK_THAT(diagnosis(memory_fault(0, 100, 100)).what,
             contains("memory from malloc in a kernel, or a device variable (100 bytes)"));
}

TEST_CASE(
    "the advice speaks of rows only where the memory has rows, and of bytes where its size is the "
    "program's") {
  CHECK_THAT(diagnosis(memory_fault(1, 17 * 33 * 4, 17 * 33 * 4)).next_step, contains("row"));
  grader::harness::Job vectors = job();
  vectors.inputs[0].shape = {561};
  const Diagnostic vector = diagnose_fault(memory_fault(1, 561 * 4, 561 * 4), vectors, kSource);
  CHECK_THAT(vector.likely_cause, contains("`<=` for `<`") && !contains("bytes"));
  CHECK_THAT(vector.next_step, contains("below the number of elements"));
  CHECK_THAT(diagnosis(memory_fault(2, 100, 112)).likely_cause, contains("sizes are in bytes"));
  CHECK_THAT(diagnosis(memory_fault(2, 100, -4)).likely_cause, contains("index is negative"));
}

TEST_CASE("memory that is not an array of the lab is described by its kind and the program's own lines") {
  Fault fault = memory_fault(0, 64, 64);
  fault.variable = "_ZL5table";
  CHECK(diagnosis(fault).what == "`tiled_kernel` reads past the end of `table` (64 bytes)");
  CHECK_THAT(diagnosis(fault).first, contains("index 16, but there are 16 elements of 4 bytes; block"));
  vgpu::cudart::MemoryNames names;
  names[fault.nearest->start].freed = {"src/main.cu", 14, "main"};
  names[fault.nearest->start].allocated = {"src/main.cu", 12, "main"};
  fault = memory_fault(7, 64, 8);
  fault.kind = FaultKind::use_after_free;
  const Diagnostic freed = diagnose_fault(fault, job(), kSource, names);
  CHECK(freed.what == "`tiled_kernel` reads device memory that was freed: allocation 7 (64 bytes)");
  CHECK_THAT(freed.first, contains("byte 8 of allocation 7 (64 bytes); allocated at main.cu:12, freed at "
                                   "main.cu:14; block"));
  fault = memory_fault(0, 64, 64);
  fault.nearest->start = 0x7f0000000000;
  fault.address = fault.nearest->start + 64;
  names[fault.nearest->start].kind = vgpu::cudart::MemoryKind::managed;
  CHECK_THAT(diagnose_fault(fault, job(), kSource, names).what, contains("of managed memory (64 bytes)"));
  CHECK_THAT(diagnosis(fault).what, contains("of host memory that the device shares (64 bytes)"));
}

TEST_CASE("an index past the end of a variable is explained by the size in its declaration") {
  Fault fault = memory_fault(1, 1152, 1152);
  fault.space = Space::constant;
  fault.variable = "c_weights";
  CHECK_THAT(diagnosis(fault).likely_cause, contains("declared with fewer elements"));
  fault.address = kStart - 4;
  CHECK_THAT(diagnosis(fault).likely_cause, contains("an index is negative"));
}

TEST_CASE("a misaligned access is reported with its offset in its memory") {
  Fault fault = memory_fault(9, 64, 2);
  fault.kind = FaultKind::misaligned;
  CHECK_THAT(diagnosis(fault).first, contains("byte 2 of allocation 9 (64 bytes); "));
  fault.space = Space::shared;
  fault.address = 1;
  CHECK_THAT(diagnosis(fault).first, contains("byte 1 of the block's shared memory; "));
}

TEST_CASE("an address outside all memory is reported as a bad pointer") {
  Fault fault = memory_fault(1, 17 * 33 * 4, std::int64_t{1} << 40);
  CHECK_THAT(diagnosis(fault).what, contains("through a pointer that does not point to device memory"));
  fault.address = 8;
  CHECK_THAT(diagnosis(fault).what, contains("through a null pointer"));
  fault.nearest.reset();
  CHECK_THAT(diagnosis(fault).what, contains("through a null pointer"));
  fault.address = UINT64_MAX;
  CHECK_THAT(diagnosis(fault).first, contains("0xffffffffffffffff"));
}

TEST_CASE("the memory space of an access determines its code") {
  Fault fault = memory_fault(0, 2048, 2112);
  fault.space = Space::shared;
  CHECK(diagnosis(fault).code == "WG-M05");
  CHECK(diagnosis(fault).what == "`tiled_kernel` reads outside the block's shared memory");
  CHECK_THAT(diagnosis(fault).first, contains("offset 2112 of 2048 bytes; "));
  for (const Space space : {Space::local, Space::param}) {
    fault.space = space;
    CHECK(diagnosis(fault).code == "WG-M06");
  }
  fault.space = Space::generic;
  CHECK(diagnosis(fault).code == "WG-M01");
}

TEST_CASE("an access outside shared memory names the neighbouring variable") {
  Fault fault = memory_fault(0, 2048, 2048);
  fault.space = Space::shared;
  fault.variable = "_ZZ12tiled_kernelPKfS0_PfiiiE6tile_N";
  CHECK_THAT(diagnosis(fault).first, contains("offset 2048 of 2048 bytes, after `tile_N`; "));
  fault.address = kStart - 4;
  CHECK_THAT(diagnosis(fault).first, contains("offset -4 of 2048 bytes, before `tile_N`; "));
  fault.address = kStart + 2044;  // only the end of a vector is outside
  CHECK_THAT(diagnosis(fault).first, contains("offset 2044 of 2048 bytes; "));
}

TEST_CASE("a block without dynamic shared memory lacks the launch's third argument") {
  Fault fault = memory_fault(0, 0, 0);
  fault.space = Space::shared;
  CHECK_THAT(diagnosis(fault).likely_cause, contains("its third argument is missing or 0"));
  fault = memory_fault(0, 64, 64);
  fault.space = Space::shared;
  CHECK_THAT(diagnosis(fault).likely_cause, contains("larger than the array's extent"));
}

TEST_CASE("a mask that omits its own lane is distinguished from a mask that names absent lanes") {
  Fault fault = memory_fault(1, 0, 16);
  fault.kind = FaultKind::missing_lanes;
  fault.instruction = "shfl.sync.down.b32";
  fault.detail = "lane 8 is not in the mask 0x000000ff that it names";
  CHECK_THAT(diagnosis(fault).what, contains("lane 8 of a warp calls `shfl.sync.down.b32`") &&
                                        contains("a mask that omits lane 8 itself"));
  CHECK_THAT(diagnosis(fault).first, contains("the mask 0x000000ff"));
  fault.detail = "the mask 0xffffffff names lanes 8 to 15, which do not take part";
  CHECK_THAT(diagnosis(fault).what, contains("names lanes that do not take part"));
}

TEST_CASE("every kind of fault has its code, a cause and a next step") {
  const std::vector<std::pair<FaultKind, std::string>> codes{{FaultKind::out_of_bounds, "WG-M01"},
                                                             {FaultKind::misaligned, "WG-M03"},
                                                             {FaultKind::use_after_free, "WG-M04"},
                                                             {FaultKind::write_to_constant, "WG-M06"},
                                                             {FaultKind::divergent_barrier, "WG-B01"},
                                                             {FaultKind::barrier_deadlock, "WG-B02"},
                                                             {FaultKind::missing_lanes, "WG-B03"},
                                                             {FaultKind::not_uniform, "WG-B04"},
                                                             {FaultKind::step_limit, "WG-H04"},
                                                             {FaultKind::unsupported, "WG-H10"},
                                                             {FaultKind::trap, "WG-H11"}};
  for (const auto& [kind, code] : codes) {
    Fault fault = memory_fault(1, 17 * 33 * 4, 16);
    fault.kind = kind;
    const Diagnostic found = diagnosis(fault);
    CHECK(found.code == code);
    CHECK_FALSE(found.what.empty());
    CHECK_FALSE(found.likely_cause.empty());
    CHECK_FALSE(found.next_step.empty());
    CHECK_THAT(found.first, contains("block (1, 2, 0), thread (3, 4, 0)"));
  }
}

TEST_CASE("missing lanes, incomplete warps and values that differ between lanes have messages of their own") {
  Fault fault = memory_fault(0, 0, 0);
  fault.kind = FaultKind::missing_lanes;
  fault.instruction = "shfl.sync.down.b32";
  CHECK_THAT(diagnosis(fault).what,
             contains("the mask of `shfl.sync.down.b32` in `tiled_kernel` names lanes"));
  CHECK_THAT(diagnosis(fault).likely_cause, contains("some lanes that the mask names"));
  fault.instruction = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32";
  fault.detail = "all 32 lanes of a warp must take part; lane 3 is missing";
  CHECK_THAT(diagnosis(fault).what, contains("only some lanes of a warp reach `mma.sync"));
  CHECK_THAT(diagnosis(fault).first, contains("lane 3 is missing; block (1, 2, 0)"));
  CHECK_THAT(diagnosis(fault).next_step, contains("a multiple of 32 threads"));
  fault.kind = FaultKind::not_uniform;
  fault.detail = "lane 7 gives the stride 0x20, and lane 0 gives 0x10";
  CHECK_THAT(diagnosis(fault).first, contains("lane 7 gives the stride 0x20, and lane 0 gives 0x10; block"));
}

TEST_CASE("a barrier that only some threads reach is reported with where threads wait") {
  Fault fault = memory_fault(0, 0, 0);
  fault.kind = FaultKind::divergent_barrier;
  vgpu::WaitingThreads at, before;
  at.source.line = 33;
  at.file = before.file = "/box/tiled_matmul.cu";
  at.threads = 8;
  at.first_thread = {0, 1, 0};
  at.at_barrier = true;
  before.source.line = 40;
  before.threads = 1;
  fault.waiting = {at, before};
  CHECK(diagnosis(fault).what == "only some threads of a warp of `tiled_kernel` reach __syncthreads()");
  CHECK(diagnosis(fault).first ==
        "8 threads at the barrier of tiled_matmul.cu:33, first (0, 1, 0); 1 thread before "
        "tiled_matmul.cu:40, first "
        "(0, 0, 0); block (1, 2, 0), thread (3, 4, 0)");
}

TEST_CASE("a wait at an mbarrier that cannot end names the barrier and its counts") {
  Fault fault = memory_fault(0, 0, 0);
  fault.kind = FaultKind::barrier_deadlock;
  fault.instruction = "mbarrier.test_wait.shared.b64";
  fault.variable = "_ZZ1kPiiE3bar";
  fault.detail = "256 of the 257 arrivals of its current phase have taken place";
  CHECK(diagnosis(fault).code == "WG-B02");
  CHECK(
      diagnosis(fault).what ==
      "a block of `tiled_kernel` waits forever at the barrier `bar`: 256 of the 257 arrivals of its current "
      "phase have taken place");
  fault.variable.clear();
  fault.address = 16;
  CHECK_THAT(diagnosis(fault).what, contains("the mbarrier at byte 16 of shared memory"));
}

TEST_CASE("wrong use of an mbarrier has advice of its own") {
  Fault fault = memory_fault(0, 0, 0);
  fault.kind = FaultKind::invalid_barrier;
  fault.instruction = "mbarrier.arrive.shared.b64";
  fault.detail = "no mbarrier was initialised at byte 0 of shared memory";
  CHECK(diagnosis(fault).code == "WG-B10");
  CHECK_THAT(diagnosis(fault).what, contains("`mbarrier.arrive.shared.b64`") && contains("no mbarrier"));
  CHECK_THAT(diagnosis(fault).next_step, contains("init()"));
  fault.instruction = "bar.sync";
  CHECK_THAT(diagnosis(fault).next_step, contains("barriers 0 to 15"));
}

TEST_CASE("an unsupported instruction is named") {
  Fault fault = memory_fault(0, 0, 0);
  fault.kind = FaultKind::unsupported;
  fault.instruction = "tex.2d.v4.f32.s32";
  CHECK_THAT(diagnosis(fault).what, contains("tex.2d.v4.f32.s32"));
  fault.detail = "wmma.load\x1b[2J";
  CHECK_THAT(diagnosis(fault).what, contains("wmma.load [2J"));
}

TEST_CASE("an invalid fetch is reported with the texture object and the reason") {
  Fault fault = memory_fault(0, 0, 0);
  fault.kind = FaultKind::invalid_texture;
  fault.address = 0x40;
  fault.detail = "it was destroyed";
  CHECK(diagnosis(fault).code == "WG-M14");
  CHECK_THAT(diagnosis(fault).what,
             contains("cannot read the texture object at address 0x40: it was destroyed"));
}

TEST_CASE("a surface fault is reported with the position in the array") {
  Fault fault = memory_fault(0, 0, 0);
  fault.kind = FaultKind::invalid_surface;
  fault.address = 0x40;
  fault.is_store = true;
  fault.detail = "it was destroyed";
  CHECK(diagnosis(fault).code == "WG-M14");
  CHECK_THAT(diagnosis(fault).what,
             contains("cannot write the surface object at address 0x40: it was destroyed"));
  fault.kind = FaultKind::out_of_bounds;
  fault.space = Space::surface;
  fault.detail = "y is 3, but the valid range is 0 to 2";
  CHECK(diagnosis(fault).code == "WG-M02");
  CHECK_THAT(diagnosis(fault).what, contains("writes outside a surface"));
  CHECK_THAT(diagnosis(fault).first, contains("y is 3, but the valid range is 0 to 2; block"));
  fault.is_store = false;
  CHECK(diagnosis(fault).code == "WG-M01");
  fault.kind = FaultKind::misaligned;
  fault.access_bytes = 8;
  fault.detail = "x is byte 4";
  CHECK(diagnosis(fault).code == "WG-M03");
  CHECK_THAT(diagnosis(fault).what, contains("at an x that is not a multiple of 8"));
}

}  // namespace

}  // namespace faults_test
