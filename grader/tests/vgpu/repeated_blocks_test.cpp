// Blocks whose accesses to global memory repeat those of an earlier block have the findings that they have if
// each access is recorded: a fence at the beginning, which orders nothing, ends the comparison.
#include "vgpu/races/repeated_blocks.hpp"

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "vgpu/checks.hpp"

namespace repeated_blocks_test {

using test::Gpu;
using test::kernel_text;
using test::pack;

namespace {

constexpr std::uint32_t kWords = 1U << 14U;  // of each array

std::string number(std::uint32_t value) { return std::to_string(value); }

/// A random kernel without barriers: thread t of block b accesses word t * step + b * distance + start of an
/// array, once and then in a loop. Mostly, blocks load from the first array and store to the second one.
class Kernel {
 public:
  explicit Kernel(unsigned seed) : random_(seed) {
    distance_ = below(3) == 0 ? below(300) : kDistances.at(below(kDistances.size()));
    add_accesses();
    body_ += "LOOP:\n";
    add_accesses();
    body_ += "add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra LOOP;\n";
    if (below(4) != 0) add_access({"st.global.u32 [%rd3], %r1", 4}, 1);
  }

  std::string text(bool has_fence) const {
    return kernel_text(".param .u64 a, .param .u64 b", std::string(R"(
    .reg .pred %p<5>; .reg .b32 %r<12>; .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r5, 0; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];
)") + (has_fence ? "membar.cta;\n" : "") + body_ + "ret;");
  }

 private:
  struct Form {
    std::string_view text;
    std::uint32_t bytes = 0;
  };
  static constexpr std::array<std::uint32_t, 5> kDistances = {16, 32, 64, 96, 1024};

  unsigned below(std::size_t end) { return static_cast<unsigned>(random_() % end); }

  void add_accesses() {
    static constexpr std::array<Form, 4> kLoads = {{{"ld.global.u32 %r7, [%rd3]", 4},
                                                    {"ld.global.nc.u32 %r7, [%rd3]", 4},
                                                    {"ld.global.v2.u32 {%r7, %r8}, [%rd3]", 8},
                                                    {"ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%rd3]", 16}}};
    static constexpr std::array<Form, 3> kStores = {{{"st.global.u32 [%rd3], %r1", 4},
                                                     {"st.global.u32 [%rd3], 7", 4},
                                                     {"st.global.v4.u32 [%rd3], {%r1, %r2, %r1, %r2}", 16}}};
    for (unsigned accesses = 1 + below(3); accesses != 0; --accesses)
      below(3) == 0 ? add_access(kStores.at(below(kStores.size())), below(20) == 0 ? 0 : 1)
                    : add_access(kLoads.at(below(kLoads.size())), below(20) == 0 ? 1 : 0);
  }

  void add_access(const Form& form, unsigned array) {
    static constexpr std::array<std::uint32_t, 8> kSteps = {0, 1, 1, 1, 2, 3, 33, 256};
    const std::uint32_t step = kSteps.at(below(kSteps.size())), round = below(2) == 0 ? 64 : below(600);
    body_ += ".loc 1 " + number(line_++) + " 0\nmad.lo.u32 %r6, %r1, " + number(step) + ", " +
             number(below(2) == 0 ? 0 : below(1200)) + ";\n";
    if (below(8) == 0) body_ += "shr.u32 %r6, %r6, " + number(1 + below(5)) + ";\n";
    body_ += "mad.lo.u32 %r6, %r2, " + number(below(12) == 0 ? below(200) : distance_) +
             ", %r6; mad.lo.u32 %r6, %r5, " + number(round) + ", %r6; and.b32 %r6, %r6, " +
             number((kWords - 1) / (form.bytes / 4) * (form.bytes / 4) & ~(form.bytes / 4 - 1)) +
             ";\nmul.wide.u32 %rd3, %r6, 4; add.u64 %rd3, %rd3, " + (array == 0 ? "%rd1" : "%rd2") +
             "; setp.lt.u32 %p1, %r1, " + number(below(4) == 0 ? 1 + below(70) : 1024) + ";\n";
    if (below(10) == 0) body_ += "setp.ne.and.u32 %p1, %r2, " + number(below(8)) + ", %p1;\n";
    if (below(20) == 0) body_ += "add.u32 %r11, %r2, 30; setp.lt.and.u32 %p1, %r1, %r11, %p1;\n";
    body_ += (below(2) == 0 ? "" : "@%p1 ") + std::string(form.text) + ";\n";
  }

  std::mt19937 random_;
  std::string body_;
  std::uint32_t line_ = 1, distance_ = 0;
};

struct Result {
  std::vector<std::string> findings;
  std::vector<std::uint64_t> accesses;

  friend bool operator==(const Result&, const Result&) = default;
};

Result result_of(const std::string& text, unsigned seed, unsigned cpu_threads) {
  Gpu gpu(text, {.cpu_threads = cpu_threads, .checks = test::kAllChecks});
  const auto a = gpu.zeros<std::uint32_t>(kWords), b = gpu.zeros<std::uint32_t>(kWords);
  const std::uint32_t threads = seed % 3 == 0 ? 96 : 64;
  const auto record = gpu.launch("k", {24, 1, 1}, {threads, 1, 1}, pack(a, b));
  Result result;
  for (const vgpu::Fault& finding : record.findings)
    result.findings.push_back(test::described(finding) + " at " + std::to_string(finding.address) + ", " +
                              std::to_string(finding.count));
  for (const vgpu::MemoryAccess& access : record.accesses)
    result.accesses.insert(result.accesses.end(),
                           {access.start, access.size_bytes, access.is_write ? 1U : 0U});
  return result;
}

}  // namespace

TEST_CASE("blocks that repeat an earlier one have their own findings") {
  std::size_t findings = 0, without = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const Kernel kernel(seed);
    constexpr bool kHasFence = true;
    const Result expected = result_of(kernel.text(kHasFence), seed, 1);
    INFO("seed " << seed << "\n" << kernel.text(!kHasFence));
    REQUIRE(result_of(kernel.text(!kHasFence), seed, 1) == expected);
    REQUIRE(result_of(kernel.text(!kHasFence), seed, 2) == expected);
    findings += expected.findings.size();
    without += expected.findings.empty() ? 1 : 0;
  }
  CHECK(findings > 400);
  CHECK(without > 60);
}

}  // namespace repeated_blocks_test
