// The access picture of one execution of a load or a store: 32 lanes against sectors of global memory, or
// against the banks of shared memory. Pure. Covered by tests/profile/access_test.cpp; goldens:
// tests/profile/golden/.
#pragma once

#include <string>

#include "profile/kernel_facts.hpp"
#include "report/terminal.hpp"

namespace grader {

/// "ld.global.f32 of `in` in mine.cu:12, block (0, 0, 0), warp 0: 32 sectors, 4 are enough".
std::string access_headline(const NamedAccess& site, const vgpu::RecordedAccess& access);

/// At most kTextSectors rows of sectors, or two tables of 16 banks.
std::string access_text(const NamedAccess& site, const vgpu::RecordedAccess& access,
                        const Terminal& terminal);
inline constexpr std::size_t kTextSectors = 16;

/// A complete SVG document.
std::string access_svg(const NamedAccess& site, const vgpu::RecordedAccess& access);

}  // namespace grader
