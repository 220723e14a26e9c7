// Loads whose value is only a guess. A loop around atomicCAS starts with an assumed value of the word:
//
//   int old = *word, assumed;
//   do { assumed = old; old = atomicCAS(word, assumed, f(assumed)); } while (assumed != old);
//
// That load can be plain: the atomic operation stores nothing unless the word still has the value. The CUDA
// Programming Guide and cuda_bf16.hpp use such loops. Covered by tests/vgpu/cas_guesses_test.cpp.
#pragma once

#include <vector>

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// By instruction: true for loads of a value that an atom.cas on the same word compares with. Between the
/// two, the value can be copied, packed, converted or passed to an inlined function, but not used in a
/// computation. Takes time about linear in the function's length.
std::vector<bool> cas_guesses(const ptx::Function& function);

}  // namespace vgpu::exec
