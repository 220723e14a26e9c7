// Decoder: calls.
#include <fmt/format.h>

#include "vgpu/builtins/device_functions.hpp"
#include "vgpu/decode/decoder.hpp"
#include "vgpu/flow/calls.hpp"

namespace vgpu::exec {
namespace {

std::uint32_t rounded_up(std::uint32_t bytes) {
  return (bytes + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
}

}  // namespace

void Decoder::call(const ptx::Instruction& instruction, std::uint32_t index) {
  const ptx::Operand& callee = operand(instruction, 1);
  const auto* symbol = std::get_if<ptx::Symbol>(&callee.value);
  const auto* address = std::get_if<ptx::Register>(&callee.value);
  const auto known = symbol == nullptr ? calls_.callables->end() : calls_.callables->find(symbol->name);
  if (address == nullptr && known == calls_.callables->end()) {
    const DeviceCall call = device_call(instruction, operands_.symbols().local);
    if (call.needs_block_order) program_.needs_block_order = true;
    const std::uint32_t list = add_list(call.local_offsets);
    Decoded& d = emit(call.handler, InstructionClass::control);
    d.extra = list;
    return;
  }
  CallSite site = call_site(instruction, index);
  const std::uint32_t pointer = address == nullptr ? kNowhere : operands_.register_at(*address, Lane::b64);
  if (address == nullptr) {
    site.callee = known->second;
    const Callable& target = program_.callables[site.callee];
    if (target.results != site.passed_results || target.arguments != site.passed_arguments) {
      throw Unsupported{
          fmt::format("passes values that do not match the parameters or results of {}", target.name)};
    }
  }
  const auto number = static_cast<std::uint32_t>(program_.call_sites.size());
  program_.call_sites.push_back(std::move(site));
  Decoded& d = emit(control::call, InstructionClass::control);
  d.a = pointer;
  // Lanes can call different functions, one function at a time, like the targets of brx.idx.
  if (address != nullptr) program_.origins[origin_].branch = Origin::Branch::list;
  d.extra = number;
  Decoded& back = emit(control::return_point, InstructionClass::control);
  back.extra = number;
  back.counted_as = kUncountedClass;
  add_join(index);
}

CallSite Decoder::call_site(const ptx::Instruction& instruction, std::uint32_t index) {
  CallSite site;
  std::vector<ptx::Variable> passed;
  site.results = pass(operand(instruction, 0), passed);
  site.arguments = pass(operand(instruction, 2), passed);
  const Layout layout = lay_out(passed);
  for (std::size_t i = 0; i < passed.size(); ++i) {
    auto& slots = i < site.results.size() ? site.passed_results : site.passed_arguments;
    slots.push_back(
        {static_cast<std::uint32_t>(layout.starts[i]), static_cast<std::uint32_t>(passed[i].size_bytes)});
  }
  site.saved_at = static_cast<std::uint32_t>(operands_.symbols().local.bytes);
  site.frame_bytes = site.saved_at;
  if (calls_.self != nullptr) {
    site.frame_base = calls_.self->frame_base;
    site.saved = use_.live_after_call.at(index);
    for (const RegisterPlace& place : site.saved) site.frame_bytes += saved_bytes(place);
  }
  // No frame is empty, so that endless recursion exhausts the stack.
  site.frame_bytes = std::max(rounded_up(site.frame_bytes), kFrameAlignment);
  return site;
}

/// Returns the places of a list's variables in the caller's frame; adds the variables to `passed`.
std::vector<Callable::Slot> Decoder::pass(const ptx::Operand& list,
                                          std::vector<ptx::Variable>& passed) const {
  std::vector<Callable::Slot> slots;
  for (const ptx::Operand& element : std::get<ptx::Vector>(list.value).elements) {
    const auto* symbol = std::get_if<ptx::Symbol>(&element.value);
    const auto known = symbol == nullptr ? passable_.end() : passable_.find(symbol->name);
    if (known == passable_.end()) throw Unsupported{"passes a value that is not a .param variable"};
    const ptx::Variable* variable = known->second;
    slots.push_back({static_cast<std::uint32_t>(operands_.symbols().local.offsets.at(variable->name)),
                     static_cast<std::uint32_t>(variable->size_bytes)});
    passed.push_back(*variable);
  }
  return slots;
}

}  // namespace vgpu::exec
