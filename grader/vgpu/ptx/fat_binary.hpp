// Finds the PTX text in what a compiler embeds in a host object: a fat binary (plain, LZ4 or zstd members) or
// raw PTX. Layout: magic 0xBA55ED50, version, header size, then members, each with a header of its own
// (fat_binary.cpp).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/expected.hpp"

namespace vgpu::ptx {

/// Bytes that an image spans: what a fat binary's header says, the characters of raw PTX before its NUL. 0 if
/// it is neither, or larger than `limit`. Reads no further than that, so the caller need not know how long
/// the memory is; an image has at least 4 readable bytes, a fat binary 16.
std::size_t image_size(const std::byte* image, std::size_t limit);

/// The PTX text of the member with the highest architecture. The error says what was found instead
/// ("holds machine code for sm_90 only; compile with code=compute_80").
/// Refuses members that unpack to more than 64 MiB.
grader::Expected<std::string, std::string> extract_ptx(std::span<const std::byte> image);

/// The machine code (an ELF file) of the member with the highest architecture; empty if there is none that
/// unpacks.
std::string extract_machine_code(std::span<const std::byte> image);

}  // namespace vgpu::ptx
