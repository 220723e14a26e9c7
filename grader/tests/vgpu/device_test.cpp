// The device as its owner sees it: memory, modules, launch checks, printf, functions that kernels call.
#include <cmath>

#include "vgpu/gpu.hpp"
#include "vgpu/run/working_blocks.hpp"

namespace device_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Device;
using vgpu::LaunchError;

namespace {

std::string empty_kernel() { return kernel_text(".param .u64 a, .param .u32 b", "ret;"); }

std::vector<std::byte> good() { return pack(std::uint64_t{1}, std::uint32_t{2}); }

}  // namespace

TEST_CASE("blocks with at least half the work of the busiest one count as working") {
  vgpu::exec::WorkingBlocks blocks;
  CHECK(blocks.count() == 0);
  for (const int instructions : {1000, 1000, 999, 501, 500, 490, 440, 3, 0}) blocks.add(instructions);
  CHECK(blocks.count() == 6);
  for (int exponent = 0; exponent < 64; ++exponent) {
    vgpu::exec::WorkingBlocks powers;
    for (int smaller = 0; smaller <= exponent; ++smaller) powers.add(std::uint64_t{1} << smaller);
    CHECK(powers.count() == (exponent == 0 ? 1 : 2));
  }
  vgpu::exec::WorkingBlocks idle;
  idle.add(~std::uint64_t{0});
  idle.add(0);
  CHECK(idle.count() == 1);
}

