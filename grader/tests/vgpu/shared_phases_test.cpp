// Random phases of loads and stores of shared memory between barriers: exactly those race in which two
// threads access one word and one of them stores.
#include <random>
#include <string>
#include <vector>

#include "vgpu/checks.hpp"

namespace shared_phases_test {

using test::Gpu;
using test::kernel_text;

namespace {

constexpr unsigned kThreads = 64, kWords = 256;

/// Threads below `threads` access word (thread * step + start) % kWords.
struct Access {
  bool is_store = false;
  unsigned step = 1, start = 0, threads = kThreads;

  unsigned word(unsigned thread) const { return (thread * step + start) % kWords; }
};
using Phase = std::vector<Access>;

std::string text(const std::vector<Phase>& phases) {
  std::string body = R"(
    .reg .pred %p<2>; .reg .b32 %r<6>; .shared .align 4 .b8 words[1024];
    mov.u32 %r1, %tid.x; mov.u32 %r2, words; mad.lo.u32 %r3, %r1, 16, %r2;
    st.shared.u32 [%r3], %r1; st.shared.u32 [%r3+4], %r1; st.shared.u32 [%r3+8], %r1; st.shared.u32 [%r3+12], %r1;
)";
  for (const Phase& phase : phases) {
    body += "bar.sync 0;\n";
    for (const Access& access : phase) {
      body += "setp.lt.u32 %p1, %r1, " + std::to_string(access.threads) + ";\n";
      body += "mad.lo.u32 %r3, %r1, " + std::to_string(access.step) + ", " + std::to_string(access.start) +
              "; and.b32 %r3, %r3, 255; mad.lo.u32 %r3, %r3, 4, %r2;\n";
      // Threads store different values.
      body += access.is_store
                  ? "add.u32 %r1, %r1, 1000; @%p1 st.shared.u32 [%r3], %r1; sub.u32 %r1, %r1, 1000;\n"
                  : "@%p1 ld.shared.u32 %r4, [%r3];\n";
    }
  }
  return kernel_text("", body + "ret;");
}

bool has_race(const Phase& phase) {
  struct Users {
    unsigned thread = kThreads;
    bool are_many = false, is_stored = false;
  };
  std::vector<Users> users(kWords);
  for (const Access& access : phase)
    for (unsigned thread = 0; thread < access.threads; ++thread) {
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

TEST_CASE("exactly those phases race in which two threads access a word that one of them stores") {
  std::mt19937 random(1);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  unsigned races = 0, others = 0;
  for (unsigned round = 0; round < 400; ++round) {
    std::vector<Phase> phases(3);
    for (Phase& phase : phases) {
      // One of two buffers is stored, mostly.
      const unsigned stored = below(2) * kWords / 2;
      phase.resize(1 + below(4));
      for (Access& access : phase) {
        access.is_store = below(2) == 0;
        const unsigned start = access.is_store ? stored : kWords / 2 - stored;
        access.start = start + (below(4) == 0 ? below(kWords) : access.is_store ? 0 : below(kThreads));
        access.step = below(8) == 0 ? 2 : 1;
        if (below(6) == 0) access.threads = 1 + below(kThreads);
      }
    }
    bool expected = false;
    for (const Phase& phase : phases) expected |= has_race(phase);
    (expected ? races : others) += 1;
    Gpu gpu(text(phases), {.checks = test::kAllChecks});
    const auto findings = gpu.launch("k", {1, 1, 1}, {kThreads, 1, 1}, {}).findings;
    INFO(round << '\n' << text(phases));
    REQUIRE(findings.empty() != expected);
  }
  CHECK(races > 50);
  CHECK(others > 50);
}

}  // namespace shared_phases_test
