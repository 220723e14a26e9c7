// Decoder: operands of texture fetches.
#include "vgpu/exec/decoder.hpp"
#include "vgpu/exec/spelling.hpp"
#include "vgpu/exec/texture_fetch.hpp"

namespace vgpu::exec {
namespace {

const ptx::Vector& vector_of(const ptx::Operand& operand) {
  const auto* vector = std::get_if<ptx::Vector>(&operand.value);
  if (vector == nullptr) throw Unsupported{"with operands that are no vectors"};
  return *vector;
}

}  // namespace

/// tex.2d.v4.f32.f32 {r, g, b, a}, [object, {x, y}]; vectors of three coordinates have a fourth that nobody
/// reads.
void Decoder::texture_fetch(Decoded& d, const ptx::Instruction& instruction) {
  const auto form = fetch_form(table_name(instruction));
  if (!form) throw Unsupported{""};
  if (instruction.operands.size() != 2) throw Unsupported{"with offsets or depths to compare"};
  const ptx::Vector& results = vector_of(operand(instruction, 0));
  const ptx::Vector& from = vector_of(operand(instruction, 1));
  const auto* address = from.elements.empty() ? nullptr : std::get_if<ptx::Address>(&from.elements[0].value);
  const auto* handle = address == nullptr ? nullptr : std::get_if<ptx::Register>(&address->base);
  if (handle == nullptr || address->offset != 0) throw Unsupported{"of a texture reference"};
  if (from.elements.size() != 2) throw Unsupported{"with a sampler"};
  const ptx::Vector& coordinates = vector_of(from.elements[1]);
  const std::size_t needed = form->dimensions + (form->is_layered ? 1U : 0U);
  if (results.elements.size() != 4 || coordinates.elements.size() < needed)
    throw Unsupported{"with vectors of other lengths"};
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
  d.a = operands_.register_at(*handle, Lane::b64);
  d.extra = add_list(std::move(places));
}

}  // namespace vgpu::exec