TEST_CASE("a launch counts the blocks that work") {
  Gpu gpu(kernel_text("", R"(
    .reg .pred %p<2>; .reg .b32 %r<3>;
    mov.u32 %r1, %ctaid.x;
    setp.lt.u32 %p1, %r1, 3;
    @%p1 bra DONE;
    add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1;
DONE:
    ret;)"));
  CHECK(gpu.run("k", {5, 1, 1}, {64, 1, 1}, {}).working_blocks == 2);
  CHECK(gpu.run("k", {3, 1, 1}, {64, 1, 1}, {}).working_blocks == 3);
}

TEST_CASE("blocks that work and store nothing do not count where others store") {
  Gpu gpu(kernel_text(".param .u64 p", R"(
    .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %d<3>;
    ld.param.u64 %d1, [p]; cvta.to.global.u64 %d2, %d1;
    mov.u32 %r1, %ctaid.x;
    setp.ge.u32 %p1, %r1, 2;
    @%p1 bra DONE;
    st.global.u32 [%d2], %r2;
DONE:
    ret;)"));
  const std::uint64_t memory = gpu.device.allocate(4).value();
  CHECK(gpu.run("k", {5, 1, 1}, {1, 1, 1}, test::pack(memory)).working_blocks == 2);
}

TEST_CASE("blocks that load count by their bytes, with half of them or more, also if they store nothing") {
  Gpu gpu(kernel_text(".param .u64 p", R"(
    .reg .pred %p<2>; .reg .b32 %r<3>; .reg .f32 %f<5>; .reg .b64 %d<3>;
    ld.param.u64 %d1, [p]; cvta.to.global.u64 %d2, %d1;
    mov.u32 %r1, %ctaid.x;
    ld.global.f32 %f1, [%d2];
    setp.ge.u32 %p1, %r1, 2;
    @%p1 bra DONE;
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d2];
DONE:
    ret;)"));
  const std::uint64_t memory = gpu.device.allocate(16).value();
  CHECK(gpu.run("k", {5, 1, 1}, {32, 1, 1}, test::pack(memory)).loading_blocks == 2);
  Gpu empty(kernel_text("", "ret;"));
  CHECK(empty.run("k", {5, 1, 1}, {32, 1, 1}, {}).loading_blocks == 0);
}

TEST_CASE("a block whose threads all store one word stores as much as a block with one such thread") {
  vgpu::DeviceOptions options;
  options.checks = {true, true};
  Gpu gpu(kernel_text(".param .u64 p", R"(
    .reg .pred %p<3>; .reg .b32 %r<4>; .reg .b64 %d<5>;
    ld.param.u64 %d1, [p]; cvta.to.global.u64 %d2, %d1;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;
    mul.wide.u32 %d3, %r1, 4; add.u64 %d4, %d2, %d3;
    setp.eq.u32 %p1, %r1, 4;
    setp.eq.u32 %p2, %r2, 0;
    or.pred %p1, %p1, %p2;
    @%p1 st.global.u32 [%d4], %r1;
    ret;)"),
          options);
  const std::uint64_t memory = gpu.device.allocate(20).value();
  CHECK(gpu.run("k", {5, 1, 1}, {256, 1, 1}, test::pack(memory)).working_blocks == 5);
}

TEST_CASE("allocations are aligned, far apart, counted and never used twice") {
  Device device(vgpu::lecture_profile());
  const auto a = device.allocate(100);
  const auto b = device.allocate(1);
  REQUIRE(a);
  REQUIRE(b);
  CHECK(*a % 256 == 0);
  CHECK(*b % 256 == 0);
  CHECK(*b - *a > std::uint64_t{1} << 34U);
  CHECK(device.live_allocations().size() == 2);
  CHECK(device.live_allocations()[1].ordinal == 2);
  CHECK(device.free(*a));
  CHECK_FALSE(device.free(*a));
  CHECK_FALSE(device.free(*b + 1));
  CHECK_FALSE(device.free(0));
  CHECK(*device.allocate(100) != *a);
  CHECK_FALSE(device.allocate(0));
}

TEST_CASE("device memory is limited by the profile and is available again after it was freed") {
  auto profile = vgpu::lecture_profile();
  profile.global_bytes = 1000;
  Device device(profile);
  const auto a = device.allocate(600);
  REQUIRE(a);
  CHECK_FALSE(device.allocate(401));
  CHECK_FALSE(device.allocate(~std::size_t{0}));
  CHECK(device.allocate(400));
  CHECK(device.free(*a));
  CHECK(device.allocate(600));
}

TEST_CASE("transfers stay inside one allocation") {
  Device device(vgpu::lecture_profile());
  const auto a = *device.allocate(8);
  std::vector<std::byte> eight(8, std::byte{7});
  CHECK(device.write(a, eight));
  CHECK_FALSE(device.write(a + 1, eight));
  CHECK_FALSE(device.write(0, eight));
  CHECK_FALSE(device.write(~0ULL, eight));
  CHECK(device.fill(a + 2, std::byte{1}, 3));
  CHECK_FALSE(device.fill(a, std::byte{1}, 9));
  CHECK(device.copy(a + 1, a, 7));  // overlapping
  CHECK(device.read(a, eight));
  CHECK(eight == std::vector<std::byte>{std::byte{7}, std::byte{7}, std::byte{7}, std::byte{1}, std::byte{1},
                                        std::byte{1}, std::byte{7}, std::byte{7}});
  CHECK_FALSE(device.copy(a, a + 4, 5));
  device.free(a);
  CHECK_FALSE(device.read(a, eight));
}

TEST_CASE("the facts of a kernel are its requirements") {
  Gpu gpu(kernel_text(".param .u8 a, .param .u64 b, .param .align 4 .b8 c[6], .param .f64 d",
                      ".shared .align 4 .b8 s[100]; .local .align 8 .b8 l[24]; .reg .f32 %f<9>;\nret;"));
  const auto info = gpu.device.kernel_info(gpu.module, "k");
  REQUIRE(info);
  CHECK(info->parameter_sizes == std::vector<std::size_t>{1, 8, 6, 8});
  CHECK(info->parameter_offsets == std::vector<std::size_t>{0, 8, 16, 24});
  CHECK(info->parameter_bytes == 32);
  CHECK(info->static_shared_bytes == 100);
  CHECK(info->local_bytes_per_thread == 24);
  CHECK(info->max_threads_per_block == 1024);
  CHECK(info->cluster_blocks == 1);
  CHECK(info->architecture == 80);
  CHECK_FALSE(gpu.device.kernel_info(gpu.module, "other"));
  CHECK_FALSE(gpu.device.kernel_info(gpu.module + 1, "k"));
}

TEST_CASE("registers are counted by simultaneously live values, not by names") {
  const auto registers = [](const std::string& body) {
    return Gpu(kernel_text("", ".reg .b32 %r<30>; .reg .b64 %rd<9>;" + body + "ret;"))
        .device.kernel_info(1, "k")
        ->registers_per_thread;
  };
  CHECK(registers("mov.u32 %r1, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; add.u32 %r4, %r3, 1; st.u32 "
                  "[%rd1], %r4;") == 3);
  CHECK(registers("mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r3, 3; add.u32 %r4, %r1, %r2; add.u32 %r5, %r4, "
                  "%r3; st.u32 [%rd1], %r5;") == 5);
}

TEST_CASE("launches that no device accepts are refused with both numbers") {
  Gpu gpu(empty_kernel());
  const auto refused = [&](vgpu::Dim3 grid, vgpu::Dim3 block, std::size_t shared, LaunchError error,
                           const std::string& detail) {
    const auto record = gpu.launch("k", grid, block, good(), shared);
    CHECK(record.error == error);
    CHECK(record.error_detail == detail);
    CHECK(record.counters == vgpu::Counters{});
  };
  const auto configuration = LaunchError::invalid_configuration;
  refused({0, 1, 1}, {1, 1, 1}, 0, configuration,
          "the grid is 0 × 1 × 1 blocks; every extent must be at least 1");
  refused({1, 65536, 1}, {1, 1, 1}, 0, configuration,
          "the grid is 1 × 65536 × 1 blocks; this device allows 2147483647 × 65535 × 65535");
  refused({1, 1, 1}, {1, 0, 1}, 0, configuration,
          "the block is 1 × 0 × 1 threads; every extent must be at least 1");
  refused({1, 1, 1}, {64, 32, 1}, 0, configuration, "2048 threads per block; this device allows 1024");
  refused({1, 1, 1}, {1, 1, 65}, 0, configuration,
          "the block is 1 × 1 × 65 threads; this device allows 1024 × 1024 × 64");
  refused({1, 1, 1}, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, 0, configuration,
          "the block is 4294967295 × 4294967295 × 4294967295 threads; this device allows 1024 × 1024 × 64");
  refused({1, 1, 1}, {1, 1, 1}, 49153, LaunchError::invalid_value,
          "0 bytes of static and 49153 of dynamic shared memory per block; this device allows 49152");
  CHECK(gpu.launch("k", {1, 1, 1}, {1, 1, 1}, pack(std::uint64_t{1})).error_detail ==
        "8 bytes of parameters; the kernel takes 12");
  CHECK(gpu.launch("other", {1, 1, 1}, {1, 1, 1}, good()).error == LaunchError::unknown_kernel);
  CHECK(gpu.launch("k", {1, 1, 1}, {1024, 1, 1}, good(), 49152).error == LaunchError::none);
  CHECK_FALSE(gpu.device.is_faulted());
}

TEST_CASE("a block that needs more registers than any GPU has for one is refused") {
  const auto text = [](int sums, const std::string& bounds) {
    std::string code = ".reg .pred %p; .reg .b32 %r<99>, %i; .reg .b64 %rd1; mov.u32 %i, %tid.x;";
    for (int k = 1; k <= sums; ++k) code += fmt::format("mov.u32 %r{}, 0;", k);
    code += "LOOP: add.u32 %i, %i, 1;";
    for (int k = 1; k <= sums; ++k) code += fmt::format("add.u32 %r{0}, %r{0}, %i;", k);
    code += "setp.lt.u32 %p, %i, 2000; @%p bra LOOP;";
    for (int k = 2; k <= sums; ++k) code += fmt::format("xor.b32 %r1, %r1, %r{};", k);
    std::string kernel = kernel_text("", code + "ret;");
    kernel.insert(kernel.find("{\n"), bounds);
    return kernel;
  };
  const auto record = [](const std::string& kernel, std::uint32_t threads) {
    return Gpu(kernel).launch("k", {1, 1, 1}, {threads, 1, 1}, {});
  };
  const auto refused = record(text(70, ""), 1024);
  CHECK(refused.error == LaunchError::out_of_resources);
  CHECK(refused.error_detail ==
        "1024 threads per block with at least 71 registers each; GPUs have 65536 for a block");
  CHECK(record(text(70, ""), 896).error == LaunchError::none);
  CHECK(record(text(60, ""), 1024).error == LaunchError::none);
  // The compiler keeps the rest in local memory.
  CHECK(record(text(70, ".maxntid 1024, 1, 1\n"), 1024).error == LaunchError::none);
}

TEST_CASE("launch bounds limit the threads of a block") {
  std::string text = empty_kernel();
  text.insert(text.find("{\n"), ".maxntid 64, 2, 1\n");
  Gpu gpu(text);
  CHECK(gpu.device.kernel_info(gpu.module, "k")->max_threads_per_block == 128);
  CHECK(gpu.launch("k", {1, 1, 1}, {128, 1, 1}, good()).error == LaunchError::none);
  CHECK(gpu.launch("k", {1, 1, 1}, {129, 1, 1}, good()).error == LaunchError::above_launch_bounds);
}

TEST_CASE("text that is not a module is refused with a message") {
  Device device(vgpu::lecture_profile());
  const std::string text =
      ".version 7.5\n.target sm_80\n.address_size 64\n.visible .entry k() { mov.u32 %r1 1; }";
  const auto loaded = device.load_module(std::as_bytes(std::span(text)));
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().find("line 4") != std::string::npos);
}

TEST_CASE("the modules of a device together are bounded: parsed they take many times the memory") {
  Device device(vgpu::lecture_profile());
  std::string text = ".version 7.5\n.target sm_80\n.address_size 64\n";
  text.append(vgpu::ptx::kMaxTextBytes / 2, ' ');
  CHECK(device.load_module(std::as_bytes(std::span(text))));
  const auto second = device.load_module(std::as_bytes(std::span(text)));
  REQUIRE_FALSE(second);
  CHECK(second.error() == "the program's modules have more than 33554432 bytes of PTX text together");
}

TEST_CASE("unloading a module frees its variables and forgets its kernels") {
  auto profile = vgpu::lecture_profile();
  profile.global_bytes = 1000;
  Gpu gpu(kernel_text("", "ret;", ".global .align 4 .b8 big[900];\n"), {}, profile);
  CHECK_FALSE(gpu.device.allocate(200));
  gpu.device.unload_module(gpu.module);
  CHECK(gpu.device.allocate(200));
  CHECK(gpu.launch("k", {1, 1, 1}, {1, 1, 1}, {}).error == LaunchError::unknown_kernel);
}

namespace {

/// Prints with format `text`; `stores` fills the argument buffer at [buffer].
std::string printing_kernel(const std::string& format, const std::string& stores) {
  std::string bytes;
  for (const char c : format) bytes += std::to_string(static_cast<int>(static_cast<unsigned char>(c))) + ", ";
  return kernel_text("",
                     ".reg .b32 %r<9>; .reg .f64 %d<3>; .reg .b64 %rd<9>; .local .align 8 .b8 buffer[64];\n"
                     "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n" +
                         stores + R"(
    mov.u64 %rd1, buffer; cvta.local.u64 %rd1, %rd1;
    mov.u64 %rd2, format; cvta.global.u64 %rd2, %rd2;
    { .param .b64 param0; st.param.b64 [param0+0], %rd2;
      .param .b64 param1; st.param.b64 [param1+0], %rd1;
      .param .b32 retval0;
      call.uni (retval0), vprintf, (param0, param1);
      ld.param.b32 %r8, [retval0+0]; }
    ret;)",
                     ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n.global .align "
                     "1 .b8 format[] = {" +
                         bytes + "0};\n");
}

std::string printed(const std::string& format, const std::string& stores, vgpu::Dim3 grid = {1, 1, 1},
                    vgpu::Dim3 block = {1, 1, 1}) {
  Gpu gpu(printing_kernel(format, stores), {.cpu_threads = 2});
  gpu.run("k", grid, block, {});
  return gpu.device.take_printf_output();
}

}  // namespace

