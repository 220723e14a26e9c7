// The steps of wmma.load, wmma.store, ldmatrix and stmatrix that are not ordinary loads and stores
// (decode_matrix.cpp combines them), and movmatrix, which consists of one of them. The accesses between them
// are ld and st, and are counted and checked as such.
#pragma once

#include "vgpu/state/warp.hpp"

namespace vgpu::exec {

/// Computes the addresses at which lanes access a wmma fragment from the base address, the stride and the
/// place of each lane's element. d.a: the base; d.b: the stride, in elements, 4 bytes per lane; d.c: index of
/// a list that begins with the FragmentPlaces below; d.extra: index of the list of vectors for the addresses,
/// 8 bytes per lane.
const Decoded* locate_fragment(Warp& warp, const Decoded& d);
/// The numbers at the start of the list. They are followed, for every access and lane, by line · 256 + place
/// in the line.
struct FragmentPlaces {
  std::uint32_t has_wide_address, is_store, space, element_bytes, alignment;
  static constexpr std::size_t kCount = 5;
};

/// Computes the offsets of the rows of ldmatrix and stmatrix in shared memory. d.a: the lanes' addresses;
/// d.dst: the offsets, 8 bytes per lane; d.option: AddressOption (form.hpp).
const Decoded* locate_rows(Warp& warp, const Decoded& d);

/// Moves bytes between lanes and registers of 4 bytes. List d.extra: the numbers of sources and of targets,
/// then their vectors; list d.b: for each byte of the targets, the index of its source byte.
const Decoded* arrange(Warp& warp, const Decoded& d);

}  // namespace vgpu::exec
