// Calls that happen while a kernel runs: of functions that recurse, and through pointers. Other calls are
// inlined before (inline_calls.hpp).
//
// Every function has registers of its own in the warp's file, so a call costs only what the caller keeps in
// them: what is live behind the call goes to the stack when the caller may be running more than once (that
// is, unless it is the kernel). The stack is local memory; a function's frame holds its results and
// parameters, its variables, and the registers it saves. Return addresses are joins (divergence.hpp), out of
// the reach of stray stores. Lanes that call different functions through one instruction run one function
// after another and meet behind the call.
#pragma once

#include <cstdint>

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// Of a register that a call saves, on a thread's stack.
std::uint32_t saved_bytes(const RegisterPlace& place);

/// Frames start at multiples of this, bytes.
inline constexpr std::uint32_t kFrameAlignment = 16;

/// What pointers to functions look like: no address of memory.
inline constexpr std::uint64_t kFunctionWindow = std::uint64_t{1} << 57U;
/// Of function number `index` of a module.
constexpr std::uint64_t callable_address(std::uint64_t callables_start, std::size_t index) {
  return callables_start + (index + 1) * 16;
}

namespace control {

/// call: Decoded::extra is a call site; a, the register with the address. A return point, then a join,
/// follow.
const Decoded* call(Warp& warp, const Decoded& d);
const Decoded* return_point(Warp& warp, const Decoded& d);
/// ret of a function.
const Decoded* leave_function(Warp& warp, const Decoded& d);

}  // namespace control
}  // namespace vgpu::exec
