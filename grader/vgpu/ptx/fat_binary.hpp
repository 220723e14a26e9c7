// Finds the PTX text in what a compiler embeds in a host object: a fat binary (plain, LZ4 or zstd members) or
// raw PTX. Layout: magic 0xBA55ED50, version, header size, then members, each with a header of its own
// (fat_binary.cpp).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/expected.hpp"

namespace vgpu::ptx {

/// The size of an image in bytes: the size in a fat binary's header, or the number of characters of raw PTX
/// before its NUL. 0 if the image is neither, or larger than `limit`. Reads only the image itself, so the
/// caller need not know the size of the memory. An image has at least 4 readable bytes, a fat binary 16.
std::size_t image_size(const std::byte* image, std::size_t limit);

/// The PTX text of the member with the highest architecture. The error reports what was found instead
/// ("holds machine code for sm_90 only; compile with code=compute_80").
/// Refuses members that unpack to more than 64 MiB.
grader::Expected<std::string, std::string> extract_ptx(std::span<const std::byte> image);

/// The machine code (an ELF file) of the member with the highest architecture; empty if no member
/// unpacks.
std::string extract_machine_code(std::span<const std::byte> image);

}  // namespace vgpu::ptx
