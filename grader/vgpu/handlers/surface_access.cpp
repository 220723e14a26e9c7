#include "vgpu/handlers/surface_access.hpp"

#include <cstring>
#include <unordered_map>

#include <fmt/format.h>

#include "vgpu/cost/texture_traffic.hpp"
#include "vgpu/handlers/texture_objects.hpp"
#include "vgpu/texture/layout.hpp"

namespace vgpu::exec {
namespace {

using texture::Boundary;
using texture::SurfacePlace;
using texture::Texture;

/// The address for lanes whose access is left out: odd, and outside all memory.
constexpr std::uint64_t kLeftOut = ~std::uint64_t{0};
constexpr std::size_t kMaxBytes = 16;

// ---- the first step

struct PackedPlace {
  std::uint8_t dimensions;
  bool is_layered;
  Boundary boundary;
  std::uint32_t bytes;
};

PackedPlace unpacked_place(std::uint8_t option) {
  // Bits 0 and 1: dimensions; 2: layered; 3 and 4: boundary; from 5: log2 of the bytes (packed_place()).
  return {static_cast<std::uint8_t>(option & 3U), (option & 4U) != 0,
          static_cast<Boundary>(option >> 3U & 3U), 1U << (option >> 5U)};
}

/// An accessible array; `texels` is nullptr before the first is bound.
struct BoundSurface {
  Texture array;
  const std::byte* texels = nullptr;
};

/// Raises a fault and returns false if the form cannot use the lane's handle.
bool bind(Warp& warp, const Decoded& d, int lane, std::uint64_t handle, BoundSurface& bound, bool is_store) {
  const auto found = object_at(*warp.core->memory, handle, texture::ObjectKind::surface);
  const PackedPlace form = unpacked_place(d.option);
  std::string problem = found ? std::string() : found.error();
  if (found && (found->dimensions != form.dimensions || (found->layers != 0) != form.is_layered)) {
    problem = fmt::format("it is a {} surface, which a {} access cannot use",
                          geometry_name(found->dimensions, found->layers != 0),
                          geometry_name(form.dimensions, form.is_layered));
  }
  if (problem.empty()) {
    bound = {*found, texels_of(warp, d, lane, *found)};
    if (bound.texels != nullptr) return true;
  } else {
    raise_object(warp, d, FaultKind::invalid_surface, lane, handle, problem);
  }
  warp.core->fault.is_store = is_store;
  return false;
}

SurfacePlace place_of(const Warp& warp, const PackedPlace& form, const std::uint32_t* places, int lane) {
  SurfacePlace place;
  if (form.is_layered) place.layer = lane_value<std::uint32_t>(warp, *places++, lane);
  for (std::size_t axis = 0; axis < form.dimensions; ++axis)
    place.at[axis] = lane_value<std::int32_t>(warp, places[axis], lane);
  return place;
}

/// Of an access inside.
texture::Place stored_place(const Texture& array, const SurfacePlace& place) {
  const auto number = [&](std::size_t axis) { return static_cast<std::uint64_t>(place.at[axis]); };
  return {number(0), number(1), array.layers != 0 ? place.layer : number(2)};
}

/// The first lane whose access is wrong, and how many are wrong in the same way.
struct Wrong {
  int lane = -1;
  FaultKind kind{};
  std::uint32_t count = 0;
  Texture array;
  SurfacePlace place;

