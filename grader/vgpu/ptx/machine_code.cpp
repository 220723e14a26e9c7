// Machine code is an ELF file. Its section .nv.info is a list of attributes, numbers little-endian:
//
//   0  u8 format    1  u8 attribute    2  u16 value, or (format 4) bytes that follow
//
// Attribute 0x2f (EIATTR_REGCOUNT, as cuobjdump spells it) has format 4 and two numbers: the index of a
// function in the symbol table and its registers per thread.
#include "vgpu/ptx/machine_code.hpp"

#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include <elf.h>

#include "vgpu/ptx/fat_binary.hpp"

namespace vgpu::ptx {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint8_t kFormatSized = 4;
constexpr std::uint8_t kRegisterCount = 0x2f;

template <class T>
std::optional<T> read(Bytes bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Empty if the section is not inside the file.
Bytes content(Bytes file, const Elf64_Shdr& section) {
  if (section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset) return {};
  return file.subspan(section.sh_offset, section.sh_size);
}

std::string_view text_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest(reinterpret_cast<const char*>(strings.data()) + offset,
                              strings.size() - offset);
  return rest.substr(0, rest.find('\0'));
}

struct Elf {
  Bytes file;
  std::vector<Elf64_Shdr> sections;
  Bytes section_names;

  const Elf64_Shdr* of_type(std::uint32_t type) const {
    for (const Elf64_Shdr& section : sections)
      if (section.sh_type == type) return &section;
    return nullptr;
  }
  const Elf64_Shdr* named(std::string_view name) const {
    for (const Elf64_Shdr& section : sections)
      if (text_at(section_names, section.sh_name) == name) return &section;
    return nullptr;
  }
};

std::optional<Elf> elf_of(Bytes file) {
  const auto header = read<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr))
    return std::nullopt;
  Elf elf{.file = file, .sections = {}, .section_names = {}};
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = read<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return std::nullopt;
    elf.sections.push_back(*section);
  }
  if (header->e_shstrndx >= elf.sections.size()) return std::nullopt;
  elf.section_names = content(file, elf.sections[header->e_shstrndx]);
  return elf;
}

}  // namespace

std::map<std::string, std::uint32_t> register_counts(std::span<const std::byte> image) {
  std::map<std::string, std::uint32_t> counts;
  const std::string code = extract_machine_code(image);
  const auto elf = elf_of(std::as_bytes(std::span(code)));
  const Elf64_Shdr* attributes = elf ? elf->named(".nv.info") : nullptr;
  const Elf64_Shdr* symbols = elf ? elf->of_type(SHT_SYMTAB) : nullptr;
  if (attributes == nullptr || symbols == nullptr || symbols->sh_link >= elf->sections.size()) return counts;
  const Bytes names = content(elf->file, elf->sections[symbols->sh_link]);
  const Bytes table = content(elf->file, *symbols);
  const Bytes list = content(elf->file, *attributes);
  for (std::size_t at = 0; at + 4 <= list.size();) {
    const auto format = read<std::uint8_t>(list, at);
    const auto attribute = read<std::uint8_t>(list, at + 1);
    const auto size = read<std::uint16_t>(list, at + 2);
    const auto symbol = read<std::uint32_t>(list, at + 4);
    const auto registers = read<std::uint32_t>(list, at + 8);
    if (format == kFormatSized && attribute == kRegisterCount && symbol && registers) {
      const auto function = read<Elf64_Sym>(table, std::uint64_t{*symbol} * sizeof(Elf64_Sym));
      if (function) counts.emplace(text_at(names, function->st_name), *registers);
    }
    at += 4 + (format == kFormatSized ? *size : 0);
  }
  return counts;
}

}  // namespace vgpu::ptx
