// Calls at run time: of recursive functions, and through pointers. Other calls are inlined earlier
// (inline_calls.hpp).
//
// Every function has its own registers in the warp's file. A call saves only the caller's registers that are
// live after it, on the stack, and only if the caller can be active more than once (that is, unless it is the
// kernel). The stack is local memory; a function's frame holds its results and parameters, its variables, and
// the registers that it saves. Return addresses are joins (divergence.hpp), which stray stores cannot reach.
// Lanes that call different functions through one instruction run one function after another and meet after
// the call.
#pragma once

#include <cstdint>

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// Bytes that a saved register takes on each thread's stack.
std::uint32_t saved_bytes(const RegisterPlace& place);

/// Frames start at multiples of this, bytes.
inline constexpr std::uint32_t kFrameAlignment = 16;

/// The start of the addresses of functions, which are not addresses of memory.
inline constexpr std::uint64_t kFunctionWindow = std::uint64_t{1} << 57U;
/// The address of function number `index` of a module.
constexpr std::uint64_t callable_address(std::uint64_t callables_start, std::size_t index) {
  return callables_start + (index + 1) * 16;
}

namespace control {

/// call: Decoded::extra is the call site; a is the register with the address. A return point and a join
/// follow it.
const Decoded* call(Warp& warp, const Decoded& d);
const Decoded* return_point(Warp& warp, const Decoded& d);
/// ret in a function.
const Decoded* leave_function(Warp& warp, const Decoded& d);

}  // namespace control
}  // namespace vgpu::exec
