// Phases of accesses to shared memory that repeat those of earlier blocks and earlier rounds of a loop: the
// findings of a launch are those of its blocks, each launched alone.
#include "vgpu/races/repeated_phases.hpp"

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vgpu/checks.hpp"
#include "vgpu/facts/findings.hpp"

namespace repeated_phases_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Fault;

namespace {

constexpr std::uint32_t kThreads = 96, kWords = 256, kBlocks = 8;

std::string number(std::uint32_t value) { return std::to_string(value); }

/// A random kernel: phases of accesses, some of which depend on the block, once and then in a loop.
class Kernel {
 public:
  explicit Kernel(unsigned seed) : random_(seed) {
    body_ = R"(
    .reg .pred %p<5>; .reg .b32 %r<12>; .shared .align 16 .b8 words[1024];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; ld.param.u32 %r3, [first]; add.u32 %r2, %r2, %r3;
    mov.u32 %r4, words; mov.u32 %r5, 0; mad.lo.u32 %r6, %r1, 8, %r4;
    st.shared.u32 [%r6], 1; st.shared.u32 [%r6+4], 1;
)";
    if (below(4) != 0) body_ += "bar.sync 0;\n";
    add_phases(1 + below(3));
    body_ += "LOOP:\n";
    add_phases(1 + below(3));
    body_ += "bar.sync 0; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 3; @%p2 bra LOOP;\n";
    body_ += "ret;";
  }

  std::string text() const { return kernel_text(".param .u32 first", body_); }

 private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  void add_phases(unsigned phases) {
    for (; phases != 0; --phases) {
      stored_ = below(2);
      if (below(3) == 0)
        add_exchange();
      else
        for (unsigned accesses = 1 + below(4); accesses != 0; --accesses) add_access();
      if (below(8) == 0) add_order();
      body_ += "bar.sync 0;\n";
    }
  }

  /// The lanes of a warp exchange values; sometimes they do not meet in between.
  void add_exchange() {
    static constexpr std::array<std::string_view, 4> kForms = {
        "ld.volatile.shared.u32 %r7, [%r6]", "st.volatile.shared.u32 [%r6], %r1", "ld.shared.u32 %r7, [%r6]",
        "st.shared.u32 [%r6], %r1"};
    const bool is_one_warp = below(2) == 0;
    for (unsigned accesses = 2 + below(6); accesses != 0; --accesses) {
      body_ += ".loc 1 " + number(line_++) + " 0\n" + (is_one_warp ? "add.u32" : "xor.b32") + " %r6, %r1, " +
               number(below(2) == 0 ? 0 : 1U << below(5)) +
               "; mad.lo.u32 %r6, %r6, 4, %r4; setp.lt.u32 %p1, %r1, " +
               number(is_one_warp ? below(6) == 0 ? below(33) : 32 : kThreads) + ";\n";
      if (below(15) == 0) body_ += "setp.eq.and.u32 %p1, %r2, 5, %p1;\n";
      body_ += "@%p1 " + std::string(kForms[below(kForms.size())]) + ";\nadd.u32 %r9, %r9, %r7;\n";
      if (below(16) != 0) body_ += below(9) == 0 ? "membar.cta;\n" : "bar.warp.sync -1;\n";
    }
  }

  /// Orders some threads, or changes clocks without doing so.
  void add_order() {
    const std::string label = "L" + number(line_++);
    switch (below(4)) {
      case 0:
        body_ += "bar.warp.sync -1;\n";
        break;
      case 1:
        body_ += "membar.cta;\n";
        break;
      case 2:
        body_ += "red.shared.add.u32 [words+1000], 1;\n";
        break;
      default:
        body_ += "setp.ge.u32 %p3, %r1, 64; @%p3 bra " + label + "; bar.sync 1, 64;\n" + label + ":\n";
    }
    add_access();
  }