  void add(int other, FaultKind other_kind, const Texture& other_array, const SurfacePlace& other_place) {
    if (lane < 0) {
      lane = other;
      kind = other_kind;
      array = other_array;
      place = other_place;
    }
    count += other_kind == kind ? 1 : 0;
  }
};

const Decoded* raise_access(Warp& warp, const Decoded& d, const Wrong& wrong, bool is_store) {
  const std::uint32_t bytes = unpacked_place(d.option).bytes;
  raise(warp, d, wrong.kind, wrong.lane, wrong.count);
  Fault& fault = warp.core->fault;
  fault.space = ptx::Space::surface;
  fault.is_store = is_store;
  fault.access_bytes = bytes;
  fault.address = lane_value<std::uint64_t>(warp, d.a, wrong.lane);
  fault.detail = wrong.kind == FaultKind::out_of_bounds ? why_outside(wrong.array, wrong.place, bytes)
                                                        : fmt::format("x is byte {}", wrong.place.at[0]);
  if (const Segment* near = warp.core->memory->near(wrong.array.address))
    fault.nearest = {near->start, near->size, 0, near->ordinal};
  return nullptr;
}

/// PTX ISA: an address that is not a multiple of the access's size is undefined in every boundary mode.
template <bool kIsStore>
const Decoded* locate(Warp& warp, const Decoded& d) {
  const PackedPlace form = unpacked_place(d.option);
  const std::uint32_t* places = warp.core->program().list_of(d).data();
  auto* addresses = reinterpret_cast<std::uint64_t*>(warp.file + d.dst);
  BoundSurface bound;
  std::uint64_t bound_handle = 0;
  Wrong wrong;
  TextureAccess access;
  access.begin(shape_of_surface_access(form.dimensions));
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto handle = lane_value<std::uint64_t>(warp, d.a, lane);
    // All lanes usually pass the same handle, so the object of the last lane is kept.
    if (bound.texels == nullptr || handle != bound_handle) {
      if (!bind(warp, d, lane, handle, bound, kIsStore)) return nullptr;
      bound_handle = handle;
    }
    access.add_lane(lane);
    SurfacePlace place = place_of(warp, form, places, lane);
    if (form.boundary == Boundary::clamp) place = clamped(bound.array, place, form.bytes);
    const auto offset = offset_in(bound.array, place, form.bytes);
    addresses[lane] = offset ? bound.array.address + *offset : kLeftOut;
    if (!offset && form.boundary != Boundary::zero) {
      wrong.add(lane, FaultKind::out_of_bounds, bound.array, place);
    } else if (offset && static_cast<std::uint32_t>(place.at[0]) % form.bytes != 0) {
      wrong.add(lane, FaultKind::misaligned, bound.array, place);
    } else if (offset) {
      access.add_texel(stored_at(bound.array, stored_place(bound.array, place)), form.bytes);
    }
  }
  if (wrong.lane >= 0) return raise_access(warp, d, wrong, kIsStore);
  access.count(warp, d, kIsStore ? Traffic::surface_store : Traffic::surface_load);
  return &d + 1;
}

// ---- the second step: all addresses are in live memory, as the first step has checked

struct Values {
  std::uint32_t element_bytes, elements;
  const std::uint32_t* places;  ///< in the register file

  std::uint32_t bytes() const { return element_bytes * elements; }
};

Values values_of(const Warp& warp, const Decoded& d) {
  // Bits 0 and 1: log2 of an element's bytes; from 2: log2 of the elements (packed_values()).
  const std::uint32_t elements = 1U << (d.option >> 2U);
  return {1U << (d.option & 3U), elements, elements == 1 ? &d.dst : warp.core->program().list_of(d).data()};
}

/// Registers have 8 bytes per lane for elements of 8 bytes, and 4 for all others, where the upper part is 0.
std::byte* value_at(const Warp& warp, const Values& values, std::uint32_t element, int lane) {
  const std::size_t lane_bytes = values.element_bytes == 8 ? 8 : 4;
  return warp.file + values.places[element] + static_cast<std::size_t>(lane) * lane_bytes;
}

void put(const Warp& warp, const Values& values, int lane, const std::byte* from) {
  for (std::uint32_t e = 0; e < values.elements; ++e) {
    if (values.places[e] == kNowhere) continue;
    std::byte* to = value_at(warp, values, e, lane);
    std::memset(to, 0, values.element_bytes == 8 ? 8 : 4);
    std::memcpy(to, from + std::size_t{e} * values.element_bytes, values.element_bytes);
  }
}

const Decoded* load(Warp& warp, const Decoded& d) {
  const Core& core = *warp.core;
  const Values values = values_of(warp, d);
  const std::uint32_t bytes = values.bytes();
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto address = lane_value<std::uint64_t>(warp, d.a, lane);
    std::array<std::byte, kMaxBytes> loaded{};
    if (address != kLeftOut) {
      const std::byte* memory = core.memory->host(address, bytes);
      if (core.view != nullptr && core.view->touches(static_cast<std::uint32_t>(segment_number(address)))) {
        if (core.view->reduces(address, bytes)) return stop_block(warp, Stop::needs_order);
        core.view->load(address, memory, loaded.data(), bytes);
      } else {
        std::memcpy(loaded.data(), memory, bytes);
      }
    }
    put(warp, values, lane, loaded.data());
  }
  return &d + 1;
}