TEST_CASE("printf prints in block and lane order") {
  CHECK(printed("%d.%d\n", "st.local.v2.u32 [buffer], {%r2, %r1};", {2, 1, 1}, {3, 1, 1}) ==
        "0.0\n0.1\n0.2\n1.0\n1.1\n1.2\n");
}

TEST_CASE("printf knows C's conversions and leaves hostile ones alone") {
  CHECK(printed("%5.2f|%-6d|%x|%%",
                "st.local.f64 [buffer], 0d400921FB54442D18; st.local.u32 [buffer+8], 42; st.local.u32 "
                "[buffer+12], 255;") == " 3.14|42    |ff|%");
  CHECK(printed("%lld %c %s",
                "st.local.u64 [buffer], -7; st.local.u32 [buffer+8], 65; mov.u64 %rd3, format; st.local.u64 "
                "[buffer+16], %rd3;") == "-7 A %lld %c %s");
  CHECK(printed("%*d|", "st.local.u32 [buffer], 4; st.local.u32 [buffer+4], 7;") == "   7|");
  CHECK(printed("%*d|", "st.local.u32 [buffer], -4; st.local.u32 [buffer+4], 7;") == "7   |");
  CHECK(printed("%*d|", "st.local.u32 [buffer], 0x80000000; st.local.u32 [buffer+4], 7;").size() == 1025);
  CHECK(printed("%.*d|", "st.local.u32 [buffer], 3; st.local.u32 [buffer+4], 7;") == "007|");
  CHECK(printed("%.*d|", "st.local.u32 [buffer], -3; st.local.u32 [buffer+4], 7;") == "7|");
  CHECK(printed("%n%y% ", "") == "%n%y% ");
  CHECK(printed("%99999999d", "st.local.u32 [buffer], 1;").size() == 1024);
  CHECK(printed("%s", "st.local.u64 [buffer], 0;").empty());
}

