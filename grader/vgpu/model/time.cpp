#include "vgpu/model/time.hpp"

#include <algorithm>
#include <cmath>

#include "vgpu/model/cache.hpp"

namespace vgpu {
namespace {

constexpr double kColdFetches = 2;          // one after another: parameters, and code after the first line
constexpr double kAtomicBytes = 4;          // size of most atomics
constexpr double kConstantPassClocks = 11;  // until the next address is read; measured on an H200
constexpr double kSmallBlockWarps = 8;      // smaller blocks take as long to start

double number(std::uint64_t count) { return static_cast<double>(count); }

/// amount / rate, 0 where the profile sets no limit.
double over(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

/// The cube root of a³ + b³ + c³: little more than the largest, unless another one is close to it. By
/// Newton's method, because std::cbrt can differ in the last digit between C libraries.
double root_of_cubes(double a, double b, double c) {
  const double largest = std::max({a, b, c});
  if (!(largest > 0)) return 0;
  const auto cube = [&](double part) { return part * part * part / (largest * largest * largest); };
  const double sum = cube(a) + cube(b) + cube(c);  // 1 to 3
  double root = sum;
  for (int i = 0; i < 8; ++i) root = (2 * root + sum / (root * root)) / 3;
  return largest * root;
}

std::uint64_t wavefronts_of(const Counters& counters, const Profile& profile) {
  // On profiles of real devices, the assembler has merged accesses to adjacent words
  // (cost/shared_merging.hpp).
  const auto of = [&](const SharedTraffic& traffic) {
    return profile.ptx_is_machine_code ? traffic.wavefronts : traffic.merged_wavefronts;
  };
  return of(counters.shared_loads) + of(counters.shared_stores) + of(counters.shared_atomics);
}

/// Lanes that read different addresses of constant memory are served one after another: the instruction is
/// repeated for each further address.
std::uint64_t repeated_constant_loads(const Counters& counters) {
  return counters.constant_passes - counters.constant_requests;
}

/// The number of warp instructions that a unit executes, without repetitions.
std::uint64_t instructions_of(Pipe pipe, const Profile& profile, const Counters& counters, const Work& work) {
  // A profile that takes PTX for machine code has no pipes: the class of each PTX instruction names its unit.
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
    // arithmetic() takes the work of tensor cores from Work on every profile.
    case Pipe::tensor:
    case Pipe::tensor_fp64:
    case Pipe::texture:
    case Pipe::none:
      break;
  }
  return 0;
}

/// The distribution of blocks over the SMs.
struct Spread {
  double most = 1;   ///< blocks of the busiest SM (n in time.hpp)
  double waves = 1;  ///< waves in which they run (w)
  double part = 1;   ///< their fraction of the launch (u)
};

std::uint64_t on_busiest_sm(const Profile& profile, std::uint64_t blocks) {
  return (blocks + profile.sm_count - 1) / profile.sm_count;
}

Spread spread_of(const Profile& profile, const LaunchShape& shape) {
  const std::uint64_t blocks = std::max<std::uint64_t>(shape.blocks, 1);
  const std::uint64_t most = on_busiest_sm(profile, blocks);
  const std::uint64_t at_once = std::clamp<std::uint64_t>(shape.occupancy.blocks_per_sm, 1, most);
  return {number(most), number((most + at_once - 1) / at_once), number(most) / number(blocks)};
}

/// part^times, with `times` rounded. std::pow can differ in the last digit between C libraries.
double to_power(double part, double times) {
  double product = 1;
  for (long i = std::lround(std::min(times, 64.0)); i > 0; --i) product *= part;
  return product;
}

/// 1/1 + 1/2 + … + 1/n
double harmonic_number(long n) {
  double sum = 0;
  for (long i = 1; i <= n; ++i) sum += 1 / static_cast<double>(i);
  return sum;
}

/// The average number of clocks that the slowest of `loads` from DRAM takes. Latencies have a logistic
/// distribution: the largest of n is spread · (1/1 + … + 1/(n-1)) above the mean.
double slowest_from_dram(const Profile& profile, double loads) {
  constexpr double kMostLoads = 64;
  const long count = std::lround(std::clamp(loads, 1.0, kMostLoads));
  return profile.dram_latency_clocks + profile.dram_latency_spread_clocks * harmonic_number(count - 1);
}

/// The first wave of blocks finds nothing in L2, later ones find lines of earlier ones.
enum class Wave { first, later };

std::uint64_t loads_waited_for(const Work& work) { return work[Wait::global] + work[Wait::texture]; }

/// The average number of clocks that a warp waits for global memory: for the slowest of the loads that are
/// issued together.
double global_latency(const Profile& profile, const Counters& counters, const Work& work, Wave wave) {
  // `together` loads per wait end when the slowest ends. With independent hits, all of them hit L1 with
  // probability hit^together; of those that miss, together · (1 - hit) on average, none goes to DRAM with
  // probability (1 - from_dram)^(together · (1 - hit)).
  const CacheTraffic& cache = counters.cache;
  const double together = std::max(1.0, number(counters.global_loads.requests + work[Pipe::texture]) /
                                            number(std::max<std::uint64_t>(loads_waited_for(work), 1)));
  // A line that another warp asks for at the same time is not in L1 yet: it counts as a miss.
  const double looked_up = number(std::max<std::uint64_t>(cache.l1_load_sectors + cache.texture_sectors, 1));
  const std::uint64_t found = cache.l1_load_hit_sectors + cache.texture_hit_sectors;
  const double hit = number(found - std::min(work.l1_in_flight_sectors, found)) / looked_up;
  const double read = number(cache.l2_read_sectors);
  const bool is_cold = read == 0 || (wave == Wave::first && cache.dram_read_bytes != 0);
  const double from_dram =
      is_cold ? 1 : std::min(1.0, number(cache.dram_read_bytes) / (read * number(kSectorBytes)));
  const double all_in_l1 = to_power(hit, together);
  const double none_from_dram = to_power(1 - from_dram, std::max(1.0, together * (1 - hit)));
  const double after_l1_miss =
      (1 - none_from_dram) * slowest_from_dram(profile, together * (1 - hit) * from_dram) +
      none_from_dram * profile.l2_latency_clocks;
  return all_in_l1 * profile.l1_latency_clocks + (1 - all_in_l1) * after_l1_miss;
}

/// Clocks that a warp waits when it runs alone on the device (L in time.hpp, and M).
struct Waiting {
  double all = 0;
  double together = 0;  ///< the part for memory and at barriers, where all warps in step wait together
};

Waiting waiting_of(const Profile& profile, const Counters& counters, const Work& work, Wave wave,
                   double warps) {
  const double loads = number(loads_waited_for(work)) * global_latency(profile, counters, work, wave) +
                       number(work[Wait::texture]) * profile.texture_latency_clocks;
  const auto clocks_of = [&](Wait wait) { return number(work[wait]) * latency_clocks(profile, wait); };
  const double others = clocks_of(Wait::atomic) + clocks_of(Wait::barrier);
  // Barriers divide each warp's run into phases, one more than barriers. Only the first load of a phase
  // counts for M.
  const double phases = number(work[Wait::barrier]) + warps;
  const double first_of_phase = std::min(1.0, phases / std::max(1.0, number(loads_waited_for(work))));
  Waiting waiting;
  waiting.together = loads * first_of_phase + others;
  waiting.all = loads + others;
  for (const Wait wait :
       {Wait::arithmetic, Wait::fp64, Wait::special, Wait::tensor, Wait::shared, Wait::local})
    waiting.all += clocks_of(wait);
  if (!profile.ptx_is_machine_code)
    waiting.all += number(repeated_constant_loads(counters)) * kConstantPassClocks;
  return {waiting.all / warps, waiting.together / warps};
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
    // An SM that starts a block executes nothing else; memory continues to work.
    const double started = number(on_busiest_sm(profile_, shape_.blocks + shape_.idle_blocks));
    const double starting_s =
        seconds(started * profile_.block_launch_clocks * std::max(1.0, warps_per_block() / kSmallBlockWarps));
    const double on_sms_s = slowest(TimePart::issue, TimePart::l1) + starting_s;
    const double on_device_s = slowest(TimePart::l2, TimePart::atomics);
    const double busy_s = std::max(on_sms_s, on_device_s);
    // w · (L + D), the first wave with the latencies of a cold L2.
    const Waiting first = waiting(Wave::first), later = waiting(Wave::later);
    const double waiting_s = alone_s(first, busy_s) + (spread_.waves - 1) * alone_s(later, busy_s);
    time_[TimePart::latency] = waiting_s;
    const double waits_s = seconds(first.all + (spread_.waves - 1) * later.all);
    const double together_s =
        waits_s > 0 ? root_of_cubes(on_sms_s, on_device_s, waits_s) : std::max(on_sms_s, on_device_s);
    const double run_s =
        std::max({together_s, waiting_s, busy_s + (in_step() ? seconds(first.together) : 0)});
    // run_s without the time for starting blocks, which counts as launch, but never less than the slowest
    // part.
    const bool is_cold = loads_waited_for(work_) != 0 && counters_.cache.dram_read_bytes != 0;
    time_.run_s = std::max(run_s - starting_s, slowest(TimePart::issue, TimePart::latency));
    time_.launch_s = profile_.kernel_launch_s + (run_s - time_.run_s) +
                     (is_cold ? kColdFetches * seconds(profile_.dram_latency_clocks) : 0);
    return time_;
  }

