// Copies and fills arrays in host memory. On a real GPU, large ones on several threads: a measurement does it
// before and after each of its calls.
#pragma once

#include <cstddef>

namespace grader::harness {

void copy_on_host(void* to, const void* from, std::size_t bytes);
/// With the contents of memory that was never written (vgpu/state/unwritten.hpp).
void fill_unwritten_on_host(void* to, std::size_t bytes);

}  // namespace grader::harness
