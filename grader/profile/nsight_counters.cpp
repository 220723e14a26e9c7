#include "profile/nsight_counters.hpp"

#include "vgpu/facts/counter_table.hpp"

namespace grader {
namespace {

std::string global(const std::string& what, const std::string& operation) {
  return "l1tex__t_" + what + "_pipe_lsu_mem_global_op_" + operation + ".sum";
}

std::string local(const std::string& what, const std::string& operation) {
  return "l1tex__t_" + what + "_pipe_lsu_mem_local_op_" + operation + ".sum";
}

/// The metric for the bytes that threads request from a space.
std::string asked(const std::string& space, const std::string& operation) {
  return "smsp__sass_data_bytes_mem_" + space + "_op_" + operation + ".sum";
}

MetricSum flops() {
  const std::string executed = "smsp__sass_thread_inst_executed_op_";
  return {{executed + "fadd_pred_on.sum", 1}, {executed + "fmul_pred_on.sum", 1},
          {executed + "ffma_pred_on.sum", 2}, {executed + "dadd_pred_on.sum", 1},
          {executed + "dmul_pred_on.sum", 1}, {executed + "dfma_pred_on.sum", 2}};
}

/// A counter with its name and definition from the counter table.
NsightCounter of_table(const std::string& name, MetricSum metrics, double tolerance,
                       const std::string& reason, MetricSum per = {}) {
  const vgpu::CounterInfo& info = *vgpu::find_counter(name);
  return {name,
          std::string(info.definition),
          [value = info.value](const VirtualKernel& k) { return value(k.counters); },
          std::move(metrics),
          tolerance,
          reason,
          std::move(per)};
}

std::vector<NsightCounter> instructions() {
  const std::string machine =
      "PTX instructions are not machine instructions: the assembler unrolls, merges, predicates, and expands "
      "divisions and calls.";
  const std::string warp = "smsp__inst_executed.sum", thread = "smsp__thread_inst_executed.sum";
  return {of_table("warp_instructions", {{warp, 1}}, 0.3, machine),
          of_table("thread_instructions", {{thread, 1}}, 0.3, machine),
          of_table("active_lanes_per_instruction", {{thread, 1}}, 0.1,
                   "Predicated short branches keep more lanes active.", {{warp, 1}}),
          of_table("flops", flops(), 0.1,
                   "Divisions, square roots and the like are sequences of machine instructions."),
          of_table("branches_after_if_conversion", {{"smsp__sass_branch_targets.sum", 1}}, 0.3,
                   "The assembler turns short branches into predicates and unrolls loops; Nsight counts "
                   "unconditional branches too."),
          of_table("divergent_branches_after_if_conversion",
                   {{"smsp__sass_branch_targets_threads_divergent.sum", 1}}, 0.1,
                   "The assembler turns short branches into predicates.")};
}

/// Bytes without those of textures and surfaces, for which there is no metric.
NsightCounter of_instructions(const std::string& name, vgpu::SectorTraffic vgpu::Counters::*traffic,
                              const std::string& operation, const std::string& reason) {
  return {name,
          "bytes that active lanes request, added up, without textures and surfaces",
          [=](const VirtualKernel& k) { return static_cast<double>((k.counters.*traffic).requested_bytes); },
          {{asked("global", operation), 1}},
          0,
          reason,
          {}};
}

std::vector<NsightCounter> global_memory() {
  const std::string again = "The assembler drops or repeats an access.";
  const std::string atomics =
      "Our counter counts distinct sectors. Hardware processes the lanes in order: for a reduction (an "
      "atomic whose result is not used) a sector counts again if the previous lane accessed a different "
      "sector; for other atomics every lane counts.";
  return {of_table("global_load_requests", {{global("requests", "ld"), 1}}, 0, again),
          of_table("global_load_sectors", {{global("sectors", "ld"), 1}}, 0, again),
          of_table("global_load_sectors_per_request", {{global("sectors", "ld"), 1}}, 0, again,
                   {{global("requests", "ld"), 1}}),
          of_instructions("global_load_requested_bytes", &vgpu::Counters::global_loads, "ld", again),
          of_table("global_store_requests", {{global("requests", "st"), 1}}, 0, again),
          of_table("global_store_sectors", {{global("sectors", "st"), 1}}, 0, again),
          of_table("global_store_sectors_per_request", {{global("sectors", "st"), 1}}, 0, again,
                   {{global("requests", "st"), 1}}),
          of_instructions("global_store_requested_bytes", &vgpu::Counters::global_stores, "st", again),
          of_table("global_atomic_requests",
                   {{global("requests", "atom"), 1}, {global("requests", "red"), 1}}, 0, atomics),
          of_table("global_atomic_sectors", {{global("sectors", "atom"), 1}, {global("sectors", "red"), 1}},
                   0, atomics)};
}

std::string texture_unit(const std::string& what, const std::string& memory) {
  return "l1tex__t_" + what + "_pipe_tex_mem_" + memory + ".sum";
}

std::vector<NsightCounter> textures_and_surfaces() {
  const std::string none = "No difference is known.";
  const std::string skipped = "Nsight also counts a store that all lanes of the warp skip as a request.";
  const std::string surface_load = "surface_op_ld", surface_store = "surface_op_st";
  return {of_table("texture_requests", {{texture_unit("requests", "texture"), 1}}, 0, none),
          of_table("texture_sectors", {{texture_unit("sectors", "texture"), 1}}, 0, none),
          of_table("texture_wavefronts", {{"l1tex__f_wavefronts.sum", 1}}, 0, none),
          of_table("surface_load_requests", {{texture_unit("requests", surface_load), 1}}, 0, none),
          of_table("surface_load_sectors", {{texture_unit("sectors", surface_load), 1}}, 0, none),
          of_table("surface_store_requests", {{texture_unit("requests", surface_store), 1}}, 0, skipped),
          of_table("surface_store_sectors", {{texture_unit("sectors", surface_store), 1}}, 0, none)};
}

std::vector<NsightCounter> shared_memory() {
  const std::string executed = "smsp__inst_executed_op_shared_";
  const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_";
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_";
  const std::string merged =
      "Accesses are merged if the PTX shows that this is permitted; the assembler can find more.";
  const std::string unmerged = "The assembler merges neighbouring accesses; the merged counter follows it.";
  const std::string lost = "Hardware also counts passes with other causes as conflicts.";
  const std::string atomics =
      "Hardware processes lanes that access one word one after another; floating-point atomics are loops in "
      "machine code.";
  return {of_table("shared_load_requests", {{executed + "ld.sum", 1}}, 0.1, unmerged),
          of_table("shared_load_bank_conflicts", {{conflicts + "ld.sum", 1}}, 0.1, lost),
          of_table("shared_load_requested_bytes", {{asked("shared", "ld"), 1}}, 0.1, unmerged),
          of_table("shared_load_merged_requests", {{executed + "ld.sum", 1}}, 0.1, merged),
          of_table("shared_load_merged_wavefronts", {{wavefronts + "ld.sum", 1}}, 0.1, merged),
          of_table("shared_store_requests", {{executed + "st.sum", 1}}, 0.1, unmerged),
          of_table("shared_store_bank_conflicts", {{conflicts + "st.sum", 1}}, 0.1, lost),
          of_table("shared_store_requested_bytes", {{asked("shared", "st"), 1}}, 0.1, unmerged),
          of_table("shared_store_merged_requests", {{executed + "st.sum", 1}}, 0.1, merged),
          of_table("shared_store_merged_wavefronts", {{wavefronts + "st.sum", 1}}, 0.1, merged),
          of_table("shared_atomic_requests", {{executed + "atom.sum", 1}}, 0.1, atomics),
          of_table("shared_atomic_wavefronts", {{wavefronts + "atom.sum", 1}}, 0.1, atomics)};
}

std::vector<NsightCounter> local_and_constant_memory() {
  const std::string spills =
      "The assembler decides which parts of a local array stay in registers, and it spills registers itself.";
  return {of_table("local_load_requests", {{local("requests", "ld"), 1}}, 0.1, spills),
          of_table("local_load_sectors", {{local("sectors", "ld"), 1}}, 0.1, spills),
          of_table("local_store_requests", {{local("requests", "st"), 1}}, 0.1, spills),
          of_table("local_store_sectors", {{local("sectors", "st"), 1}}, 0.1, spills),
          of_table("constant_requests", {{"smsp__inst_executed_op_ldc.sum", 1}}, 0.1,
                   "The assembler uses a constant or a parameter at a fixed address as an operand of the "
                   "arithmetic, or loads it like a constant.")};
}

std::vector<NsightCounter> l1_and_l2() {
  const std::string l2 = "lts__t_sectors_srcunit_tex";
  const std::string hit = "ld_lookup_hit";
  const std::string sharing =
      "Blocks that share a multiprocessor find one another's lines in its L1 and need not request them; "
      "stores of several instructions to one sector leave L1 together; atomics count as a read and a write "
      "here.";
  return {
      of_table("l1_load_sectors", {{global("sectors", "ld"), 1}, {local("sectors", "ld"), 1}}, 0,
               "Volatile loads bypass L1 in the model; hardware looks them up."),
      of_table("l1_load_hit_sectors", {{global("sectors", hit), 1}, {local("sectors", hit), 1}}, 0.2,
               "Blocks that share a multiprocessor find one another's lines in its L1; in the model each "
               "block begins with an empty one."),
      of_table(
          "texture_hit_sectors",
          {{texture_unit("sectors", "texture_lookup_hit"), 1},
           {texture_unit("sectors", "surface_op_ld_lookup_hit"), 1}},
          0.2,
          "Blocks that share a multiprocessor find one another's lines in its L1; in the model each block "
          "begins with an empty one."),
      {"l2_sectors",
       "l2_read_sectors and l2_write_sectors together",
       [](const VirtualKernel& k) {
         return static_cast<double>(k.counters.cache.l2_read_sectors + k.counters.cache.l2_write_sectors);
       },
       {{l2 + ".sum", 1}},
       0.3,
       sharing},
      of_table("l2_read_sectors",
               {{l2 + "_op_read.sum", 1}, {l2 + "_op_atom.sum", 1}, {l2 + "_op_red.sum", 1}}, 0.3, sharing),
      of_table("l2_write_sectors",
               {{l2 + "_op_write.sum", 1}, {l2 + "_op_atom.sum", 1}, {l2 + "_op_red.sum", 1}}, 0.3, sharing),
      of_table("l2_hit_sectors", {{l2 + "_lookup_hit.sum", 1}}, 0.3, sharing)};
}

std::vector<NsightCounter> dram() {
  const std::pair<std::string, double> read{"dram__bytes_read.sum", 1}, written{"dram__bytes_write.sum", 1};
  const std::string compared_with =
      "The profiler empties L2 before each launch. Nsight's includes instructions, constants, parameters and "
      "page tables, 3 to 6 kB per launch, and halves of lines that are fetched in addition. Small kernels "
      "read little else.";
  const std::string write_back =
      "Our counter does not include data that is still in L2 when the kernel ends; hardware writes some of "
      "it back earlier.";
  return {of_table("dram_read_bytes", {read}, 0.3, compared_with),
          of_table("dram_write_bytes", {written}, 0.3, write_back),
          of_table("dram_bytes", {read, written}, 0.3, compared_with),
          of_table("flops_per_dram_byte", flops(), 0.3, compared_with, {read, written})};
}

std::vector<NsightCounter> occupancy() {
  return {{"theoretical_occupancy",
           "warps of such blocks that an SM can hold, in percent of the SM's maximum",
           [](const VirtualKernel& k) { return k.occupancy; },
           {{"sm__maximum_warps_per_active_cycle_pct", 1}},
           0.01,
           "Registers: ptxas assigned a different number per thread for this GPU."}};
}

}  // namespace

const std::vector<NsightCounter>& nsight_counters() {
  static const std::vector<NsightCounter> all = [] {
    std::vector<NsightCounter> made;
    for (const auto& more : {instructions(), global_memory(), textures_and_surfaces(), shared_memory(),
                             local_and_constant_memory(), l1_and_l2(), dram(), occupancy()})
      made.insert(made.end(), more.begin(), more.end());
    return made;
  }();
  return all;
}

}  // namespace grader
