// Runs the kernels that translate.py translated, in turn with the interpreter, and prints the speed of both:
// the native spike of decisions/0034-native-code.md. run.sh translates, compiles and calls this program.
// Usage: native-spike N ROUNDS KERNEL… COMPILER=FOLDER…, where FOLDER has KERNEL-0.so, -1.so and -2.so for
// the three values of spike::Level.
//
// Ends with 1 if a result differs from the CPU's by a bit, a counter differs from the interpreter's, or the
// checks of a launch see other accesses than the interpreter's.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "validate/native_spike/native_launch.hpp"
#include "validate/native_spike/work.hpp"
#include "vgpu/run/device.hpp"

namespace {

using spike::Engine;
using spike::fail;
using spike::Level;
using spike::NativeLaunch;
using spike::Work;

class Interpreter : public Engine {
 public:
  Interpreter(const Work& work, bool checks)
      : device_(vgpu::lecture_profile(), {.cpu_threads = 1, .checks = {checks, checks}}), work_(work) {
    const auto allocate = [&](std::size_t bytes) { return *device_.allocate(bytes); };
    const auto write = [&](std::uint64_t to, std::span<const std::byte> bytes) { device_.write(to, bytes); };
    parameters_ = spike::parameters_of(work, addresses_, allocate, write);
    const std::string text = spike::text_of(work);
    const auto module = device_.load_module(std::as_bytes(std::span(text)));
    if (!module) fail(module.error());
    module_ = *module;
  }

  void launch() override {
    record_ = device_.launch({module_, work_.kernel, work_.grid, work_.block, 0, parameters_});
    if (record_.error != vgpu::LaunchError::none || !record_.faults.empty())
      fail("the interpreter's launch failed");
  }
  std::vector<float> result() const override {
    std::vector<float> values(work_.expected.size());
    device_.read(addresses_[work_.result], std::as_writable_bytes(std::span(values)));
    return values;
  }
  vgpu::Counters counters() const override { return record_.counters; }
  const vgpu::LaunchRecord& record() const { return record_; }

 private:
  vgpu::Device device_;
  const Work& work_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::byte> parameters_;
  vgpu::ModuleId module_ = 0;
  vgpu::LaunchRecord record_;
};

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool have_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// The counters that the spike computes. The others follow from the same tallies and the program.
std::vector<std::uint64_t> compared(const vgpu::Counters& c) {
  std::vector<std::uint64_t> values{c.warp_instructions, c.thread_instructions, c.flops,
                                    c.branches,          c.divergent_branches,  c.barriers};
  for (const auto& t : {c.global_loads, c.global_stores})
    values.insert(values.end(), {t.requests, t.sectors, t.requested_bytes});
  for (const auto& t : {c.shared_loads, c.shared_stores})
    values.insert(values.end(), {t.requests, t.wavefronts, t.bank_conflicts, t.requested_bytes});
  return values;
}

struct Column {
  std::string engine;
  Level level = Level::counters;
  std::unique_ptr<Engine> runs;
  std::vector<double> seconds;
};

constexpr const char* kLevels[] = {"bounds", "counters", "checks"};

using Compilers = std::vector<std::pair<std::string, std::string>>;  // name, folder

std::vector<Column> columns_of(const Work& work, const Compilers& compilers) {
  std::vector<Column> columns;
  for (const Level level : {Level::bounds, Level::counters, Level::checks}) {
    if (level != Level::bounds)
      columns.push_back(
          {"interpreter", level, std::make_unique<Interpreter>(work, level == Level::checks), {}});
    for (const auto& [compiler, folder] : compilers) {
      const std::string library = fmt::format("{}/{}-{}.so", folder, work.kernel, static_cast<int>(level));
      columns.push_back({compiler, level, std::make_unique<NativeLaunch>(work, library, level), {}});
    }
  }
  return columns;
}

void compare(const Work& work, const std::vector<Column>& columns) {
  const Interpreter* plain = nullptr;
  const Interpreter* checked = nullptr;
  for (const Column& column : columns) {
    if (const auto* one = dynamic_cast<const Interpreter*>(column.runs.get()))
      (column.level == Level::checks ? checked : plain) = one;
  }
  for (const Column& column : columns) {
    const std::string name =
        fmt::format("{}, {}, {}", work.kernel, column.engine, kLevels[static_cast<int>(column.level)]);
    if (!have_same_bits(column.runs->result(), work.expected)) fail(name + ": wrong result");
    if (column.level == Level::bounds) continue;
    const auto want = compared(plain->counters());
    const auto got = compared(column.runs->counters());
    if (want != got)
      fail(fmt::format("{}: counters {}, expected {}", name, fmt::join(got, " "), fmt::join(want, " ")));
    const auto* native = dynamic_cast<const NativeLaunch*>(column.runs.get());
    if (native == nullptr || column.level != Level::checks) continue;
    if (native->findings().size() != checked->record().findings.size()) fail(name + ": other findings");
    if (native->accesses() != checked->record().accesses) fail(name + ": other accesses");
  }
}

void measure(const Work& work, int rounds, const Compilers& compilers) {
  std::vector<Column> columns = columns_of(work, compilers);
  for (const Column& column : columns) column.runs->launch();
  compare(work, columns);
  for (int round = 0; round < rounds; ++round) {
    for (Column& column : columns) {
      const double start = cpu_seconds();
      column.runs->launch();
      column.seconds.push_back(cpu_seconds() - start);
    }
  }
  const auto reference_of = [&](Level level) -> const Column& {
    // Bounds checks alone are compared with the interpreter's counters: it cannot run without them.
    const Level wanted = level == Level::checks ? level : Level::counters;
    return *std::find_if(columns.begin(), columns.end(), [&](const Column& column) {
      return column.engine == "interpreter" && column.level == wanted;
    });
  };
  const auto instructions =
      static_cast<double>(reference_of(Level::counters).runs->counters().thread_instructions);
  for (const Column& column : columns) {
    std::vector<double> ratios;
    const Column& reference = reference_of(column.level);
    for (std::size_t round = 0; round < column.seconds.size(); ++round)
      ratios.push_back(reference.seconds[round] / column.seconds[round]);
    fmt::print("{:<7} {:<9} {:<12} {:8.4f} s {:7.2f} G/s {:6.2f} x\n", work.kernel,
               kLevels[static_cast<int>(column.level)], column.engine, median(column.seconds),
               instructions / median(column.seconds) / 1e9, median(ratios));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print("usage: native-spike N ROUNDS KERNEL… COMPILER=FOLDER…\n");
    return 2;
  }
  const int n = std::atoi(argv[1]);
  const int rounds = std::atoi(argv[2]);
  if (n <= 0 || n > 1024 || n % 16 != 0 || rounds < 1)
    fail("N must be a multiple of 16, at most 1024, and ROUNDS at least 1");
  Compilers compilers;
  std::vector<std::string> kernels;
  for (const std::string word : std::span(argv + 3, static_cast<std::size_t>(argc - 3))) {
    const auto at = word.find('=');
    if (at == std::string::npos)
      kernels.push_back(word);
    else
      compilers.emplace_back(word.substr(0, at), word.substr(at + 1));
  }
  for (const std::string& kernel : kernels)
    measure(spike::work_of(kernel, static_cast<std::uint32_t>(n)), rounds, compilers);
  return 0;
}
