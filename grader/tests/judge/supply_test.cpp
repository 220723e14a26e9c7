// Tests whether the facts of a run show that an output can be complete.
#include "judge/supply.hpp"

#include "catch.hpp"

namespace supply_test {

using namespace grader;
using harness::Place;

namespace {

constexpr std::uint64_t kOut = 0x4000000000001000;

harness::Job job(Place place) {
  harness::Job one;
  one.inputs = {{{"in", {8}, std::vector<float>(8)}, place}};
  one.outputs = {{"out", {8}, place}};
  return one;
}

/// A launch of two blocks that stores `requested` bytes to `accesses`.
vgpu::LaunchRecord launch(std::uint64_t requested, std::vector<vgpu::MemoryAccess> accesses) {
  vgpu::LaunchRecord one;
  one.grid = {2, 1, 1};
  one.counters.global_stores.requested_bytes = requested;
  one.accesses = std::move(accesses);
  return one;
}

CaseRun run_of(std::vector<vgpu::LaunchRecord> launches) {
  CaseRun run;
  for (const vgpu::LaunchRecord& one : launches)
    run.session.total_counters.global_stores.requested_bytes += one.counters.global_stores.requested_bytes;
  run.session.launches = std::move(launches);
  return run;
}

}  // namespace

TEST_CASE("without launches the supply is unknown") {
  CHECK_FALSE(supply_of(CaseRun{}, job(Place::device), 0));
}

TEST_CASE("bytes that two blocks store count once and are reported as repeated") {
  const CaseRun run = run_of({launch(32, {{kOut, 16, true, false}})});
  const auto supply = supply_of(run, job(Place::device), 0);
  CHECK(supply->stored_bytes == 16);
  CHECK(supply->stores_repeat);
  CHECK_FALSE(
      supply_of(run_of({launch(16, {{kOut, 16, true, false}})}), job(Place::device), 0)->stores_repeat);
}

TEST_CASE("stores elsewhere do not count if the output's address is known") {
  CaseRun run = run_of({launch(16, {{kOut, 16, true, false}}), launch(64, {{kOut + 8, 64, true, false}})});
  CHECK(supply_of(run, job(Place::device), 0)->stored_bytes == 80);
  run.answer.addresses = {kOut};
  CHECK(supply_of(run, job(Place::device), 0)->stored_bytes == 32);
  run.answer.addresses = {kOut + 4096};
  CHECK(supply_of(run, job(Place::device), 0)->stored_bytes == 0);
}

TEST_CASE("only launches of the checked call count, and copies to the host are unknown then") {
  harness::Job one = job(Place::host);
  one.earlier.resize(1);
  CaseRun run = run_of({launch(64, {{kOut, 64, true, false}}), launch(16, {{kOut, 16, true, false}})});
  CHECK_FALSE(supply_of(run, one, 0));  // where the calls began is unknown
  run.session.calls = {{}, {.launches = 1}};
  const auto supply = supply_of(run, one, 0);
  CHECK(supply->stored_bytes == 16);
  CHECK(supply->launch->stored_words == 4);
  CHECK_FALSE(supply->fetched_bytes);
  run.session.launches_dropped = 1;
  CHECK_FALSE(supply_of(run, one, 0));
}

TEST_CASE("stores too scattered to be recorded count by their requested bytes") {
  CaseRun run = run_of({launch(16, {{kOut, 16, true, false}}), launch(64, {})});
  run.answer.addresses = {kOut};
  CHECK(supply_of(run, job(Place::device), 0)->stored_bytes == 80);
}

TEST_CASE("stores of one word per warp are distinguished, and the last launch is known among several") {
  vgpu::LaunchRecord rows = launch(256, {{kOut, 256, true, false}}),
                     sums = launch(8, {{kOut, 8, true, false}});
  rows.counters.global_stores.requests = sums.counters.global_stores.requests = 2;
  rows.kernel = "_Z4rowsv";
  const auto of_sums = supply_of(run_of({rows, sums}), job(Place::device), 0);
  CHECK_FALSE(supply_of(run_of({sums, sums}), job(Place::device), 0)->last_launch);
  CHECK_FALSE(of_sums->launch);
  CHECK(of_sums->last_launch->stores_singly);
  CHECK(of_sums->last_launch->stored_words == 2);
  CHECK_FALSE(supply_of(run_of({rows}), job(Place::device), 0)->launch->stores_singly);
}

TEST_CASE("the bytes copied to the host are known if results can arrive only by copies") {
  CaseRun run = run_of({launch(32, {{kOut, 32, true, false}})});
  run.session.traffic.to_host = 20;
  run.session.traffic.printed = 4;
  CHECK(supply_of(run, job(Place::host), 0)->fetched_bytes == 16);
  CHECK_FALSE(supply_of(run, job(Place::device), 0)->fetched_bytes);
  run.session.launches.push_back(launch(8, {{0x7f0000000000, 8, true, false}}));  // memory of the host
  CHECK_FALSE(supply_of(run, job(Place::host), 0)->fetched_bytes);
}

TEST_CASE("a host function is early if no copy to the host precedes it in its stream") {
  using grader::EarlyHostFunction;
  using vgpu::OperationKind;
  const auto kind_of = [](std::vector<std::pair<OperationKind, vgpu::StreamId>> operations) {
    CaseRun run = run_of({launch(32, {{kOut, 32, true, false}})});
    for (const auto& [kind, stream] : operations) {
      vgpu::TimedOperation one;
      one.kind = kind;
      one.stream = stream;
      one.id = run.session.timeline.size();
      run.session.timeline.push_back(one);
    }
    return supply_of(run, job(Place::host), 0)->early_host_function;
  };
  const auto copy = OperationKind::copy_to_host, function = OperationKind::host_function,
             wait = OperationKind::event_wait;
  const auto kernel = OperationKind::kernel, upload = OperationKind::copy_to_device;
  CHECK(kind_of({{copy, 1}, {function, 2}}) == EarlyHostFunction::other_stream);
  CHECK(kind_of({{kernel, 1}, {function, 1}, {copy, 1}}) == EarlyHostFunction::before_copy);
  CHECK(kind_of({{copy, 1}, {function, 1}}) == EarlyHostFunction::none);
  CHECK(kind_of({{copy, 1}, {wait, 2}, {function, 2}}) == EarlyHostFunction::none);
  CHECK(kind_of({{copy, 1}, {function, vgpu::kLegacyStream}}) == EarlyHostFunction::none);
  CHECK(kind_of({{function, 2}, {copy, 1}}) == EarlyHostFunction::none);
  // Two functions fill the buffers of the copies to the device.
  CHECK(kind_of({{copy, 1}, {function, 2}, {function, 2}, {upload, 2}, {kernel, 2}, {copy, 2}}) ==
        EarlyHostFunction::none);
}

TEST_CASE("the inputs in device memory are compared with the bytes that kernels request") {
  CaseRun run = run_of({launch(32, {{kOut, 32, true, false}})});
  run.session.total_counters.global_loads.requested_bytes = 28;
  const auto supply = supply_of(run, job(Place::device), 0);
  CHECK(supply->input_bytes == 32);
  CHECK(supply->requested_bytes == 28);
  CHECK(supply_of(run, job(Place::host), 0)->input_bytes == 0);
}

TEST_CASE("loads of parts of all elements differ from loads that leave elements out") {
  constexpr auto kMemory = static_cast<std::size_t>(vgpu::InstructionClass::memory);
  // `others`: stores and other accesses of the same line.
  const auto bytes = [](std::uint64_t width, std::uint64_t lanes, std::uint64_t sectors,
                        std::uint64_t others = 0) {
    CaseRun run = run_of({launch(32, {{kOut, 32, true, false}})});
    vgpu::LineCounters line;
    line.counters.global_loads = {.requests = 1, .sectors = sectors, .requested_bytes = width * lanes};
    line.counters.warp_instructions_by_class[kMemory] = 1 + others;
    line.counters.thread_instructions_by_class[kMemory] = lanes + 8 * others;
    run.session.total_counters = line.counters;
    run.session.launches[0].lines = {line};
    return supply_of(run, job(Place::device), 0)->bytes_per_element;
  };
  // The input has 8 elements in one sector.
  CHECK(bytes(1, 8, 1) == 1);
  CHECK(bytes(2, 8, 1) == 2);
  CHECK(bytes(4, 8, 1) == 0);
  CHECK(bytes(4, 4, 1) == 0);  // every second element
  CHECK(bytes(4, 2, 1) == 0);  // every fourth element
  CHECK(bytes(1, 7, 1) == 0);  // one element is left out
  CHECK(bytes(1, 8, 0) == 0);  // bytes next to each other, in other memory
  CHECK(bytes(4, 4, 1, 1) == 0);
  CHECK(bytes(1, 9, 1, 1) == 1);  // no sum of whole elements
}

TEST_CASE("an output with the transposed shape of the only matrix makes a launch a transpose") {
  const CaseRun run = run_of({launch(32, {{kOut, 32, true, false}})});
  harness::Job one;
  one.inputs = {{{"in", {2, 4}, std::vector<float>(8)}, Place::device}};
  one.outputs = {{"out", {4, 2}, Place::device}};
  CHECK(supply_of(run, one, 0)->launch->is_transpose);
  one.outputs[0].shape = {2, 4};
  CHECK_FALSE(supply_of(run, one, 0)->launch->is_transpose);
}

TEST_CASE("launches that all store to the same part of the output are reported") {
  const auto repeated = [](const std::vector<std::uint64_t>& starts) {
    std::vector<vgpu::LaunchRecord> launches;
    for (const std::uint64_t start : starts) launches.push_back(launch(8, {{start, 8, true, false}}));
    CaseRun run = run_of(std::move(launches));
    run.answer.addresses = {kOut};
    return supply_of(run, job(Place::device), 0)->repeated_stores;
  };
  REQUIRE(repeated({kOut, kOut, kOut}));
  CHECK(repeated({kOut, kOut, kOut})->launches == 3);
  CHECK(repeated({kOut, kOut, kOut})->words == 2);
  CHECK_FALSE(repeated({kOut, kOut + 8}));
  CHECK_FALSE(repeated({kOut}));
}

TEST_CASE("a fill after the last kernel is reported") {
  CaseRun run = run_of({launch(32, {{kOut, 32, true, false}})});
  const auto add = [&](vgpu::OperationKind kind) {
    vgpu::TimedOperation one;
    one.kind = kind;
    one.id = run.session.timeline.size() + 1;
    run.session.timeline.push_back(one);
  };
  add(vgpu::OperationKind::fill);
  add(vgpu::OperationKind::kernel);
  CHECK_FALSE(supply_of(run, job(Place::device), 0)->is_cleared_at_end);
  add(vgpu::OperationKind::fill);
  CHECK(supply_of(run, job(Place::device), 0)->is_cleared_at_end);
}

}  // namespace supply_test
