// Atomic operations on 16-bit floats, half words and vectors; what space a generic address is in; wide loads.
#include "vgpu/gpu.hpp"

namespace atomic_test {

using test::Gpu;
using test::kernel_text;
using test::pack;

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr const char* kRegisters =
    ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<20>; .reg .f32 %f<12>;"
    ".reg .b64 %rd<12>;\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;\n";

/// The words at `out` after the body has run for 32 threads.
template <class T>
std::vector<T> after(const std::string& body, std::vector<T> words, u32 blocks = 1) {
  Gpu gpu(kernel_text(".param .u64 out", kRegisters + body + "\nret;"));
  const auto out = gpu.upload(words);
  gpu.run("k", {blocks, 1, 1}, {32, 1, 1}, pack(out));
  return gpu.download<T>(out, words.size());
}

}  // namespace

TEST_CASE("16-bit floats are added atomically, also across blocks and in shared memory") {
  // 1 a thread: 32 = 0x5000 in f16, 0x4200 in bf16.
  CHECK(after<u16>("mov.b16 %h1, 0x3C00; red.global.add.noftz.f16 [%rd1], %h1;", {0, 0x1234}) ==
        std::vector<u16>{0x5000, 0x1234});
  CHECK(after<u16>("mov.b16 %h1, 0x3C00; red.global.add.noftz.f16 [%rd1], %h1;", {0, 0}, 4)[0] == 0x5800);
  CHECK(after<u16>("mov.b16 %h1, 0x3F80; atom.add.noftz.bf16 %h2, [%rd1], %h1;", {0, 0})[0] == 0x4200);
  CHECK(after<u32>("mov.b32 %r2, 0x3C004000; atom.global.add.noftz.f16x2 %r3, [%rd1], %r2;", {0})[0] ==
        0x50005400);
  CHECK(after<u32>(R"(
    .shared .align 4 .b8 s[4];
    st.shared.u32 [s], 0; bar.sync 0;
    mov.b32 %r2, 0x3F804000; atom.shared.add.noftz.bf16x2 %r3, [s], %r2;
    bar.sync 0; ld.shared.u32 %r4, [s]; st.global.u32 [%rd1], %r4;)",
                   {0})[0] == 0x42004280);
}

TEST_CASE("half words are compared and swapped without changing their neighbours") {
  // Thread i replaces i by i + 1: the value of the last thread remains.
  CHECK(after<u16>("cvt.u16.u32 %h1, %r1; add.u16 %h2, %h1, 1; atom.global.cas.b16 %h3, [%rd1], %h1, %h2;",
                   {0, 0xFFFF}) == std::vector<u16>{32, 0xFFFF});
}

TEST_CASE("vectors are added atomically, element by element") {
  const auto sums = after<float>(R"(
    cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3F800000;
    atom.global.add.v2.f32 {%f3, %f4}, [%rd1], {%f1, %f2};
    setp.eq.u32 %p1, %r1, 31;
    @%p1 st.global.v2.f32 [%rd1+16], {%f3, %f4};
    red.global.v4.f32.add [%rd1], {%f2, %f2, %f2, %f1};)",
                                 std::vector<float>(6));
  CHECK(sums == std::vector<float>{496 + 32, 64, 32, 496, 465, 31});
}

TEST_CASE("isspacep reports the space of a generic address") {
  const auto answers = after<u32>(R"(
    .shared .align 4 .b8 s[4]; .local .align 4 .b8 l[4];
    mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2;
    mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3;
    isspacep.shared %p1, %rd2; isspacep.shared::cta %p2, %rd1;
    isspacep.local %p3, %rd3; isspacep.global %p4, %rd1; isspacep.global %p5, %rd2; isspacep.const %p6, %rd1;
    selp.u32 %r2, 1, 0, %p1; @%p2 or.b32 %r2, %r2, 2; @%p3 or.b32 %r2, %r2, 4;
    @%p4 or.b32 %r2, %r2, 8; @%p5 or.b32 %r2, %r2, 16; @%p6 or.b32 %r2, %r2, 32;
    st.global.u32 [%rd1], %r2;)",
                                  {0});
  CHECK(answers[0] == (1 | 4 | 8));
}

TEST_CASE("256-bit accesses and ldu transfer all of their elements") {
  std::vector<u32> words(16);
  for (u32 i = 0; i < 8; ++i) words[i] = i + 1;
  const auto moved = after<u32>(R"(
    ld.global.v8.b32 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%rd1];
    ldu.global.u32 %r10, [%rd1+4];
    st.global.L1::evict_first.v8.b32 [%rd1+32], {%r9, %r8, %r7, %r6, %r5, %r4, %r3, %r10};)",
                                words);
  CHECK(std::vector<u32>(moved.begin() + 8, moved.end()) == std::vector<u32>{8, 7, 6, 5, 4, 3, 2, 2});
}

}  // namespace atomic_test
