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
/// Poison (calls.hpp) keeps its bits.
std::vector<float> decoded(const Words& words, Element element);

}  // namespace grader::harness
