// Loads that the compiler has moved before their condition. nvcc compiles `if (t == 0 && count > 0)
// use(count)`, with a variable in shared memory, to
//
//   setp.ne.s32 %p1, %t, 0;
//   ld.shared.u32 %r1, [count];  // in all lanes
//   setp.eq.s32 %p2, %r1, 0;
//   or.pred %p3, %p1, %p2;
//   @%p3 bra END;
//
// In the program only lanes for which %p1 does not hold read the variable: for the others the load is no
// access that could race, or read memory without a value. Covered by tests/vgpu/speculated_loads_test.cpp.
#pragma once

#include <cstdint>
#include <map>

#include "vgpu/ptx/module.hpp"

namespace vgpu::exec {

/// The lanes that need the value of a load: those for which the predicate register, which has its value
/// before the load, holds or does not.
struct Readers {
  ptx::Register predicate;
  bool if_holds = false;

  bool operator==(const Readers&) const = default;
};

/// By instruction, plain loads from shared or global memory whose value all other lanes ignore. Only for
/// registers that are written once, as in nvcc's code. Takes time about linear in the function's length.
std::map<std::uint32_t, Readers> speculated_loads(const ptx::Function& function);

}  // namespace vgpu::exec
