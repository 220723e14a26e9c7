#include "policy/elf_object.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>

#include <elf.h>
#include <fmt/format.h>

namespace grader::policy {
namespace {

using Bytes = std::span<const std::byte>;

/// The description of a malformed object; thrown and caught only in this file.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Bytes slice(Bytes file, std::uint64_t offset, std::uint64_t size, const char* what) {
  if (offset > file.size() || size > file.size() - offset)
    throw Malformed(fmt::format("{} is outside the file", what));
  return file.subspan(offset, size);
}

/// Copies the record, because data in the file can be misaligned.
template <class T>
T record_at(Bytes table, std::size_t index) {
  T record;
  std::memcpy(&record, slice(table, index * sizeof(T), sizeof(T), "a record").data(), sizeof(T));
  return record;
}

std::string_view text_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) throw Malformed("a name is outside its table");
  const char* first = reinterpret_cast<const char*>(strings.data()) + offset;
  const void* end = std::memchr(first, 0, strings.size() - offset);
  if (end == nullptr) throw Malformed("a name has no terminating zero");
  return {first, static_cast<std::size_t>(static_cast<const char*>(end) - first)};
}

Elf64_Ehdr header_of(Bytes file) {
  if (file.size() < sizeof(Elf64_Ehdr)) throw Malformed("the file is shorter than a header");
  const auto header = record_at<Elf64_Ehdr>(file, 0);
  const bool is_elf = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                      header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
  if (!is_elf || header.e_type != ET_REL || header.e_machine != EM_X86_64)
    throw Malformed("it is not a relocatable object for x86-64");
  // ELF stores section counts above 16 bits in another way, which no file of this size needs.
  if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
    throw Malformed("its section table is malformed");
  return header;
}

class Reader {
 public:
  explicit Reader(Bytes file) : file_(file), header_(header_of(file)) {}

  ElfObject read() {
    const Bytes table =
        slice(file_, header_.e_shoff, header_.e_shnum * sizeof(Elf64_Shdr), "the section table");
    for (std::size_t i = 0; i < header_.e_shnum; ++i) headers_.push_back(record_at<Elf64_Shdr>(table, i));
    const Bytes names = contents(header_.e_shstrndx);
    for (std::size_t i = 0; i < headers_.size(); ++i)
      object_.sections.push_back(
          {text_at(names, headers_[i].sh_name), headers_[i].sh_type, headers_[i].sh_flags, contents(i), {}});
    for (std::size_t i = 0; i < headers_.size(); ++i)
      if (headers_[i].sh_type == SHT_SYMTAB) read_symbols(i);
    if (!symbol_table_) throw Malformed("it has no symbols");
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      if (headers_[i].sh_type == SHT_RELA) read_relocations(i);
      // The x86-64 ABI has relocations with addends only. SHT_SYMTAB_SHNDX is for 65,280 sections and more.
      if (headers_[i].sh_type == SHT_REL || headers_[i].sh_type == SHT_SYMTAB_SHNDX)
        throw Malformed("it has a section of a type that compilers do not create");
    }
    return std::move(object_);
  }

 private:
  Bytes contents(std::size_t index) const {
    const Elf64_Shdr& one = headers_.at(index);
    // SHT_NOBITS, such as .bss, takes no space in the file (elf(5)).
    if (one.sh_type == SHT_NOBITS || one.sh_type == SHT_NULL) return {};
    return slice(file_, one.sh_offset, one.sh_size, "a section");
  }

  std::size_t records(std::size_t index, std::size_t size) const {
    const Elf64_Shdr& one = headers_[index];
    if (one.sh_entsize != size || one.sh_size % size != 0)
      throw Malformed("a table has records of an unexpected size");
    return one.sh_size / size;
  }

  void read_symbols(std::size_t index) {
    // An object has at most one section of type SHT_SYMTAB (System V gABI, "Sections").
    if (symbol_table_) throw Malformed("it has two symbol tables");
    symbol_table_ = index;
    if (headers_[index].sh_link >= headers_.size()) throw Malformed("its symbols have no names");
    const Bytes names = contents(headers_[index].sh_link), table = contents(index);
    const std::size_t count = records(index, sizeof(Elf64_Sym));
    if (count > kMaxSymbols) throw Malformed("it has too many symbols");
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = record_at<Elf64_Sym>(table, i);
      object_.symbols.push_back(
          {text_at(names, one.st_name), static_cast<unsigned char>(ELF64_ST_BIND(one.st_info)),
           static_cast<unsigned char>(ELF64_ST_TYPE(one.st_info)), home_of(one), one.st_value, one.st_size});
    }
  }

  std::size_t home_of(const Elf64_Sym& symbol) const {
    if (symbol.st_shndx == SHN_ABS || symbol.st_shndx == SHN_COMMON) return kNoSection;
    if (symbol.st_shndx >= headers_.size()) throw Malformed("a symbol is in no section");
    return symbol.st_shndx;
  }

  void read_relocations(std::size_t index) {
    const Elf64_Shdr& header = headers_[index];
    if (header.sh_info >= headers_.size() || header.sh_link != *symbol_table_)
      throw Malformed("a table of relocations belongs to no section");
    const Bytes table = contents(index);
    const std::size_t count = records(index, sizeof(Elf64_Rela));
    if ((relocations_ += count) > kMaxRelocations) throw Malformed("it has too many relocations");
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = record_at<Elf64_Rela>(table, i);
      const std::size_t symbol = ELF64_R_SYM(one.r_info);
      if (symbol >= object_.symbols.size()) throw Malformed("a relocation refers to no symbol");
      object_.sections[header.sh_info].relocations.push_back(
          {one.r_offset, static_cast<std::uint32_t>(ELF64_R_TYPE(one.r_info)), symbol, one.r_addend});
    }
  }

  Bytes file_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> headers_;
  std::optional<std::size_t> symbol_table_;
  std::size_t relocations_ = 0;
  ElfObject object_;
};

