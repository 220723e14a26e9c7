// Register counts recorded by ptxas, in an ELF file built here and in nvcc's.

#include "vgpu/ptx/machine_code.hpp"

#include <regex>

#include <elf.h>

#include "ptx/fat_images.hpp"

using namespace vgpu::ptx;
using namespace testing;

namespace {

template <class T>
std::string bytes_in(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string register_attribute(std::uint32_t symbol, std::uint32_t registers) {
  return std::string("\x04\x2f\x08\x00", 4) + bytes_in(symbol) + bytes_in(registers);
}

/// Symbols 1 and 2 are `first` and `second`.
std::string machine_code(const std::string& attributes) {
  const std::string names("\0first\0second\0", 14);
  const std::string section_names("\0.nv.info\0", 10);
  std::string symbols(3 * sizeof(Elf64_Sym), '\0');
  put(symbols, sizeof(Elf64_Sym), Elf64_Word{1});
  put(symbols, 2 * sizeof(Elf64_Sym), Elf64_Word{7});

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  header.e_shstrndx = 0;
  std::string contents, table;
  const auto add = [&](Elf64_Word name, Elf64_Word type, Elf64_Word link, const std::string& content) {
    Elf64_Shdr section{};
    section.sh_name = name;
    section.sh_type = type;
    section.sh_link = link;
    section.sh_offset = sizeof header + contents.size();
    section.sh_size = content.size();
    contents += content;
    table += bytes_in(section);
  };
  add(0, SHT_STRTAB, 0, section_names);
  add(0, SHT_STRTAB, 0, names);
  add(0, SHT_SYMTAB, 1, symbols);
  add(1, SHT_PROGBITS, 0, attributes);
  header.e_shoff = sizeof header + contents.size();
  return bytes_in(header) + contents + table;
}

std::string image_of(const std::string& code, std::uint32_t architecture = 80) {
  return member({.kind = 2, .architecture = architecture, .payload = code});
}

using Counts = std::map<std::string, std::uint32_t>;

Counts counts_in(const std::string& image) { return register_counts(bytes_of(image)); }

const std::string kOther("\x03\x5f\x01\x00", 4);  // an attribute with its value in place

}  // namespace

TEST_CASE("registers are read by kernel, among other attributes") {
  const std::string code =
      machine_code(kOther + register_attribute(2, 40) + kOther + register_attribute(1, 255));
  CHECK(counts_in(fat_binary(image_of(code))) == Counts{{"first", 255}, {"second", 40}});
}

TEST_CASE("the machine code of the highest architecture is used, compressed or not") {
  const std::string old = image_of(machine_code(register_attribute(1, 10)), 75);
  MemberSpec zipped = packed(kZstd, machine_code(register_attribute(1, 20)));
  zipped.kind = 2;
  zipped.architecture = 90;
  CHECK(counts_in(fat_binary(old + member(zipped))) == Counts{{"first", 20}});
  CHECK(counts_in(fat_binary(member(zipped) + old)) == Counts{{"first", 20}});
}

TEST_CASE("without machine code no registers are known") {
  CHECK(counts_in(".version 7.5\n.target sm_80\n").empty());
  CHECK(counts_in(fat_binary(member(plain(80, ".version 7.5\n")))).empty());
  CHECK(counts_in(fat_binary(image_of("no ELF file"))).empty());
}

TEST_CASE("damaged machine code causes at most wrong numbers") {
  const std::string code = machine_code(kOther + register_attribute(1, 32) + register_attribute(9999, 32));
  CHECK(counts_in(fat_binary(image_of(code))) == Counts{{"first", 32}});
  for (std::size_t size = 0; size < code.size(); size += 3)
    counts_in(fat_binary(image_of(code.substr(0, size))));
  for (std::size_t i = 0; i < code.size(); ++i) {
    for (const char c : {'\0', '\x7f', '\xff'}) {
      std::string damaged = code;
      damaged[i] = c;
      CHECK(counts_in(fat_binary(image_of(damaged))).size() <= 2);
    }
  }
}

TEST_CASE("registers are those that ptxas prints", "[slow]") {
  const auto made = compiled("-gencode 'arch=compute_80,code=[sm_80,compute_80]' -Xptxas -v");
  if (!made) return;
  Counts expected;
  const std::regex entry("entry function '([^']+)'[^]*?Used ([0-9]+) registers");
  for (std::sregex_iterator at(made->messages.begin(), made->messages.end(), entry), end; at != end; ++at)
    expected[(*at)[1]] = static_cast<std::uint32_t>(std::stoul((*at)[2]));
  REQUIRE(expected.size() > 3);
  Counts found = counts_in(made->image);
  for (const auto& [kernel, registers] : expected) CHECK(found[kernel] == registers);
}
