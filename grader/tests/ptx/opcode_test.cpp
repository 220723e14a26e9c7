// The table of opcodes.

#include "vgpu/ptx/opcode.hpp"

#include "ptx/ptx_text.hpp"

using namespace vgpu::ptx;
using testing::kernel;

TEST_CASE("every row of the table is found by its spelling") {
  for (std::size_t i = 1; i < kOpcodes.size(); ++i)
    CHECK(opcode_named(kOpcodes[i].spelling) == Opcode{static_cast<std::uint8_t>(i)});
}

TEST_CASE("keywords of C++ are spelled as in PTX") {
  CHECK(opcode_named("and") == Opcode::and_);
  CHECK(traits_of(Opcode::xor_).spelling == "xor");
}

TEST_CASE("other words are unknown opcodes") {
  for (const std::string_view word : {"", "a", "and_", "l", "ldx", "LD", "zzz"})
    CHECK(opcode_named(word) == Opcode::unknown);
}

TEST_CASE("an instruction with an unknown opcode keeps its spelling") {
  const Function function = kernel("frobnicate.rn.f32 %f1, %f1;");
  CHECK(function.code.at(0).opcode == Opcode::unknown);
  CHECK(function.code.at(0).opcode_text() == "frobnicate");
  CHECK(function.code.at(0).spelled() == "frobnicate.rn.f32");
}
