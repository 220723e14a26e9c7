// The register file of a program: assigns a place to each register, immediate and special register, and maps
// operands to offsets. Throws Unsupported for operands that an instruction cannot have.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "vgpu/analysis/layout.hpp"
#include "vgpu/analysis/unsupported.hpp"
#include "vgpu/decode/decode.hpp"
#include "vgpu/state/form.hpp"

namespace vgpu::exec {

/// The addresses of the variables that a kernel can name.
struct Symbols {
  const ModuleAddresses* module = nullptr;
  Layout shared, local, parameters;
  bool frame_moves = false;  ///< offsets in `local` start at the running call's frame, not at 0
};

/// The place of each register, by Function::registers (registers.hpp).
struct RegisterPlaces {
  std::vector<std::uint32_t> offsets;
  std::uint32_t bytes = 0;
};

class Operands {
 public:
  Operands(const ptx::Function& function, const Symbols& symbols, const RegisterPlaces& places);

  /// The place of an operand to read. The caller handles the negation of predicates.
  std::uint32_t source(const ptx::Operand& operand, Lane lane);
  std::uint32_t destination(const ptx::Operand& operand, Lane lane) const;
  std::uint32_t register_at(const ptx::Register& reg, Lane lane) const;
  /// The place of the register with this index.
  std::uint32_t place_of(std::uint32_t index) const { return places_[index]; }
  /// 4, 8, or 0 for a predicate.
  std::uint8_t lane_bytes(const ptx::Register& reg) const;
  /// A vector with `value` in every lane.
  std::uint32_t constant(std::uint64_t value, std::uint8_t lane_bytes);
  /// A vector with `lane_bytes` per lane and the kernel parameter at `offset` in every lane.
  std::uint32_t parameter(std::uint64_t offset, std::uint8_t bytes, bool is_signed, std::uint8_t lane_bytes);
  /// Vector `number` of those that the steps of an instruction share; 8 bytes per lane.
  std::uint32_t scratch(std::size_t number = 0);
  /// The address of a symbol in its own space; throws if the address is not known before the program runs.
  std::uint64_t address_of(const std::string& symbol) const;

  const Symbols& symbols() const { return symbols_; }
  std::vector<Constant> take_constants() { return std::move(constants_); }
  std::uint32_t file_bytes() const { return bytes_; }

 private:
  std::uint32_t add(Constant constant);
  std::uint32_t special(const ptx::SpecialRegister& special, std::uint8_t lane_bytes);

  const ptx::Function& function_;
  const Symbols& symbols_;
  std::vector<std::uint32_t> places_;
  std::uint32_t bytes_;
  std::vector<std::uint32_t> scratch_;
  std::vector<Constant> constants_;
  std::map<
      std::tuple<Constant::Kind, std::uint8_t, std::uint8_t, bool, std::uint64_t, const SpecialRegister*>,
      std::uint32_t>
      known_;
};

/// The bits of an immediate in a lane of this kind.
std::uint64_t immediate_bits(const ptx::Immediate& immediate, Lane lane);

std::uint8_t bytes_of(Lane lane);

}  // namespace vgpu::exec
