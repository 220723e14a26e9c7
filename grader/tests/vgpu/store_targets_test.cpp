// The parameters of a kernel to which its stores can lead.
#include "vgpu/analysis/store_targets.hpp"

#include <string>

#include "catch.hpp"

namespace store_targets_test {

namespace {

/// "s.." if only the first of three parameters of 8 bytes is stored to; "unknown" if a target can be another.
std::string targets_of(const std::string& body) {
  const auto module = vgpu::ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.global .b64 pointer;\n"
      ".visible .entry k(.param .u64 p, .param .u64 q, .param .align 8 .b8 s[8]) {\n"
      ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n.local .b64 kept;\n"
      "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4;\n" +
      body + "ret;\n}\n");
  REQUIRE(module);
  const auto targets = vgpu::exec::store_targets(module->functions.at(0));
  if (!targets.are_known) return "unknown";
  std::string text;
  for (const bool is_stored : targets.words) text += is_stored ? 's' : '.';
  return text;
}

}  // namespace

TEST_CASE("a store leads to the parameters from which its address is computed") {
  CHECK(targets_of("") == "...");
  CHECK(targets_of("ld.global.f32 %f1, [%rd1]; add.s64 %rd4, %rd2, %rd3; st.global.f32 [%rd4], %f1;") ==
        ".s.");
  CHECK(targets_of("cvta.to.global.u64 %rd4, %rd1; atom.global.add.u32 %r2, [%rd4+8], 1;") == "s..");
  CHECK(
      targets_of("setp.eq.u32 %p1, %r1, 0; selp.b64 %rd4, %rd1, %rd2, %p1; red.global.add.u32 [%rd4], 1;") ==
      "ss.");
  CHECK(targets_of("ld.param.u64 %rd4, [s]; st.u32 [%rd4], %r1;") == "..s");
  CHECK(targets_of("mov.b64 %rd4, s; ld.param.u64 %rd5, [%rd4]; st.global.u32 [%rd5], %r1;") == "..s");
}

TEST_CASE("a later instruction of a loop changes the address of an earlier one") {
  CHECK(targets_of("mov.u64 %rd4, %rd1;\n$again: st.global.u32 [%rd4], %r1; mov.u64 %rd4, %rd2;\n"
                   "setp.eq.u32 %p1, %r1, 0; @%p1 bra $again;") == "ss.");
}

TEST_CASE("an index from memory is no address, but a pointer from memory is") {
  CHECK(
      targets_of("ld.global.u32 %r2, [%rd1]; mad.wide.u32 %rd4, %r2, 4, %rd2; st.global.u32 [%rd4], %r1;") ==
      ".s.");
  CHECK(targets_of("ld.global.u64 %rd4, [%rd1]; shl.b64 %rd5, %rd4, 2; add.s64 %rd6, %rd2, %rd5;"
                   "st.global.u32 [%rd6], %r1;") == ".s.");
  CHECK(targets_of("ld.global.u64 %rd4, [%rd1]; st.global.u32 [%rd4], %r1;") == "unknown");
  CHECK(targets_of("ld.global.u64 %rd4, [pointer]; add.s64 %rd5, %rd4, %rd3; st.u32 [%rd5], %r1;") ==
        "unknown");
  CHECK(targets_of("st.local.u64 [kept], %rd1; ld.local.u64 %rd4, [kept]; st.u32 [%rd4], %r1;") == "unknown");
  CHECK(targets_of("ld.global.v2.u32 {%r2, %r3}, [%rd1]; mov.b64 %rd4, {%r2, %r3}; st.u32 [%rd4], %r1;") ==
        "unknown");
  CHECK(targets_of("ld.param.u64 %rd4, [p+4]; st.u32 [%rd4], %r1;") == "unknown");
}

TEST_CASE("stores to shared, local and module variables lead to no parameter") {
  CHECK(targets_of("st.local.u64 [kept], %rd1; st.global.u64 [pointer], %rd1;") == "...");
}

}  // namespace store_targets_test
