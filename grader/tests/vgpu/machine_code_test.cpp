// What is counted as machine code would have it: neighbouring accesses to shared memory merged, short
// branches turned into predicates.
#include "vgpu/gpu.hpp"

namespace machine_code_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Counters;

namespace {

/// One warp runs `body` with thread number × 64 in %r2; shared variable s starts at offset 0.
Counters one_warp(const std::string& body) {
  const std::string registers = R"(
    .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<4>; .reg .f32 %f<8>;
    .shared .align 16 .b8 s[4096];
    mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 6; mov.u32 %r3, s; add.u32 %r4, %r3, %r2;
  )";
  Gpu gpu(kernel_text(".param .u64 in", registers + body + " ret;"));
  return gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(gpu.zeros<std::uint32_t>(4096))).counters;
}

std::uint64_t merged_loads(const std::string& body) { return one_warp(body).shared_loads.merged_requests; }

std::uint64_t branches_left(const std::string& body) { return one_warp(body).branches_after_if_conversion; }

}  // namespace

TEST_CASE("the 32 loads of the tiled product's inner loop are 16 narrow and 4 wide ones in machine code") {
  Gpu gpu(test::kernel_file("matmul.ptx"));
  const auto buffer = gpu.zeros<float>(64 * 64);
  const auto c = gpu.run("tiled", {4, 4, 1}, {16, 16, 1}, pack(buffer, buffer, buffer, 64, 64, 64)).counters;
  constexpr std::uint64_t kPhases = 16 * 8 * 4;  // blocks, warps, tiles
  CHECK(c.shared_loads.requests == kPhases * 32);
  CHECK(c.shared_loads.merged_requests == kPhases * (16 + 4));
  // Two rows per warp, each broadcast to 16 lanes: one wavefront per half warp. An H200 also takes 24 per
  // phase.
  CHECK(c.shared_loads.merged_wavefronts == kPhases * (16 + 4 * 2));
  // Guards of both loads and of the store are predicates; the loop's two branches stay.
  CHECK(c.branches == 16 * 8 * (1 + 4 * 3 + 1));
  CHECK(c.branches_after_if_conversion == 16 * 8 * (1 + 4));
}

TEST_CASE("loads merge when the code shows that the wide address is aligned") {
  CHECK(merged_loads("ld.shared.u32 %r5, [%r4]; ld.shared.u32 %r6, [%r4+4];") == 1);
  CHECK(merged_loads("ld.shared.u32 %r5, [%r4+4]; ld.shared.u32 %r6, [%r4];") == 1);
  CHECK(merged_loads("ld.shared.u32 %r5, [%r4+4]; ld.shared.u32 %r6, [%r4+8];") == 2);
  CHECK(merged_loads("shl.b32 %r7, %r1, 2; add.u32 %r7, %r3, %r7; ld.shared.u32 %r5, [%r7]; "
                     "ld.shared.u32 %r6, [%r7+4];") == 2);
  CHECK(merged_loads("ld.shared.u32 %r5, [s]; ld.shared.u32 %r6, [s+4]; ld.shared.u32 %r7, [s+8];") == 2);
  CHECK(merged_loads("ld.shared.v2.u32 {%r5, %r6}, [%r4]; ld.shared.v2.u32 {%r7, %r8}, [%r4+8];") == 1);
}

TEST_CASE("accesses do not merge across a store, a barrier, a new base or a block of code") {
  const std::string first = "ld.shared.u32 %r5, [%r4]; ";
  const std::string second = " ld.shared.u32 %r6, [%r4+4];";
  CHECK(merged_loads(first + "add.u32 %r9, %r1, 1;" + second) == 1);
  CHECK(merged_loads(first + "st.shared.u32 [%r2+8], %r1;" + second) == 2);
  CHECK(merged_loads(first + "bar.sync 0;" + second) == 2);
  CHECK(merged_loads(first + "add.u32 %r4, %r4, 64; and.b32 %r4, %r4, 2047;" + second) == 2);
  CHECK(merged_loads(first + "setp.lt.u32 %p1, %r1, 64; @%p1 bra NEXT; NEXT:" + second) == 2);
  CHECK(merged_loads("ld.volatile.shared.u32 %r5, [%r4]; ld.volatile.shared.u32 %r6, [%r4+4];") == 2);
}

TEST_CASE("stores merge if no other access is between them") {
  const Counters c = one_warp("st.shared.u32 [%r4], %r1; st.shared.u32 [%r4+4], %r1;");
  CHECK(c.shared_stores.requests == 2);
  CHECK(c.shared_stores.merged_requests == 1);
  CHECK(one_warp("st.shared.u32 [%r4], %r1; ld.shared.u32 %r5, [%r4]; st.shared.u32 [%r4+4], %r1;")
            .shared_stores.merged_requests == 2);
}

TEST_CASE("short straight branches, if-else and early returns become predicates") {
  const std::string test = "setp.lt.u32 %p1, %r1, 10; ";
  CHECK(branches_left(test + "@%p1 bra END; add.u32 %r5, %r1, 1; END: add.u32 %r6, %r1, 1;") == 0);
  CHECK(branches_left(test +
                      "@%p1 bra ELSE; mov.u32 %r5, 1; bra END; ELSE: mov.u32 %r5, 2; END: add.u32 %r6, "
                      "%r1, 1;") == 0);
  CHECK(branches_left(test + "@%p1 bra OUT; bar.warp.sync 0xFFFFFC00; mov.u32 %r5, 1; OUT:") == 0);
}

TEST_CASE("long bodies, loops and bodies with a barrier stay branches") {
  const std::string test = "setp.lt.u32 %p1, %r1, 10; ";
  std::string body;
  for (int i = 0; i < 8; ++i) body += "add.u32 %r5, %r1, 1; ";
  CHECK(branches_left(test + "@%p1 bra END; " + body + "END: add.u32 %r6, %r1, 1;") == 1);
  CHECK(branches_left("mov.u32 %r5, 0; LOOP: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 3; @%p1 bra LOOP;") ==
        3);
  CHECK(branches_left("setp.gt.u32 %p1, %r1, 64; @%p1 bra END; bar.sync 0; END: add.u32 %r6, %r1, 1;") == 1);
}

}  // namespace machine_code_test
