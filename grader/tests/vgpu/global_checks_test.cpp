// Races in global memory, between blocks and within them, and reads of unwritten device memory:
// kernels in which they must be found, and kernels in which they must not.
#include "vgpu/checks.hpp"
#include "vgpu/races/global_races.hpp"
#include "vgpu/state/global_memory.hpp"

namespace global_checks_test {

using vgpu::Dim3;
using vgpu::Fault;
using vgpu::FaultKind;

namespace {

using Words = std::vector<std::int32_t>;

struct Run {
  vgpu::LaunchRecord record;
  Words out, fresh;
};

Run run(const std::string& file, std::string_view kernel, std::uint32_t blocks, vgpu::Checks checks,
        unsigned cpu_threads = 1) {
  test::Gpu gpu(test::kernel_file("../checks/" + file), {.cpu_threads = cpu_threads, .checks = checks});
  Words in(test::kCheckWords);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int32_t>((i * 7919U + 13U) % 1009U);
  const auto d_in = gpu.upload(in);
  const auto d_out = gpu.zeros<std::int32_t>(test::kCheckWords);
  const auto d_fresh = gpu.device.allocate(test::kCheckWords * sizeof(std::int32_t));
  REQUIRE(d_fresh);
  Run result{gpu.launch(kernel, {blocks, 1, 1}, {64, 1, 1}, test::pack(d_in, d_out, *d_fresh)), {}, {}};
  result.out = gpu.download<std::int32_t>(d_out, test::kCheckWords);
  result.fresh = gpu.download<std::int32_t>(*d_fresh, test::kCheckWords);
  return result;
}

struct Case {
  const char* kernel;
  std::uint32_t blocks;
  std::set<FaultKind> found;
};

const std::vector<Case>& cases() {
  using K = FaultKind;
  static const std::vector<Case> all{
      {"ok_disjoint", 4, {}},
      {"bad_neighbour", 4, {K::global_race}},
      {"bad_neighbour_same_value", 4, {K::global_race}},
      {"ok_halo_of_input", 4, {}},
      {"bad_same_element", 4, {K::global_race}},
      {"ok_same_value", 4, {}},
      {"bad_sum", 4, {K::global_race}},
      {"ok_atomic_sum", 4, {}},
      {"ok_histogram", 4, {}},
      {"bad_cleared_by_one_block", 4, {K::global_race}},
      {"bad_read_of_atomic", 4, {K::global_race}},
      {"ok_bytes", 4, {}},
      {"bad_transposed_overlap", 4, {K::global_race}},
      {"ok_last_block_sums", 40, {}},
      {"ok_last_block_resets", 40, {}},
      {"ok_last_block_resets_with_bytes", 40, {}},
      {"ok_grid_barrier_resets", 8, {}},
      {"bad_reset_in_between", 40, {K::global_race}},
      {"bad_last_block_without_fence", 40, {K::global_race}},
      {"bad_last_block_without_barrier", 4, {K::global_race}},
      {"ok_last_block_with_barrier", 4, {}},
      {"bad_fence_of_other_warp", 4, {K::global_race}},
      {"bad_atomic_of_other_warp", 4, {K::global_race}},
      {"ok_barrier_before_fence", 4, {}},
      {"ok_chain", 4, {}},
      {"bad_chain_without_fence", 4, {K::global_race}},
      {"ok_chain_of_bytes", 40, {}},
      {"bad_chain_of_bytes", 4, {K::global_race}},
      {"bad_block_without_barrier", 1, {K::global_race}},
      {"ok_block_with_barrier", 1, {}},
      {"ok_atomic_load_in_warp", 1, {}},
      {"bad_volatile_load_in_warp", 1, {K::global_race}},
      {"ok_many_releases", 1, {}},
      {"bad_unwritten", 4, {K::uninitialised_read}},
      {"bad_unwritten_sum", 4, {K::uninitialised_read}},
      {"ok_written_before", 4, {}},
      {"bad_read_only_after_barrier", 1, {K::stale_read}},
      {"bad_read_only_of_own_store", 4, {K::stale_read}},
      {"bad_read_only_vector", 1, {K::stale_read}},
      {"bad_read_only_race", 1, {K::global_race}},
      {"bad_read_only_by_last_block", 40, {K::stale_read}},
      {"ok_read_only_in_place", 4, {}},
      {"ok_read_only_in_place_with_halo", 1, {}},
      {"ok_read_only_next_to_stores", 4, {}},
  };
  return all;
}

std::string compiler_file() {
  return GENERATE(std::string("global_nvcc.ptx"), std::string("global_clang.ptx"));
}

}  // namespace

TEST_CASE("races and unwritten reads in global memory are found in every wrong kernel and in no right one") {
  const std::string file = compiler_file();
  for (const Case& one : cases()) {
    const Run checked = run(file, one.kernel, one.blocks, test::kAllChecks);
    for (const Fault& finding : checked.record.findings) UNSCOPED_INFO(test::described(finding));
    INFO(file << " " << one.kernel << " " << checked.record.error_detail);
    CHECK(checked.record.faults.empty());
    CHECK(test::kinds_of(checked.record.findings) == one.found);
  }
}

TEST_CASE("forgotten memory counts as unwritten until it is written again") {
  test::Gpu gpu(test::kernel_file("../checks/global_nvcc.ptx"), {.checks = test::kAllChecks});
  const auto in = gpu.zeros<std::int32_t>(test::kCheckWords),
             out = gpu.zeros<std::int32_t>(test::kCheckWords);
  const auto fresh = gpu.zeros<std::int32_t>(test::kCheckWords);
  const auto findings = [&] {
    const auto arguments = test::pack(in, out, fresh);
    return gpu.launch("bad_unwritten_sum", {1, 1, 1}, {64, 1, 1}, arguments).findings;
  };
  constexpr std::size_t kBytes = test::kCheckWords * sizeof(std::int32_t);
  CHECK(findings().empty());
  REQUIRE(gpu.device.forget(fresh, kBytes));
  CHECK(test::kinds_of(findings()) == std::set{FaultKind::uninitialised_read});
  REQUIRE(gpu.device.forget(fresh + 64, 16));  // a part
  CHECK(test::kinds_of(findings()) == std::set{FaultKind::uninitialised_read});
  REQUIRE(gpu.device.fill(fresh, std::byte{0}, kBytes));
  CHECK(findings().empty());
  CHECK_FALSE(gpu.device.forget(fresh, kBytes + 1));
}

TEST_CASE("checks of global memory change neither results nor counters, for any number of threads") {
  const std::string file = compiler_file();
  for (const Case& one : cases()) {
    INFO(one.kernel);
    const Run plain = run(file, one.kernel, one.blocks, {});
    const Run checked = run(file, one.kernel, one.blocks, test::kAllChecks);
    const Run parallel = run(file, one.kernel, one.blocks, test::kAllChecks, 3);
    CHECK(plain.out == checked.out);
    CHECK(plain.fresh == checked.fresh);
    CHECK(plain.record.counters == checked.record.counters);
    REQUIRE(parallel.record.findings.size() == checked.record.findings.size());
    for (std::size_t i = 0; i < parallel.record.findings.size(); ++i)
      CHECK(test::described(parallel.record.findings[i]) == test::described(checked.record.findings[i]));
  }
}

TEST_CASE("an atomic of block scope is a plain access for other blocks only") {
  const auto races = [](const std::string& access, std::uint32_t blocks) {
    test::Gpu gpu(test::kernel_text(".param .u64 out", R"(
    .reg .b64 %rd<3>; .reg .b32 %r<4>;
    ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %ctaid.x; add.u32 %r1, %r1, 1;
    )" + access + " ret;"),
                  {.checks = {.races = true}});
    const auto out = gpu.zeros<std::int32_t>(1);
    return gpu.run("k", {blocks, 1, 1}, {64, 1, 1}, test::pack(out)).findings.size();
  };
  for (const char* operation :
       {"red.global.SCOPEadd.u32 [%rd1], %r1;", "atom.global.SCOPEadd.u32 %r2, [%rd1], %r1;",
        "atom.global.SCOPEexch.b32 %r2, [%rd1], %r1;"}) {
    INFO(operation);
    const auto with = [&](const char* scope) {
      std::string text = operation;
      return text.replace(text.find("SCOPE"), 5, scope);
    };
    CHECK(races(with("cta."), 2) == 1);
    CHECK(races(with("cta."), 1) == 0);
    CHECK(races(with("gpu."), 2) == 0);
    CHECK(races(with(""), 2) == 0);
  }
}

TEST_CASE("a load between atomics of one word races with the later ones") {
  const auto races = [](const std::string& between) {
    test::Gpu gpu(test::kernel_text(".param .u64 out", R"(
    .reg .pred %p<2>; .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .b64 %x<2>;
    ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;
    setp.ge.u32 %p1, %r1, 32; @%p1 bra LAST; setp.ne.u32 %p1, %r1, 0; @%p1 ret;
    red.global.add.u32 [%rd1], 1; red.global.add.u32 [%rd1], 1;
    )" + between + R"( ret;
    LAST: red.global.add.u32 [%rd1], 1; ret;)"),
                  {.checks = {.races = true}});
    const auto out = gpu.zeros<std::int32_t>(2);
    return gpu.run("k", {1, 1, 1}, {64, 1, 1}, test::pack(out)).findings.size();
  };
  CHECK(races("") == 0);
  CHECK(races("red.global.add.u64 [%rd1], 1;") == 0);
  CHECK(races("ld.global.u32 %r2, [%rd1+4];") == 0);
  CHECK(races("ld.global.u32 %r2, [%rd1];") == 1);
  CHECK(races("ld.global.u64 %x1, [%rd1];") == 1);
}

TEST_CASE("a race between blocks names both blocks and the element") {
  const Run checked = run(compiler_file(), "bad_neighbour", 4, test::kAllChecks);
  REQUIRE(checked.record.findings.size() == 1);
  const Fault& found = checked.record.findings.front();
  // In block order: the second block writes what the first one has read.
  CHECK(found.is_store);
  CHECK(found.block == Dim3{1, 0, 0});
  CHECK(found.thread == Dim3{0, 0, 0});
  REQUIRE(found.other);
  CHECK_FALSE(found.other->is_store);
  CHECK(found.other->block == Dim3{0, 0, 0});
  CHECK(found.other->thread == Dim3{63, 0, 0});
  REQUIRE(found.nearest);
  CHECK(found.nearest->ordinal == 2);
  CHECK(found.address - found.nearest->start == 64 * sizeof(std::int32_t));
  CHECK(found.count == 3);
}

TEST_CASE("the target of a copy or a fill counts as written, that of a copy of unwritten memory does not") {
  test::Gpu gpu(test::kernel_file("../checks/global_nvcc.ptx"), {.checks = test::kAllChecks});
  const std::size_t bytes = test::kCheckWords * sizeof(std::int32_t);
  const auto in = gpu.zeros<std::int32_t>(test::kCheckWords);
  const auto out = gpu.zeros<std::int32_t>(test::kCheckWords);
  const auto first = *gpu.device.allocate(bytes);
  const auto second = *gpu.device.allocate(bytes);
  const auto findings = [&](vgpu::DevicePtr fresh) {
    return gpu.launch("bad_unwritten", {4, 1, 1}, {64, 1, 1}, test::pack(in, out, fresh)).findings;
  };
  REQUIRE(gpu.device.fill(first, std::byte{0}, 100 * sizeof(std::int32_t)));
  auto found = findings(first);
  REQUIRE(found.size() == 1);
  CHECK(found[0].address == first + 100 * sizeof(std::int32_t));
  CHECK(found[0].count == 256 - 100);
  REQUIRE(gpu.device.copy(second, first, bytes));
  found = findings(second);
  REQUIRE(found.size() == 1);
  CHECK(found[0].address == second + 100 * sizeof(std::int32_t));
  REQUIRE(gpu.device.fill(second, std::byte{0}, bytes));
  CHECK(findings(second).empty());
}

TEST_CASE("a block with more releases than clocks has written only its own words") {
  test::Gpu gpu(test::kernel_file("../checks/" + compiler_file()), {.checks = test::kAllChecks});
  const auto in = gpu.zeros<std::int32_t>(test::kCheckWords);
  const auto out = gpu.zeros<std::int32_t>(test::kCheckWords);
  const auto fresh = *gpu.device.allocate(test::kCheckWords * sizeof(std::int32_t));
  const auto arguments = test::pack(in, out, fresh);
  CHECK(gpu.launch("ok_many_releases", {1, 1, 1}, {64, 1, 1}, arguments).findings.empty());
  const auto found = gpu.launch("bad_unwritten", {4, 1, 1}, {64, 1, 1}, arguments).findings;
  REQUIRE(found.size() == 1);
  CHECK(found[0].address == fresh + sizeof(std::int32_t));
  CHECK(found[0].count == 256 - 64);
}

TEST_CASE("no part of a range that leaves its allocation is marked as written") {
  constexpr std::size_t kBytes = 8;
  vgpu::exec::GlobalMemory memory(1024, true);
  const std::uint64_t start = memory.allocate(kBytes, vgpu::exec::Purpose::heap);
  memory.mark_written(start, kBytes + 1);
  CHECK_FALSE(memory.is_written(start, kBytes));
  memory.mark_written(start, kBytes);
  CHECK(memory.is_written(start, kBytes));
}

TEST_CASE("a full record of accesses is reported, and races in recorded memory are still found") {
  constexpr std::uint32_t kWord = 4;
  // Of one of the smallest parts of memory.
  constexpr std::uint64_t kPage = vgpu::MemoryPart::kMost * vgpu::GlobalRaces::kPageGranules * kWord;
  vgpu::GlobalRaces races(kWord, {}, 2);
  int found = 0;
  const auto store = [&](std::uint64_t block, std::uint64_t address) {
    vgpu::BlockLog log;
    log.runs = {{.address = address, .granules = 1, .flags = vgpu::AccessKey::kChanged, .is_store = true}};
    races.add(block, log, nullptr, [&](auto&&...) { ++found; });
  };
  store(0, 0);
  store(0, kPage);
  CHECK_FALSE(races.is_incomplete());
  store(0, 2 * kPage);
  CHECK(races.is_incomplete());
  store(1, 2 * kPage);
  CHECK(found == 0);
  store(1, kPage);
  CHECK(found == 1);
}

}  // namespace global_checks_test
