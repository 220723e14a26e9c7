// Decoder: operands of texture fetches and surface accesses.
#include <span>

#include "vgpu/analysis/spelling.hpp"
#include "vgpu/decode/decoder.hpp"
#include "vgpu/handlers/texture_fetch.hpp"

namespace vgpu::exec {
namespace {

const ptx::Vector& vector_of(const ptx::Operand& operand) {
  const auto* vector = std::get_if<ptx::Vector>(&operand.value);
  if (vector == nullptr) throw Unsupported{"with operands that are not vectors"};
  return *vector;
}

/// The register of [%rd1, …].
const ptx::Register& handle_of(const ptx::Vector& from, const char* otherwise) {
  const auto* address = from.elements.empty() ? nullptr : std::get_if<ptx::Address>(&from.elements[0].value);
  const auto* handle = address == nullptr ? nullptr : std::get_if<ptx::Register>(&address->base);
  if (handle == nullptr || address->offset != 0) throw Unsupported{otherwise};
  return *handle;
}

/// The elements of {a, b}, or `a` itself.
std::span<const ptx::Operand> elements_of(const ptx::Operand& operand) {
  if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) return vector->elements;
  return {&operand, 1};
}

}  // namespace

/// tex.2d.v4.f32.f32 {r, g, b, a}, [object, {x, y}]; vectors of three coordinates have an unused
/// fourth element.
void Decoder::texture_fetch(Decoded& d, const ptx::Instruction& instruction) {
  const auto form = fetch_form(table_name(instruction));
  if (!form) throw Unsupported{""};
  if (instruction.operands.size() != 2) throw Unsupported{"with offsets or depths to compare"};
  const ptx::Vector& results = vector_of(operand(instruction, 0));
  const ptx::Vector& from = vector_of(operand(instruction, 1));
  const ptx::Register& handle = handle_of(from, "of a texture reference");
  if (from.elements.size() != 2) throw Unsupported{"with a sampler"};
  const ptx::Vector& coordinates = vector_of(from.elements[1]);
  const std::size_t needed = form->dimensions + (form->is_layered ? 1U : 0U);
  if (results.elements.size() != 4 || coordinates.elements.size() < needed)
    throw Unsupported{"with vectors of these lengths"};
  std::vector<std::uint32_t> places;
  for (const ptx::Operand& result : results.elements)
    places.push_back(is_sink(result) ? kNowhere : operands_.destination(result, Lane::b32));
  for (std::size_t i = 0; i < needed; ++i) {
    const bool is_layer = form->is_layered && i == 0;
    places.push_back(
        operands_.source(coordinates.elements[i], is_layer || form->has_numbers ? Lane::b32 : Lane::f32));
  }
  d.run = fetch_texture;
  d.counted_as = static_cast<std::uint8_t>(InstructionClass::memory);
  d.option = form->packed();
  d.memo = program_.memo_count++;
  d.a = operands_.register_at(handle, Lane::b64);
  d.extra = add_list(std::move(places));
}

/// suld.b.2d.v2.b32.trap {a, b}, [object, {x, y}] and sust.b.2d.v2.b32.trap [object, {x, y}], {a, b}: two
/// steps (surface_access.hpp). This function emits the first step and decodes the second.
void Decoder::surface_access(Decoded& d, const ptx::Instruction& instruction) {
  const auto form = surface_form(table_name(instruction));
  if (!form) throw Unsupported{""};
  if (instruction.operands.size() != 2) throw Unsupported{"with an additional operand"};
  d.a = surface_addresses(*form, operand(instruction, form->is_store ? 0 : 1), instruction);
  const std::span<const ptx::Operand> values = elements_of(operand(instruction, form->is_store ? 1 : 0));
  if (values.size() != form->elements) throw Unsupported{"with vectors of these lengths"};
  const Lane lane = form->element_bytes == sizeof(std::uint64_t) ? Lane::b64 : Lane::b32;
  std::vector<std::uint32_t> places;
  for (const ptx::Operand& value : values) {
    places.push_back(form->is_store   ? operands_.source(value, lane)
                     : is_sink(value) ? kNowhere
                                      : operands_.destination(value, lane));
  }
  d.dst = places.front();
  if (places.size() > 1) d.extra = add_list(std::move(places));
  d.run = surface_handler(form->is_store);
  d.counted_as = static_cast<std::uint8_t>(InstructionClass::memory);
  d.option = packed_values(*form);
}

/// Emits the step that computes the addresses; returns the vector that receives them.
std::uint32_t Decoder::surface_addresses(const SurfaceForm& form, const ptx::Operand& where,
                                         const ptx::Instruction& instruction) {
  constexpr const char* kReference = "of a surface reference";
  const auto* parts = std::get_if<ptx::Vector>(&where.value);
  if (parts == nullptr || parts->elements.size() != 2) throw Unsupported{kReference};
  const std::span<const ptx::Operand> coordinates = elements_of(parts->elements[1]);
  const std::size_t needed = form.dimensions + (form.is_layered ? 1U : 0U);
  if (coordinates.size() < needed) throw Unsupported{"with vectors of these lengths"};
  std::vector<std::uint32_t> places;
  for (const ptx::Operand& coordinate : coordinates.first(needed))
    places.push_back(operands_.source(coordinate, Lane::b32));
  Decoded d;
  d.run = surface_locator(form.is_store);
  d.counted_as = kUncountedClass;
  d.option = packed_place(form);
  d.memo = program_.memo_count++;
  d.origin = origin_;
  d.dst = operands_.scratch();
  d.a = operands_.register_at(handle_of(*parts, kReference), Lane::b64);
  d.extra = add_list(std::move(places));
  apply_guard(d, instruction);
  program_.code.push_back(d);
  return operands_.scratch();
}

}  // namespace vgpu::exec