 private:
  /// The longest of the parts from `first` to `last`.
  double slowest(TimePart first, TimePart last) const {
    const auto at = [&](TimePart part) { return time_.part_s.begin() + static_cast<std::ptrdiff_t>(part); };
    // TimePart lists the parts of an SM first (issue to l1), then those of the device (l2 to atomics), then
    // latency.
    return *std::max_element(at(first), at(last) + 1);
  }
  /// Seconds that the busiest SM takes for its part of `amount` at a rate of `per_clock`; 0: no limit.
  double on_sm(double amount, double per_clock) const {
    return over(spread_.part * amount, per_clock * profile_.clock_hz);
  }
  double on_unit(Pipe pipe, std::uint32_t lanes) const {
    return on_lanes(instructions_of(pipe, profile_, counters_, work_), lanes);
  }
  double on_lanes(std::uint64_t instructions, std::uint32_t lanes) const {
    return on_sm(number(instructions) * number(kWarpLanes), lanes);
  }

  void arithmetic() {
    const std::uint64_t issued = profile_.ptx_is_machine_code ? counters_.warp_instructions : work_.issued;
    const std::uint64_t repeated = repeated_constant_loads(counters_);
    time_[TimePart::issue] = on_sm(number(issued + repeated), profile_.issues_per_clock_per_sm);
    time_[TimePart::fp32] = on_unit(Pipe::fp32, profile_.lanes_per_sm);
    time_[TimePart::fp64] = on_unit(Pipe::fp64, profile_.fp64_lanes_per_sm);
    time_[TimePart::integer] = on_unit(Pipe::integer, profile_.int_lanes_per_sm);
    time_[TimePart::special] = on_unit(Pipe::special, profile_.special_lanes_per_sm) +
                               on_unit(Pipe::conversion, profile_.conversion_lanes_per_sm);
    time_[TimePart::tensor] =
        on_sm(number(work_[Pipe::tensor]) * kTensorUnit, profile_.tensor_fma_per_clock_per_sm) +
        on_sm(number(work_[Pipe::tensor_fp64]) * kTensorFp64Unit, profile_.tensor_fp64_fma_per_clock_per_sm);
    time_[TimePart::load_store] = on_unit(Pipe::load_store, profile_.memory_lanes_per_sm) +
                                  on_lanes(repeated, profile_.memory_lanes_per_sm);
    time_[TimePart::texture] =
        on_sm(number(counters_.texture_fetches.wavefronts + counters_.surface_loads.wavefronts +
                     counters_.surface_stores.wavefronts),
              profile_.texture_wavefronts_per_clock_per_sm);
  }

