#include "vgpu/ptx/opcode.hpp"

#include <algorithm>

namespace vgpu::ptx {
namespace {

// The search below needs the order.
static_assert(std::is_sorted(kOpcodes.begin(), kOpcodes.end(),
                             [](const OpcodeTraits& a, const OpcodeTraits& b) {
                               return a.spelling < b.spelling;
                             }));

}  // namespace

Opcode opcode_named(std::string_view spelling) {
  const auto row = std::lower_bound(
      kOpcodes.begin(), kOpcodes.end(), spelling,
      [](const OpcodeTraits& traits, std::string_view wanted) { return traits.spelling < wanted; });
  if (row == kOpcodes.end() || row->spelling != spelling) return Opcode::unknown;
  return static_cast<Opcode>(row - kOpcodes.begin());
}

}  // namespace vgpu::ptx