  /// Threads below a limit access word (thread * step + start + block * stride + round * shift) % kWords.
  /// Mostly, a phase stores to one half and loads from the other.
  void add_access() {
    struct Form {
      std::string_view text;
      bool is_store = false;
    };
    static constexpr std::array<Form, 6> kForms = {{{"ld.shared.u32 %r7, [%r6]"},
                                                    {"st.shared.u32 [%r6], %r1", true},
                                                    {"st.shared.u32 [%r6], 1", true},
                                                    {"ld.shared.v2.u32 {%r7, %r8}, [%r6]"},
                                                    {"st.shared.v2.u32 [%r6], {%r1, %r1}", true},
                                                    {"ld.volatile.shared.u32 %r7, [%r6]"}}};
    const unsigned kind = below(30);
    const Form& form = kForms[kind < 29 ? kind % 3 : 3 + below(3)];
    const bool is_pair = form.text.find(".v2") != std::string_view::npos;
    const unsigned start = kThreads * ((form.is_store ? 1 : 0) ^ stored_) + (below(25) == 0 ? below(64) : 0);
    const unsigned step = below(25) == 0 ? below(4) : 1,
                   limit = below(5) == 0 ? 1 + below(kThreads) : kThreads;
    const unsigned stride = below(25) == 0 ? 32 * below(3) : 0, shift = below(25) == 0 ? 32 : 0;
    body_ += ".loc 1 " + number(line_++) + " 0\nmad.lo.u32 %r6, %r1, " + number(step) + ", " + number(start) +
             "; mad.lo.u32 %r6, %r2, " + number(stride) + ", %r6; mad.lo.u32 %r6, %r5, " + number(shift) +
             ", %r6;\nand.b32 %r6, %r6, " + (is_pair ? "254" : "255") +
             "; mad.lo.u32 %r6, %r6, 4, %r4; setp.lt.u32 %p1, %r1, " + number(limit) + ";\n";
    if (below(12) == 0) body_ += "setp.eq.and.u32 %p1, %r2, 5, %p1;\n";
    if (below(12) == 0) body_ += "add.u32 %r10, %r2, 40; setp.lt.and.u32 %p1, %r1, %r10, %p1;\n";
    body_ += "@%p1 " + std::string(form.text) + ";\nadd.u32 %r9, %r9, %r7;\n";
  }

  std::mt19937 random_;
  std::string body_;
  std::uint32_t line_ = 1;
  unsigned stored_ = 0;  ///< the half of the words to which the phase stores
};

struct Result {
  std::vector<std::string> findings;
  vgpu::SharedUse use;
};

Result described(std::vector<Fault> findings, const vgpu::SharedUse& use) {
  Result result{{}, use};
  for (const Fault& finding : findings) result.findings.push_back(test::described(finding));
  return result;
}

Result together(const std::string& text, unsigned cpu_threads) {
  Gpu gpu(text, {.cpu_threads = cpu_threads, .checks = test::kAllChecks});
  const auto record = gpu.launch("k", {kBlocks, 1, 1}, {kThreads, 1, 1}, pack(std::uint32_t{0}));
  return described(record.findings, record.shared_use);
}

Result one_by_one(const std::string& text) {
  vgpu::Findings all;
  vgpu::SharedUse use;
  for (std::uint32_t block = 0; block < kBlocks; ++block) {
    Gpu gpu(text, {.checks = test::kAllChecks});
    auto record = gpu.launch("k", {1, 1, 1}, {kThreads, 1, 1}, pack(block));
    for (Fault& finding : record.findings) {
      finding.block.x = block;
      if (finding.other) finding.other->block.x = block;
    }
    all.add(std::move(record.findings));
    use = use.most(record.shared_use);
  }
  return described(all.take(), use);
}

using vgpu::BlockClocks;
using vgpu::LaneOffsets;
using vgpu::PhaseAccess;
using vgpu::RepeatedPhases;

/// Which accesses of two warps are ordered before one another.
std::vector<bool> orders(const BlockClocks& clocks) {
  std::vector<bool> orders;
  for (const unsigned thread : {0U, 1U, 9U, 33U})
    for (const unsigned earlier : {0U, 1U, 2U, 8U, 32U})
      for (BlockClocks::Clock clock = clocks.start(); clock <= clocks.latest(); ++clock)
        orders.push_back(clocks.is_ordered(clock, earlier, thread));
  return orders;
}

}  // namespace

