#include "vgpu/model/profile_fields.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace vgpu {
namespace {

using json = nlohmann::ordered_json;
using Problem = std::string;  // empty: no problem

enum class Presence { required, optional };
constexpr auto kRequired = Presence::required;
constexpr auto kOptional = Presence::optional;

template <class T>
ProfileField field(const char* key, Presence presence, T Profile::*member, const char* meaning,
                   const std::function<Problem(const json&)>& check) {
  return {key, meaning, presence == kRequired,
          [=](const json& value, Profile& profile) {
            Problem problem = check(value);
            if (problem.empty()) profile.*member = value.get<T>();
            return problem;
          },
          [=](const Profile& profile) { return json(profile.*member); }};
}

enum class Zero { refused, allowed };

Problem check_number(const json& value, Zero zero) {
  const double number = value.is_number() ? value.get<double>() : -1;
  const bool fits = std::isfinite(number) && (number > 0 || (number == 0 && zero == Zero::allowed));
  if (fits) return {};
  return zero == Zero::allowed ? "should be a number of at least 0" : "should be a number above 0";
}

ProfileField rate(const char* key, Presence presence, double Profile::*member, const char* meaning) {
  return field(key, presence, member, meaning,
               [](const json& value) { return check_number(value, Zero::refused); });
}

/// An optional number; 0 switches its effect off.
ProfileField amount(const char* key, double Profile::*member, const char* meaning) {
  return field(key, kOptional, member, meaning,
               [](const json& value) { return check_number(value, Zero::allowed); });
}

Problem check_count(const json& value, std::uint64_t lowest, std::uint64_t highest) {
  const bool is_natural =
      value.is_number_integer() && (value.is_number_unsigned() || value.get<std::int64_t>() >= 0);
  const bool fits =
      is_natural && value.get<std::uint64_t>() >= lowest && value.get<std::uint64_t>() <= highest;
  return fits ? Problem{} : fmt::format("should be a whole number from {} to {}", lowest, highest);
}

template <class T>
ProfileField count(const char* key, Presence presence, T Profile::*member, const char* meaning,
                   std::uint64_t lowest, std::uint64_t highest = std::numeric_limits<std::uint32_t>::max()) {
  return field(key, presence, member, meaning,
               [=](const json& value) { return check_count(value, lowest, highest); });
}

ProfileField flag(const char* key, bool Profile::*member, const char* meaning) {
  return field(key, kOptional, member, meaning, [](const json& value) {
    return value.is_boolean() ? Problem{} : Problem("should be true or false");
  });
}

ProfileField name_field() {
  return field("name", kRequired, &Profile::name, "name that is reported to programs", [](const json& value) {
    const bool is_text = value.is_string() && !value.get_ref<const std::string&>().empty();
    return is_text ? Problem{} : Problem("should be a non-empty string");
  });
}

ProfileField sources_field() {
  return field("sources", kOptional, &Profile::sources, "sources of the figures", [](const json& value) {
    bool are_texts = value.is_array();
    for (const json& source : value) are_texts = are_texts && source.is_string();
    return are_texts ? Problem{} : Problem("should be a list of strings");
  });
}

constexpr std::uint64_t kMaxThreads = 1024;  // limit of the CUDA programming model for a block
constexpr std::uint64_t kMebi = std::uint64_t{1} << 20U;
constexpr std::uint64_t kTebi = std::uint64_t{1} << 40U;

std::vector<ProfileField> identity_and_limits() {
  using P = Profile;
  return {
      name_field(),
      count("compute_major", kRequired, &P::compute_major,
            "major compute capability that is reported to programs", 1, 99),
      count("compute_minor", kRequired, &P::compute_minor, "minor compute capability", 0, 9),
      count("max_threads_per_block", kRequired, &P::max_threads_per_block, "threads", 1, kMaxThreads),
      count("max_threads_per_sm", kRequired, &P::max_threads_per_sm, "threads resident on an SM", 1),
      count("max_blocks_per_sm", kRequired, &P::max_blocks_per_sm, "blocks resident on an SM", 1),
      count("registers_per_sm", kRequired, &P::registers_per_sm, "of 32 bits", 1),
      count("max_registers_per_thread", kOptional, &P::max_registers_per_thread, "of 32 bits", 16, 255),
      count("register_allocation_unit", kOptional, &P::register_allocation_unit,
            "a warp's registers are allocated in multiples of it", 1, 65536),
      count("shared_bytes_per_block", kRequired, &P::shared_bytes_per_block, "bytes", 1, kMebi),
      count("shared_bytes_per_sm", kRequired, &P::shared_bytes_per_sm, "bytes", 1, kMebi),
      count("shared_allocation_bytes", kOptional, &P::shared_allocation_bytes,
            "a block's shared memory is allocated in multiples of it", 1, kMebi),
      count("shared_reserved_bytes", kOptional, &P::shared_reserved_bytes,
            "bytes of shared memory that the system reserves in every block", 0, kMebi),
      count("constant_bytes", kRequired, &P::constant_bytes, "bytes", 1, kTebi),
      count("global_bytes", kRequired, &P::global_bytes, "bytes", 1, kTebi),
  };
}

std::vector<ProfileField> execution() {
  using P = Profile;
  return {
      count("sm_count", kRequired, &P::sm_count, "streaming multiprocessors (SMs)", 1),
      rate("clock_hz", kRequired, &P::clock_hz, "clocks per second of the SMs"),
      rate("issues_per_clock_per_sm", kOptional, &P::issues_per_clock_per_sm,
           "warp instructions that the schedulers of an SM issue per clock"),
      count("lanes_per_sm", kRequired, &P::lanes_per_sm, "lanes of single-precision arithmetic", 1),
      count("fp64_lanes_per_sm", kOptional, &P::fp64_lanes_per_sm, "lanes of double-precision arithmetic", 1),
      count("int_lanes_per_sm", kOptional, &P::int_lanes_per_sm, "lanes of integer arithmetic and logic", 1),
      count("special_lanes_per_sm", kOptional, &P::special_lanes_per_sm, "lanes of special functions", 1),
      count("conversion_lanes_per_sm", kOptional, &P::conversion_lanes_per_sm,
            "lanes of conversions between types of numbers", 1),
      count("memory_lanes_per_sm", kOptional, &P::memory_lanes_per_sm,
            "lanes of loads, stores, atomics and shuffles", 1),
      rate("texture_wavefronts_per_clock_per_sm", kOptional, &P::texture_wavefronts_per_clock_per_sm,
           "passes of the texture unit, each for the fetches of 4 or 8 lanes"),
      rate("tensor_fma_per_clock_per_sm", kOptional, &P::tensor_fma_per_clock_per_sm,
           "multiply-adds of f16 or bf16 on tensor cores; half as many for tf32, twice as many for bytes"),
      rate("tensor_fp64_fma_per_clock_per_sm", kOptional, &P::tensor_fp64_fma_per_clock_per_sm,
           "multiply-adds of double precision on tensor cores"),
      flag("ptx_is_machine_code", &P::ptx_is_machine_code,
           "every PTX instruction takes an issue slot; false: instructions that the assembler removes take "
           "none"),
      amount("arithmetic_latency_clocks", &P::arithmetic_latency_clocks,
             "latency from an arithmetic instruction to an instruction that uses its result"),
      amount("fp64_latency_clocks", &P::fp64_latency_clocks,
             "latency of an arithmetic instruction in double precision"),
      amount("special_latency_clocks", &P::special_latency_clocks, "latency of a special function"),
      amount("tensor_latency_clocks", &P::tensor_latency_clocks,
             "latency of an instruction for tensor cores"),
      amount("shared_latency_clocks", &P::shared_latency_clocks, "latency of a load from shared memory"),
      amount("l1_latency_clocks", &P::l1_latency_clocks, "latency of a load that hits L1"),
      amount("texture_latency_clocks", &P::texture_latency_clocks,
             "latency of a texture fetch, in addition to that of a load"),
      amount("l2_latency_clocks", &P::l2_latency_clocks, "latency of a load that hits L2"),
      amount("dram_latency_clocks", &P::dram_latency_clocks, "average latency of a load from DRAM"),
      amount("dram_latency_spread_clocks", &P::dram_latency_spread_clocks,
             "spread of the latencies of loads from DRAM: the scale of a logistic distribution"),
      amount("barrier_latency_clocks", &P::barrier_latency_clocks,
             "time from the last arrival until the threads continue"),
      amount(
          "block_launch_clocks", &P::block_launch_clocks,
          "time between the starts of two blocks of up to 8 warps on an SM; proportionally more for larger "
          "blocks"),
      amount("kernel_launch_s", &P::kernel_launch_s,
             "seconds from a kernel's turn to its first block and from its last block to its end"),
  };
}

std::vector<ProfileField> memory() {
  using P = Profile;
  return {
      rate("shared_wavefronts_per_clock_per_sm", kRequired, &P::shared_wavefronts_per_clock_per_sm,
           "passes of 32 banks"),
      rate("dram_bytes_per_s", kRequired, &P::dram_bytes_per_s, "peak bandwidth of device memory"),
      rate("dram_achievable_fraction", kOptional, &P::dram_achievable_fraction,
           "fraction of the peak that a copy kernel reaches"),
      count("l1_bytes_per_sm", kOptional, &P::l1_bytes_per_sm,
            "data cache of an SM, including the memory used as shared memory; 0: no cache", 0, kMebi),
      count("l2_bytes", kOptional, &P::l2_bytes, "cache of the device; 0: no cache", 0, kTebi),
      count("cache_line_bytes", kOptional, &P::cache_line_bytes,
            "bytes of a cache line, which has one tag and sectors of 32 bytes", 32, 4096),
      amount("l1_lines_per_clock_per_sm", &P::l1_lines_per_clock_per_sm,
             "lines looked up in L1; 0: no limit"),
      amount("l2_bytes_per_s", &P::l2_bytes_per_s, "between L2 and all SMs; 0: no limit"),
      amount("l2_bytes_per_clock_per_sm", &P::l2_bytes_per_clock_per_sm,
             "between L2 and one SM; 0: no limit"),
      amount("l2_atomics_per_clock", &P::l2_atomics_per_clock,
             "lanes' atomics on global memory, of the whole device; 0: no limit"),
      amount("same_address_atomic_clocks", &P::same_address_atomic_clocks,
             "time between two lanes' atomics on one word of global memory"),
      amount("same_address_float_atomic_clocks", &P::same_address_float_atomic_clocks,
             "time between two lanes' floating-point atomics on one word of global memory"),
      amount("same_line_atomic_clocks", &P::same_line_atomic_clocks,
             "time between two warps' atomics on several words of one line"),
  };
}

std::vector<ProfileField> host_link_and_streams() {
  using P = Profile;
  return {
      count("async_engine_count", kRequired, &P::async_engine_count,
            "copy engines; a single one serves both directions in turn", 0, 16),
      rate("to_device_bytes_per_s", kOptional, &P::to_device_bytes_per_s, "from pinned host memory"),
      rate("to_host_bytes_per_s", kOptional, &P::to_host_bytes_per_s, "to pinned host memory"),
      rate("pageable_to_device_bytes_per_s", kOptional, &P::pageable_to_device_bytes_per_s,
           "from pageable host memory, through a staging buffer"),
      rate("pageable_to_host_bytes_per_s", kOptional, &P::pageable_to_host_bytes_per_s,
           "to pageable host memory, through a staging buffer"),
      amount("link_latency_s", &P::link_latency_s, "seconds per copy between host and device"),
      flag("link_is_full_duplex", &P::link_is_full_duplex,
           "false: copies of both directions take turns, even with two copy engines"),
      amount("host_call_s", &P::host_call_s, "seconds that the host takes to issue an operation"),
      count("memory_block_bytes", kOptional, &P::memory_block_bytes,
            "unit in which the driver maps device memory; 0: allocations take no time", 0, kTebi),
      amount("map_s", &P::map_s, "seconds that the host takes to map a block or a larger allocation"),
      amount("unmap_s", &P::unmap_s, "seconds that the host takes to unmap it"),
      count("hardware_queues", kOptional, &P::hardware_queues,
            "per engine; operations in one queue start in the order of issue", 1, 1024),
      count("max_concurrent_kernels", kOptional, &P::max_concurrent_kernels,
            "kernels that can run at the same time", 1, 1024),
      sources_field(),
  };
}

std::vector<ProfileField> all_fields() {
  std::vector<ProfileField> all;
  for (auto group : {identity_and_limits(), execution(), memory(), host_link_and_streams()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace

const std::vector<ProfileField>& profile_fields() {
  static const std::vector<ProfileField> fields = all_fields();
  return fields;
}

}  // namespace vgpu
