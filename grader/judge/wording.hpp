// Small texts that diagnostics share. Names and messages come from hostile files: they are cut and cleaned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "judge/judge.hpp"
#include "vgpu/facts/dim3.hpp"

namespace grader {

/// Control characters become spaces; at most 200 bytes, ended by "…" when cut.
std::string cleaned(std::string_view text);

/// "tiled_kernel" from "_Z12tiled_kernelPKfS0_Pfiii": the last name of an Itanium-mangled one; also of a
/// kernel's own variable, "tile" from "_ZZ12tiled_kernelPKfE4tile". Anything else stays as it is. (The
/// library's demangler is not made for hostile input.)
std::string kernel_name(std::string_view mangled);

std::string dimensions(const vgpu::Dim3& extent);  ///< "(4, 1, 1)"
std::string thread_place(const vgpu::Dim3& block,
                         const vgpu::Dim3& thread);               ///< "block (4, 0, 0), thread (0, 0, 0)"
std::string counted(std::uint64_t count, std::string_view noun);  ///< "1 thread", "3 threads"

/// Sets `where` and, for a line of the student's own file, `source_line`. `file` is as the compiler named it.
void locate(Diagnostic& diagnostic, std::string_view file, std::uint32_t line, const SourceText& source);

}  // namespace grader