TEST_CASE("meetings of lanes are steps of a phase") {
  constexpr std::uint32_t kAll = ~0U, kSome = 3;
  const LaneOffsets lanes{.mask = kSome};
  const PhaseAccess load{.bytes = 4, .site = 1}, meeting = PhaseAccess::meeting(0, kAll, true);
  RepeatedPhases phases(kWords);
  phases.begin_block(true);
  REQUIRE_FALSE(phases.step(load, lanes, false));
  REQUIRE_FALSE(phases.step(meeting, {}, false));
  phases.end_block();
  phases.begin_block(true);
  REQUIRE(phases.step(load, lanes, false));
  REQUIRE(phases.repeats(meeting));
  for (const PhaseAccess& other : {PhaseAccess::meeting(0, kSome, true), PhaseAccess::meeting(0, kAll, false),
                                   PhaseAccess::meeting(1, kAll, true), load}) {
    phases.begin_block(true);
    REQUIRE(phases.step(load, lanes, false));
    REQUIRE_FALSE(phases.repeats(other));
  }
  REQUIRE_FALSE(phases.step(load, lanes, false));
  const RepeatedPhases::Skipped skipped = phases.take_skipped();
  REQUIRE(skipped.present.size() == 1);
  CHECK_FALSE(skipped.present[0].is_meeting());
}

TEST_CASE("meetings that are taken back and made again order the same accesses") {
  constexpr unsigned kWarps = 2;
  constexpr bool kEverybody = true;
  BlockClocks clocks(kWarps);
  clocks.meet_at_barrier(~0U, kEverybody);
  const auto meet = [&] {
    clocks.meet_in_warp(0, ~0U, kEverybody);
    clocks.meet_in_warp(0, 3, !kEverybody);
    clocks.meet_in_warp(1, ~0U, kEverybody);
    clocks.meet_in_warp(0, 0x300, !kEverybody);
  };
  meet();
  const auto expected = orders(clocks);
  const BlockClocks::Clock now = clocks.now(0), settled = clocks.settled(0);
  clocks.take_back_meetings();
  CHECK(orders(clocks) != expected);
  meet();
  CHECK(orders(clocks) == expected);
  CHECK(clocks.now(0) == now);
  CHECK(clocks.settled(0) == settled);
}

TEST_CASE("blocks that repeat the accesses of earlier blocks have the findings that they have alone") {
  unsigned with_findings = 0, without = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::string text = Kernel(seed).text();
    INFO(seed << '\n' << text);
    const Result expected = one_by_one(text);
    (expected.findings.empty() ? without : with_findings) += 1;
    for (const unsigned cpu_threads : {1U, 2U, 5U}) {
      const Result result = together(text, cpu_threads);
      REQUIRE(result.findings == expected.findings);
      REQUIRE(result.use == expected.use);
    }
  }
  CHECK(with_findings > 20);
  CHECK(without > 20);
}

TEST_CASE("a block that has not written what an earlier block has written and read reads unwritten memory") {
  const std::string text = kernel_text("", R"(
    .reg .pred %p<3>; .reg .b32 %r<6>; .shared .align 4 .b8 words[384];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, words; mad.lo.u32 %r3, %r1, 4, %r3;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 st.shared.u32 [%r3], 1;
    bar.sync 0;
    ld.shared.u32 %r4, [%r3];
    setp.eq.u32 %p2, %r4, 0; @%p2 bra END;
    END: ret;
)");
  Gpu gpu(text, {.checks = test::kAllChecks});
  const auto findings = gpu.launch("k", {kBlocks, 1, 1}, {kThreads, 1, 1}, {}).findings;
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].kind == vgpu::FaultKind::uninitialised_read);
  CHECK(findings[0].block.x == 1);
  CHECK(findings[0].count == (kBlocks - 1) * kThreads);
}

}  // namespace repeated_phases_test
