// ldmatrix, stmatrix and movmatrix: which lane gets what, bank conflicts, faults.

#include "vgpu/checks.hpp"

namespace ldmatrix_test {

using namespace vgpu;
using test::Gpu;
using test::kernel_text;
using test::pack;

namespace {

constexpr std::uint32_t kRows = 32, kRowHalves = 8;

/// A kernel whose warp copies 32 rows of `in` to shared memory, one per lane and `pitch` bytes apart, then
/// runs `body` with the address of the lane's own row in %row (32 bits) and %wide (generic), and stores %r0
/// to %r3.
std::string text(const std::string& body, std::uint32_t pitch = 16) {
  return kernel_text(
      ".param .u64 in, .param .u64 out",
      ".reg .b32 %r<9>, %w<9>, %lane, %row, %at; .reg .b64 %rd<9>, %wide; .reg .pred %p;\n"
      ".shared .align 16 .b8 tile[8192];\n"
      "mov.u32 %lane, %laneid; mov.u32 %at, tile; mad.lo.u32 %row, %lane, " +
          std::to_string(pitch) +
          ", %at; cvt.u64.u32 %wide, %row; cvta.shared.u64 %wide, %wide;\n"
          "ld.param.u64 %rd1, [in]; mad.wide.u32 %rd1, %lane, 16, %rd1;\n"
          "ld.global.v4.u32 {%w0, %w1, %w2, %w3}, [%rd1]; st.shared.v4.u32 [%row], {%w0, %w1, %w2, %w3};\n"
          "mov.u32 %r0, 0; mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; bar.warp.sync -1;\n"
          ".loc 1 5 1\n" +
          body +
          "\n.loc 1 9 1\nld.param.u64 %rd2, [out]; mad.wide.u32 %rd2, %lane, 16, %rd2;\n"
          "st.global.v4.u32 [%rd2], {%r0, %r1, %r2, %r3}; ret;");
}

/// Element `column` of row `row`.
std::uint32_t half(std::uint32_t row, std::uint32_t column) { return 256 * row + column + 1; }

std::vector<std::uint16_t> rows() {
  std::vector<std::uint16_t> halves;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    for (std::uint32_t column = 0; column < kRowHalves; ++column)
      halves.push_back(static_cast<std::uint16_t>(half(row, column)));
  }
  return halves;
}

struct Ran {
  std::vector<std::uint32_t> registers;  ///< four of lane 0, four of lane 1, …
  LaunchRecord record;
};

Ran run(const std::string& body, std::uint32_t pitch = 16) {
  Gpu gpu(text(body, pitch));
  const auto in = gpu.upload(rows());
  const auto out = gpu.zeros<std::uint32_t>(128);
  Ran ran{{}, gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(in, out))};
  ran.registers = gpu.download<std::uint32_t>(out, 128);
  return ran;
}

/// What the manual gives lane `lane` of matrix `matrix`.
std::uint32_t expected(std::uint32_t matrix, std::uint32_t lane, bool is_transposed) {
  const std::uint32_t major = lane / 4, minor = 2 * (lane % 4);
  const auto at = [&](std::uint32_t i) {
    return is_transposed ? half(8 * matrix + minor + i, major) : half(8 * matrix + major, minor + i);
  };
  return at(0) | at(1) << 16U;
}

void check_registers(const Ran& ran, std::uint32_t matrices, bool is_transposed) {
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      INFO("lane " << lane << " register " << i);
      CHECK(ran.registers[4 * lane + i] == (i < matrices ? expected(i, lane, is_transposed) : 0));
    }
  }
}

Fault fault(const std::string& body, FaultKind kind, std::uint32_t threads = 32) {
  Gpu gpu(text(body));
  const auto in = gpu.upload(rows());
  const auto out = gpu.zeros<std::uint32_t>(128);
  return gpu.fault(kind, "k", {1, 1, 1}, {threads, 1, 1}, pack(in, out));
}

}  // namespace

