// The register file of a program: gives every register, immediate and special register its place, and turns
// operands into offsets. Throws Unsupported for operands that an instruction cannot take.
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

/// Addresses of the variables that a kernel can name.
struct Symbols {
  const ModuleAddresses* module = nullptr;
  Layout shared, local, parameters;
  bool frame_moves = false;  ///< `local` counts from where the running call's frame starts, not from 0
};

/// Where each register lies, by Function::registers (registers.hpp).
struct RegisterPlaces {
  std::vector<std::uint32_t> offsets;
  std::uint32_t bytes = 0;
};

class Operands {
 public:
  Operands(const ptx::Function& function, const Symbols& symbols, const RegisterPlaces& places);

  /// A value to read; a predicate's may be negated, which the caller has to look at.
  std::uint32_t source(const ptx::Operand& operand, Lane lane);
  std::uint32_t destination(const ptx::Operand& operand, Lane lane) const;
  std::uint32_t register_at(const ptx::Register& reg, Lane lane) const;
  /// 4, 8, or 0 for a predicate.
  std::uint8_t lane_bytes(const ptx::Register& reg) const;
  /// A vector that holds `value` in every lane.
  std::uint32_t constant(std::uint64_t value, std::uint8_t lane_bytes);
  /// A vector of `lane_bytes` that holds the kernel parameter bytes at `offset`.
  std::uint32_t parameter(std::uint64_t offset, std::uint8_t bytes, bool is_signed, std::uint8_t lane_bytes);
  /// Vectors of 8 bytes a lane for what an instruction keeps between its own steps, by number.
  std::uint32_t scratch(std::size_t number = 0);
  /// Where a symbol lies in its own space; throws if it has no address that is known before it runs.
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

/// Bits of an immediate as a lane of this kind.
std::uint64_t immediate_bits(const ptx::Immediate& immediate, Lane lane);

std::uint8_t bytes_of(Lane lane);

}  // namespace vgpu::exec
