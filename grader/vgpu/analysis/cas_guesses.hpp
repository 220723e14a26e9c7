// Loads that only guess. A loop around atomicCAS starts with what it takes to be the word's value:
//
//   int old = *word, assumed;
//   do { assumed = old; old = atomicCAS(word, assumed, f(assumed)); } while (assumed != old);
//
// That load may be plain: the atomic operation stores nothing unless the word still holds the value. The CUDA
// Programming Guide writes it so, and cuda_bf16.hpp does. Covered by tests/vgpu/cas_guesses_test.cpp.
#pragma once

#include <vector>

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// By instruction: loads of a value that an atom.cas on the same word compares with. It may have been copied,
/// packed, converted or passed to an inlined function on its way, but not computed with. Takes time about
/// linear in the function's length.
std::vector<bool> cas_guesses(const ptx::Function& function);

}  // namespace vgpu::exec
