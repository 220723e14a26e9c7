// Measures the speed of the virtual GPU on the lectures' matrix products and tree reduction, on a kernel
// that only reads and writes memory, and on short launches of the course set: simulated thread instructions
// per second of wall time, with bounds checks and all counters, then also with the checks for races and reads
// of unwritten memory; in addition the CPU time of all threads, for shared machines. Several threads are
// compared with one thread, and with as many simultaneous programs of one thread, which share only the
// machine: these are the upper bound. The variants take turns, so that a change of the machine's speed
// affects all. At the end it prints what the checks cost on one thread. Usage: bench-vgpu [n] [threads…]
// [kernels…]; the products are of n × n matrices, n a multiple of 64, 512 by default; the reduction and the
// streaming kernel have n × n × 16 elements; the strided kernels access n × n words;
// the launches of the course set do not depend on n.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vgpu/run/device.hpp"

namespace {

constexpr std::uint32_t kTile = 16;
constexpr std::uint32_t kReductionBlock = 256;
constexpr std::uint32_t kStreamingBlock = 256;
constexpr int kMultiple = 64;  // of n, so that blocks cover all arrays
constexpr int kRepetitions = 5;

struct Work {
  const char* source;  ///< in tests/kernels/vgpu/
  const char* kernel;
  vgpu::Dim3 grid, block;
  std::vector<std::size_t> array_bytes;  ///< the first parameters: arrays filled with ones
  std::vector<std::int32_t> integers;    ///< the parameters after the arrays
  int launches = 1;                      ///< measured together
  bool has_bytes = false;                ///< the first array has bytes, some of them more often than others
};

Work product(const char* kernel, std::uint32_t n) {
  const auto size = static_cast<std::int32_t>(n);
  const std::size_t bytes = std::size_t{n} * n * sizeof(float);
  return {"matmul.ptx",      kernel, {n / kTile, n / kTile, 1}, {kTile, kTile, 1}, {bytes, bytes, bytes},
          {size, size, size}};
}

Work reduction(std::uint32_t elements) {
  const std::uint32_t blocks = elements / kReductionBlock;
  return {"reduction.ptx",
          "tree",
          {blocks, 1, 1},
          {kReductionBlock, 1, 1},
          {elements * sizeof(float), blocks * sizeof(float)},
          {static_cast<std::int32_t>(elements)}};
}

Work streaming(std::uint32_t elements) {
  return {"streaming.ptx",
          "stream",
          {elements / kStreamingBlock, 1, 1},
          {kStreamingBlock, 1, 1},
          {elements * sizeof(float)},
          {static_cast<std::int32_t>(elements)}};
}

/// Accesses at a constant stride: every 2nd and 8th word, and columns of n × n matrices.
std::vector<Work> strided(std::uint32_t n) {
  const std::uint32_t elements = n * n;
  const std::size_t bytes = std::size_t{elements} * sizeof(float);
  const auto size = static_cast<std::int32_t>(n), words = static_cast<std::int32_t>(elements);
  const auto copy = [&](std::uint32_t stride) {
    const vgpu::Dim3 grid{elements / stride / kStreamingBlock, 1, 1};
    return Work{"strided.ptx",           "copy_strided", grid,
                {kStreamingBlock, 1, 1}, {bytes, bytes}, {words, static_cast<std::int32_t>(stride)}};
  };
  constexpr std::uint32_t kTransposed = 32;
  return {copy(2),
          copy(8),
          {"strided.ptx",
           "transpose_naive",
           {n / kTransposed, n / kTransposed, 1},
           {kTransposed, 8, 1},
           {bytes, bytes},
           {size}},
          {"strided.ptx",
           "matmul_uncoalesced",
           {n / kTile, n / kTile, 1},
           {kTile, kTile, 1},
           {bytes, bytes, bytes},
           {size}}};
}

/// Short launches of the course set: fixed costs per launch and block, and atomic operations.
std::vector<Work> course_launches() {
  constexpr int kLaunches = 50;
  constexpr std::int32_t n = 31;
  constexpr std::size_t kDoubles = std::size_t{n} * n * sizeof(double);
  constexpr std::int32_t kRows = 37, kInner = 29, kColumns = 27;
  const auto floats = [](std::int32_t rows, std::int32_t columns) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(float);
  };
  constexpr std::int32_t kBytes = 10007;
  constexpr std::size_t kBins = 256;
  return {
      {"course.ptx", "matmul_double", {4, 4, 1}, {8, 8, 1}, {kDoubles, kDoubles, kDoubles}, {n}, kLaunches},
      {"course.ptx",
       "matmul_naive",
       {2, 3, 1},
       {kTile, kTile, 1},
       {floats(kRows, kInner), floats(kInner, kColumns), floats(kRows, kColumns)},
       {kRows, kInner, kColumns},
       kLaunches},
      {"course.ptx",
       "histo_global",
       {5, 1, 1},
       {192, 1, 1},
       {kBytes, kBins * sizeof(float)},
       {kBytes},
       kLaunches,
       true},
      {"course.ptx", "atomics", {2, 1, 1}, {96, 1, 1}, {64, 64, 64}, {}, kLaunches},
  };
}

