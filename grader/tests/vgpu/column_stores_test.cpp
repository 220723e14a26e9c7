// Stores of warps along rows of their lanes, whose record waits: exactly those phases race in which two
// threads access one word and one of them stores, whatever else accesses the rows.
#include "vgpu/check/column_stores.hpp"

#include <random>
#include <string>
#include <vector>

#include "vgpu/checks.hpp"

namespace column_stores_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::exec::kWarpLanes;

namespace {

/// The first block learns the patterns of addresses, so that its stores do not wait.
constexpr unsigned kBlocks = 3, kWarps = 4, kThreads = kWarps * kWarpLanes, kWords = 20480;

/// Threads from `first` to `last` access word lane * row + warp * column + start of the block's memory.
struct Access {
  bool is_store = false;
  unsigned row = 0, column = 0, start = 0, first = 0, last = kThreads - 1;

  unsigned word(unsigned thread) const {
    return thread % kWarpLanes * row + thread / kWarpLanes * column + start;
  }
};
using Phase = std::vector<Access>;

std::string text(const std::vector<Phase>& phases) {
  std::string body = R"(
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; and.b32 %r3, %r1, 31; shr.u32 %r4, %r1, 5; mov.u32 %r7, %r1;
    ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r2, )" +
                     std::to_string(kWords * sizeof(std::uint32_t)) + "; add.u64 %rd1, %rd1, %rd2;\n";
  const auto number = [](unsigned value) { return std::to_string(value); };
  for (const Phase& phase : phases) {
    body += "bar.sync 0;\n";
    for (const Access& access : phase) {
      body += "mul.lo.u32 %r5, %r3, " + number(access.row) + "; mad.lo.u32 %r5, %r4, " +
              number(access.column) + ", %r5; add.u32 %r5, %r5, " + number(access.start) +
              "; mul.wide.u32 %rd2, %r5, 4; add.u64 %rd2, %rd1, %rd2;\n";
      std::string guard;
      if (access.first != 0 || access.last != kThreads - 1) {
        guard = "@%p1 ";
        body += "sub.u32 %r6, %r1, " + number(access.first) + "; setp.le.u32 %p1, %r6, " +
                number(access.last - access.first) + ";\n";
      }
      // Different values, since equal ones can be stored without a race.
      body += access.is_store ? "add.u32 %r7, %r7, 1000; " + guard + "st.global.u32 [%rd2], %r7;\n"
                              : guard + "ld.global.u32 %r8, [%rd2];\n";
    }
  }
  return kernel_text(".param .u64 out", body + "ret;");
}

bool has_race(const Phase& phase) {
  struct Users {
    unsigned thread = kThreads;
    bool are_many = false, is_stored = false;
  };
  std::vector<Users> users(kWords);
  for (const Access& access : phase)
    for (unsigned thread = access.first; thread <= access.last; ++thread) {
      Users& of_word = users[access.word(thread)];
      of_word.are_many |= of_word.thread != kThreads && of_word.thread != thread;
      of_word.thread = thread;
      of_word.is_stored |= access.is_store;
    }
  for (const Users& of_word : users)
    if (of_word.are_many && of_word.is_stored) return true;
  return false;
}

}  // namespace

TEST_CASE("exactly those phases race in which two threads access a word of rows, and one of them stores") {
  std::mt19937 random(1);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  unsigned races = 0, others = 0;
  for (unsigned round = 0; round < 300; ++round) {
    constexpr unsigned kRows[] = {512, 512, 511, 400, 300, 257, 64, 9};
    const unsigned row = kRows[below(std::size(kRows))];
    std::vector<Phase> phases(1 + below(2));
    for (Phase& phase : phases) {
      // A tile of a transposed matrix, and perhaps something else in between.
      for (unsigned i = 0, steps = 1 + below(4); i < steps; ++i) phase.push_back({true, row, 1, i * kWarps});
      if (below(2) == 0) continue;
      Access other{below(4) != 0, row, 1, below(20)};
      if (below(4) == 0) other.row = 1, other.column = kWarpLanes, other.start = below(row * kWarpLanes);
      if (below(2) == 0) other.first = other.last = below(kThreads);
      phase.insert(phase.begin() + below(static_cast<unsigned>(phase.size()) + 1), other);
    }
    bool expected = false;
    for (const Phase& phase : phases) expected |= has_race(phase);
    (expected ? races : others) += 1;
    Gpu gpu(text(phases), {.cpu_threads = 1, .checks = test::kAllChecks});
    const auto out = gpu.zeros<std::int32_t>(std::size_t{kBlocks} * kWords);
    const auto findings = gpu.launch("k", {kBlocks, 1, 1}, {kThreads, 1, 1}, pack(out)).findings;
    INFO(round << '\n' << text(phases));
    REQUIRE(findings.empty() != expected);
    // The blocks, of which only the first one learns patterns, have the same races.
    for (const vgpu::Fault& finding : findings) CHECK(finding.count % kBlocks == 0);
  }
  CHECK(races > 50);
  CHECK(others > 50);
}

}  // namespace column_stores_test
