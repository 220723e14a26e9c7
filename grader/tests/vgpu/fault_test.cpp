// Every kind of fault: a kernel that must trigger it, with exact facts, and a similar one that must not.
#include "vgpu/gpu.hpp"

namespace fault_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Dim3;
using vgpu::Fault;
using vgpu::FaultKind;

namespace {

constexpr const char* kRegisters = ".reg .pred %p<6>; .reg .b32 %r<12>; .reg .b64 %rd<8>;\n";

/// Every thread loads (or stores) element %r3 of the buffer; `index` computes it from the global thread %r1.
std::string element_kernel(const std::string& index, const std::string& access) {
  return kernel_text(".param .u64 buffer", kRegisters + std::string(R"(
    ld.param.u64 %rd1, [buffer];
    mov.u32 %r2, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r1, %r2, %r4, %r5;
)") + index + "\nmul.wide.s32 %rd2, %r3, 4; add.u64 %rd1, %rd1, %rd2;\n.loc 1 42 7\n" +
                                               access + "\nret;");
}

const std::string kLoad = "ld.global.u32 %r6, [%rd1];";
const std::string kStore = "st.global.u32 [%rd1], %r1;";

Fault element_fault(FaultKind kind, const std::string& index, const std::string& access, std::size_t elements,
                    Dim3 grid, Dim3 block) {
  Gpu gpu(element_kernel(index, access));
  gpu.device.allocate(64);  // so that ordinals and addresses are not those of the first
  const auto buffer = gpu.device.allocate(elements * 4);
  const auto after = gpu.device.allocate(4096);
  REQUIRE(after);
  Fault fault = gpu.fault(kind, "k", grid, block, pack(*buffer));
  if (fault.nearest) CHECK(fault.nearest->start == *buffer);
  return fault;
}

}  // namespace

TEST_CASE("an index past the end names the first thread, the line and the distance") {
  const Fault fault =
      element_fault(FaultKind::out_of_bounds, "mov.u32 %r3, %r1;", kLoad, 1000, {4, 1, 1}, {256, 1, 1});
  CHECK(fault.block == Dim3{3, 0, 0});
  CHECK(fault.thread == Dim3{232, 0, 0});
  CHECK(fault.count == 24);  // threads 232 to 255
  CHECK(fault.source.line == 42);
  CHECK(fault.source.column == 7);
  CHECK(fault.file == "test.cu");
  CHECK(fault.kernel == "k");
  CHECK(fault.instruction == "ld.global.u32");
  CHECK(fault.space == vgpu::ptx::Space::global);
  CHECK_FALSE(fault.is_store);
  CHECK(fault.access_bytes == 4);
  REQUIRE(fault.nearest);
  CHECK(fault.nearest->distance_bytes == 4);
  CHECK(fault.nearest->size_bytes == 4000);
  CHECK(fault.nearest->ordinal == 2);
}

TEST_CASE("an index before the start or far outside is attributed to the right buffer") {
  const Fault before =
      element_fault(FaultKind::out_of_bounds, "sub.u32 %r3, %r1, 3;", kStore, 64, {1, 1, 1}, {32, 1, 1});
  CHECK(before.nearest->distance_bytes == -12);
  CHECK(before.count == 3);
  CHECK(before.is_store);
  const Fault far =
      element_fault(FaultKind::out_of_bounds, "mov.u32 %r3, 0x7FFFFFFF;", kLoad, 64, {1, 1, 1}, {32, 1, 1});
  CHECK(far.count == 32);
  CHECK(far.nearest->distance_bytes == 4LL * 0x7FFFFFFF + 4 - 256);
}

TEST_CASE("an access to the last element is not a fault") {
  Gpu gpu(element_kernel("mov.u32 %r3, %r1;", kStore));
  const auto buffer = gpu.zeros<std::uint32_t>(1000);
  gpu.run("k", {10, 1, 1}, {100, 1, 1}, pack(buffer));
}

TEST_CASE("a null pointer is out of bounds and near no buffer") {
  Gpu gpu(element_kernel("mov.u32 %r3, %r1;", kLoad));
  const Fault fault = gpu.fault(FaultKind::out_of_bounds, "k", {1, 1, 1}, {32, 1, 1}, pack(std::uint64_t{0}));
  CHECK_FALSE(fault.nearest);
  CHECK(fault.address == 0);
}