std::string text_of(const std::string& source) {
  std::ifstream file(WARPGRADE_SOURCE_DIR "/grader/tests/kernels/vgpu/" + source);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Squares of numbers below 16.
std::vector<std::byte> skewed_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t root = i * 0x9E3779B97F4A7C15U >> 60U;
    bytes[i] = static_cast<std::byte>(root * root);
  }
  return bytes;
}

std::vector<std::byte> parameters_on(vgpu::Device& device, const Work& work) {
  std::vector<std::byte> packed;
  const auto append = [&](const auto& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    packed.insert(packed.end(), bytes.begin(), bytes.end());
  };
  for (const std::size_t bytes : work.array_bytes) {
    const std::vector<float> ones(bytes / sizeof(float), 1);
    const auto address = device.allocate(bytes);
    if (work.has_bytes && packed.empty())
      device.write(*address, skewed_bytes(bytes));
    else
      device.write(*address, std::as_bytes(std::span(ones)));
    append(*address);
  }
  for (const std::int32_t integer : work.integers) append(integer);
  return packed;
}

[[noreturn]] void fail(const char* what, const std::string& why) {
  fmt::print(stderr, "{}: {}\n", what, why);
  std::exit(1);
}

struct Seconds {
  double wall = std::numeric_limits<double>::infinity(), cpu = wall;

  void keep_best(const Seconds& one) {
    wall = std::min(wall, one.wall);
    cpu = std::min(cpu, one.cpu);
  }
};

template <class Action>
Seconds seconds_of(Action action) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  action();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC};
}

/// A device with the kernel and its arrays.
class Bench {
 public:
  Bench(const Work& work, unsigned threads, bool checks)
      : device_(vgpu::lecture_profile(), {.cpu_threads = threads, .checks = {checks, checks}}),
        work_(work),
        parameters_(parameters_on(device_, work)) {
    const std::string text = text_of(work.source);
    const auto module = device_.load_module(std::as_bytes(std::span(text)));
    if (!module) fail("cannot load the kernel", module.error());
    module_ = *module;
  }

  void launch() {
    for (int i = 0; i < work_.launches; ++i) launch_once();
  }
  const vgpu::Counters& counters() const { return record_.counters; }

 private:
  void launch_once() {
    record_ = device_.launch({module_, work_.kernel, work_.grid, work_.block, 0, parameters_});
    if (record_.error != vgpu::LaunchError::none) fail("the launch failed", record_.error_detail);
    if (!record_.faults.empty()) fail("the kernel failed", record_.faults[0].detail);
  }

  vgpu::Device device_;
  const Work& work_;
  std::vector<std::byte> parameters_;
  vgpu::ModuleId module_ = 0;
  vgpu::LaunchRecord record_;
};