  void memory() {
    const CacheTraffic& cache = counters_.cache;
    const double wavefronts = number(wavefronts_of(counters_, profile_));
    time_[TimePart::shared] = on_sm(wavefronts, profile_.shared_wavefronts_per_clock_per_sm);
    time_[TimePart::l1] = on_sm(number(work_.l1_lines) + wavefronts, profile_.l1_lines_per_clock_per_sm);
    // A warp's store to a line is one transfer and takes as long as that of the whole line.
    const std::uint64_t stored_lines = work_.stored_lines != 0
                                           ? work_.stored_lines * (kCacheLineBytes / kSectorBytes)
                                           : cache.l2_write_sectors;
    const double l2_bytes = number((cache.l2_read_sectors + stored_lines) * kSectorBytes);
    time_[TimePart::l2] = std::max(over(l2_bytes, profile_.l2_bytes_per_s),
                                   on_sm(l2_bytes, profile_.l2_bytes_per_clock_per_sm));
    time_[TimePart::dram] = number(cache.dram_read_bytes + cache.dram_write_bytes) /
                            (profile_.dram_bytes_per_s * profile_.dram_achievable_fraction);
    const double lanes = number(counters_.global_atomics.requested_bytes) / kAtomicBytes;
    const double one_after_another =
        std::max({number(work_.hottest_atomics.lanes) * profile_.same_address_atomic_clocks,
                  number(work_.hottest_atomics.float_lanes) * profile_.same_address_float_atomic_clocks,
                  number(work_.hottest_atomics.scattered) * profile_.same_line_atomic_clocks});
    time_[TimePart::atomics] =
        std::max(over(lanes, profile_.l2_atomics_per_clock * profile_.clock_hz), seconds(one_after_another));
  }