TEST_CASE("ldmatrix gives a row's elements to four lanes, and a column's if it transposes") {
  const bool is_transposed = GENERATE(false, true);
  const std::string trans = is_transposed ? ".trans" : "";
  const auto [matrices, number, registers] =
      GENERATE(std::tuple{1U, "x1", "{%r0}"}, std::tuple{2U, "x2", "{%r0, %r1}"},
               std::tuple{4U, "x4", "{%r0, %r1, %r2, %r3}"});
  const auto address = GENERATE(".shared.b16 ", ".shared::cta.b16 ", ".b16 ");
  const std::string place = address == std::string(".b16 ") ? "[%wide]" : "[%row]";
  const std::string form = std::string("ldmatrix.sync.aligned.m8n8.") + number + trans + address;
  INFO(form);
  check_registers(run(form + registers + ", " + place + ";"), matrices, is_transposed);
}

TEST_CASE("ldmatrix can overwrite its address register") {
  const auto ran = run("mov.u32 %r0, %row; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r0];");
  check_registers(ran, 1, false);
}

TEST_CASE("only lanes that point to rows need a valid address") {
  const auto ran =
      run("setp.lt.u32 %p, %lane, 16; selp.b32 %row, %row, 0x70000001, %p;"
          "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%row];");
  check_registers(ran, 2, false);
}

TEST_CASE("stmatrix stores what ldmatrix loads") {
  const bool is_transposed = GENERATE(false, true);
  const std::string trans = is_transposed ? ".trans" : "";
  const auto [matrices, number, registers] =
      GENERATE(std::tuple{1U, "x1", "{%r0}"}, std::tuple{2U, "x2", "{%r0, %r1}"},
               std::tuple{4U, "x4", "{%r0, %r1, %r2, %r3}"});
  const std::string form = std::string("matrix.sync.aligned.m8n8.") + number + trans + ".shared.b16 ";
  // After the rows that it was loaded from; then each lane reads its row there.
  const auto ran = run("ld" + form + registers + ", [%row]; st" + form + "[%row+512], " + registers +
                       "; ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%row+512];");
  for (std::uint32_t lane = 0; lane < 8 * matrices; ++lane) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      INFO("row " << lane << " word " << i);
      CHECK(ran.registers[4 * lane + i] == (half(lane, 2 * i) | half(lane, 2 * i + 1) << 16U));
    }
  }
}

TEST_CASE("stmatrix transposes") {
  const auto ran =
      run("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"
          "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%row], {%r0}; bar.warp.sync -1;"
          "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];");
  check_registers(ran, 1, true);
}

TEST_CASE("movmatrix transposes in registers") {
  const auto ran =
      run("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];"
          "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r0;");
  check_registers(ran, 1, true);
}

TEST_CASE("ldmatrix counts one wavefront per 8 rows, and bank conflicts") {
  const std::string body = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%row];";
  const auto [pitch, wavefronts] =
      GENERATE(std::pair{16U, 4U}, std::pair{32U, 8U}, std::pair{128U, 32U}, std::pair{144U, 4U});
  INFO(pitch);
  const Counters counters = run(body, pitch).record.counters;
  CHECK(counters.shared_loads.requests == 1);
  CHECK(counters.shared_loads.wavefronts == wavefronts);
  CHECK(counters.shared_loads.bank_conflicts == wavefronts - 4);
  CHECK(counters.shared_loads.requested_bytes == 512);
}

TEST_CASE("stmatrix counts the stores of its rows on its line") {
  const LaunchRecord record = run("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%row], {%r0, %r1};").record;
  const auto line = std::find_if(record.lines.begin(), record.lines.end(),
                                 [](const LineCounters& one) { return one.line == 5; });
  REQUIRE(line != record.lines.end());
  CHECK(line->counters.shared_stores.requests == 1);
  CHECK(line->counters.shared_stores.wavefronts == 2);
  CHECK(line->counters.shared_stores.requested_bytes == 256);
  CHECK(line->counters.warp_instructions == 1);
}

