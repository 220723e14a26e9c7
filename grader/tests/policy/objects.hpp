// Small objects, assembled by hand, so that these tests need no compiler.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <elf.h>

namespace testing {

inline std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// Builds an object with one code section.
class ObjectMaker {
 public:
  std::string code = std::string("\x90\x90\x90\x90\xc3", 5);
  std::uint64_t code_flags = SHF_ALLOC | SHF_EXECINSTR;

  /// Adds a symbol in the code section; returns its number.
  std::size_t define(const std::string& name, unsigned char binding = STB_GLOBAL,
                     unsigned char type = STT_FUNC) {
    return add(name, binding, type, 1, code.size());
  }
  std::size_t import(const std::string& name) { return add(name, STB_GLOBAL, STT_NOTYPE, SHN_UNDEF, 0); }
  /// Adds a reference from the code to the symbol.
  void use(std::size_t symbol) { relocations_.push_back({1, ELF64_R_INFO(symbol, R_X86_64_PLT32), 0}); }
  /// Adds a reference from the code to its own byte at this offset: a direct call.
  void use_code(std::int64_t offset) {
    relocations_.push_back({1, ELF64_R_INFO(define("", STB_LOCAL, STT_SECTION), R_X86_64_PLT32), offset - 4});
  }
  /// Adds a list of functions that run when the program is loaded.
  void list_initialiser(std::size_t symbol) {
    initialisers_.push_back({0, ELF64_R_INFO(symbol, R_X86_64_64), 0});
  }

  std::string make() const {
    std::vector<std::string> contents{"",
                                      code,
                                      records(relocations_),
                                      std::string(8 * initialisers_.size(), '\0'),
                                      records(initialisers_),
                                      records(symbols_),
                                      names_,
                                      kSections};
    std::vector<Elf64_Shdr> headers(contents.size());
    const std::size_t kinds[] = {SHT_NULL, SHT_PROGBITS, SHT_RELA,   SHT_INIT_ARRAY,
                                 SHT_RELA, SHT_SYMTAB,   SHT_STRTAB, SHT_STRTAB};
    const std::size_t name_of[] = {0, 1, 7, 18, 30, 47, 55, 63};
    std::string file(sizeof(Elf64_Ehdr), '\0');
    for (std::size_t i = 0; i < contents.size(); ++i) {
      headers[i].sh_type = static_cast<Elf64_Word>(kinds[i]);
      headers[i].sh_name = static_cast<Elf64_Word>(name_of[i]);
      headers[i].sh_offset = file.size();
      headers[i].sh_size = contents[i].size();
      file += contents[i];
    }
    headers[1].sh_flags = code_flags;
    headers[3].sh_flags = SHF_ALLOC | SHF_WRITE;
    headers[2].sh_info = 1, headers[4].sh_info = 3;
    headers[2].sh_link = headers[4].sh_link = 5;
    headers[2].sh_entsize = headers[4].sh_entsize = sizeof(Elf64_Rela);
    headers[5].sh_link = 6, headers[5].sh_entsize = sizeof(Elf64_Sym);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64, header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_REL, header.e_machine = EM_X86_64;
    header.e_shoff = file.size(), header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(headers.size()), header.e_shstrndx = 7;
    std::memcpy(file.data(), &header, sizeof header);
    return file + records(headers);
  }

 private:
  inline static const std::string kSections =
      std::string("\0.text\0.rela.text\0.init_array\0.rela.init_array\0.symtab\0.strtab\0.shstrtab\0", 73);

  template <class T>
  static std::string records(const std::vector<T>& all) {
    return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(T)};
  }

  std::size_t add(const std::string& name, unsigned char binding, unsigned char type, Elf64_Half section,
                  std::size_t size) {
    Elf64_Sym one{};
    one.st_name = static_cast<Elf64_Word>(names_.size());
    one.st_info = ELF64_ST_INFO(binding, type);
    one.st_shndx = section, one.st_size = size;
    symbols_.push_back(one);
    names_ += name + '\0';
    return symbols_.size() - 1;
  }

  std::string names_ = std::string(1, '\0');
  std::vector<Elf64_Sym> symbols_{Elf64_Sym{}};
  std::vector<Elf64_Rela> relocations_, initialisers_;
};

inline std::string small_object() {
  ObjectMaker maker;
  maker.define("entry");
  maker.use(maker.import("fopen"));
  maker.list_initialiser(maker.define("early", STB_LOCAL));
  return maker.make();
}

}  // namespace testing
