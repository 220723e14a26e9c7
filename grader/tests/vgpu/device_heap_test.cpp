// malloc and free in kernels.
#include "vgpu/gpu.hpp"

namespace device_heap_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Fault;
using vgpu::FaultKind;

namespace {

using Longs = std::vector<std::uint64_t>;

/// %rd2: where the thread keeps its word; allocate(n) and release(%rd9) follow.
std::string text(const std::string& body) {
  return kernel_text(".param .u64 out", R"(
    .reg .pred %p<5>; .reg .b32 %r<9>; .reg .b64 %rd<12>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r4, 8; add.u64 %rd2, %rd1, %rd2;
)" + body + "\nret;",
                     ".extern .func (.param .b64 result) malloc(.param .b64 size);\n"
                     ".extern .func free(.param .b64 pointer);\n");
}

std::string allocate(const std::string& bytes) {
  return "{ .param .b64 size; .param .b64 result; mov.u64 %rd8, " + bytes +
         "; st.param.b64 [size], %rd8; call.uni (result), malloc, (size); ld.param.b64 %rd9, [result]; }\n";
}
const std::string kRelease =
    "{ .param .b64 pointer; st.param.b64 [pointer], %rd9; call.uni free, (pointer); }\n";
const std::string kStore = "st.global.u64 [%rd2], %rd9;\n";

Fault fault(FaultKind kind, const std::string& body) {
  Gpu gpu(text(body));
  return gpu.fault(kind, "k", {1, 1, 1}, {1, 1, 1}, pack(gpu.zeros<std::uint64_t>(1)));
}

}  // namespace

TEST_CASE("every thread gets separate memory, at addresses independent of the number of host threads") {
  Longs first;
  for (const unsigned threads : {1U, 4U}) {
    vgpu::DeviceOptions options;
    options.cpu_threads = threads;
    Gpu gpu(text(allocate("24") + kStore + "cvt.u64.u32 %rd10, %r4; st.u64 [%rd9+16], %rd10;"), options);
    const auto out = gpu.zeros<std::uint64_t>(96);
    gpu.run("k", {3, 1, 1}, {32, 1, 1}, pack(out));
    const Longs at = gpu.download<std::uint64_t>(out, 96);
    for (std::uint64_t i = 0; i < 96; ++i) CHECK(gpu.download<std::uint64_t>(at[i] + 16, 1)[0] == i);
    if (first.empty()) first = at;
    CHECK(at == first);
    CHECK(gpu.device.live_allocations().size() == 1);
    CHECK_FALSE(gpu.device.free(at[0]));
  }
}

TEST_CASE("memory stays allocated in the next launch and can be freed there") {
  Gpu gpu(text("ld.global.u64 %rd9, [%rd2]; setp.ne.u64 %p1, %rd9, 0; @%p1 bra FREE;" + allocate("8") +
               kStore + "ret; FREE: " + kRelease));
  const auto out = gpu.zeros<std::uint64_t>(1);
  gpu.run("k", {1, 1, 1}, {1, 1, 1}, pack(out));
  gpu.run("k", {1, 1, 1}, {1, 1, 1}, pack(out));
  const Fault found = gpu.fault(FaultKind::invalid_free, "k", {1, 1, 1}, {1, 1, 1}, pack(out));
  CHECK(found.detail == "was freed before");
  CHECK(found.address == gpu.download<std::uint64_t>(out, 1)[0]);
}

TEST_CASE("memory that kernels did not free is counted and freed once") {
  Gpu gpu(text(allocate("24") + kStore + "setp.lt.u32 %p1, %r4, 3; @%p1 bra END;" + kRelease + "END:"));
  const auto out = gpu.zeros<std::uint64_t>(8);
  gpu.run("k", {2, 1, 1}, {4, 1, 1}, pack(out));
  const vgpu::KernelAllocations lost = gpu.device.free_kernel_allocations();
  CHECK(lost.count == 3);
  CHECK(lost.bytes == 3 * 24);
  CHECK(gpu.device.free_kernel_allocations().count == 0);
  CHECK(gpu.device.live_allocations().size() == 1);
}

TEST_CASE("the heap has a limit, which can be set, and beyond it and for no bytes malloc gives null") {
  Gpu gpu(text(allocate("1000") + kStore));
  CHECK(gpu.device.heap_bytes() == std::size_t{8} << 20U);
  gpu.device.set_heap_bytes(2500);
  const auto out = gpu.zeros<std::uint64_t>(4);
  gpu.run("k", {1, 1, 1}, {4, 1, 1}, pack(out));
  const Longs at = gpu.download<std::uint64_t>(out, 4);
  CHECK((at[0] != 0 && at[1] != 0 && at[2] == 0 && at[3] == 0));

  Gpu none(text(allocate("0") + kStore + kRelease));
  const auto nothing = none.upload(Longs{7});
  none.run("k", {1, 1, 1}, {1, 1, 1}, pack(nothing));
  CHECK(none.download<std::uint64_t>(nothing, 1)[0] == 0);
}

TEST_CASE("freed memory can be allocated again") {
  Gpu gpu(text("mov.u32 %r5, 0; LOOP:" + allocate("6000000") + kStore + kRelease +
               "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 5; @%p1 bra LOOP;"));
  const auto out = gpu.zeros<std::uint64_t>(2);
  gpu.run("k", {2, 1, 1}, {1, 1, 1}, pack(out));
  for (const std::uint64_t address : gpu.download<std::uint64_t>(out, 2)) CHECK(address != 0);
}

TEST_CASE("only the start of a live allocation of malloc can be freed") {
  CHECK(fault(FaultKind::invalid_free, "mov.u64 %rd9, %rd1;" + kRelease).detail ==
        "was not allocated by a kernel");
  CHECK(fault(FaultKind::invalid_free, "mov.u64 %rd9, 12345;" + kRelease).detail ==
        "was not allocated by a kernel");
  CHECK(fault(FaultKind::invalid_free, allocate("64") + "add.u64 %rd9, %rd9, 16;" + kRelease).detail ==
        "is not the start of its allocation");
  CHECK(fault(FaultKind::invalid_free, allocate("64") + kRelease + kRelease).detail == "was freed before");
}

TEST_CASE("accesses beyond an allocation of a kernel and after its end are found") {
  const Fault beyond = fault(FaultKind::out_of_bounds, allocate("64") + "st.u32 [%rd9+64], %r1;");
  REQUIRE(beyond.nearest);
  CHECK(beyond.nearest->size_bytes == 64);
  CHECK(beyond.nearest->distance_bytes == 4);
  // The store in the loop has seen the allocation alive.
  fault(FaultKind::use_after_free,
        allocate("64") + "mov.u32 %r5, 0; LOOP: st.u32 [%rd9], %r5; setp.eq.u32 %p2, %r5, 1;" +
            "@%p2 bra FREE; add.u32 %r5, %r5, 1; bra LOOP; FREE: " + kRelease + "bra LOOP;");
}

}  // namespace device_heap_test
