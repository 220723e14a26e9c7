#include "vgpu/flow/special_registers.hpp"

#include <unordered_map>

namespace vgpu::exec {
namespace {

const LaunchContext& launch(const Warp& warp) { return *warp.core->launch; }
std::uint64_t block_number(const Warp& warp) {
  const Dim3& grid = launch(warp).grid;
  const Dim3& block = warp.core->block;
  return (std::uint64_t{block.z} * grid.y + block.y) * grid.x + block.x;
}
std::uint64_t bit(int lane) { return std::uint64_t{1} << static_cast<unsigned>(lane); }

/// Adds the registers of clusters (every block is a cluster of its own), and envreg0 and envreg3 to envreg31,
/// which are 0 here.
std::unordered_map<std::string, SpecialRegister> with_clusters(
    std::unordered_map<std::string, SpecialRegister> reads) {
  const SpecialRegister zero{[](const Warp&, int) -> std::uint64_t { return 0; }};
  const SpecialRegister one{[](const Warp&, int) -> std::uint64_t { return 1; }};
  for (const std::string axis : {".x", ".y", ".z"}) {
    reads["clusterid" + axis] = reads.at("ctaid" + axis);
    reads["nclusterid" + axis] = reads.at("nctaid" + axis);
    reads["cluster_ctaid" + axis] = zero;
    reads["cluster_nctaid" + axis] = one;
  }
  reads["cluster_ctarank"] = zero;
  reads["cluster_nctarank"] = one;
  for (int i = 0; i < 32; ++i) reads.try_emplace("envreg" + std::to_string(i), zero);
  return reads;
}

const std::unordered_map<std::string, SpecialRegister>& table() {
  static const std::unordered_map<std::string, SpecialRegister> reads{
      {"tid.x", {[](const Warp& w, int lane) -> std::uint64_t { return thread_of(w, lane).x; }}},
      {"tid.y", {[](const Warp& w, int lane) -> std::uint64_t { return thread_of(w, lane).y; }}},
      {"tid.z", {[](const Warp& w, int lane) -> std::uint64_t { return thread_of(w, lane).z; }}},
      {"ntid.x", {[](const Warp& w, int) -> std::uint64_t { return launch(w).block.x; }}},
      {"ntid.y", {[](const Warp& w, int) -> std::uint64_t { return launch(w).block.y; }}},
      {"ntid.z", {[](const Warp& w, int) -> std::uint64_t { return launch(w).block.z; }}},
      {"ctaid.x", {[](const Warp& w, int) -> std::uint64_t { return w.core->block.x; }, true}},
      {"ctaid.y", {[](const Warp& w, int) -> std::uint64_t { return w.core->block.y; }, true}},
      {"ctaid.z", {[](const Warp& w, int) -> std::uint64_t { return w.core->block.z; }, true}},
      {"nctaid.x", {[](const Warp& w, int) -> std::uint64_t { return launch(w).grid.x; }}},
      {"nctaid.y", {[](const Warp& w, int) -> std::uint64_t { return launch(w).grid.y; }}},
      {"nctaid.z", {[](const Warp& w, int) -> std::uint64_t { return launch(w).grid.z; }}},
      {"laneid", {[](const Warp&, int lane) -> std::uint64_t { return static_cast<unsigned>(lane); }}},
      {"warpid", {[](const Warp& w, int) -> std::uint64_t { return w.index; }}},
      {"nwarpid", {[](const Warp& w, int) -> std::uint64_t { return w.core->warps.size(); }}},
      {"smid", {[](const Warp& w, int) { return block_number(w) % launch(w).sm_count; }, true}},
      {"nsmid", {[](const Warp& w, int) -> std::uint64_t { return launch(w).sm_count; }}},
      {"gridid", {[](const Warp&, int) -> std::uint64_t { return 0; }}},
      // The address of the grid's workspace, high and low half, where nvcc's cooperative groups read it.
      {"envreg1", {[](const Warp& w, int) { return launch(w).grid_workspace >> 32U; }}},
      {"envreg2", {[](const Warp& w, int) { return launch(w).grid_workspace & 0xFFFFFFFFU; }}},
      // In 64 bits, 2 * bit(31) does not overflow.
      {"lanemask_eq", {[](const Warp&, int lane) { return bit(lane); }}},
      {"lanemask_lt", {[](const Warp&, int lane) { return bit(lane) - 1; }}},
      {"lanemask_le", {[](const Warp&, int lane) { return 2 * bit(lane) - 1; }}},
      {"lanemask_gt", {[](const Warp&, int lane) { return kFullMask & ~(2 * bit(lane) - 1); }}},
      {"lanemask_ge", {[](const Warp&, int lane) { return kFullMask & ~(bit(lane) - 1); }}},
      {"dynamic_smem_size",
       {[](const Warp& w, int) -> std::uint64_t { return launch(w).dynamic_shared_bytes; }}},
      {"total_smem_size", {[](const Warp& w, int) -> std::uint64_t { return launch(w).shared_bytes; }}},
  };
  static const std::unordered_map<std::string, SpecialRegister> all = with_clusters(reads);
  return all;
}

}  // namespace

const SpecialRegister* special_register(const std::string& name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}

}  // namespace vgpu::exec