TEST_CASE("an address that is not a multiple of the access size is misaligned") {
  const std::string body = R"(ld.param.u64 %rd1, [buffer]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 3;
                              cvt.u64.u32 %rd2, %r2; add.u64 %rd1, %rd1, %rd2;)";
  const auto text = [&](const std::string& access) {
    return kernel_text(".param .u64 buffer", kRegisters + body + access + "ret;");
  };
  {
    Gpu gpu(text(
        "ld.global.u64 %rd3, [%rd1+8]; ld.global.v2.u32 {%r3, %r4}, [%rd1]; ld.global.u32 %r5, [%rd1+4];"));
    gpu.run("k", {1, 1, 1}, {8, 1, 1}, pack(gpu.zeros<std::uint32_t>(64)));
  }
  for (const std::string access :
       {"ld.global.u64 %rd3, [%rd1+4];", "ld.global.u32 %r3, [%rd1+2];",
        "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd1+8];", "st.global.u64 [%rd1+4], %rd2;"}) {
    Gpu gpu(text(access));
    const Fault fault =
        gpu.fault(FaultKind::misaligned, "k", {1, 1, 1}, {8, 1, 1}, pack(gpu.zeros<std::uint32_t>(64)));
    CHECK(fault.thread == Dim3{0, 0, 0});
    CHECK(fault.nearest->distance_bytes == 0);
  }
}

TEST_CASE("freed memory is distinguished from memory that was never allocated") {
  Gpu gpu(element_kernel("mov.u32 %r3, %r1;", kLoad));
  const auto buffer = gpu.zeros<std::uint32_t>(64);
  REQUIRE(gpu.device.free(buffer));
  const Fault fault = gpu.fault(FaultKind::use_after_free, "k", {1, 1, 1}, {32, 1, 1}, pack(buffer));
  CHECK(fault.nearest->size_bytes == 256);
  CHECK(fault.nearest->ordinal == 1);
}

TEST_CASE("constant variables cannot be written") {
  const std::string text =
      kernel_text("", kRegisters + std::string(R"(mov.u64 %rd1, c; cvta.const.u64 %rd1, %rd1;
    mov.u32 %r1, 1; st.u32 [%rd1], %r1; ret;)"),
                  ".const .align 4 .u32 c[4];\n");
  CHECK(Gpu(text).fault(FaultKind::write_to_constant, "k", {1, 1, 1}, {1, 1, 1}, {}).is_store);
}

TEST_CASE("shared, local and parameter memory are checked at their exact ends") {
  const auto text = [](const std::string& access) {
    return kernel_text(
        "",
        kRegisters +
            std::string(".shared .align 16 .b8 s[64]; .local .align 16 .b8 l[16];\n"
                        "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r3, %r3, %r2;\n"
                        "cvt.u64.u32 %rd1, %r2; mov.u64 %rd2, l; add.u64 %rd2, %rd2, %rd1;\n") +
            access + " ret;");
  };
  Gpu(text("ld.shared.u32 %r4, [%r3];")).run("k", {1, 1, 1}, {16, 1, 1}, {});
  const Fault shared =
      Gpu(text("ld.shared.u32 %r4, [%r3];")).fault(FaultKind::out_of_bounds, "k", {1, 1, 1}, {20, 1, 1}, {});
  CHECK(shared.space == vgpu::ptx::Space::shared);
  CHECK(shared.thread == Dim3{16, 0, 0});
  CHECK(shared.count == 4);
  CHECK(shared.nearest->size_bytes == 64);
  CHECK(shared.nearest->distance_bytes == 4);
  CHECK(shared.nearest->ordinal == 0);
  const Fault below = Gpu(text("st.shared.u32 [%r3+-4], %r1;"))
                          .fault(FaultKind::out_of_bounds, "k", {1, 1, 1}, {20, 1, 1}, {});
  CHECK(below.count == 4);  // thread 0, and threads 17 to 19
  CHECK(below.thread == Dim3{0, 0, 0});
  CHECK(static_cast<std::int64_t>(below.address) == -4);
  CHECK(below.nearest->distance_bytes == -4);
  Gpu(text("ld.local.u32 %r4, [%rd2];")).run("k", {1, 1, 1}, {4, 1, 1}, {});
  const Fault local =
      Gpu(text("ld.local.u32 %r4, [%rd2];")).fault(FaultKind::out_of_bounds, "k", {1, 1, 1}, {5, 1, 1}, {});
  CHECK(local.space == vgpu::ptx::Space::local);
  CHECK(local.thread == Dim3{4, 0, 0});
}

