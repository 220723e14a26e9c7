#include "vgpu/cudart/client/kernels/registry.hpp"

#include <cstring>

namespace vgpu::cudart::client {
namespace {

/// The argument of __cudaRegisterFatBinary in the compiler's host code (CUDA's fatbinary_section.h).
struct FatBinaryWrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const std::byte* data;
  const void* filename_or_fatbins;
};
constexpr std::uint32_t kWrapperMagic = 0x466243b1;
constexpr std::uint32_t kPlainWrapperVersion = 1;

/// The head of a fat binary; `files_bytes` of members follow its `header_bytes`.
struct FatBinaryHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t files_bytes;
};
constexpr std::uint32_t kFatBinaryMagic = 0xba55ed50;

/// Whether a byte can be part of PTX text: NUL and other control characters cannot.
bool is_text(char c) { return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// clang before 16 writes a NUL after PTX text. Newer versions write none: if zeros for alignment do not
/// follow, the next section does. With GNU's linker and with lld it begins with the version of .eh_frame_hdr,
/// 0x01.
std::size_t text_size(const char* text) {
  std::size_t size = 0;
  while (size < kMaxImageBytes && is_text(text[size])) ++size;
  return size;
}

/// The image is part of the program's own constant data, so its header is trusted.
std::size_t image_size(const std::byte* image) {
  FatBinaryHeader header;
  const auto* text = reinterpret_cast<const char*>(image);
  // A text can be shorter than a header. The magic number of a header begins with the byte 0x50, which no
  // directive or comment of PTX begins with.
  if (strnlen(text, sizeof header) == sizeof header || std::to_integer<int>(image[0]) == 0x50) {
    std::memcpy(&header, image, sizeof header);
    if (header.magic == kFatBinaryMagic) return header.header_bytes + header.files_bytes;
  }
  return text_size(text);
}

}  // namespace

FatBinary* Registry::add_binary(const void* wrapper) {
  auto binary = std::make_unique<FatBinary>();
  FatBinaryWrapper found;
  std::memcpy(&found, wrapper, sizeof found);
  if (found.magic == kWrapperMagic && found.version == kPlainWrapperVersion) {
    binary->image = found.data;
    binary->size_bytes = image_size(found.data);
  }
  FatBinary* handle = binary.get();
  binaries_[handle] = std::move(binary);
  return handle;
}

void Registry::remove_binary(const FatBinary* binary) {
  std::erase_if(kernels_, [binary](const auto& entry) { return entry.second.binary == binary; });
  std::erase_if(variables_, [binary](const auto& entry) { return entry.second.binary == binary; });
  binaries_.erase(binary);
}

void Registry::add_kernel(FatBinary* binary, const void* host_function, std::string name) {
  kernels_[host_function] = Kernel{binary, std::move(name), {}, 0};
}

void Registry::add_variable(FatBinary* binary, const void* host_variable, std::string name) {
  variables_[host_variable] = Variable{binary, std::move(name), {}};
}

Kernel* Registry::find_kernel(const void* host_function) {
  const auto found = kernels_.find(host_function);
  return found == kernels_.end() ? nullptr : &found->second;
}

Variable* Registry::find_variable(const void* host_variable) {
  const auto found = variables_.find(host_variable);
  return found == variables_.end() ? nullptr : &found->second;
}

void Registry::forget_device() {
  for (auto& [_, binary] : binaries_) binary->module.reset();
  for (auto& [_, kernel] : kernels_) {
    kernel.facts.reset();
    kernel.allowed_dynamic_shared_bytes = 0;
  }
  for (auto& [_, variable] : variables_) variable.range.reset();
}

}  // namespace vgpu::cudart::client
