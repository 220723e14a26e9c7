// bench-solutions PROGRAMS [--verify | --once] [--only FUNCTION]: checks the ladders of
// solutions/*/challenge, and measures them next to the baselines, the taught solutions, NVIDIA's libraries
// and the limits of the GPU. PROGRAMS is the folder that build.sh filled.
//   --verify  only checks: this part also runs on the virtual GPU
//   --once    calls each solution once, for `ncu --profile-from-start off`
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include <cuda_profiler_api.h>

#include "challenge/device.hpp"
#include "challenge/programs.hpp"
#include "challenge/works.hpp"

namespace {

using challenge::Program;

struct Options {
  std::filesystem::path programs;
  bool only_verify = false, once = false;
  std::string only;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--verify")
      options.only_verify = true;
    else if (argument == "--once")
      options.once = true;
    else if (argument == "--only" && i + 1 < argc)
      options.only = argv[++i];
    else
      options.programs = argument;
  }
  return options;
}

/// False if a program computes something wrong.
bool verify(const challenge::Work& work, const std::vector<Program>& programs) {
  bool right = true;
  for (const Program& program : programs) {
    const std::string message = work.verify(program.function);
    challenge::check(cudaDeviceSynchronize(), program.name.c_str());
    std::printf("%-5s %s %s %s\n", message.empty() ? "right" : "WRONG", work.function.c_str(),
                program.name.c_str(), message.c_str());
    right = right && message.empty();
  }
  return right;
}

void print_row(const std::string& name, double ms, double taught_ms, double limit_ms, double peer_ms) {
  std::printf("| %s | %.4f | %.2f | %.3f |", name.c_str(), ms, taught_ms / ms, limit_ms / ms);
  if (peer_ms > 0)
    std::printf(" %.3f |\n", peer_ms / ms);
  else
    std::printf(" |\n");
}

/// Prints a table whose ratios are speeds: 1 is as fast as the column says, more is faster.
void measure(const challenge::Measurement& measurement, const std::vector<Program>& programs) {
  std::vector<std::string> names;
  std::vector<std::function<void()>> calls;
  for (const Program& program : programs) {
    if (program.name == "naive" && !measurement.naive_runs) continue;
    names.push_back(program.name);
    calls.emplace_back([&measurement, &program] { measurement.call(program.function); });
  }
  const std::size_t taught = measurement.naive_runs ? 1 : 0;
  if (measurement.call_peer) {
    names.push_back(measurement.peer);
    calls.push_back(measurement.call_peer);
  }
  const auto ms = challenge::median_ms(calls);
  challenge::check(cudaGetLastError(), measurement.title.c_str());
  const double peer_ms = measurement.call_peer ? ms.back() : 0;
  std::printf("\n%s\n\n| program | ms | × taught | of the limit | × %s |\n|---|---|---|---|---|\n",
              measurement.title.c_str(), measurement.call_peer ? measurement.peer.c_str() : "peer");
  for (std::size_t i = 0; i < ms.size(); ++i)
    print_row(names[i], ms[i], ms[taught], measurement.limit_ms, peer_ms);
  print_row("limit: " + measurement.limit, measurement.limit_ms, ms[taught], measurement.limit_ms, peer_ms);
  std::fflush(stdout);
}

void call_once(const challenge::Measurement& measurement, const std::vector<Program>& programs) {
  for (const Program& program : programs) {
    if (program.name == "naive") continue;
    std::printf("%s: %s\n", measurement.title.c_str(), program.name.c_str());
    cudaProfilerStart();
    measurement.call(program.function);
    challenge::check(cudaDeviceSynchronize(), program.name.c_str());
    cudaProfilerStop();
  }
}

void print_machine() {
  cudaDeviceProp device;
  int runtime = 0;
  challenge::check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  cudaRuntimeGetVersion(&runtime);
  char date[16] = "";
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::printf("%s, CUDA runtime %d.%d, %s\n", device.name, runtime / 1000, runtime % 1000 / 10, date);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (options.programs.empty()) {
    std::fprintf(stderr, "usage: bench-solutions PROGRAMS [--verify | --once] [--only FUNCTION]\n");
    return 2;
  }
  bool right = true;
  std::vector<std::pair<challenge::Work, std::vector<Program>>> ladders;
  for (challenge::Work& work : challenge::all_works()) {
    if (!options.only.empty() && work.function != options.only) continue;
    auto programs = challenge::load_programs(options.programs, work.lab, work.function);
    if (!options.once) right = verify(work, programs) && right;
    ladders.emplace_back(std::move(work), std::move(programs));
  }
  if (options.only_verify || !right) return right ? 0 : 1;

  print_machine();
  challenge::Limits limits{};
  if (!options.once) {
    limits = challenge::measure_limits();
    std::printf(
        "Limits: %.1f TFLOP/s, %.2f · 10^12 additions with minima per s, %.0f GB/s read, %.0f GB/s copied\n",
        2 * limits.fma_per_s / 1e12, limits.add_min_per_s / 1e12, limits.read_bytes_per_s / 1e9,
        limits.copy_bytes_per_s / 1e9);
  }
  const auto library = options.programs / "peers.so";
  const challenge::Peers peers{challenge::load_function(library, "peer_product"),
                               challenge::load_function(library, "peer_sum"),
                               challenge::load_function(library, "peer_matvec")};
  const auto use = options.once ? call_once : measure;
  for (const auto& [work, programs] : ladders)
    for (const auto& make : work.measurements) use(make(limits, peers), programs);
  return 0;
}