TEST_CASE("an access outside shared memory names the nearest variable, a dynamic one too") {
  const auto variable = [](const std::string& access) {
    const std::string text = kernel_text("",
                                         kRegisters + std::string(R"(
          .shared .align 4 .b8 first[64]; .shared .align 4 .b8 second[64];
          mov.u32 %r1, first; mov.u32 %r2, second; mov.u32 %r3, last; )") +
                                             access + " ret;",
                                         ".extern .shared .align 4 .b8 last[];\n");
    return Gpu(text).fault(FaultKind::out_of_bounds, "k", {1, 1, 1}, {1, 1, 1}, {}).variable;
  };
  CHECK(variable("ld.shared.u32 %r4, [%r1+-4];") == "first");
  CHECK(variable("ld.shared.u32 %r4, [%r1+128];") == "last");
}

TEST_CASE("an endless kernel reaches the step limit, a long one below it does not") {
  const std::string text = kernel_text(".param .u32 n", kRegisters + std::string(R"(
    ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
    LOOP: add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, %r1; @%p1 bra LOOP; ret;)"));
  constexpr std::uint64_t kLimit = 100000;
  Gpu gpu(text, {.step_limit = kLimit});
  gpu.run("k", {8, 1, 1}, {32, 1, 1}, pack(std::uint32_t{4000}));
  const Fault together =
      gpu.fault(FaultKind::step_limit, "k", {9, 1, 1}, {32, 1, 1}, pack(std::uint32_t{4000}));
  CHECK(together.block == Dim3{8, 0, 0});
  CHECK(together.detail == vgpu::kManyBlocks);
  Gpu endless(text, {.cpu_threads = 2, .step_limit = kLimit});
  const Fault alone =
      endless.fault(FaultKind::step_limit, "k", {3, 1, 1}, {32, 1, 1}, pack(std::uint32_t{0}));
  CHECK(alone.block == Dim3{0, 0, 0});
  CHECK(alone.detail.empty());
}

TEST_CASE("an endless loop whose branch is the compiler's own has the line of what follows") {
  Gpu gpu(kernel_text("", kRegisters + std::string(R"(
    .loc 1 7 1
    mov.u32 %r2, 0;
    LOOP:
    .loc 1 0 1
    bra.uni NEXT;
    NEXT: bra.uni LOOP;
    .loc 1 9 1
    ret;)")),
          {.step_limit = 10000});
  CHECK(gpu.fault(FaultKind::step_limit, "k", {1, 1, 1}, {1, 1, 1}, {}).source.line == 9);
}

TEST_CASE("races count as steps of a launch") {
  // Every block stores to the same 4 elements, with 40 instructions.
  const auto ended = [](const char* value, unsigned threads) {
    vgpu::DeviceOptions options{.cpu_threads = threads, .step_limit = 20'000};
    options.checks.races = true;
    Gpu gpu(kernel_text(".param .u64 out", kRegisters + std::string(R"(
      ld.param.u64 %rd1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0; mov.u32 %r3, 7;
      LOOP: and.b32 %r4, %r2, 3; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd2, %rd1, %rd2;
      st.global.u32 [%rd2], )") + value + R"(; bar.sync 0;
      add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 4; @%p1 bra LOOP; ret;)"),
            options);
    return gpu.launch("k", {300, 1, 1}, {32, 1, 1}, pack(gpu.zeros<std::uint32_t>(4)));
  };
  const auto equal = ended("%r3", 1);
  CHECK(equal.faults.empty());  // harmless races do not count
  std::optional<std::uint64_t> count;
  for (const unsigned threads : {1U, 2U, 5U}) {
    const auto record = ended("%r1", threads);
    REQUIRE(record.faults.size() == 1);
    CHECK(record.faults[0].kind == FaultKind::step_limit);
    CHECK(record.faults[0].detail == vgpu::kRacesTooOften);
    REQUIRE(record.findings.size() == 1);
    CHECK(record.findings[0].count == count.value_or(record.findings[0].count));
    count = record.findings[0].count;
  }
}

TEST_CASE("the stop flag ends a launch") {
  std::atomic<bool> stop = true;
  Gpu gpu(kernel_text("", "LOOP: bra LOOP;"), {.stop = &stop});
  CHECK(gpu.launch("k", {1, 1, 1}, {32, 1, 1}, {}).error == vgpu::LaunchError::stopped);
}

TEST_CASE("the faults of traps and failed assertions contain their text") {
  const Fault trap =
      Gpu(kernel_text(
              "", kRegisters + std::string("mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 29; @%p1 trap; ret;")))
          .fault(FaultKind::trap, "k", {1, 1, 1}, {32, 1, 1}, {});
  CHECK(trap.thread == Dim3{30, 0, 0});
  CHECK(trap.count == 2);
  const std::string assertion = kernel_text("", kRegisters + std::string(R"({
    .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4;
    mov.u64 %rd1, m; cvta.global.u64 %rd1, %rd1; st.param.b64 [p0+0], %rd1;
    mov.u64 %rd2, f; cvta.global.u64 %rd2, %rd2; st.param.b64 [p1+0], %rd2;
    st.param.b32 [p2+0], 17;
    st.param.b64 [p3+0], %rd2; st.param.b64 [p4+0], 1;
    call.uni __assertfail, (p0, p1, p2, p3, p4); })"),
                                            ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param "
                                            ".b32 c, .param .b64 d, .param .b64 e);\n"
                                            ".global .align 1 .b8 m[6] = {105, 32, 60, 32, 110};\n.global "
                                            ".align 1 .b8 f[5] = {97, 46, 99, 117};\n");
  CHECK(Gpu(assertion).fault(FaultKind::trap, "k", {1, 1, 1}, {1, 1, 1}, {}).detail ==
        "assertion `i < n` failed at a.cu:17 in a.cu");
}

TEST_CASE("a kernel with an instruction that is not supported loads, but its launch names the instruction") {
  const std::string text =
      kernel_text("", ".reg .b32 %r<3>; mov.u32 %r1, 1;\n.loc 1 9 3\nmakeitso.u32 %r1, %r1; ret;");
  const Fault fault = Gpu(text).fault(FaultKind::unsupported, "k", {1, 1, 1}, {1, 1, 1}, {});
  CHECK(fault.instruction == "makeitso.u32");
  CHECK(fault.source.line == 9);
  CHECK(fault.file == "test.cu");
}

TEST_CASE("after a fault the device accepts no more launches") {
  Gpu gpu(element_kernel("mov.u32 %r3, %r1;", kLoad));
  gpu.fault(FaultKind::out_of_bounds, "k", {1, 1, 1}, {32, 1, 1}, pack(std::uint64_t{0}));
  CHECK(gpu.launch("k", {1, 1, 1}, {32, 1, 1}, pack(std::uint64_t{0})).error == vgpu::LaunchError::faulted);
}

TEST_CASE("the fault of the lowest block is reported, on any number of threads") {
  for (const unsigned threads : {1U, 2U, 5U}) {
    Gpu gpu(element_kernel("mov.u32 %r3, %r1;", kStore), {.cpu_threads = threads});
    const auto buffer = gpu.zeros<std::uint32_t>(32 * 77 + 5);
    const auto record = gpu.launch("k", {300, 1, 1}, {32, 1, 1}, pack(buffer));
    REQUIRE(record.faults.size() == 1);
    CHECK(record.faults[0].block == Dim3{77, 0, 0});
    CHECK(record.faults[0].thread == Dim3{5, 0, 0});
    CHECK(record.counters.global_stores.requests == 77);
  }
}

}  // namespace fault_test