/// Forked copies of this program, each with a copy of `bench`, whose device has one thread.
class Copies {
 public:
  Copies(unsigned count, Bench& bench) {
    for (unsigned i = 0; i < count; ++i) {
      int ends[2];
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("cannot fork", "no sockets");
      const pid_t copy = ::fork();
      if (copy < 0) fail("cannot fork", "no processes");
      if (copy == 0) {
        ::close(ends[0]);
        serve(bench, ends[1]);
      }
      ::close(ends[1]);
      links_.push_back(ends[0]);
    }
  }
  ~Copies() {
    for (const int link : links_) ::close(link);
    while (::wait(nullptr) > 0) {
    }
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  /// All copies and `bench` launch at the same time.
  void launch_with(Bench& bench) {
    char word = 'g';
    for (const int link : links_)
      if (::write(link, &word, 1) != 1) fail("a copy of this program", "has ended");
    bench.launch();
    for (const int link : links_)
      if (::read(link, &word, 1) != 1) fail("a copy of this program", "has ended");
  }

 private:
  [[noreturn]] static void serve(Bench& bench, int link) {
    for (char word = 0; ::read(link, &word, 1) == 1;) {
      bench.launch();
      if (::write(link, &word, 1) != 1) break;
    }
    ::_exit(0);
  }

  std::vector<int> links_;
};

void print_rate(const Work& work, int n, unsigned threads, bool checks, Seconds best,
                const vgpu::Counters& counters) {
  best.wall /= work.launches;
  best.cpu /= work.launches;
  fmt::print(
      "{:<6} n = {}, {} thread(s){}: {:.4g} s, {:.2f} G thread instructions/s, {:.1f} ns per warp "
      "instruction; CPU {:.4g} s\n",
      work.kernel, n, threads, checks ? ", races and unwritten memory" : "", best.wall,
      static_cast<double>(counters.thread_instructions) / best.wall / 1e9,
      best.wall / static_cast<double>(counters.warp_instructions) * 1e9, best.cpu);
}

/// The CPU time of one thread, if that was measured.
double measure(const Work& work, int n, const std::vector<unsigned>& thread_counts, bool checks) {
  Bench one(work, 1, checks);
  one.launch();
  Seconds alone;
  for (const unsigned threads : thread_counts) {
    if (threads <= 1) {
      for (int i = 0; i < kRepetitions; ++i) alone.keep_best(seconds_of([&] { one.launch(); }));
      print_rate(work, n, 1, checks, alone, one.counters());
      continue;
    }
    Copies copies(threads - 1, one);  // before this program has threads
    Bench many(work, threads, checks);
    many.launch();
    copies.launch_with(one);
    Seconds together, apart;
    for (int i = 0; i < kRepetitions; ++i) {
      alone.keep_best(seconds_of([&] { one.launch(); }));
      together.keep_best(seconds_of([&] { many.launch(); }));
      apart.keep_best(seconds_of([&] { copies.launch_with(one); }));
    }
    print_rate(work, n, threads, checks, together, many.counters());
    fmt::print("{:<6} {} threads do {:.2f} times the work of one; {} programs of one thread {:.2f} times\n",
               work.kernel, threads, alone.wall / together.wall, threads, threads * alone.wall / apart.wall);
  }
  return alone.cpu;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 512;
  if (n <= 0 || n > 4096 || n % kMultiple != 0) {
    fmt::print("n is {} but must be a multiple of {} and at most 4096\n", n, kMultiple);
    return 2;
  }
  std::vector<unsigned> threads;
  std::vector<std::string> kernels;
  for (int i = 2; i < argc; ++i) {
    const int count = std::atoi(argv[i]);
    if (count > 0) threads.push_back(static_cast<unsigned>(count));
    if (count <= 0) kernels.emplace_back(argv[i]);
  }
  if (threads.empty()) threads = {1, 2};
  const auto width = static_cast<std::uint32_t>(n);
  const std::uint32_t elements = width * width * 16;
  std::vector<std::pair<Work, std::uint32_t>> works = {{product("tiled", width), width},
                                                       {product("naive", width), width},
                                                       {reduction(elements), elements},
                                                       {streaming(elements), elements}};
  for (const Work& work : strided(width)) works.emplace_back(work, width);
  for (const Work& work : course_launches()) works.emplace_back(work, work.grid.count() * work.block.count());
  std::erase_if(works, [&](const auto& work) {
    return !kernels.empty() && std::find(kernels.begin(), kernels.end(), work.first.kernel) == kernels.end();
  });
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::vector<double> plain;
  for (const auto& [work, size] : works)
    plain.push_back(measure(work, static_cast<int>(size), threads, false));
  std::vector<double> checked;
  for (const auto& [work, size] : works)
    checked.push_back(measure(work, static_cast<int>(size), threads, true));
  for (std::size_t i = 0; i < works.size(); ++i)
    fmt::print("{:<13} CPU time with checks / without: {:.1f}\n", works[i].first.kernel,
               checked[i] / plain[i]);
  return 0;
}
