// What is said about two threads that use the same element of global memory in no defined order (WG-R04,
// WG-R05, WG-R10). Pure. Covered by tests/judge/findings_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "judge/judge.hpp"

namespace grader {

/// Atomic operations do not race with one another, so that a message must show which access is not atomic.
bool is_atomic_access(std::string_view instruction);
/// Of a race, of which `other` is known.
bool are_both_stores(const vgpu::Fault& race);
bool is_one_line(const vgpu::Fault& race);

/// An element that other threads change by atomic operations (`other`) is also written without: that line is
/// the mistake.
bool writes_next_to_atomics(const std::string& instruction, const std::string& other);

/// Sets code, title, cause and advice.
void describe_global_race(const vgpu::Fault& finding, const SourceText& source, Diagnostic& diagnostic);

}  // namespace grader