/// Where lanes write to the same place, the highest lane wins.
const Decoded* store(Warp& warp, const Decoded& d) {
  const Core& core = *warp.core;
  const Values values = values_of(warp, d);
  const std::uint32_t bytes = values.bytes();
  for (std::uint32_t rest = warp.mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto address = lane_value<std::uint64_t>(warp, d.a, lane);
    if (address == kLeftOut) continue;
    std::array<std::byte, kMaxBytes> stored{};
    for (std::uint32_t e = 0; e < values.elements; ++e)
      std::memcpy(stored.data() + std::size_t{e} * values.element_bytes, value_at(warp, values, e, lane),
                  values.element_bytes);
    if (core.view == nullptr) {
      std::memcpy(core.memory->host(address, bytes), stored.data(), bytes);
    } else if (core.view->reduces(address, bytes)) {
      return stop_block(warp, Stop::needs_order);
    } else {
      core.view->store(address, stored.data(), bytes);
    }
  }
  return core.view != nullptr && core.view->full() ? stop_block(warp, Stop::needs_order) : &d + 1;
}

std::uint8_t log2_of(std::uint32_t power) { return static_cast<std::uint8_t>(std::countr_zero(power)); }

}  // namespace

std::optional<SurfaceForm> surface_form(const std::string& name) {
  static const auto known = [] {
    std::unordered_map<std::string, SurfaceForm> forms;
    const auto add_sizes = [&](SurfaceForm form, const std::string& front, const char* boundary) {
      for (const std::uint8_t elements : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{4}}) {
        for (std::uint8_t bytes = 1; bytes <= 8 && bytes * elements <= int{kMaxBytes}; bytes *= 2) {
          form.elements = elements;
          form.element_bytes = bytes;
          const std::string vector = elements == 1 ? "" : fmt::format(".v{}", elements);
          forms[fmt::format("{}{}.b{}.{}", front, vector, 8 * bytes, boundary)] = form;
        }
      }
    };
    const std::array<std::pair<const char*, Boundary>, 3> boundaries{
        {{"trap", Boundary::trap}, {"clamp", Boundary::clamp}, {"zero", Boundary::zero}}};
    for (const auto& [geometry, dimensions, is_layered] : kGeometries) {
      for (const auto& [boundary, mode] : boundaries) {
        for (const bool is_store : {false, true}) {
          add_sizes({dimensions, is_layered, is_store, mode},
                    fmt::format("{}.b.{}", is_store ? "sust" : "suld", geometry), boundary);
        }
      }
    }
    return forms;
  }();
  const auto found = known.find(name);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

Handler surface_locator(bool is_store) { return is_store ? locate<true> : locate<false>; }

std::uint8_t packed_place(const SurfaceForm& form) {
  return static_cast<std::uint8_t>(form.dimensions | (form.is_layered ? 4U : 0U) |
                                   static_cast<unsigned>(form.boundary) << 3U |
                                   unsigned{log2_of(form.bytes())} << 5U);
}

Handler surface_handler(bool is_store) { return is_store ? store : load; }

std::uint8_t packed_values(const SurfaceForm& form) {
  return static_cast<std::uint8_t>(log2_of(form.element_bytes) | unsigned{log2_of(form.elements)} << 2U);
}

}  // namespace vgpu::exec
