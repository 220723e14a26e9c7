// Text helpers for diagnostics. Names and messages come from untrusted files, so they are shortened and
// cleaned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"
#include "vgpu/facts/dim3.hpp"

namespace grader {

/// Control characters become spaces; at most 200 bytes, ended by "…" when cut.
std::string cleaned(std::string_view text);

/// The last component of an Itanium-mangled name: "tiled_kernel" for "_Z12tiled_kernelPKfS0_Pfiii", and
/// "tile" for the kernel's variable "_ZZ12tiled_kernelPKfE4tile". Any other name is returned unchanged. (The
/// library's demangler is not safe for untrusted input.)
std::string kernel_name(std::string_view mangled);

/// "load.cu:12" for "/src/load.cu" and 12; "no line" for line 0.
std::string place_of(const std::string& file, std::uint32_t line);

/// "cudaErrorInvalidConfiguration (9)"; "CUDA error 12345" for an unknown number.
std::string error_name(int error);

std::string dimensions(const vgpu::Dim3& extent);  ///< "(4, 1, 1)"
std::string thread_place(const vgpu::Dim3& block,
                         const vgpu::Dim3& thread);               ///< "block (4, 0, 0), thread (0, 0, 0)"
std::string counted(std::uint64_t count, std::string_view noun);  ///< "1 thread", "3 threads"
/// Both with two digits, or with as many as show that they differ.
std::pair<std::string, std::string> numbers_told_apart(double a, double b);

/// Sets `where` and, for a line of the student's own file, `source_line`. `file`: the path that the compiler
/// recorded.
void locate(Diagnostic& diagnostic, std::string_view file, std::uint32_t line, const SourceText& source);

}  // namespace grader
