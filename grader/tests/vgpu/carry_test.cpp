// Extended-precision chains against 128-bit host arithmetic.
#include "vgpu/evaluate.hpp"

namespace carry_test {

namespace {

using u64 = std::uint64_t;
__extension__ using u128 = unsigned __int128;

constexpr u64 kTop = u64{1} << 63U;
const std::vector<u64> kWords{0,    1,        2,       0xFFFFFFFF,  0x100000000,
                              kTop, kTop - 1, ~u64{0}, ~u64{0} - 1, 0x123456789ABCDEF};

/// A kernel with 64-bit inputs %rd1 to %rd4 and outputs %rd5 and %rd6, one row of four for each thread.
std::vector<std::array<u64, 2>> run_rows(const std::string& body,
                                         const std::vector<std::array<u64, 4>>& rows) {
  test::Gpu gpu(test::kernel_text(".param .u64 out, .param .u64 in", R"(
    .reg .b32 %r<20>; .reg .b64 %rd<20>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd10, [in]; mad.wide.u32 %rd10, %r1, 32, %rd10;
    ld.global.v2.u64 {%rd1, %rd2}, [%rd10]; ld.global.v2.u64 {%rd3, %rd4}, [%rd10+16];
)" + body + R"(
    ld.param.u64 %rd11, [out]; mad.wide.u32 %rd11, %r1, 16, %rd11;
    st.global.v2.u64 [%rd11], {%rd5, %rd6}; ret;)"));
  const auto in = gpu.upload(rows);
  const auto out = gpu.zeros<std::array<u64, 2>>(rows.size());
  gpu.run("k", {1, 1, 1}, {static_cast<std::uint32_t>(rows.size()), 1, 1}, test::pack(out, in));
  return gpu.download<std::array<u64, 2>>(out, rows.size());
}

std::vector<std::array<u64, 4>> all_rows() {
  std::vector<std::array<u64, 4>> rows;
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    for (std::size_t j = 0; j < kWords.size(); ++j) {
      rows.push_back(
          {kWords[i], kWords[(i + 3) % kWords.size()], kWords[j], kWords[(j * 7 + i) % kWords.size()]});
    }
  }
  return rows;
}

template <class Expected>
void check_chain(const std::string& body, Expected expected) {
  const auto rows = all_rows();
  const auto results = run_rows(body, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const u128 a = u128{rows[i][1]} << 64U | rows[i][0];
    const u128 b = u128{rows[i][3]} << 64U | rows[i][2];
    const u128 wanted = expected(a, b);
    INFO(body << " row " << i);
    REQUIRE(results[i][0] == static_cast<u64>(wanted));
    REQUIRE(results[i][1] == static_cast<u64>(wanted >> 64U));
  }
}

constexpr const char* kSplit =
    "mov.b64 {%r2, %r3}, %rd1; mov.b64 {%r4, %r5}, %rd2;"
    "mov.b64 {%r6, %r7}, %rd3; mov.b64 {%r8, %r9}, %rd4;\n";
constexpr const char* kJoin = "mov.b64 %rd5, {%r10, %r11}; mov.b64 %rd6, {%r12, %r13};";

}  // namespace

TEST_CASE("sums carry from word to word") {
  check_chain("add.cc.u64 %rd5, %rd1, %rd3; addc.u64 %rd6, %rd2, %rd4;",
              [](u128 a, u128 b) { return a + b; });
  check_chain(std::string(kSplit) +
                  "add.cc.u32 %r10, %r2, %r6; addc.cc.u32 %r11, %r3, %r7;"
                  "addc.cc.s32 %r12, %r4, %r8; addc.u32 %r13, %r5, %r9;" +
                  kJoin,
              [](u128 a, u128 b) { return a + b; });
}

TEST_CASE("differences borrow from word to word") {
  check_chain("sub.cc.s64 %rd5, %rd1, %rd3; subc.s64 %rd6, %rd2, %rd4;",
              [](u128 a, u128 b) { return a - b; });
  check_chain(std::string(kSplit) +
                  "sub.cc.u32 %r10, %r2, %r6; subc.cc.u32 %r11, %r3, %r7;"
                  "subc.cc.u32 %r12, %r4, %r8; subc.u32 %r13, %r5, %r9;" +
                  kJoin,
              [](u128 a, u128 b) { return a - b; });
}

TEST_CASE("products are added with carry") {
  // a.low * b.low + b.high: low and high half, the carry in between.
  check_chain("mad.lo.cc.u64 %rd5, %rd1, %rd3, %rd4; madc.hi.u64 %rd6, %rd1, %rd3, 0;", [](u128 a, u128 b) {
    return u128{static_cast<u64>(a)} * static_cast<u64>(b) + static_cast<u64>(b >> 64U);
  });
  // The full 64-bit product of 32-bit words, and one more carry.
  check_chain(std::string(kSplit) +
                  "mov.u32 %r12, 0; mov.u32 %r13, 0;"
                  "mad.lo.cc.u32 %r10, %r2, %r6, %r3; madc.hi.cc.u32 %r11, %r2, %r6, %r7;"
                  "addc.u32 %r12, 0, 0;" +
                  kJoin,
              [](u128 a, u128 b) {
                const u128 product = u128{static_cast<std::uint32_t>(a)} * static_cast<std::uint32_t>(b);
                return product + static_cast<std::uint32_t>(a >> 32U) +
                       (u128{static_cast<std::uint32_t>(b >> 32U)} << 32U);
              });
}

TEST_CASE("each lane has a carry of its own, also across a branch that others take") {
  const auto results = run_rows(R"(
    .reg .pred %p1;
    add.cc.u64 %rd5, %rd1, %rd1;
    setp.lt.u32 %p1, %r1, 2;
    @%p1 bra SKIP;
    add.cc.u64 %rd7, %rd3, %rd3;
SKIP:
    addc.u64 %rd6, 0, 0;)",
                                {{kTop, 0, 0, 0}, {1, 0, kTop, 0}, {kTop, 0, 1, 0}, {1, 0, kTop, 0}});
  CHECK(results[0][1] == 1);
  CHECK(results[1][1] == 0);
  CHECK(results[2][1] == 0);
  CHECK(results[3][1] == 1);
}

}  // namespace carry_test
