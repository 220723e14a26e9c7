// Which bytes of its parameters a kernel can read.
#include "vgpu/analysis/parameter_use.hpp"

#include <string>

#include "catch.hpp"

namespace parameter_use_test {

namespace {

/// "1111...." for a kernel with an 8-byte structure, and an integer.
std::string read_by(const std::string& body) {
  const auto module = vgpu::ptx::parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .align 4 .b8 s[8], .param .u32 n) {\n"
      ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .b16 %rs<9>;\n" +
      body + "ret;\n}\n");
  REQUIRE(module);
  std::string text;
  for (const bool one : vgpu::exec::read_parameter_bytes(module->functions.at(0))) text += one ? '1' : '.';
  return text;
}

}  // namespace

TEST_CASE("loads at fixed offsets read their bytes only") {
  CHECK(read_by("") == "............");
  CHECK(read_by("ld.param.u32 %r1, [n];") == "........1111");
  CHECK(read_by("ld.param.u8 %rs1, [s+4];") == "....1.......");
  CHECK(read_by("ld.param.v2.u32 {%r1, %r2}, [s]; add.u32 %r1, %r1, %r2;") == "11111111....");
  CHECK(read_by("ld.param.v2.u32 {%r1, %r2}, [s]; add.u32 %r3, %r2, 1;") == "....1111....");
}

TEST_CASE("a kernel that takes the address of a parameter can read all of it") {
  CHECK(read_by("mov.b64 %rd1, s;") == "11111111....");
}

}  // namespace parameter_use_test
