// Converts values between float and the 32-bit words that the student's function reads and writes.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/job.hpp"

namespace grader::harness {

/// For i32, NaN and values far beyond its range become poison.
std::uint32_t word_of(float value, Element element);
/// word_of() each value.
Words encoded(const std::vector<float>& values, Element element);
/// Whether the bits are those of poison: of an output that nothing has written. All bits set on a real GPU,
/// the words of vgpu/state/unwritten.hpp elsewhere. As integers they are large numbers, -1 and -2.
bool is_poison(float value);
/// Poison keeps its bits.
std::vector<float> decoded(const Words& words, Element element);

}  // namespace grader::harness
