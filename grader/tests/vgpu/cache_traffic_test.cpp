// Traffic of the caches of a device profile, compared with values computed by hand.
#include "vgpu/gpu.hpp"

namespace cache_traffic_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::CacheTraffic;

namespace {

vgpu::Profile with_caches(std::size_t l1_bytes, std::size_t l2_bytes) {
  vgpu::Profile profile = vgpu::lecture_profile();
  profile.l1_bytes_per_sm = l1_bytes;
  profile.l2_bytes = l2_bytes;
  return profile;
}

constexpr std::size_t kBig = std::size_t{1} << 20U;

/// Thread i of the grid runs `body` with its element's address in %rd3; the buffer's is in %rd1.
CacheTraffic traffic(const std::string& body, const vgpu::Profile& profile, std::uint32_t blocks,
                     std::uint32_t threads, unsigned cpu_threads = 1) {
  const std::string start = R"(
    .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .local .align 4 .b8 l[64];
    ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2;
  )";
  Gpu gpu(kernel_text(".param .u64 in", start + body + " ret;"), {.cpu_threads = cpu_threads}, profile);
  const auto in = gpu.zeros<std::uint32_t>(std::size_t{1} << 16U);
  return gpu.run("k", {blocks, 1, 1}, {threads, 1, 1}, pack(in)).counters.cache;
}

}  // namespace

TEST_CASE("without caches every sector is DRAM traffic") {
  const auto t = traffic("ld.global.u32 %r5, [%rd3]; ld.global.u32 %r6, [%rd3]; st.global.u32 [%rd3], %r5;",
                         vgpu::lecture_profile(), 2, 64);
  CHECK(t == CacheTraffic{.dram_read_bytes = 2 * 512, .dram_write_bytes = 512});
}

TEST_CASE("a second load finds its sectors in L1, and stores go through to L2 and stay there") {
  const auto t = traffic("ld.global.u32 %r5, [%rd3]; ld.global.u32 %r6, [%rd3]; st.global.u32 [%rd3], %r5;",
                         with_caches(kBig, kBig), 2, 64);
  CHECK(t == CacheTraffic{.l1_load_sectors = 32,
                          .l1_load_hit_sectors = 16,
                          .l2_read_sectors = 16,
                          .l2_write_sectors = 16,
                          .l2_hit_sectors = 16,
                          .dram_read_bytes = 512});
}

TEST_CASE("blocks share L2 but not L1") {
  const auto t = traffic("ld.global.u32 %r5, [%rd1];", with_caches(kBig, kBig), 10, 32);
  CHECK(t.l1_load_hit_sectors == 0);
  CHECK(t.l2_read_sectors == 10);
  CHECK(t.l2_hit_sectors == 9);
  CHECK(t.dram_read_bytes == 32);
}

TEST_CASE("accesses of warps to L1 interleave") {
  // Each of 4 warps walks the same 64 lines; a cache of 16 lines keeps the lines that the other warps read
  // next.
  const auto t = traffic(R"(
    mov.u32 %r5, 0; mov.u64 %rd4, %rd1;
    LOOP: ld.global.u32 %r6, [%rd4]; add.u64 %rd4, %rd4, 128; add.u32 %r5, %r5, 1;
    setp.lt.u32 %p1, %r5, 64; @%p1 bra LOOP;)",
                         with_caches(16 * 128, 0), 1, 128);
  CHECK(t.l1_load_sectors == 4 * 64);
  CHECK(t.l1_load_hit_sectors == 3 * 64);
  CHECK(t.dram_read_bytes == 64 * 32);
}

TEST_CASE("volatile loads and atomics bypass L1") {
  const auto t =
      traffic("ld.global.u32 %r5, [%rd3]; ld.volatile.global.u32 %r6, [%rd3]; red.global.add.u32 [%rd3], 1;",
              with_caches(kBig, kBig), 1, 32);
  CHECK(t.l1_load_sectors == 4);
  CHECK(t.l2_read_sectors == 3 * 4);
  CHECK(t.l2_write_sectors == 4);
  CHECK(t.l2_hit_sectors == 3 * 4);
  CHECK(t.dram_read_bytes == 4 * 32);
}

TEST_CASE("dirty lines are written to DRAM when L2 evicts them") {
  const auto t = traffic("st.global.u32 [%rd3], %r1;", with_caches(0, 16 * 128), 64, 32);
  CHECK(t.l2_write_sectors == 64 * 4);
  CHECK(t.dram_write_bytes == (64 - 16) * 128);
  CHECK(t.dram_read_bytes == 0);
}

TEST_CASE("local arrays stay in L1") {
  const auto t = traffic("st.local.u32 [l+4], %r1; ld.local.u32 %r5, [l+4];", with_caches(kBig, kBig), 1, 64);
  CHECK(t.l1_load_sectors == 8);
  CHECK(t.l1_load_hit_sectors == 8);
  CHECK(t.l2_write_sectors == 8);
  CHECK(t.dram_read_bytes == 0);
}

TEST_CASE("cache traffic does not depend on the number of threads") {
  const std::string body = R"(
    ld.global.u32 %r5, [%rd3]; and.b32 %r6, %r4, 1023; mul.wide.u32 %rd4, %r6, 64; add.u64 %rd4, %rd1, %rd4;
    ld.global.u32 %r7, [%rd4]; add.u32 %r5, %r5, %r7; bar.sync 0; st.global.u32 [%rd3], %r5;)";
  const auto profile = with_caches(64 * 128, 256 * 128);
  const auto one = traffic(body, profile, 200, 256, 1);
  CHECK(one.l1_load_sectors > 0);
  for (const unsigned threads : {2U, 5U}) CHECK(traffic(body, profile, 200, 256, threads) == one);
}

}  // namespace cache_traffic_test
