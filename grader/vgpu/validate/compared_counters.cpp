#include "vgpu/validate/compared_counters.hpp"

namespace vgpu::validate {
namespace {

double as_double(std::uint64_t count) { return static_cast<double>(count); }

constexpr const char* kGlobal = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum";

std::string global(const char* what, const char* operation) {
  std::string name = kGlobal;
  name.replace(name.rfind("{}"), 2, operation);
  return name.replace(name.find("{}"), 2, what);
}

std::string local(const char* what, const char* operation) {
  return std::string("l1tex__t_") + what + "_pipe_lsu_mem_local_op_" + operation + ".sum";
}

const std::string kWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_";
const std::string kFlops = "smsp__sass_thread_inst_executed_op_";

std::vector<ComparedCounter> global_memory() {
  const std::string atomics =
      "Ours are distinct pieces. Hardware takes the lanes in order: of a reduction (an atomic whose result "
      "nobody uses) a piece counts again whenever the lane before touched another one, and of other atomics "
      "every lane counts.";
  return {{"global load requests",
           "Warp instructions that load from global memory.",
           [](const Counters& c) { return as_double(c.global_loads.requests); },
           {{global("requests", "ld"), 1}},
           0,
           ""},
          {"global load sectors",
           "Distinct 32-byte pieces that these touch.",
           [](const Counters& c) { return as_double(c.global_loads.sectors); },
           {{global("sectors", "ld"), 1}},
           0,
           ""},
          {"global store requests",
           "Warp instructions that store to global memory.",
           [](const Counters& c) { return as_double(c.global_stores.requests); },
           {{global("requests", "st"), 1}},
           0,
           ""},
          {"global store sectors",
           "Distinct 32-byte pieces that these touch.",
           [](const Counters& c) { return as_double(c.global_stores.sectors); },
           {{global("sectors", "st"), 1}},
           0,
           ""},
          {"global atomic requests",
           "Warp instructions that change global memory atomically.",
           [](const Counters& c) { return as_double(c.global_atomics.requests); },
           {{global("requests", "atom"), 1}, {global("requests", "red"), 1}},
           0,
           atomics},
          {"global atomic sectors",
           "Distinct 32-byte pieces that these touch.",
           [](const Counters& c) { return as_double(c.global_atomics.sectors); },
           {{global("sectors", "atom"), 1}, {global("sectors", "red"), 1}},
           0,
           atomics}};
}

std::vector<ComparedCounter> other_memory() {
  const std::string spills =
      "The assembler decides what of a local array stays in registers, and spills registers of its own.";
  return {{"shared load wavefronts",
           "Passes through the 32 banks that loads from shared memory need.",
           [](const Counters& c) { return as_double(c.shared_loads.merged_wavefronts); },
           {{kWavefronts + "ld.sum", 1}},
           0.1,
           "Merged as far as the PTX shows that they may be; the assembler may see more."},
          {"shared store wavefronts",
           "Passes through the 32 banks that stores to shared memory need.",
           [](const Counters& c) { return as_double(c.shared_stores.merged_wavefronts); },
           {{kWavefronts + "st.sum", 1}},
           0.1,
           "Merged as far as the PTX shows that they may be; the assembler may see more."},
          {"local load requests",
           "Warp instructions that load from local memory.",
           [](const Counters& c) { return as_double(c.local_loads.requests); },
           {{local("requests", "ld"), 1}},
           0.1,
           spills},
          {"local store requests",
           "Warp instructions that store to local memory.",
           [](const Counters& c) { return as_double(c.local_stores.requests); },
           {{local("requests", "st"), 1}},
           0.1,
           spills}};
}

std::vector<ComparedCounter> caches() {
  return {
      {"L1 load sectors found",
       "Sectors of loads that L1 holds already.",
       [](const Counters& c) { return as_double(c.cache.l1_load_hit_sectors); },
       {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 1}},
       0.2,
       "Blocks that share a multiprocessor find one another's lines in its L1; in the model each block "
       "begins "
       "with an empty one."},
      {"L2 sectors",
       "Sectors that multiprocessors ask of L2 or write to it.",
       [](const Counters& c) { return as_double(c.cache.l2_read_sectors + c.cache.l2_write_sectors); },
       {{"lts__t_sectors_srcunit_tex.sum", 1}},
       0.3,
       "Blocks that share a multiprocessor find one another's lines in its L1 and need not ask; stores of "
       "several instructions to one sector leave L1 together; atomics count as a read and a write here, "
       "once there."},
      {"DRAM bytes read",
       "What L2 does not hold. The profiler empties it before each launch.",
       [](const Counters& c) { return as_double(c.cache.dram_read_bytes); },
       {{"dram__bytes_read.sum", 1}},
       0.3,
       "Nsight's includes instructions, constants, parameters and page tables, 3 to 6 kB a launch, and "
       "halves of lines that are fetched along. Small kernels read little else."}};
}

std::vector<ComparedCounter> instructions() {
  const std::string machine =
      "PTX instructions are not machine instructions: the assembler unrolls, merges, predicates, and expands "
      "divisions and calls.";
  return {{"warp instructions",
           "Instructions that warps execute.",
           [](const Counters& c) { return as_double(c.warp_instructions); },
           {{"smsp__inst_executed.sum", 1}},
           0.3,
           machine},
          {"thread instructions",
           "The same, times the lanes that are active.",
           [](const Counters& c) { return as_double(c.thread_instructions); },
           {{"smsp__thread_inst_executed.sum", 1}},
           0.3,
           machine},
          {"branches",
           "Conditional branches of warps; Nsight counts unconditional ones too.",
           [](const Counters& c) { return as_double(c.branches_after_if_conversion); },
           {{"smsp__sass_branch_targets.sum", 1}},
           0.3,
           "The assembler turns short branches into predicates and unrolls loops."},
          {"divergent branches",
           "Branches after which lanes of a warp go different ways.",
           [](const Counters& c) { return as_double(c.divergent_branches_after_if_conversion); },
           {{"smsp__sass_branch_targets_threads_divergent.sum", 1}},
           0.1,
           "The assembler turns short branches into predicates."},
          {"floating-point operations",
           "Additions, multiplications and fused multiply-adds (two each) of floats and doubles.",
           [](const Counters& c) { return as_double(c.flops); },
           {{kFlops + "fadd_pred_on.sum", 1},
            {kFlops + "fmul_pred_on.sum", 1},
            {kFlops + "ffma_pred_on.sum", 2},
            {kFlops + "dadd_pred_on.sum", 1},
            {kFlops + "dmul_pred_on.sum", 1},
            {kFlops + "dfma_pred_on.sum", 2}},
           0.1,
           "Divisions, square roots and the like are sequences of machine instructions."}};
}

/// What single kernels do that the counter's reason does not cover.
struct KernelReason {
  const char *counter, *kernel, *reason;
};
constexpr KernelReason kReasons[] = {
    {"", "hello",
     "printf: its buffer is the device's own global memory, which the virtual GPU does without."},
    {"", "cg_grid",
     "The grid barrier: blocks wait in a loop that reads global memory, as often as it takes."},
    {"", "bfs",
     "Threads race on purpose: how many set the same vertex depends on who comes first, and later loads on "
     "that."},
    {"", "spmv",
     "The PTX loads row[r + 1] in every round of the loop, 140 warp loads; the assembler keeps it in a "
     "register."},
    {"global load requests", "warp_vote",
     "The PTX loads in[i] three times; the assembler keeps what it loaded first for the second use."},
    {"global load sectors", "warp_vote",
     "The PTX loads in[i] three times; the assembler keeps what it loaded first for the second use."},
    {"L1 load sectors found", "warp_vote",
     "The PTX loads in[i] three times; the assembler keeps what it loaded first for the second use."},
    {"global atomic requests", "atomics_misc",
     "A compare-and-swap loop: how often it repeats depends on how many threads meet at the same time."},
    {"L1 load sectors found", "calls",
     "Ours has loads from local memory, the stack, too; the metric has not."},
    {"L1 load sectors found", "localarr", "Ours has loads from local memory, too; the metric has not."},
    {"local load requests", "calls",
     "The stack of a recursive function: the assembler saves more registers around calls than live on in "
     "PTX."},
    {"local store requests", "calls",
     "The stack of a recursive function: the assembler saves more registers around calls than live on in "
     "PTX."},
    {"local store requests", "localarr",
     "The PTX stores the array's first values four at a time, the assembler one by one."},
    {"floating-point operations", "atomics_misc",
     "A compare-and-swap loop: how often it repeats depends on how many threads meet at the same time."},
    {"floating-point operations", "nbody",
     "Ours counts a reciprocal square root as one operation; the metrics have no such."},
    {"floating-point operations", "red_shfl",
     "Lane 0 alone uses the last sum of a warp: the assembler adds it in no other lane."},
};

}  // namespace

const std::vector<ComparedCounter>& compared_counters() {
  static const std::vector<ComparedCounter> all = [] {
    std::vector<ComparedCounter> made = global_memory();
    for (const auto& more : {other_memory(), caches(), instructions()})
      made.insert(made.end(), more.begin(), more.end());
    return made;
  }();
  return all;
}

std::string reason(const ComparedCounter& counter, const std::string& kernel) {
  for (const KernelReason& own : kReasons) {
    if (kernel == own.kernel && (*own.counter == 0 || counter.name == own.counter)) return own.reason;
  }
  return counter.reason;
}

}  // namespace vgpu::validate
