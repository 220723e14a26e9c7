// The table of forms and the table of opcodes.

#include "vgpu/handlers/forms.hpp"

#include "catch.hpp"
#include "vgpu/gpu.hpp"
#include "vgpu/ptx/module.hpp"
#include "vgpu/ptx/opcode.hpp"

namespace forms_test {

TEST_CASE("the opcode of every form is in the table of opcodes") {
  for (const auto& [name, form] : vgpu::exec::forms()) {
    const std::string opcode = name.substr(0, name.find('.'));
    const bool is_from_decoder = opcode.starts_with("pack") || opcode.starts_with("unpack");
    const bool is_of_experiments = opcode.starts_with("(");
    if (is_from_decoder || is_of_experiments) continue;
    CAPTURE(name);
    CHECK(vgpu::ptx::opcode_named(opcode) != vgpu::ptx::Opcode::unknown);
  }
}

TEST_CASE("no program can use the instructions of experiments") {
  const std::string step = ".reg .b32 %r<3>; (marked).b32 %r1, %r2, %r2, %r2; ret;";
  CHECK_FALSE(vgpu::ptx::parse(test::kernel_text("", step)));
}

}  // namespace forms_test
