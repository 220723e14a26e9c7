// Which loads only guess what an atom.cas will find.
#include "vgpu/analysis/cas_guesses.hpp"

#include "ptx/ptx_text.hpp"

namespace cas_guesses_test {

namespace {

/// Instructions, by number, that are guesses.
std::vector<std::size_t> guesses_in(std::string_view body) {
  const std::vector<bool> guesses = vgpu::exec::cas_guesses(testing::kernel(body));
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < guesses.size(); ++i) {
    if (guesses[i]) found.push_back(i);
  }
  return found;
}

using Numbers = std::vector<std::size_t>;

}  // namespace

TEST_CASE("the load before a loop around atom.cas is a guess") {
  CHECK(guesses_in(R"(
    ld.global.u64 %rd8, [%rd2];
    L: mov.b64 %rd3, %rd8;
    add.s64 %rd4, %rd3, 1;
    atom.global.cas.b64 %rd5, [%rd2], %rd3, %rd4;
    setp.ne.s64 %p1, %rd3, %rd5;
    mov.u64 %rd8, %rd5;
    @%p1 bra L;)") == Numbers{0});
}

TEST_CASE("a guess can be packed, converted and selected before the comparison") {
  CHECK(guesses_in(R"(
    ld.global.v2.f32 {%f1, %f2}, [%rd1];
    mov.b32 %r1, %f1;
    mov.b32 %r2, %f2;
    mov.b64 %rd3, {%r1, %r2};
    atom.global.cas.b64 %rd4, [%rd1], %rd3, %rd5;)") == Numbers{0});
  CHECK(guesses_in(R"(
    ld.u16 %r1, [%rd1];
    cvt.u32.u16 %r2, %r1;
    prmt.b32 %r3, %r2, 0, 0x4410;
    selp.b32 %r4, %r3, 7, %p1;
    atom.cas.b16 %r5, [%rd1], %r4, %r6;)") == Numbers{0});
}

TEST_CASE("the two addresses can be computed in different ways") {
  CHECK(guesses_in(R"(
    add.s64 %rd2, %rd1, 4;
    ld.global.u32 %r1, [%rd1+4];
    atom.global.cas.b32 %r2, [%rd2], %r1, %r3;)") == Numbers{1});
  CHECK(guesses_in(R"(
    .shared .align 4 .b8 s[24];
    ld.shared.u32 %r1, [s+16];
    mov.u32 %r2, s;
    add.s32 %r3, %r2, 16;
    atom.shared.cas.b32 %r4, [%r3], %r1, %r5;)") == Numbers{0});
  CHECK(guesses_in(R"(
    ld.u32 %r1, [%rd1];
    cvta.to.global.u64 %rd2, %rd1;
    atom.global.cas.b32 %r2, [%rd2], %r1, %r3;)") == Numbers{0});
}

TEST_CASE("reading a part of the compared value is a guess, reading its neighbour in memory is not") {
  CHECK(guesses_in(R"(
    ld.global.u32 %r1, [%rd1+12];
    ld.global.u32 %r2, [%rd1+8];
    ld.global.u32 %r3, [%rd1+16];
    mov.b64 %rd2, {%r2, %r1};
    mov.b64 %rd2, {%r3, %r1};
    atom.global.cas.b64 %rd3, [%rd1+8], %rd2, %rd4;)") == Numbers{0, 1});
}

TEST_CASE("a load of another word is not a guess") {
  CHECK(guesses_in(R"(
    ld.global.u32 %r1, [%rd2];
    atom.global.cas.b32 %r2, [%rd1], %r1, %r3;)")
            .empty());
  CHECK(guesses_in(R"(
    ld.global.u32 %r1, [%rd1+4];
    atom.global.cas.b32 %r2, [%rd1], %r1, %r3;)")
            .empty());
}

TEST_CASE("a load whose value is stored, used in a computation or in a condition is not a guess") {
  CHECK(guesses_in(R"(
    ld.global.u32 %r1, [%rd1];
    atom.global.cas.b32 %r2, [%rd1], %r3, %r1;)")
            .empty());
  CHECK(guesses_in(R"(
    ld.global.u32 %r1, [%rd1];
    add.s32 %r3, %r1, 1;
    atom.global.cas.b32 %r2, [%rd1], %r3, %r4;)")
            .empty());
  CHECK(guesses_in(R"(
    ld.global.u32 %r1, [%rd1];
    setp.ne.s32 %p1, %r1, 0;
    @%p1 mov.u32 %r3, 5;
    selp.b32 %r4, %r3, 7, %p1;
    atom.global.cas.b32 %r2, [%rd1], %r4, 1;)")
            .empty());
}

TEST_CASE("neither other atomic operations nor loads of constant data make guesses") {
  CHECK(guesses_in(R"(
    ld.global.u32 %r1, [%rd1];
    atom.global.exch.b32 %r2, [%rd1], %r1;)")
            .empty());
  CHECK(guesses_in(R"(
    ld.global.nc.u32 %r1, [%rd1];
    atom.global.cas.b32 %r2, [%rd1], %r1, %r3;)")
            .empty());
}

TEST_CASE("a pointer that walks through a loop keeps its guess") {
  CHECK(guesses_in(R"(
    L: ld.global.u32 %r1, [%rd1];
    atom.global.cas.b32 %r2, [%rd1], %r1, %r3;
    add.s64 %rd1, %rd1, 4;
    add.s64 %rd2, %rd1, 8;
    mov.u64 %rd1, %rd2;
    @%p1 bra L;)") == Numbers{0});
}

TEST_CASE("a guess can pass through the parameters of inlined calls") {
  CHECK(guesses_in(R"(
    .param .b64 param0;
    .param .b32 param1;
    ld.u32 %r1, [%rd1];
    st.param.b64 [param0+0], %rd1;
    st.param.b32 [param1+0], %r1;
    ld.param.u64 %rd2, [param0];
    ld.param.u32 %r2, [param1];
    atom.cas.b32 %r3, [%rd2], %r2, %r4;)") == Numbers{0});
  CHECK(guesses_in(R"(
    .param .b32 param0;
    .param .b32 param1;
    ld.u32 %r1, [%rd1];
    st.param.b32 [param0+0], %r1;
    ld.param.u32 %r2, [param1];
    atom.cas.b32 %r3, [%rd1], %r2, %r4;)")
            .empty());
}

}  // namespace cas_guesses_test
