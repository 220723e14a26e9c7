#include "vgpu/cost/flops.hpp"

#include <array>
#include <string_view>

#include "base/contains.hpp"
#include "vgpu/analysis/matrix_forms.hpp"
#include "vgpu/state/decoded.hpp"

namespace vgpu::exec {
namespace {

/// Floating-point numbers per operand of a lane; 0 for other types.
std::uint8_t floats_per_operand(const ptx::Instruction& instruction) {
  static constexpr std::array<std::string_view, 4> kSingle{"f32", "f64", "f16", "bf16"};
  static constexpr std::array<std::string_view, 3> kPacked{"f16x2", "bf16x2", "f32x2"};
  for (const std::string& modifier : instruction.modifiers) {
    if (grader::contains(kSingle, modifier)) return 1;
    if (grader::contains(kPacked, modifier)) return 2;
  }
  return 0;
}

}  // namespace

std::uint16_t flops_of(const ptx::Instruction& instruction) {
  if (const auto product = matrix_product_of(instruction)) {
    const MatrixShape& shape = product->shape;
    return static_cast<std::uint16_t>(
        product->is_of_integers() ? 0 : 2 * shape.m * shape.n * shape.k / kWarpLanes);
  }
  return static_cast<std::uint16_t>(instruction.traits().flops * floats_per_operand(instruction));
}

}  // namespace vgpu::exec
