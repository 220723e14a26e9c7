// Reads a compiler's output, an ELF64 relocatable object for x86-64. The bytes are not trusted: every offset,
// size, index and name is checked against the file before it is used, and the first invalid one makes the
// whole object unreadable. Pure. Covered by tests/policy/elf_object_test.cpp. Source: System V ABI, chapters
// 4 and 5; <elf.h>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"

namespace grader::policy {

struct Relocation {
  std::uint64_t offset = 0;
  std::uint32_t type = 0;  ///< R_X86_64_…
  std::size_t symbol = 0;
  std::int64_t addend = 0;
};

/// The views refer to the bytes from which the object was read.
struct Section {
  std::string_view name;
  std::uint32_t type = 0;                 ///< SHT_…
  std::uint64_t flags = 0;                ///< SHF_…
  std::span<const std::byte> bytes;       ///< empty for SHT_NOBITS
  std::vector<Relocation> relocations{};  ///< those that patch this section
};

struct Symbol {
  std::string_view name;                ///< can be empty
  unsigned char binding = 0, type = 0;  ///< STB_…, STT_…
  std::size_t section = 0;              ///< 0: not defined here; kNoSection: absolute or common
  std::uint64_t value = 0, size = 0;

  bool is_import() const { return section == 0 && !name.empty(); }
};
inline constexpr std::size_t kNoSection = ~std::size_t{0};

struct ElfObject {
  std::vector<Section> sections;
  std::vector<Symbol> symbols;

  /// The function that contains the offset; nullptr if no symbol covers it.
  const Symbol* function_at(std::size_t section, std::uint64_t offset) const;
  /// For each section, the offsets whose addresses loaded code and data contain (a function's address, a jump
  /// table's entries), except those relative to data.
  std::vector<std::vector<std::uint64_t>> referenced_offsets() const;
};

/// Limits above the needs of any submission that keep the examination short; larger objects are refused.
inline constexpr std::size_t kMaxSymbols = 100'000;
inline constexpr std::size_t kMaxRelocations = 1'000'000;

/// The error is a clause that describes the first invalid part ("it has no symbols").
Expected<ElfObject, std::string> read_elf_object(std::span<const std::byte> file);

}  // namespace grader::policy
