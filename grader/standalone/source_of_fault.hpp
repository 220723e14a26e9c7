// The text of the file that a fault's line is in.
#pragma once

#include <string>

#include "judge/judge.hpp"
#include "vgpu/facts/fault.hpp"

namespace grader {

/// Of any file that a compiler named.
SourceText source_text(const std::string& file);

/// Without lines when the file cannot be read: it may have been compiled elsewhere.
SourceText source_of(const vgpu::Fault& fault);

}  // namespace grader