/// The number to add to symbol and addend to get the address that the operand refers to; nullopt: unknown.
std::optional<std::uint64_t> bias_of(const Relocation& relocation, bool is_in_code) {
  switch (relocation.type) {
    case R_X86_64_64:
    case R_X86_64_32:
    case R_X86_64_32S:
      return 0;
    // Relative to the end of the instruction, whose last four bytes are the operand. In data, such addresses
    // are relative to the start of a table that the relocation does not name.
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      return is_in_code ? std::optional<std::uint64_t>(4) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

const Symbol* ElfObject::function_at(std::size_t section, std::uint64_t offset) const {
  for (const Symbol& one : symbols) {
    if (one.section != section || one.type != STT_FUNC || one.name.empty() || one.name.ends_with(".cold"))
      continue;
    if (offset >= one.value && offset - one.value < std::max<std::uint64_t>(one.size, 1)) return &one;
  }
  return nullptr;
}

std::vector<std::vector<std::uint64_t>> ElfObject::referenced_offsets() const {
  std::vector<std::vector<std::uint64_t>> offsets(sections.size());
  for (const Section& user : sections) {
    if ((user.flags & SHF_ALLOC) == 0) continue;
    for (const Relocation& one : user.relocations) {
      const std::size_t section = symbols[one.symbol].section;
      const auto bias = bias_of(one, (user.flags & SHF_EXECINSTR) != 0);
      if (section == 0 || section == kNoSection || !bias) continue;
      offsets[section].push_back(symbols[one.symbol].value + static_cast<std::uint64_t>(one.addend) + *bias);
    }
  }
  return offsets;
}

Expected<ElfObject, std::string> read_elf_object(Bytes file) {
  try {
    return Reader(file).read();
  } catch (const Malformed& problem) {
    return Unexpected{std::string(problem.what())};
  }
}

}  // namespace grader::policy
