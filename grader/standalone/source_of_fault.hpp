// The text of the source file in which a fault occurred.
#pragma once

#include <string>

#include "judge/judge.hpp"
#include "vgpu/facts/fault.hpp"

namespace grader {

/// The text of any file that a compiler named; without lines if the file cannot be read.
SourceText source_text(const std::string& file);

/// The text of the fault's file; without lines if it cannot be read, because it was compiled elsewhere.
SourceText source_of(const vgpu::Fault& fault);

}  // namespace grader
