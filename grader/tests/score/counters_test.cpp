#include <set>

#include "catch.hpp"
#include "lab/change_counters.hpp"
#include "lab/counter_names.hpp"
#include "score/score.hpp"

namespace {

vgpu::KernelTime time(double issue_s, double dram_s) {
  vgpu::KernelTime time;
  time[vgpu::TimePart::issue] = issue_s;
  time[vgpu::TimePart::dram] = dram_s;
  return time;
}

using grader::Producers;

std::map<std::string, double> counters_of(const vgpu::cudart::SessionReport& session) {
  return grader::named_counters(session, grader::every_launch(session));
}

constexpr double kClockHz = 1e9;

vgpu::cudart::SessionReport session() {
  vgpu::cudart::SessionReport report;
  report.total_counters.global_loads = {100, 400, 8000};
  report.total_counters.shared_loads = {10, 30};
  report.total_counters.barriers = 12;
  report.launches.resize(3);
  report.launches[1].counters.thread_instructions = 50;
  report.launches[1].block = {16, 16, 1};
  report.launches[1].grid = {4, 2, 1};
  report.launches[1].dynamic_shared_bytes = 2048;
  report.launches[1].time = time(3e-6, 2e-6);
  report.launches[2].counters.thread_instructions = 50;
  report.launches[2].time = time(1e-6, 5e-6);
  report.launches_dropped = 4;
  report.kernel_s = 8e-6;
  return report;
}

TEST_CASE("the names are exactly those that lab.json can use") {
  const auto values = counters_of(session());
  std::set<std::string> names;
  for (const auto& [name, value] : values) names.insert(name);
  for (const auto& one : grader::change_counter_table()) names.emplace(one.name);  // of runs of their own
  const auto& known = grader::counter_names();
  CHECK(names == std::set<std::string>(known.begin(), known.end()));
}

TEST_CASE("requested and transferred bytes are counted separately") {
  const auto values = counters_of(session());
  CHECK(values.at("global_load_requested_bytes") == 8000);
  CHECK(values.at("global_load_transferred_bytes") == 400 * 32);
  CHECK(values.at("shared_load_wavefronts") == 30);
  CHECK(values.at("barriers") == 12);
}

TEST_CASE("loads and stores are counted with and without atomics, also as ratios") {
  auto report = session();
  report.total_counters.global_stores = {1, 2, 30};
  report.total_counters.global_atomics = {5, 10, 160};
  report.total_counters.shared_atomics = {.requests = 3, .wavefronts = 4, .bank_conflicts = 1};
  auto values = counters_of(report);
  CHECK(values.at("global_load_requested_bytes") == 8000);
  CHECK(values.at("most_global_load_requested_bytes") == 8160);
  CHECK(values.at("most_global_load_requests") == 105);
  CHECK(values.at("most_global_store_sectors") == 12);
  CHECK(values.at("most_global_store_transferred_bytes") == 12 * 32);
  CHECK(values.at("most_shared_load_wavefronts") == 34);
  CHECK(values.at("most_shared_store_bank_conflicts") == values.at("shared_store_bank_conflicts") + 1);
  CHECK(!values.contains("most_global_atomic_requests"));
  CHECK(!values.contains("most_dram_read_bytes"));
  grader::add_ratios(values, {"global_load_requested_bytes_per_flop"}, {{"flop", 1000}}, kClockHz);
  CHECK(values.at("global_load_requested_bytes_per_flop") == 8);
  CHECK(values.at("most_global_load_requested_bytes_per_flop") == 8.16);
}

TEST_CASE("loaded bytes are those of every memory that is not constant, received ones include other lanes") {
  auto report = session();
  auto& counters = report.total_counters;
  counters = {};
  counters.global_loads.requested_bytes = 1;
  counters.global_atomics.requested_bytes = 2;
  counters.shared_loads.requested_bytes = 4;
  counters.shared_atomics.requested_bytes = 8;
  counters.local_loads.requested_bytes = 16;
  counters.texture_fetches.requested_bytes = 32;
  counters.constant_requests = counters.global_stores.requested_bytes = 1000;
  counters.warp_instructions_by_class[static_cast<std::size_t>(vgpu::InstructionClass::warp)] = 3;
  CHECK(counters_of(report).at("loaded_bytes") == 63);
  CHECK(counters_of(report).at("received_bytes") == 63 - 16 + 3 * 32 * 4);
}

TEST_CASE("times are summed, and copies within the device and fills take time of their own") {
  auto report = session();
  report.device_copies.seconds = 1e-6;
  const auto values = counters_of(report);
  CHECK(values.at("launches") == 7);
  CHECK(values.at("compute_s") < 4.0001e-6);
  CHECK(values.at("dram_s") > 6.9999e-6);
  CHECK(values.at("kernel_s") == 8e-6);
  CHECK(values.at("device_s") == Approx(9e-6));
}

TEST_CASE("the DRAM traffic of copies and fills is part of the program's") {
  auto report = session();
  report.total_counters.cache.dram_read_bytes = 100;
  report.device_copies.dram_read_bytes = 32;
  report.device_copies.dram_write_bytes = 64;
  CHECK(counters_of(report).at("dram_read_bytes") == 132);
  CHECK(counters_of(report).at("dram_bytes") == 196);
}

TEST_CASE(
    "the configuration is that of the launches that produce the result: the least and the greatest value") {
  vgpu::cudart::SessionReport report;
  for (const std::uint32_t blocks : {4U, 100U, 16U, 8U}) {
    auto& launch = report.launches.emplace_back();
    launch.working_blocks = blocks;
    launch.loading_blocks = blocks / 2;
    launch.shared_use.dynamic_bytes = 2 * blocks;
    launch.counters.thread_instructions = 1000 - blocks;
    launch.counters.global_loads.requests = 1;
  }
  // The launch of 100 blocks is no producer. That of 4 stores too little to count.
  const Producers producers{{{0, 31}, {2, 100}, {3, 156}}, 256};
  auto values = grader::named_counters(report, producers);
  CHECK(values.at("grid_blocks") == 8);
  CHECK(values.at("most_grid_blocks") == 16);
  CHECK(values.at("most_loading_blocks") == 8);
  CHECK(values.at("working_blocks") == 128);
  CHECK(values.at("dynamic_shared_bytes_used") == 16);
  CHECK(values.at("most_dynamic_shared_bytes_used") == 32);
  values =
      grader::named_counters(report, {{{0, 31}, {2, 100}, {3, 156}}, 0});  // nothing is known of the result
  CHECK(values.at("grid_blocks") == 4);
  report.launches_dropped = 1;
  CHECK(grader::named_counters(report, producers).at("grid_blocks") == 0);
}

TEST_CASE("a launch that only stores constants has no say in the configuration, unless all do so") {
  vgpu::cudart::SessionReport report;
  for (const std::uint32_t blocks : {4U, 100U}) report.launches.emplace_back().working_blocks = blocks;
  const Producers producers{{{0, 256}, {1, 256}}, 256};
  CHECK(grader::named_counters(report, producers).at("grid_blocks") == 4);
  for (auto member : {&vgpu::Counters::global_loads, &vgpu::Counters::global_atomics}) {
    auto computing = report;
    (computing.launches[1].counters.*member).requests = 1;
    CHECK(grader::named_counters(computing, producers).at("grid_blocks") == 100);
  }
  report.launches[1].counters.constant_requests = 1;
  CHECK(grader::named_counters(report, producers).at("grid_blocks") == 100);
}

TEST_CASE("a ratio divides a counter by a quantity of the workload or of the run") {
  auto values = counters_of(session());
  grader::add_ratios(values,
                     {"global_load_requested_bytes_per_flop", "global_load_transferred_bytes_per_flop",
                      "barriers_per_launch", "barriers_per_block", "barriers_per_thread", "barriers"},
                     {{"flop", 1000}}, kClockHz);
  CHECK(values.at("global_load_requested_bytes_per_flop") == 8);
  CHECK(values.at("global_load_transferred_bytes_per_flop") == 12.8);
  CHECK(values.at("barriers_per_launch") == 12.0 / 7);
  CHECK(values.at("barriers_per_block") == 12.0 / 10);     // 8 + 1 + 1
  CHECK(values.at("barriers_per_thread") == 12.0 / 2050);  // 8 * 256 + 1 + 1
  auto nothing = counters_of({});
  grader::add_ratios(nothing, {"barriers_per_launch"}, {}, kClockHz);
  CHECK(nothing.at("barriers_per_launch") == 0);
}

TEST_CASE("work per clock uses the clocks of the device or of the call") {
  auto report = session();
  report.timeline.resize(1);
  report.timeline[0].end_s = 20e-6;
  auto values = counters_of(report);
  grader::add_ratios(values, {"outputs_per_clock", "outputs_per_call_clock", "barriers_per_clock"},
                     {{"output", 32e3}}, kClockHz);
  CHECK(values.at("outputs_per_clock") == Approx(4));  // 8 µs are 8,000 clocks
  CHECK(values.at("outputs_per_call_clock") == Approx(1.6));
  CHECK(values.at("barriers_per_clock") == Approx(12.0 / 8000));
}

TEST_CASE("a quantity's plural does not hide the counter of that name") {
  auto values = counters_of(session());
  grader::add_ratios(values, {"flops_per_launch"}, {{"flop", 1000}}, kClockHz);
  CHECK(values.at("flops_per_launch") == 0);  // the session's counter, not the workload's 1,000
}

TEST_CASE("ratios to a program's own work can be diluted, totals and ratios to the workload cannot") {
  for (const char* name :
       {"global_load_sectors_per_request", "active_lanes_per_instruction", "barriers_per_block",
        "barriers_per_thread", "flops_per_dram_byte", "overlap_fraction"})
    CHECK(grader::is_dilutable(name));
  for (const char* name :
       {"barriers", "barriers_per_element", "global_load_transferred_bytes_per_useful_byte", "call_s",
        "useful_operations_per_clock"})
    CHECK_FALSE(grader::is_dilutable(name));
}

TEST_CASE("a session without launches has zero counts") {
  const auto values = counters_of({});
  CHECK(values.at("launches") == 0);
  CHECK(values.at("block_threads") == 0);
}

}  // namespace
