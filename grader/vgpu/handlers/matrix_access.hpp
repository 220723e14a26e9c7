// The steps of wmma.load, wmma.store, ldmatrix and stmatrix that are not ordinary loads and stores
// (decode_matrix.cpp puts them together), and movmatrix, which is one of them alone. The accesses between
// them are those of ld and st, and are counted and checked as such.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// Where lanes access a fragment of wmma, from the base address, the stride and the place of each lane's
/// element. d.a: the base; d.b: the stride, in elements, 4 bytes a lane; d.c: index of a list that begins
/// with the FragmentPlaces below; d.extra: index of the list of vectors for the addresses, 8 bytes a lane.
const Decoded* locate_fragment(Warp& warp, const Decoded& d);
/// The numbers at the beginning of the list; then for every access and lane: line · 256 + place in the line.
struct FragmentPlaces {
  std::uint32_t has_wide_address, is_store, space, element_bytes, alignment;
  static constexpr std::size_t kCount = 5;
};

/// Where the rows of ldmatrix and stmatrix lie in shared memory. d.a: the lanes' addresses; d.dst: where
/// offsets in shared memory go, 8 bytes a lane; d.option: AddressOption (form.hpp).
const Decoded* locate_rows(Warp& warp, const Decoded& d);

/// Moves bytes between lanes and registers of 4 bytes. List d.extra: the numbers of sources and of targets,
/// then their vectors; list d.b: for each byte of the targets, the one of the sources that it becomes.
const Decoded* arrange(Warp& warp, const Decoded& d);

}  // namespace vgpu::exec
