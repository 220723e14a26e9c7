// A program's timeline in text: one row per stream and engine. Pure. Covered by
// tests/profile/timeline_text_test.cpp.
#pragma once

#include <string>

#include "report/terminal.hpp"
#include "vgpu/cudart/device_side/server.hpp"

namespace grader {

/// Empty if no operation took time.
std::string timeline_text(const vgpu::cudart::SessionReport& program, const Terminal& terminal);

}  // namespace grader
