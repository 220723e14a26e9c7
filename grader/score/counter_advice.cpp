#include "score/counter_advice.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace grader {
namespace {

enum class Side { too_high, too_low };

struct Row {
  std::string_view stem;  ///< how the counter's name begins
  Side side;
  std::string_view cause, next_step;
};

/// The first row that fits counts, so longer stems come first.
constexpr auto kRows = std::to_array<Row>({
    {"local_", Side::too_high,
     "values of a thread are in local memory, which is memory as global memory is: an array is there if one "
     "of its indices is known only at run time, or if its address goes to a function that is not inlined",
     "unroll every loop that indexes the array (#pragma unroll, with a bound that is known at compile time), "
     "or use single variables, so that the compiler can keep the values in registers"},
    {"warp_exchanges", Side::too_high, "shuffles and votes do work that the task does in another way",
     "keep in a register what the thread itself needs, and exchange only what the task says"},
    {"warp_exchanges", Side::too_low, "the lanes of a warp exchange no values, or hardly any", ""},
    {"global_atomic_", Side::too_high,
     "atomic operations on global memory do work that the task does in another way; the operation of each "
     "lane counts",
     "combine the values of a warp or of a block first, as the task says, and let one thread do what "
     "remains"},
    {"shared_atomic_", Side::too_high,
     "atomic operations on shared memory do work that the task does in another way; the operation of each "
     "lane counts",
     "combine the values as the task says, without atomic operations"},
    {"constant_", Side::too_high,
     "the kernel reads constant memory, or parameters at computed addresses, in place of the memory that the "
     "task names; constant memory serves different addresses one after another",
     "read these values from the memory that the task names"},
    {"parameter_bytes", Side::too_high, "data go to the kernel as parameters",
     "pass pointers and sizes, and put the data where the task wants them"},
    {"registers_per_thread", Side::too_high,
     "each thread keeps values in registers that the threads of a block should share",
     "put these values into shared memory, as the task says"},
    {"texture_", Side::too_high, "the kernel fetches more through textures than each element once",
     "fetch each element once"},
    {"global_load_sectors", Side::too_high,
     "the addresses that a warp loads from are far apart: each sector of 32 bytes is moved for a few bytes",
     "let neighbouring threads load neighbouring elements"},
    {"global_load_transferred", Side::too_high,
     "the addresses that a warp loads from are far apart, or the same bytes are loaded repeatedly: each "
     "sector of 32 bytes is moved as a whole",
     "let neighbouring threads load neighbouring elements, each once"},
    {"global_load_", Side::too_high, "threads load the same elements from global memory more than once",
     "load each element once, into a register or into shared memory, as the task says, and use it from "
     "there"},
    {"global_store_", Side::too_high, "threads store to global memory more than each result once",
     "keep a value that is not final in a register, and store it once, at the end"},
    {"static_shared_", Side::too_high, "arrays in shared memory have a size that is fixed at compile time",
     "declare one extern __shared__ array, and give its size at the launch"},
    {"shared_load_reuse", Side::too_low,
     "each word in shared memory is loaded only a few times: it saves hardly any load from global memory",
     ""},
    {"shared_load_", Side::too_low, "the kernel hardly loads anything from shared memory", ""},
    {"shared_store_", Side::too_low, "the kernel hardly stores anything to shared memory", ""},
    {"shared_store_bank", Side::too_high, "lanes of a warp store to different words of the same bank",
     "change the length of a row of the array, or which thread stores what"},
    {"shared_load_", Side::too_high, "threads load more from shared memory than they need",
     "keep in a register what a thread needs again, and exchange values between the lanes of a warp directly "
     "where the task says so"},
    {"shared_store_", Side::too_high, "values go through shared memory that no other thread needs",
     "keep a thread's own value in a register, and store to shared memory only what other threads need, "
     "once"},
    {"warp_instructions", Side::too_high, "the warps execute many more instructions than the task needs", ""},
    {"flops", Side::too_high, "the kernel does many more floating-point operations than the task needs", ""},
    {"dram_bytes", Side::too_high,
     "more bytes move between the device memory and the chip than the task needs",
     "let each warp use whole sectors of 32 bytes, and load and store each element once"},
    {"idle_lanes", Side::too_high,
     "many instructions run for few lanes of a warp, or for one thread, while the others wait",
     "let the lanes share this work, as by exchanging values in steps"},
    {"active_lanes", Side::too_low, "in many instructions only a part of a warp's lanes works",
     "let whole warps work, and whole warps be idle"},
    {"working_blocks", Side::too_low, "many blocks end without storing anything",
     "launch as many blocks as there is work for"},
    {"most_loading_blocks", Side::too_low, "one or a few blocks read all the elements",
     "let several blocks read a part of the elements each"},
    {"most_grid_blocks", Side::too_low,
     "one or a few blocks do all the work, and most multiprocessors are idle",
     "compute the number of blocks from the number of elements"},
    {"grid_blocks", Side::too_low, "the work is not spread over blocks",
     "compute the number of blocks from the number of elements"},
    {"blocks", Side::too_high, "many more blocks are launched than there is work for",
     "compute the number of blocks from the number of elements, rounded up"},
    {"device_synchronisations", Side::too_high,
     "the host waits for all streams repeatedly, so no other stream gets new work meanwhile",
     "wait for one stream (cudaStreamSynchronize) or for one event"},
    {"peak_pinned_bytes", Side::too_high, "more pinned memory is allocated than a few segments need",
     "allocate the staging buffers once, each as long as a segment, and use them again"},
    {"registered_argument_bytes", Side::too_high, "the caller's arrays are pinned",
     "copy through pinned buffers of your own, as the task says"},
    {"registered_argument_bytes", Side::too_low, "not all of the caller's arrays are pinned",
     "pin each of them with cudaHostRegister, over its whole length"},
    {"peak_device_bytes", Side::too_high, "more device memory is allocated than a few segments need",
     "allocate arrays of one segment for each stream, and use them again"},
    {"useful_kernel_s", Side::too_low,
     "the kernels take less time than the given one: it was changed, does fewer rounds, or computes only a "
     "part "
     "of the result",
     "use the given kernel for all elements, as it is"},
    {"largest_copy_to_host", Side::too_high, "one copy brings back more than a segment",
     "copy each segment back in the stream that computed it"},
});

double count_in(const std::map<std::string, double>& counters, const char* name) {
  const auto found = counters.find(name);
  return found == counters.end() ? 0.0 : found->second;
}

/// A stem that stands for the memory which most of a sum comes from: of loaded_bytes and received_bytes.
std::string_view largest_part(std::string_view counter, const std::map<std::string, double>& counters) {
  constexpr double kBytesOfExchange = 4;
  struct Part {
    std::string_view stem;
    double bytes;
  };
  const bool has_exchanges = counter.substr(0, 9) == "received_";
  const std::array<Part, 4> parts{{
      {"global_load_", count_in(counters, "global_load_requested_bytes")},
      {"shared_load_", count_in(counters, "shared_load_requested_bytes")},
      {"local_", has_exchanges ? 0 : count_in(counters, "local_bytes")},
      {"warp_exchanges", has_exchanges ? kBytesOfExchange * count_in(counters, "warp_exchanges") : 0},
  }};
  return std::max_element(parts.begin(), parts.end(),
                          [](const Part& a, const Part& b) { return a.bytes < b.bytes; })
      ->stem;
}

bool begins_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

}  // namespace

CounterAdvice counter_advice(const std::string& counter, bool is_too_high,
                             const std::map<std::string, double>& counters) {
  std::string_view name = counter;
  if (begins_with(name, "loaded_bytes") || begins_with(name, "received_bytes"))
    name = largest_part(name, counters);
  const Side side = is_too_high ? Side::too_high : Side::too_low;
  const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) {
    return one.side == side && begins_with(name, one.stem);
  });
  if (row == kRows.end()) return {};
  return {std::string(row->cause), std::string(row->next_step)};
}

}  // namespace grader
