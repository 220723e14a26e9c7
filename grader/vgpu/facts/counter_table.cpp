#include "vgpu/facts/counter_table.hpp"

#include <algorithm>
#include <array>

namespace vgpu {
namespace {

double number(std::uint64_t count) { return static_cast<double>(count); }
double ratio(std::uint64_t above, std::uint64_t below) {
  return below == 0 ? 0 : number(above) / number(below);
}

// Bytes count on any path to global memory, so that textures and surfaces hide none.
std::uint64_t loaded_bytes(const Counters& c) {
  return c.global_loads.requested_bytes + c.texture_fetches.requested_bytes + c.surface_loads.requested_bytes;
}
std::uint64_t stored_bytes(const Counters& c) {
  return c.global_stores.requested_bytes + c.surface_stores.requested_bytes;
}
std::uint64_t loaded_sectors(const Counters& c) {
  return c.global_loads.sectors + c.texture_fetches.sectors + c.surface_loads.sectors;
}
std::uint64_t stored_sectors(const Counters& c) { return c.global_stores.sectors + c.surface_stores.sectors; }
std::uint64_t requested_bytes(const Counters& c) {
  return loaded_bytes(c) + stored_bytes(c) + c.global_atomics.requested_bytes;
}

constexpr std::uint64_t kLanes = 32, kExchangedBytes = kLanes * 4;  // a word for each lane
std::uint64_t warp_exchanges(const Counters& c) {
  return c.warp_instructions_by_class[static_cast<std::size_t>(InstructionClass::warp)];
}

std::uint64_t bytes_from_memory(const Counters& c) {
  return loaded_bytes(c) + c.global_atomics.requested_bytes + c.shared_loads.requested_bytes +
         c.shared_atomics.requested_bytes;
}

using C = const Counters&;

constexpr std::string_view kSameAccess =
    "the values are equal unless the assembler removes or repeats an access (a load whose value is already "
    "in a register)";
constexpr std::string_view kFewerInstructions =
    "machine code has different instructions: addresses are folded into loads, constants into operands, a "
    "division becomes a sequence";
constexpr std::string_view kUnmerged = "the assembler merges neighbouring accesses: see the merged counter";
constexpr std::string_view kMerged =
    "merged where the PTX shows the alignment and no other access comes between; the assembler can merge "
    "more";
constexpr std::string_view kBranchesDiffer =
    "machine code also counts unconditional branches, and turns short conditional ones into predicates";
constexpr std::string_view kCacheModel =
    "a model: L1 is divided among the blocks of an SM and empty when a block begins, L2 is empty when the "
    "kernel begins, blocks reach L2 in order; 0 on a profile without the cache";

constexpr auto kTable = std::to_array<CounterInfo>({
    {"instructions", "warp_instructions", "instructions executed by warps, one per warp",
     "smsp__inst_executed.sum", kFewerInstructions, [](C c) { return number(c.warp_instructions); }},
    {"instructions", "thread_instructions", "instructions executed by threads, one per active lane",
     "smsp__thread_inst_executed.sum", kFewerInstructions, [](C c) { return number(c.thread_instructions); }},
    {"instructions", "active_lanes_per_instruction", "thread instructions per warp instruction, at most 32",
     "smsp__thread_inst_executed_per_inst_executed.ratio", "predicated short branches keep more lanes active",
     [](C c) { return ratio(c.thread_instructions, c.warp_instructions); }},
    {"instructions", "idle_lanes",
     "lanes that do nothing while their warp executes an instruction: 32 per warp instruction, less the "
     "thread "
     "instructions",
     "", "", [](C c) { return number(kLanes * c.warp_instructions - c.thread_instructions); }},
    {"instructions", "flops",
     "floating-point operations of threads: a fused multiply-add is 2; addition, multiplication, division, "
     "reciprocal and square root 1; packed halves count each; a product of matrices on tensor cores 2 m n k",
     "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum + …fmul… + 2 × …ffma… (and dadd, dmul, dfma)",
     "division and square root are sequences of several operations in machine code",
     [](C c) { return number(c.flops); }},
    {"instructions", "barriers", "arrivals of a warp at a barrier of the block", "", "",
     [](C c) { return number(c.barriers); }},
    {"instructions", "warp_exchanges",
     "shuffles, votes, matches and reductions executed by warps, one per warp", "", "",
     [](C c) { return number(warp_exchanges(c)); }},

    {"branches", "branches", "conditional branches executed by a warp", "smsp__inst_executed_op_branch.sum",
     kBranchesDiffer, [](C c) { return number(c.branches); }},
    {"branches", "divergent_branches", "conditional branches at which lanes of the warp went both ways",
     "smsp__sass_branch_targets_threads_divergent.sum", kBranchesDiffer,
     [](C c) { return number(c.divergent_branches); }},
    {"branches", "branches_after_if_conversion",
     "conditional branches without the short ones that the assembler turns into predicates and without early "
     "returns",
     "smsp__inst_executed_op_branch.sum",
     "short branches are identified by an approximate rule; unconditional branches are not counted",
     [](C c) { return number(c.branches_after_if_conversion); }},
    {"branches", "divergent_branches_after_if_conversion",
     "the branches after if-conversion at which lanes went both ways",
     "smsp__sass_branch_targets_threads_divergent.sum",
     "short branches are identified by an approximate rule",
     [](C c) { return number(c.divergent_branches_after_if_conversion); }},

    {"global memory", "global_load_requests", "warp instructions that load with at least one active lane",
     "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", kSameAccess,
     [](C c) { return number(c.global_loads.requests); }},
    {"global memory", "global_load_sectors",
     "distinct 32-byte sectors that a request accesses, summed over all requests",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", kSameAccess,
     [](C c) { return number(c.global_loads.sectors); }},
    {"global memory", "global_load_sectors_per_request",
     "sectors per load request, 4 for 32 neighbouring floats",
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "",
     [](C c) { return ratio(c.global_loads.sectors, c.global_loads.requests); }},
    {"global memory", "global_load_requested_bytes",
     "sum of the bytes that active lanes request, including texture fetches and loads from surfaces", "", "",
     [](C c) { return number(loaded_bytes(c)); }},
    {"global memory", "global_load_transferred_bytes",
     "sectors × 32, including those of texture fetches and loads from surfaces",
     "32 × (l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum + …pipe_tex_mem_texture… + "
     "…pipe_tex_mem_surface_op_ld…)",
     "", [](C c) { return number(loaded_sectors(c) * kSectorBytes); }},
    {"global memory", "global_store_requests", "warp instructions that store with at least one active lane",
     "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", kSameAccess,
     [](C c) { return number(c.global_stores.requests); }},
    {"global memory", "global_store_sectors", "distinct 32-byte sectors that a request accesses",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", kSameAccess,
     [](C c) { return number(c.global_stores.sectors); }},
    {"global memory", "global_store_sectors_per_request", "sectors per store request",
     "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "",
     [](C c) { return ratio(c.global_stores.sectors, c.global_stores.requests); }},
    {"global memory", "global_store_requested_bytes",
     "sum of the bytes that active lanes request, including stores to surfaces", "", "",
     [](C c) { return number(stored_bytes(c)); }},
    {"global memory", "global_store_transferred_bytes", "sectors × 32, including those of stores to surfaces",
     "32 × (l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum + …pipe_tex_mem_surface_op_st…)", "",
     [](C c) { return number(stored_sectors(c) * kSectorBytes); }},
    {"global memory", "global_atomic_requests", "warp instructions with an atomic operation on global memory",
     "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum + …op_red.sum",
     "the assembler may combine the lanes of a warp first",
     [](C c) { return number(c.global_atomics.requests); }},
    {"global memory", "global_atomic_sectors", "distinct 32-byte sectors that each request accesses",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum + …op_red.sum",
     "hardware counts lanes with different addresses in one sector separately",
     [](C c) { return number(c.global_atomics.sectors); }},
    {"global memory", "global_atomic_transferred_bytes", "sectors × 32", "", "",
     [](C c) { return number(c.global_atomics.sectors * kSectorBytes); }},
    {"global memory", "global_atomic_requested_bytes",
     "sum of the bytes on which active lanes operate, 4 per lane and int", "", "",
     [](C c) { return number(c.global_atomics.requested_bytes); }},
    {"global memory", "global_atomic_requested_bytes_per_request",
     "such bytes per request: 4 if one lane of each warp adds an int or a float, 128 if all of them do", "",
     "", [](C c) { return ratio(c.global_atomics.requested_bytes, c.global_atomics.requests); }},
    {"global memory", "flops_per_requested_byte",
     "arithmetic intensity as the lectures define it: flops per byte that threads request from global memory",
     "", "", [](C c) { return ratio(c.flops, requested_bytes(c)); }},

    {"textures and surfaces", "texture_requests",
     "requests of texture fetches: one per 4 neighbouring threads, for tex1Dfetch() of less than 16 bytes "
     "one per 8",
     "l1tex__t_requests_pipe_tex_mem_texture.sum", kSameAccess,
     [](C c) { return number(c.texture_fetches.requests); }},
    {"textures and surfaces", "texture_sectors",
     "distinct 32-byte sectors that a request needs, summed over all requests; in an array, a sector holds "
     "16 bytes of two rows; linear filters of texels of 16 bytes or in three dimensions divide a request",
     "l1tex__t_sectors_pipe_tex_mem_texture.sum", kSameAccess,
     [](C c) { return number(c.texture_fetches.sectors); }},
    {"textures and surfaces", "texture_requested_bytes",
     "sum of the bytes of the texels that fetches of active lanes read; a linear filter reads up to 8 texels",
     "", "", [](C c) { return number(c.texture_fetches.requested_bytes); }},
    {"textures and surfaces", "texture_wavefronts",
     "passes of the texture unit, for fetches and loads from surfaces: one per 4 or 8 threads; with a linear "
     "filter, four times as many for texels of 16 bytes and twice as many in three dimensions",
     "l1tex__f_wavefronts.sum", kSameAccess,
     [](C c) { return number(c.texture_fetches.wavefronts + c.surface_loads.wavefronts); }},
    {"textures and surfaces", "surface_load_requests",
     "requests of loads from surfaces: one per 8 neighbouring threads, in three dimensions one per 4",
     "l1tex__t_requests_pipe_tex_mem_surface_op_ld.sum", kSameAccess,
     [](C c) { return number(c.surface_loads.requests); }},
    {"textures and surfaces", "surface_load_sectors", "sectors of loads from surfaces, as for fetches",
     "l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum", kSameAccess,
     [](C c) { return number(c.surface_loads.sectors); }},
    {"textures and surfaces", "surface_load_requested_bytes", "sum of the bytes that active lanes request",
     "", "", [](C c) { return number(c.surface_loads.requested_bytes); }},
    {"textures and surfaces", "surface_store_requests",
     "requests of stores to surfaces: one per 8 neighbouring threads, in three dimensions one per 4",
     "l1tex__t_requests_pipe_tex_mem_surface_op_st.sum", kSameAccess,
     [](C c) { return number(c.surface_stores.requests); }},
    {"textures and surfaces", "surface_store_sectors", "sectors of stores to surfaces, as for fetches",
     "l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum", kSameAccess,
     [](C c) { return number(c.surface_stores.sectors); }},
    {"textures and surfaces", "surface_store_requested_bytes", "sum of the bytes that active lanes request",
     "", "", [](C c) { return number(c.surface_stores.requested_bytes); }},

    {"shared memory", "shared_load_requests", "warp instructions that load from shared memory",
     "smsp__inst_executed_op_shared_ld.sum", kUnmerged, [](C c) { return number(c.shared_loads.requests); }},
    {"shared memory", "shared_load_wavefronts",
     "passes that the 32 banks of 4 bytes need; lanes that read the same word share one; one pass serves "
     "half a warp for 8-byte accesses, a quarter for 16-byte accesses, twice that if neighbouring lanes "
     "read the same address",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", kUnmerged,
     [](C c) { return number(c.shared_loads.wavefronts); }},
    {"shared memory", "shared_load_bank_conflicts", "wavefronts beyond those without conflicts",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
     "hardware also counts passes lost to other causes",
     [](C c) { return number(c.shared_loads.bank_conflicts); }},
    {"shared memory", "shared_load_requested_bytes", "sum of the bytes that active lanes request", "", "",
     [](C c) { return number(c.shared_loads.requested_bytes); }},
    {"shared memory", "shared_load_reuse",
     "bytes loaded from shared memory per byte loaded from global memory: how often each element of a "
     "tile is used, 16 in a product with tiles of 16 × 16 and one result per thread",
     "", "", [](C c) { return ratio(c.shared_loads.requested_bytes, loaded_bytes(c)); }},
    {"shared memory", "shared_load_merged_requests",
     "requests that remain if loads of neighbouring words from one base are merged into 8- and 16-byte loads",
     "smsp__inst_executed_op_shared_ld.sum", kMerged,
     [](C c) { return number(c.shared_loads.merged_requests); }},
    {"shared memory", "shared_load_merged_wavefronts", "wavefronts of the merged load requests",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", kMerged,
     [](C c) { return number(c.shared_loads.merged_wavefronts); }},
    {"shared memory", "shared_store_requests", "warp instructions that store to shared memory",
     "smsp__inst_executed_op_shared_st.sum", kUnmerged, [](C c) { return number(c.shared_stores.requests); }},
    {"shared memory", "shared_store_wavefronts", "passes that the banks need",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", kUnmerged,
     [](C c) { return number(c.shared_stores.wavefronts); }},
    {"shared memory", "shared_store_bank_conflicts", "wavefronts beyond those without conflicts",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
     "hardware also counts passes lost to other causes",
     [](C c) { return number(c.shared_stores.bank_conflicts); }},
    {"shared memory", "shared_store_requested_bytes", "sum of the bytes that active lanes request", "", "",
     [](C c) { return number(c.shared_stores.requested_bytes); }},
    {"shared memory", "shared_store_merged_requests",
     "requests that remain if neighbouring stores are merged", "smsp__inst_executed_op_shared_st.sum",
     kMerged, [](C c) { return number(c.shared_stores.merged_requests); }},
    {"shared memory", "shared_store_merged_wavefronts", "wavefronts of the merged store requests",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", kMerged,
     [](C c) { return number(c.shared_stores.merged_wavefronts); }},
    {"shared memory", "shared_atomic_requests", "warp instructions with an atomic operation on shared memory",
     "smsp__inst_executed_op_shared_atom.sum", "floating-point atomics are loops in machine code",
     [](C c) { return number(c.shared_atomics.requests); }},
    {"shared memory", "shared_atomic_wavefronts",
     "passes that the banks need if lanes that access the same word share a pass",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
     "hardware serves lanes that access the same word one after another",
     [](C c) { return number(c.shared_atomics.wavefronts); }},
    {"shared memory", "shared_atomic_bank_conflicts", "wavefronts beyond those without conflicts", "", "",
     [](C c) { return number(c.shared_atomics.bank_conflicts); }},
    {"shared memory", "shared_atomic_requested_bytes",
     "sum of the bytes on which active lanes operate, 4 per lane and int", "", "",
     [](C c) { return number(c.shared_atomics.requested_bytes); }},

    {"local and constant memory", "local_load_requests", "warp instructions that load from per-thread arrays",
     "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
     "registers that do not fit (spills) are local memory on hardware only",
     [](C c) { return number(c.local_loads.requests); }},
    {"local and constant memory", "local_load_sectors",
     "sectors of local load requests; one word of 8 neighbouring threads is one sector",
     "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "without spills",
     [](C c) { return number(c.local_loads.sectors); }},
    {"local and constant memory", "local_store_requests", "warp instructions that store to per-thread arrays",
     "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "without spills",
     [](C c) { return number(c.local_stores.requests); }},
    {"local and constant memory", "local_store_sectors", "sectors of local store requests",
     "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "without spills",
     [](C c) { return number(c.local_stores.sectors); }},
    {"local and constant memory", "local_bytes",
     "sum of the bytes that active lanes load from and store to local memory", "", "",
     [](C c) { return number(c.local_loads.requested_bytes + c.local_stores.requested_bytes); }},
    {"local and constant memory", "loaded_bytes",
     "sum of the bytes that active lanes load from global, shared and local memory, including textures, "
     "surfaces and atomics; constant memory and parameters are not included",
     "", "", [](C c) { return number(bytes_from_memory(c) + c.local_loads.requested_bytes); }},
    {"local and constant memory", "received_bytes",
     "sum of the bytes that active lanes load from global and shared memory, including textures, surfaces "
     "and atomics, and of 4 bytes per lane for each exchange between lanes",
     "", "", [](C c) { return number(bytes_from_memory(c) + kExchangedBytes * warp_exchanges(c)); }},
    {"local and constant memory", "constant_requests",
     "warp instructions that load from constant memory, or load kernel parameters at computed addresses if "
     "these have more than 256 bytes",
     "", "0 in machine code where the address is fixed: it becomes an operand of the arithmetic",
     [](C c) { return number(c.constant_requests); }},
    {"local and constant memory", "constant_passes",
     "different addresses that each request reads, summed over all requests: constant memory serves one "
     "after another",
     "", "", [](C c) { return number(c.constant_passes); }},

    {kCacheGroup, "l1_load_sectors", "sectors of loads looked up in L1",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", kCacheModel,
     [](C c) { return number(c.cache.l1_load_sectors); }},
    {kCacheGroup, "l1_load_hit_sectors", "sectors of loads found in L1",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", kCacheModel,
     [](C c) { return number(c.cache.l1_load_hit_sectors); }},
    {kCacheGroup, "texture_hit_sectors", "sectors of texture fetches and of loads from surfaces found in L1",
     "l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum + …mem_surface_op_ld_lookup_hit.sum", kCacheModel,
     [](C c) { return number(c.cache.texture_hit_sectors); }},
    {kCacheGroup, "l2_read_sectors", "sectors read from L2: misses of L1, volatile loads, atomics",
     "lts__t_sectors_op_read.sum", kCacheModel, [](C c) { return number(c.cache.l2_read_sectors); }},
    {kCacheGroup, "l2_write_sectors", "sectors written to L2: L1 writes through",
     "lts__t_sectors_op_write.sum", kCacheModel, [](C c) { return number(c.cache.l2_write_sectors); }},
    {kCacheGroup, "l2_hit_sectors", "reads and writes found in L2",
     "lts__t_sectors_srcunit_tex_lookup_hit.sum", kCacheModel,
     [](C c) { return number(c.cache.l2_hit_sectors); }},
    {kCacheGroup, "dram_read_bytes", "bytes read from DRAM; without caches, every sector loaded or fetched",
     "dram__bytes_read.sum", kCacheModel, [](C c) { return number(c.cache.dram_read_bytes); }},
    {kCacheGroup, "dram_write_bytes",
     "bytes written to DRAM, without those that are still in L2 at the end; without caches, every sector "
     "stored",
     "dram__bytes_write.sum", kCacheModel, [](C c) { return number(c.cache.dram_write_bytes); }},
    {kCacheGroup, "dram_bytes", "bytes read from and written to DRAM, the sum of the two above",
     "dram__bytes_read.sum + dram__bytes_write.sum", kCacheModel,
     [](C c) { return number(c.cache.dram_read_bytes + c.cache.dram_write_bytes); }},
    {kCacheGroup, "flops_per_dram_byte",
     "arithmetic intensity as the roofline model defines it: flops per byte of DRAM traffic",
     "flops / (dram__bytes_read.sum + dram__bytes_write.sum)", kCacheModel,
     [](C c) { return ratio(c.flops, c.cache.dram_read_bytes + c.cache.dram_write_bytes); }},
});

}  // namespace

std::span<const CounterInfo> counter_table() { return kTable; }

const CounterInfo* find_counter(std::string_view name) {
  const auto* found =
      std::find_if(kTable.begin(), kTable.end(), [&](const CounterInfo& info) { return info.name == name; });
  return found == kTable.end() ? nullptr : found;
}

std::string counter_table_markdown() {
  std::string text;
  std::string_view group;
  for (const CounterInfo& info : kTable) {
    if (info.group != group) {
      group = info.group;
      text += (text.empty() ? "## " : "\n## ") + std::string(group) +
              "\n\n| counter | counts | Nsight Compute | where it differs |\n|---|---|---|---|\n";
    }
    text += "| `" + std::string(info.name) + "` | " + std::string(info.definition) + " | " +
            (info.nsight.empty() ? "" : "`" + std::string(info.nsight) + "`") + " | " +
            std::string(info.difference) + " |\n";
  }
  return text;
}

}  // namespace vgpu