  double warps_per_block() const {
    return number(std::max<std::uint64_t>((shape_.threads_per_block + 31) / 32, 1));
  }
  bool in_step() const { return counters_.barriers != 0; }
  double seconds(double clocks) const { return clocks / profile_.clock_hz; }
  Waiting waiting(Wave wave) const {
    const double warps = number(std::max<std::uint64_t>(shape_.blocks, 1)) * warps_per_block();
    return waiting_of(profile_, counters_, work_, wave, warps);
  }
  /// The time of a warp, or of a block whose warps run in step, that runs alone on the device: L + D or
  /// max(L, M + D) of time.hpp. `busy_s` is the time of the busiest part for all blocks of an SM.
  double alone_s(const Waiting& waiting, double busy_s) const {
    const double block_s = busy_s / spread_.most;
    if (!in_step()) return seconds(waiting.all) + block_s / warps_per_block();
    return std::max(seconds(waiting.all), seconds(waiting.together) + block_s);
  }

  const Profile& profile_;
  const LaunchShape& shape_;
  const Counters& counters_;
  const Work& work_;
  Spread spread_;
  KernelTime time_;
};

}  // namespace

double latency_clocks(const Profile& profile, Wait wait) {
  switch (wait) {
    case Wait::arithmetic:
      return profile.arithmetic_latency_clocks;
    case Wait::fp64:
      return profile.fp64_latency_clocks;
    case Wait::special:
      return profile.special_latency_clocks;
    case Wait::shared:
      return profile.shared_latency_clocks;
    case Wait::local:
      return profile.l1_latency_clocks;
    case Wait::global:
    case Wait::atomic:
      return profile.l2_latency_clocks;
    case Wait::barrier:
      return profile.barrier_latency_clocks;
    case Wait::tensor:
      return profile.tensor_latency_clocks;
    case Wait::texture:
      return profile.l2_latency_clocks + profile.texture_latency_clocks;
  }
  return 0;
}

std::string_view name_of(TimePart part) {
  static constexpr std::array<std::string_view, kTimeParts> kNames{"instruction issue",
                                                                   "single precision",
                                                                   "double precision",
                                                                   "integer arithmetic",
                                                                   "special functions",
                                                                   "tensor cores",
                                                                   "load and store units",
                                                                   "texture unit",
                                                                   "shared memory",
                                                                   "L1 cache",
                                                                   "L2 cache",
                                                                   "DRAM",
                                                                   "atomics",
                                                                   "latency"};
  return kNames[static_cast<std::size_t>(part)];
}

std::string_view key_of(TimePart part) {
  static constexpr std::array<std::string_view, kTimeParts> kKeys{
      "issue",   "fp32",   "fp64", "integer", "special", "tensor",  "load_store",
      "texture", "shared", "l1",   "l2",      "dram",    "atomics", "latency"};
  return kKeys[static_cast<std::size_t>(part)];
}

TimePart KernelTime::limiter() const {
  return static_cast<TimePart>(std::max_element(part_s.begin(), part_s.end()) - part_s.begin());
}

double KernelTime::compute_s() const {
  return std::max({(*this)[TimePart::issue], (*this)[TimePart::fp32], (*this)[TimePart::fp64],
                   (*this)[TimePart::integer], (*this)[TimePart::special], (*this)[TimePart::tensor]});
}

std::string_view limiter_name(const KernelTime& time) {
  if (time.launch_s > time.run_s) return "launch";
  const TimePart slowest = time.limiter();
  return name_of(slowest);
}

KernelTime kernel_time(const Profile& profile, const LaunchShape& shape, const Counters& counters,
                       const Work& work) {
  return Model(profile, shape, counters, work).time();
}

}  // namespace vgpu