TEST_CASE("printf output is truncated at the size of the device's buffer and is returned once") {
  Gpu gpu(printing_kernel("0123456789", ""), {.printf_bytes = 25});
  gpu.run("k", {1, 1, 1}, {32, 1, 1}, {});
  CHECK(gpu.device.take_printf_output() == "01234567890123456789");
  CHECK(gpu.device.take_printf_output().empty());
}

TEST_CASE("functions are called with their own registers, also in divergent code") {
  Gpu gpu(kernel_text(".param .u64 out", R"(
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, 1000;
    setp.lt.u32 %p1, %r1, 5; @%p1 bra SKIP;
    { .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 retval0;
      call.uni (retval0), twice_until, (param0); ld.param.b32 %r2, [retval0+0]; }
    { .param .b32 param0; st.param.b32 [param0+0], %r2; .param .b32 retval0;
      call.uni (retval0), twice_until, (param0); ld.param.b32 %r3, [retval0+0]; }
    add.u32 %r2, %r2, %r3;
    SKIP: ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r2; ret;)",
                      R"(.func (.param .b32 r) plus_one(.param .b32 a) {
    .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.u32 %r2, %r1, 1; st.param.b32 [r], %r2; ret; }
  .func (.param .b32 result) twice_until(.param .b32 value) {
    .reg .pred %p<3>; .reg .b32 %r<4>;
    ld.param.b32 %r1, [value];
    LOOP: setp.gt.u32 %p1, %r1, 20; @%p1 bra DONE;
    { .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 retval0;
      call.uni (retval0), plus_one, (param0); ld.param.b32 %r2, [retval0+0]; }
    add.u32 %r1, %r2, %r1;
    bra LOOP;
    DONE: st.param.b32 [result], %r1; ret; })"));
  const auto out = gpu.zeros<std::uint32_t>(32);
  gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(out));
  const auto result = gpu.download<std::uint32_t>(out, 32);
  for (std::uint32_t i = 0; i < 32; ++i) {
    std::uint32_t value = i;
    while (value <= 20) value += value + 1;
    CHECK(result[i] == (i < 5 ? 1000 : 2 * value));
  }
}