TEST_CASE("rows outside shared memory and rows that are not aligned are faults") {
  const std::string load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, ";
  SECTION("outside") {
    const Fault found = fault(load + "[%row+7696];", FaultKind::out_of_bounds);  // 7696 + 31 * 16 = 8192
    CHECK(found.space == ptx::Space::shared);
    CHECK(found.thread == Dim3{31, 0, 0});
    CHECK(found.source.line == 5);
    CHECK(found.access_bytes == 16);
    CHECK(found.instruction == "ldmatrix.sync.aligned.m8n8.x4.shared.b16");
  }
  SECTION("misaligned") {
    const Fault found = fault(load + "[%row+8];", FaultKind::misaligned);
    CHECK(found.source.line == 5);
    CHECK(found.count == 32);
  }
  SECTION("a generic address that is not in shared memory") {
    const Fault found = fault("ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%rd1];", FaultKind::out_of_bounds);
    CHECK(found.space == ptx::Space::shared);
  }
  SECTION("a store outside") {
    const Fault found =
        fault("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row+8192], {%r0};", FaultKind::out_of_bounds);
    CHECK(found.is_store);
    CHECK(found.count == 8);
  }
}

TEST_CASE("instructions on rows require a whole warp") {
  const auto instruction = GENERATE("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];",
                                    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%row], {%r0};",
                                    "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;");
  SECTION("that does not take part") {
    const Fault found = fault(instruction, FaultKind::missing_lanes, 24);
    CHECK(found.detail == "all 32 lanes of a warp must take part; lanes 24 to 31 are missing");
  }
  SECTION("partly outside") {
    fault(std::string("setp.lt.u32 %p, %lane, 31; @%p ") + instruction, FaultKind::missing_lanes);
  }
}

TEST_CASE(
    "ldmatrix is skipped if its guard is false for every lane, and executed if it is true for every lane") {
  const auto ran =
      run("setp.gt.u32 %p, %lane, 31; @%p ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%row];"
          "@!%p ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row];");
  check_registers(ran, 1, false);
}

TEST_CASE("other forms of ldmatrix are refused by name") {
  const auto form = GENERATE("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%row];",
                             "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {%r0}, [%row];");
  const Fault found = fault(form, FaultKind::unsupported);
  CHECK_THAT(found.detail, Catch::Matchers::StartsWith("ldmatrix.sync.aligned.m"));
}

TEST_CASE("the race check detects stores of other warps into rows of ldmatrix") {
  // Warp 1 stores what warp 0 loads, with and without a barrier between.
  const bool has_barrier = GENERATE(false, true);
  Gpu gpu(kernel_text("",
                      ".reg .b32 %r<9>; .reg .pred %p; .shared .align 16 .b8 tile[512];\n"
                      "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31; mov.u32 %r3, tile;"
                      "mad.lo.u32 %r4, %r2, 16, %r3; setp.ge.u32 %p, %r1, 32;\n.loc 1 3 1\n"
                      "@%p st.shared.v4.u32 [%r4], {%r1, %r1, %r1, %r1};\n" +
                          std::string(has_barrier ? "bar.sync 0;\n" : "") +
                          "setp.lt.u32 %p, %r1, 32;\n.loc 1 5 1\n"
                          "@%p ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r4];\nret;"),
          {.cpu_threads = 1, .checks = test::kAllChecks});
  const LaunchRecord record = gpu.launch("k", {1, 1, 1}, {64, 1, 1}, {});
  CHECK(test::kinds_of(record.findings).contains(FaultKind::shared_race) == !has_barrier);
}

TEST_CASE("the check for unwritten memory includes the rows of ldmatrix") {
  Gpu gpu(text("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%row+4096];"),
          {.cpu_threads = 1, .checks = test::kAllChecks});
  const auto in = gpu.upload(rows());
  const auto out = gpu.zeros<std::uint32_t>(128);
  const LaunchRecord record = gpu.launch("k", {1, 1, 1}, {32, 1, 1}, pack(in, out));
  REQUIRE(test::kinds_of(record.findings) == std::set{FaultKind::uninitialised_read});
  CHECK(record.findings[0].source.line == 5);
}

}  // namespace ldmatrix_test
