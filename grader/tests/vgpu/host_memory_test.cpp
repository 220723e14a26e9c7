// Memory of the host, used by kernels at the host's addresses.

#include <numeric>

#include "vgpu/gpu.hpp"
#include "vgpu/texture/texture.hpp"

namespace host_memory_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::FaultKind;

namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint64_t kPlace = std::uint64_t{1} << 40U;  // a host's address, as far as the device knows

/// data[i] += 1
const std::string& increment() {
  static const std::string text = kernel_text(".param .u64 data", R"(
    .reg .b32 %r<9>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r1, %r2, %r3, %r4;
    mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
    ld.global.u32 %r5, [%rd2]; add.u32 %r5, %r5, 1; st.global.u32 [%rd2], %r5;
    ret;)");
  return text;
}

std::span<std::byte> bytes_of(Words& words) { return std::as_writable_bytes(std::span(words)); }

}  // namespace

TEST_CASE("kernels work in host memory, on any number of threads") {
  for (const unsigned cpu_threads : {1U, 3U}) {
    Gpu gpu(increment(), {.cpu_threads = cpu_threads, .checks = vgpu::Checks::all()});
    Words words(64 * 40);
    std::iota(words.begin(), words.end(), 0U);
    REQUIRE(gpu.device.map_host(kPlace, bytes_of(words)));
    const auto record = gpu.run("k", {40, 1, 1}, {64, 1, 1}, pack(kPlace));
    CHECK(record.findings.empty());
    CHECK(words[0] == 1);
    CHECK(words[64 * 40 - 1] == 64 * 40);
    CHECK(record.counters.global_loads.requests == 80);
    CHECK(gpu.device.live_allocations().empty());
    REQUIRE(gpu.device.unmap_host(kPlace));
  }
}

TEST_CASE("a fetch from host memory is an access to all of the texture, and one from device memory is none") {
  Gpu gpu(kernel_text(".param .u64 object", R"(
    .reg .b32 %r<9>; .reg .b64 %rd<5>; ld.param.u64 %rd1, [object]; mov.u32 %r1, %tid.x;
    tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd1, {%r1}]; ret;)"),
          {.checks = vgpu::Checks::all()});
  Words words(1024);
  REQUIRE(gpu.device.map_host(kPlace, bytes_of(words)));
  const auto fetch = [&](std::uint64_t texels) {
    vgpu::texture::TextureObject object;
    object.texture.address = texels;
    object.texture.pitch = 256 * sizeof(std::uint32_t);
    object.texture.extent[0] = 256;
    object.texture.kind = vgpu::texture::ChannelKind::unsigned_integer;
    object.texture.resource = vgpu::texture::Resource::linear;
    return gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(gpu.upload(std::vector{object}))).accesses;
  };
  CHECK(fetch(kPlace) == std::vector<vgpu::MemoryAccess>{{kPlace, 1024, false, false}});
  CHECK(fetch(gpu.zeros<std::uint32_t>(256)).empty());
}

TEST_CASE("loads from constant memory are accesses to the words that the kernel reads") {
  Gpu gpu(kernel_text(".param .u64 out", R"(
    .reg .b32 %r<9>; .reg .b64 %rd<5>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;
    mov.u64 %rd2, table; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd2, %rd3;
    ld.const.u32 %r2, [%rd3]; ld.const.u32 %r3, [table+160]; ret;)",
                      ".const .align 4 .b8 table[256];\n"),
          {.checks = vgpu::Checks::all()});
  const auto table = gpu.device.symbol(gpu.module, "table");
  REQUIRE(table);
  const auto accesses = gpu.run("k", {2, 1, 1}, {32, 1, 1}, pack(vgpu::DevicePtr{0})).accesses;
  CHECK(accesses == std::vector<vgpu::MemoryAccess>{{table->start, 128}, {table->start + 160, 4}});
}

TEST_CASE("an access outside host memory, or to host memory that was withdrawn, is a fault") {
  Gpu gpu(increment());
  Words words(60);
  REQUIRE(gpu.device.map_host(kPlace, bytes_of(words)));
  SECTION("past the end") {
    const auto fault = gpu.fault(FaultKind::out_of_bounds, "k", {1, 1, 1}, {64, 1, 1}, pack(kPlace));
    REQUIRE(fault.nearest);
    CHECK(fault.nearest->start == kPlace);
    CHECK(fault.nearest->distance_bytes == 4);
    CHECK(words[59] == 0);
  }
  SECTION("withdrawn") {
    REQUIRE(gpu.device.unmap_host(kPlace));
    gpu.fault(FaultKind::use_after_free, "k", {1, 1, 1}, {32, 1, 1}, pack(kPlace));
  }
  SECTION("at another address") {
    const auto fault =
        gpu.fault(FaultKind::out_of_bounds, "k", {1, 1, 1}, {32, 1, 1}, pack(kPlace + (1U << 30U)));
    CHECK_FALSE(fault.nearest);
  }
}

TEST_CASE("host memory is mapped once, at a valid host address, and copied like other memory") {
  Gpu gpu(increment());
  Words words(128), others(128);
  CHECK(gpu.device.map_host(kPlace, bytes_of(words)));
  CHECK_FALSE(gpu.device.map_host(kPlace + 256, bytes_of(others)));
  CHECK_FALSE(gpu.device.map_host(kPlace - 256, bytes_of(others)));
  CHECK_FALSE(gpu.device.map_host(kPlace + 1024 + 128, bytes_of(others)));
  CHECK(gpu.device.map_host(kPlace + 512, bytes_of(others)));
  CHECK_FALSE(gpu.device.map_host(0, bytes_of(others)));
  CHECK_FALSE(gpu.device.map_host(std::uint64_t{1} << 47U, bytes_of(others)));
  CHECK(gpu.device.fill(kPlace, std::byte{1}, 512));
  CHECK_FALSE(gpu.device.fill(kPlace, std::byte{1}, 513));
  CHECK(gpu.device.copy(kPlace + 512, kPlace, 512));
  CHECK(others[127] == 0x01010101);
  CHECK_FALSE(gpu.device.free(kPlace));
  CHECK(gpu.device.unmap_host(kPlace));
  CHECK_FALSE(gpu.device.unmap_host(kPlace));
  CHECK(gpu.device.map_host(kPlace - 256, bytes_of(words)));
}

}  // namespace host_memory_test
