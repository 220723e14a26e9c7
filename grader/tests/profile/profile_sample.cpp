#include "profile/profile_sample.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/files.hpp"

namespace profile_sample {

using namespace grader;
using vgpu::RecordedSite;

namespace {

constexpr const char* kFile = "/src/transpose.cu";

RecordedSite site(std::uint32_t line, const char* instruction, vgpu::ptx::Space space,
                  const vgpu::RecordedAccess& access) {
  RecordedSite made;
  made.file = kFile;
  made.line = line;
  made.instruction = instruction;
  made.space = space;
  made.is_store = std::string(instruction).starts_with("st");
  made.bytes = 4;
  made.executions = 64;
  made.cost = 64 * access.cost;
  made.ideal = 64 * access.ideal;
  made.first = made.worst = access;
  return made;
}

vgpu::RecordedAccess with_cost(vgpu::RecordedAccess access, std::uint32_t cost, std::uint32_t ideal) {
  access.cost = cost;
  access.ideal = ideal;
  return access;
}

vgpu::LineCounters line(std::uint32_t number, std::uint64_t instructions, std::uint64_t threads) {
  vgpu::LineCounters made{number == 0 ? "" : kFile, number, {}};
  made.counters.warp_instructions = instructions;
  made.counters.thread_instructions = threads;
  return made;
}

vgpu::Recording recording() {
  vgpu::Recording made;
  made.sites = {
      site(3, "ld.global.f32", vgpu::ptx::Space::global, with_cost(strided(0x4000, 256), 32, 4)),
      site(3, "st.shared.f32", vgpu::ptx::Space::shared, with_cost(strided(0, 4), 1, 1)),
      site(5, "ld.shared.f32", vgpu::ptx::Space::shared, with_cost(strided(0, 128), 32, 1)),
      site(5, "st.global.f32", vgpu::ptx::Space::global, with_cost(strided(0x8000, 4), 4, 4)),
  };
  made.sites[0].memory = {0x4000, 16384, 0, 1};
  made.sites[1].variable = made.sites[2].variable = "_ZZ9transposePKfPfE4tile";
  made.sites[3].memory = {0x8000, 16384, 0, 2};
  made.path.block = {1, 0, 0};
  made.path.warp = 1;
  made.path.files = {"", kFile};
  made.path.steps = {{1, 2, 0xFFFFFFFF, 0xFFFFFFFF, 4}};
  for (int i = 0; i < 5; ++i) {
    made.path.steps.push_back({1, 4, 0x0000FFFF, 0x00FFFFFF, 3});
    made.path.steps.push_back({1, 6, 0x00FF0000, 0x00FFFFFF, 2});
  }
  made.path.steps.push_back({1, 7, 0x00FFFFFF, 0x00FFFFFF, 1});
  made.path.waiting = 5 * (3 * 8 + 2 * 16);
  made.ptx = {{kFile, 3, 31, "ld.global.f32 %f1, [%rd4];"}, {kFile, 3, 32, "st.shared.f32 [%r5], %f1;"}};
  return made;
}

vgpu::LaunchRecord launch() {
  vgpu::LaunchRecord made;
  made.kernel = "_Z9transposePKfPf";
  made.grid = {8, 8, 1};
  made.block = {32, 8, 1};
  made.static_shared_bytes = 4096;
  made.registers_per_thread = 20;
  made.occupancy = {6, 48, 48, vgpu::OccupancyLimit::threads};
  made.time.run_s = 20e-6;
  made.time[vgpu::TimePart::dram] = 20e-6;
  made.time[vgpu::TimePart::shared] = 5e-6;
  made.lines = {line(0, 10, 320), line(3, 500, 16000), line(5, 250, 8000), line(6, 240, 3840)};
  made.lines[3].counters.branches = 8;
  made.lines[3].counters.divergent_branches = 4;
  for (const auto& one : made.lines) made.counters += one.counters;
  made.counters.flops = 65536;
  made.counters.cache.dram_read_bytes = 64 * 32 * 32;
  made.counters.cache.dram_write_bytes = 64 * 4 * 32;
  vgpu::Approximations found;
  found.functions = {{"ex2.approx.f32", 2, {kFile, 5}}};
  found.branch = vgpu::Approximations::Place{kFile, 6};
  made.approximations = std::make_shared<const vgpu::Approximations>(found);
  made.recording = std::make_shared<const vgpu::Recording>(recording());
  return made;
}

/// The text of a line attacks terminals and pages.
SourceText source(const std::string& file) {
  if (file != kFile) return {};
  return {"transpose.cu",
          {"// transposes", "__global__ void transpose(const float* in, float* out) {",
           "  tile[y][x] = in[x * 64 + y];  // <b>&\x1b[31m", "  if (x < 16)", "    out[i] = tile[x][y];",
           "  else { out[i] = 0; }", "}"}};
}

}  // namespace

vgpu::RecordedAccess strided(std::uint64_t start, std::uint64_t stride, std::uint32_t lanes) {
  vgpu::RecordedAccess access;
  access.lanes = lanes;
  for (std::size_t lane = 0; lane < 32; ++lane)
    if ((lanes >> lane & 1U) != 0) access.addresses[lane] = start + lane * stride;
  return access;
}

RunProfile sample_profile() {
  RunProfile profile;
  profile.title = "04-coalescing, case <64x64>";
  profile.subtitle = "virtual device, profile lecture · nvcc 13.0.88";
  profile.notes = {"this run is wrong: WG-V01: 3 of 4,096 values are wrong"};
  profile.compared = {{"global load sectors per request", "32", "31", "3.667", "≤ 4"}};
  profile.run.device = vgpu::lecture_profile();
  profile.run.programs.resize(1);
  vgpu::cudart::SessionReport& program = profile.run.programs.front();
  program.launches = {launch()};
  vgpu::TimedOperation copy, kernel;
  copy.kind = vgpu::OperationKind::copy_to_device;
  copy.engine = vgpu::Engine::copy;
  copy.bytes = 16384;
  copy.end_s = 12e-6;
  kernel.engine = vgpu::Engine::kernels;
  kernel.name = "_Z9transposePKfPf";
  kernel.stream = 1;
  kernel.start_s = 12e-6;
  kernel.end_s = 32e-6;
  program.timeline = {copy, kernel};
  // The names of the first array are the lab's; the second one is an allocation of the program.
  describe(profile, {}, source, [](const vgpu::Fault& access) -> std::string {
    return access.nearest->ordinal == 1 ? "in<i>" : "";
  });
  return profile;
}

Terminal plain(std::size_t width) { return {width, false, false, true}; }
Terminal colored() { return {80, true, true, true}; }
Terminal ascii() { return {80, false, false, false}; }

std::string golden(const std::string& name, const std::string& actual) {
  const std::string path = std::string(WARPGRADE_SOURCE_DIR "/grader/tests/profile/golden/") + name;
  if (const char* approve = std::getenv("WARPGRADE_APPROVE"); approve != nullptr && *approve == '1')
    write_file_atomically(path, actual);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace profile_sample
