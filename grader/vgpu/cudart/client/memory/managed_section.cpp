#include "vgpu/cudart/client/memory/managed_section.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

namespace vgpu::cudart::client {
namespace {

constexpr const char* kSection = "kit_managed";

/// Addresses in the program; empty (start == end) if the file has no such section.
struct AddressRange {
  std::uint64_t start = 0, end = 0;
};

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T* to, std::size_t count) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(
      file.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T))));
}

AddressRange managed_section_of(const std::string& path, std::uint64_t load_offset) {
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) header{};
  if (!read_at(file, 0, &header, 1) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  std::vector<ElfW(Shdr)> sections(header.e_shnum);
  if (!read_at(file, header.e_shoff, sections.data(), sections.size())) return {};
  if (header.e_shstrndx >= sections.size()) return {};
  std::string names(sections[header.e_shstrndx].sh_size, '\0');
  if (!read_at(file, sections[header.e_shstrndx].sh_offset, names.data(), names.size())) return {};
  for (const ElfW(Shdr) & one : sections)
    if (one.sh_name < names.size() && std::strcmp(names.c_str() + one.sh_name, kSection) == 0)
      return {load_offset + one.sh_addr, load_offset + one.sh_addr + one.sh_size};
  return {};
}

}  // namespace

bool is_in_managed_section(const void* variable) {
  Dl_info place{};
  link_map* file = nullptr;
  if (::dladdr1(variable, &place, reinterpret_cast<void**>(&file), RTLD_DL_LINKMAP) == 0) return false;
  // A file registers its variables one after the other.
  static const link_map* latest_file = nullptr;
  static AddressRange latest;
  if (file != latest_file)
    latest = managed_section_of(*file->l_name == '\0' ? "/proc/self/exe" : file->l_name, file->l_addr);
  latest_file = file;
  const auto address = reinterpret_cast<std::uint64_t>(variable);
  return latest.start <= address && address < latest.end;
}

}  // namespace vgpu::cudart::client