TEST_CASE("unknown functions are named as not supported") {
  const std::string call = R"({ .param .b32 retval0; call.uni (retval0), f, (); } ret;)";
  const auto detail = [&](const std::string& before) {
    return Gpu(kernel_text("", call, before))
        .fault(vgpu::FaultKind::unsupported, "k", {1, 1, 1}, {1, 1, 1}, {})
        .detail;
  };
  CHECK(detail(".extern .func (.param .b32 r) f();\n") == "call.uni calls f");
}

TEST_CASE("mathematical functions that clang compiles to calls are executed") {
  const auto call = [](const std::string& name, float a, float b, bool binary) {
    const std::string second = binary ? ".param .b32 p1; st.param.f32 [p1+0], %f2;" : "";
    Gpu gpu(kernel_text(".param .u64 out, .param .f32 a, .param .f32 b",
                        R"(
      .reg .f32 %f<4>; .reg .b64 %rd<2>;
      ld.param.f32 %f1, [a]; ld.param.f32 %f2, [b];
      { .param .b32 p0; st.param.f32 [p0+0], %f1;)" +
                            second + ".param .b32 r0; call.uni (r0), " + name + ", (p0" +
                            (binary ? ", p1" : "") +
                            R"(); ld.param.f32 %f3, [r0+0]; }
      ld.param.u64 %rd1, [out]; st.global.f32 [%rd1], %f3; ret;)",
                        ".extern .func (.param .b32 r) " + name + "(.param .b32 a" +
                            (binary ? ", .param .b32 b" : "") + ");\n"));
    const auto out = gpu.zeros<float>(1);
    gpu.run("k", {1, 1, 1}, {1, 1, 1}, pack(out, a, b));
    return gpu.download<float>(out, 1)[0];
  };
  CHECK(call("__nv_expf", 1, 0, false) == static_cast<float>(std::exp(1.0)));
  CHECK(call("__nv_powf", 3, 4, true) == 81);
  CHECK(call("__nv_atan2f", 1, -1, true) == static_cast<float>(std::atan2(1.0, -1.0)));
}

}  // namespace device_test
