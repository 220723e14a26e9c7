// The table of forms and the table of opcodes.

#include "vgpu/handlers/forms.hpp"

#include "catch.hpp"
#include "vgpu/ptx/opcode.hpp"

namespace forms_test {

TEST_CASE("the opcode of every form is in the table of opcodes") {
  for (const auto& [name, form] : vgpu::exec::forms()) {
    const std::string opcode = name.substr(0, name.find('.'));
    const bool is_from_decoder = opcode.starts_with("pack") || opcode.starts_with("unpack");
    if (is_from_decoder) continue;
    CAPTURE(name);
    CHECK(vgpu::ptx::opcode_named(opcode) != vgpu::ptx::Opcode::unknown);
  }
}

}  // namespace forms_test
