#include "vgpu/model/time.hpp"

#include <algorithm>

namespace vgpu {
namespace {

constexpr double kWarpLanes = 32;

double number(std::uint64_t count) { return static_cast<double>(count); }

/// 0 where the profile sets no limit.
double over(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

std::uint64_t wavefronts_of(const Counters& counters, const Profile& profile) {
  const auto of = [&](const SharedTraffic& traffic) {
    return profile.ptx_is_machine_code ? traffic.wavefronts : traffic.merged_wavefronts;
  };
  return of(counters.shared_loads) + of(counters.shared_stores) + of(counters.shared_atomics);
}

/// Warp instructions that a unit takes.
std::uint64_t instructions_of(Pipe pipe, const Profile& profile, const Counters& counters, const Work& work) {
  if (!profile.ptx_is_machine_code) return work[pipe];
  const auto of = [&](InstructionClass c) {
    return counters.warp_instructions_by_class[static_cast<std::size_t>(c)];
  };
  switch (pipe) {
    case Pipe::fp32:
      return of(InstructionClass::float32);
    case Pipe::fp64:
      return of(InstructionClass::float64);
    case Pipe::integer:
      return of(InstructionClass::integer) + of(InstructionClass::predicate);
    case Pipe::special:
      return of(InstructionClass::special);
    case Pipe::conversion:
      return of(InstructionClass::conversion);
    case Pipe::load_store:
      return of(InstructionClass::memory);
    case Pipe::none:
      break;
  }
  return 0;
}

/// How blocks spread over the SMs.
struct Spread {
  double most = 1;   ///< blocks of the busiest SM
  double waves = 1;  ///< that it takes for them
  double part = 1;   ///< of the whole launch
};

Spread spread_of(const Profile& profile, const LaunchShape& shape) {
  const std::uint64_t blocks = std::max<std::uint64_t>(shape.blocks, 1);
  const std::uint64_t most = (blocks + profile.sm_count - 1) / profile.sm_count;
  const std::uint64_t at_once = std::clamp<std::uint64_t>(shape.occupancy.blocks_per_sm, 1, most);
  return {number(most), number((most + at_once - 1) / at_once), number(most) / number(blocks)};
}

/// Clocks that a load from global memory takes on average.
double global_latency(const Profile& profile, const CacheTraffic& cache) {
  const double l1 =
      cache.l1_load_sectors == 0 ? 0 : number(cache.l1_load_hit_sectors) / number(cache.l1_load_sectors);
  const double read = number(cache.l2_read_sectors);
  const double from_dram =
      read == 0 ? 1 : std::min(1.0, number(cache.dram_read_bytes) / (read * number(kSectorBytes)));
  const double behind_l1 =
      from_dram * profile.dram_latency_clocks + (1 - from_dram) * profile.l2_latency_clocks;
  return l1 * profile.l1_latency_clocks + (1 - l1) * behind_l1;
}

/// Clocks that all warps together wait.
double waiting(const Profile& profile, const Counters& counters, const Work& work) {
  return number(work[Wait::arithmetic]) * profile.arithmetic_latency_clocks +
         number(work[Wait::fp64]) * profile.fp64_latency_clocks +
         number(work[Wait::special]) * profile.special_latency_clocks +
         number(work[Wait::shared]) * profile.shared_latency_clocks +
         number(work[Wait::local]) * profile.l1_latency_clocks +
         number(work[Wait::global]) * global_latency(profile, counters.cache) +
         number(work[Wait::atomic]) * profile.l2_latency_clocks +
         number(work[Wait::barrier]) * profile.barrier_latency_clocks;
}

class Model {
 public:
  Model(const Profile& profile, const LaunchShape& shape, const Counters& counters, const Work& work)
      : profile_(profile),
        shape_(shape),
        counters_(counters),
        work_(work),
        spread_(spread_of(profile, shape)) {}

  KernelTime time() {
    arithmetic();
    memory();
    latency();
    time_.launch_s =
        profile_.kernel_launch_s + spread_.most * profile_.block_launch_clocks / profile_.clock_hz;
    time_.run_s = *std::max_element(time_.part_s.begin(), time_.part_s.end());
    return time_;
  }

 private:
  /// Seconds for the busiest SM's part of `amount`, of which an SM does `per_clock`; 0: no limit.
  double on_sm(double amount, double per_clock) const {
    return over(spread_.part * amount, per_clock * profile_.clock_hz);
  }
  double on_unit(Pipe pipe, std::uint32_t lanes) const {
    return on_sm(number(instructions_of(pipe, profile_, counters_, work_)) * kWarpLanes, lanes);
  }

  void arithmetic() {
    const std::uint64_t issued = profile_.ptx_is_machine_code ? counters_.warp_instructions : work_.issued;
    time_[TimePart::issue] = on_sm(number(issued), profile_.issues_per_clock_per_sm);
    time_[TimePart::fp32] = on_unit(Pipe::fp32, profile_.lanes_per_sm);
    time_[TimePart::fp64] = on_unit(Pipe::fp64, profile_.fp64_lanes_per_sm);
    time_[TimePart::integer] = on_unit(Pipe::integer, profile_.int_lanes_per_sm);
    time_[TimePart::special] = on_unit(Pipe::special, profile_.special_lanes_per_sm) +
                               on_unit(Pipe::conversion, profile_.conversion_lanes_per_sm);
    time_[TimePart::load_store] = on_unit(Pipe::load_store, profile_.memory_lanes_per_sm);
  }

  void memory() {
    const CacheTraffic& cache = counters_.cache;
    const double wavefronts = number(wavefronts_of(counters_, profile_));
    time_[TimePart::shared] = on_sm(wavefronts, profile_.shared_wavefronts_per_clock_per_sm);
    time_[TimePart::l1] = on_sm(number(work_.l1_lines) + wavefronts, profile_.l1_lines_per_clock_per_sm);
    const double l2_bytes = number((cache.l2_read_sectors + cache.l2_write_sectors) * kSectorBytes);
    time_[TimePart::l2] = std::max(over(l2_bytes, profile_.l2_bytes_per_s),
                                   on_sm(l2_bytes, profile_.l2_bytes_per_clock_per_sm));
    time_[TimePart::dram] = number(cache.dram_read_bytes + cache.dram_write_bytes) /
                            (profile_.dram_bytes_per_s * profile_.dram_achievable_fraction);
    const double lanes = number(counters_.global_atomics.requested_bytes) / 4;
    time_[TimePart::atomics] =
        std::max(over(lanes, profile_.l2_atomics_per_clock * profile_.clock_hz),
                 number(work_.hottest_atomics) * profile_.same_address_atomic_clocks / profile_.clock_hz);
  }

  void latency() {
    const double warps =
        number(shape_.blocks) * number(std::max<std::uint64_t>((shape_.threads_per_block + 31) / 32, 1));
    const double clocks = waiting(profile_, counters_, work_) / std::max(warps, 1.0);
    time_[TimePart::latency] = spread_.waves * clocks / profile_.clock_hz;
  }

  const Profile& profile_;
  const LaunchShape& shape_;
  const Counters& counters_;
  const Work& work_;
  Spread spread_;
  KernelTime time_;
};

}  // namespace

std::string_view name_of(TimePart part) {
  static constexpr std::array<std::string_view, kTimeParts> kNames{
      "instruction issue", "single precision",
      "double precision",  "integer arithmetic",
      "special functions", "load and store units",
      "shared memory",     "L1 cache",
      "L2 cache",          "DRAM",
      "atomics",           "latency"};
  return kNames[static_cast<std::size_t>(part)];
}

std::string_view key_of(TimePart part) {
  static constexpr std::array<std::string_view, kTimeParts> kKeys{
      "issue",  "fp32", "fp64", "integer", "special", "load_store",
      "shared", "l1",   "l2",   "dram",    "atomics", "latency"};
  return kKeys[static_cast<std::size_t>(part)];
}

TimePart KernelTime::limiter() const {
  return static_cast<TimePart>(std::max_element(part_s.begin(), part_s.end()) - part_s.begin());
}

double KernelTime::compute_s() const {
  return std::max({(*this)[TimePart::issue], (*this)[TimePart::fp32], (*this)[TimePart::fp64],
                   (*this)[TimePart::integer], (*this)[TimePart::special]});
}

KernelTime kernel_time(const Profile& profile, const LaunchShape& shape, const Counters& counters,
                       const Work& work) {
  return Model(profile, shape, counters, work).time();
}

}  // namespace vgpu
