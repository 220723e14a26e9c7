#include "vgpu/cudart/client/core/real_gpu_libraries.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <elf.h>
#include <link.h>

namespace vgpu::cudart::client {
namespace {

/// What the dynamic section of a program says about the functions that it takes from libraries.
struct Imports {
  std::span<const ElfW(Rela)> calls;  ///< through the procedure linkage table
  std::span<const ElfW(Rela)> data;   ///< function pointers, and calls of a program without that table
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
};

Imports imports_of(const dl_phdr_info& program) {
  Imports imports;
  const ElfW(Rela)* calls = nullptr, *data = nullptr;
  std::size_t call_bytes = 0, data_bytes = 0;
  const auto segments = std::span(program.dlpi_phdr, program.dlpi_phnum);
  const auto dynamic = std::find_if(segments.begin(), segments.end(),
                                    [](const ElfW(Phdr) & one) { return one.p_type == PT_DYNAMIC; });
  if (dynamic == segments.end()) return imports;
  // The loader of the GNU C library has already added the load address.
  const auto set = []<class T>(const T*& table, ElfW(Addr) address) {
    table = reinterpret_cast<const T*>(address);
  };
  for (auto* entry = reinterpret_cast<const ElfW(Dyn)*>(program.dlpi_addr + dynamic->p_vaddr);
       entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_SYMTAB:
        set(imports.symbols, entry->d_un.d_ptr);
        break;
      case DT_STRTAB:
        set(imports.names, entry->d_un.d_ptr);
        break;
      case DT_JMPREL:
        set(calls, entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        call_bytes = entry->d_un.d_val;
        break;
      case DT_RELA:
        set(data, entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        data_bytes = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  if (calls != nullptr) imports.calls = {calls, call_bytes / sizeof *calls};
  if (data != nullptr) imports.data = {data, data_bytes / sizeof *data};
  return imports;
}

void add_calls(const Imports& imports, std::span<const ElfW(Rela)> relocations,
               std::vector<RealGpuCall>& found) {
  if (imports.symbols == nullptr || imports.names == nullptr) return;
  for (const ElfW(Rela) & one : relocations) {
    const ElfW(Sym)& symbol = imports.symbols[ELF64_R_SYM(one.r_info)];
    if (symbol.st_shndx != SHN_UNDEF) continue;
    const std::string_view function = imports.names + symbol.st_name;
    const std::string_view library = real_gpu_library_of(function);
    const bool is_known = std::any_of(found.begin(), found.end(),
                                      [&](const RealGpuCall& call) { return call.library == library; });
    if (!library.empty() && !is_known) found.push_back({std::string(library), std::string(function)});
  }
}

}  // namespace

std::string_view real_gpu_library_of(std::string_view function) {
  struct Library {
    std::string_view prefix, name;
  };
  static constexpr auto kLibraries = std::to_array<Library>({{"cublas", "cuBLAS"},
                                                             {"cudnn", "cuDNN"},
                                                             {"cufft", "cuFFT"},
                                                             {"curand", "cuRAND"},
                                                             {"cusolver", "cuSOLVER"},
                                                             {"cusparse", "cuSPARSE"},
                                                             {"nccl", "NCCL"},
                                                             {"nppi", "NPP"},
                                                             {"npps", "NPP"},
                                                             {"nvrtc", "NVRTC"}});
  for (const Library& library : kLibraries)
    if (function.starts_with(library.prefix)) return library.name;
  return {};
}

std::vector<RealGpuCall> real_gpu_calls() {
  std::vector<RealGpuCall> found;
  const auto visit = [](dl_phdr_info* program, std::size_t, void* to) {
    const Imports imports = imports_of(*program);
    auto& calls = *static_cast<std::vector<RealGpuCall>*>(to);
    add_calls(imports, imports.calls, calls);
    add_calls(imports, imports.data, calls);
    return 1;  // the program itself is the first object
  };
  ::dl_iterate_phdr(visit, &found);
  return found;
}

}  // namespace vgpu::cudart::client
