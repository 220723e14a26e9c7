#include "vgpu/builtins/device_functions.hpp"

#include <fmt/format.h>

#include "vgpu/analysis/unsupported.hpp"
#include "vgpu/builtins/call_arguments.hpp"
#include "vgpu/builtins/device_heap.hpp"
#include "vgpu/builtins/math_functions.hpp"
#include "vgpu/builtins/print_format.hpp"
#include "vgpu/state/warp.hpp"

namespace vgpu::exec {
namespace {

constexpr std::size_t kMaxTextBytes = 4096;

/// Reads `size` bytes at a generic address of a lane, as the block sees them; false if they are not in
/// memory.
bool read_generic(const Warp& warp, int lane, std::uint64_t address, void* to, std::size_t size) {
  const Core& core = *warp.core;
  const auto copy_from = [&](std::uint64_t offset, std::uint64_t limit, const std::byte* memory) {
    if (size > limit || offset > limit - size) return false;
    std::memcpy(to, memory + offset, size);
    return true;
  };
  if (address - kLocalWindow < kWindowBytes) {
    return copy_from(address - kLocalWindow, core.launch->local_bytes, warp.local_of(lane));
  }
  if (address - kSharedWindow < kWindowBytes) {
    return copy_from(address - kSharedWindow, core.launch->shared_bytes, core.shared);
  }
  const std::byte* memory = core.memory->host(address, size);
  if (memory == nullptr) return false;
  if (core.view != nullptr) {
    core.view->load(address, memory, static_cast<std::byte*>(to), size);
  } else {
    std::memcpy(to, memory, size);
  }
  return true;
}

/// A zero-terminated text; cut at kMaxTextBytes or where memory ends.
std::string read_text(const Warp& warp, int lane, std::uint64_t address) {
  std::string text;
  char next = 0;
  while (text.size() < kMaxTextBytes && read_generic(warp, lane, address + text.size(), &next, 1) &&
         next != '\0') {
    text += next;
  }
  return text;
}

const Decoded* print(Warp& warp, const Decoded& d) {
  const auto& at = places(warp, d);
  Core& core = *warp.core;
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::string format = read_text(warp, lane, read_local<std::uint64_t>(warp, lane, at[1]));
    const auto arguments = read_local<std::uint64_t>(warp, lane, at[2]);
    const PrintArguments read{[&](std::uint64_t offset, void* to, std::size_t size) {
                                return read_generic(warp, lane, arguments + offset, to, size);
                              },
                              [&](std::uint64_t address) { return read_text(warp, lane, address); }};
    const PrintResult printed = print_format(format, read);
    if (core.printed.size() + printed.text.size() <= core.launch->printf_bytes) core.printed += printed.text;
    write_local(warp, lane, at[0], std::int32_t{printed.conversions});
  }
  return &d + 1;
}

/// __assertfail(message, file, line, function, character size)
const Decoded* fail_assertion(Warp& warp, const Decoded& d) {
  const auto& at = places(warp, d);
  const int lane = warp.first_lane();
  raise(warp, d, FaultKind::trap, lane, warp.active);
  warp.core->fault.detail = fmt::format("assertion `{}` failed at {}:{} in {}",
                                        read_text(warp, lane, read_local<std::uint64_t>(warp, lane, at[1])),
                                        read_text(warp, lane, read_local<std::uint64_t>(warp, lane, at[2])),
                                        read_local<std::uint32_t>(warp, lane, at[3]),
                                        read_text(warp, lane, read_local<std::uint64_t>(warp, lane, at[4])));
  return nullptr;
}

/// A function of libdevice; the list is {result, arguments…, function}.
const Decoded* compute(Warp& warp, const Decoded& d) {
  const auto& at = places(warp, d);
  const MathFunction& function = math_function_at(at.back());
  const auto argument = [&](int lane, std::size_t i) -> double {
    return function.is_float ? read_local<float>(warp, lane, at[i]) : read_local<double>(warp, lane, at[i]);
  };
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const double result = function.unary != nullptr ? function.unary(argument(lane, 1))
                                                    : function.binary(argument(lane, 1), argument(lane, 2));
    if (function.is_float) {
      write_local(warp, lane, at[0], static_cast<float>(result));
    } else {
      write_local(warp, lane, at[0], result);
    }
  }
  return &d + 1;
}

std::vector<std::uint32_t> offsets_of(const ptx::Operand& list, const Layout& frame) {
  std::vector<std::uint32_t> offsets;
  const auto* vector = std::get_if<ptx::Vector>(&list.value);
  if (vector == nullptr) return offsets;
  for (const ptx::Operand& element : vector->elements) {
    const auto* symbol = std::get_if<ptx::Symbol>(&element.value);
    if (symbol == nullptr || !frame.offsets.contains(symbol->name))
      throw Unsupported{"passes an operand that is not a parameter"};
    offsets.push_back(static_cast<std::uint32_t>(frame.offsets.at(symbol->name)));
  }
  return offsets;
}

}  // namespace

DeviceCall device_call(const ptx::Instruction& instruction, const Layout& frame) {
  const auto& list = instruction.operands;
  const auto* callee = list.size() > 1 ? std::get_if<ptx::Symbol>(&list[1].value) : nullptr;
  if (callee == nullptr) throw Unsupported{"calls a function through a pointer"};
  auto offsets = offsets_of(list[0], frame);
  if (offsets.empty()) offsets.push_back(kNowhere);
  for (const std::uint32_t argument : offsets_of(list.size() > 2 ? list[2] : ptx::Operand{}, frame)) {
    offsets.push_back(argument);
  }
  if (callee->name == "vprintf" && offsets.size() == 3) return {print, std::move(offsets)};
  if (callee->name == "__assertfail" && offsets.size() >= 5) return {fail_assertion, std::move(offsets)};
  if (callee->name == "malloc" && offsets.size() == 2) return {allocate_on_heap, std::move(offsets), true};
  if (callee->name == "free" && offsets.size() == 2) return {free_on_heap, std::move(offsets), true};
  const MathFunction* function = math_function(callee->name);
  if (function != nullptr && offsets.size() == function->arity() + 1) {
    offsets.push_back(math_function_index(*function));
    return {compute, std::move(offsets)};
  }
  throw Unsupported{fmt::format("calls {}", callee->name)};
}

}  // namespace vgpu::exec
