// The checks of asynchronous copies and mbarriers: what they must find, and
// what they must not.
#include "vgpu/checks.hpp"

namespace async_checks_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::Fault;
using vgpu::FaultKind;

namespace {

using Kinds = std::set<FaultKind>;

constexpr std::uint32_t kThreads = 64;

/// %r1 = thread, %rd1 = its word of `in`, %r2 = its word of shared memory, %r3 = that of the thread 32 away,
/// %r4 = an mbarrier.
std::string text(const std::string& body) {
  return kernel_text(".param .u64 in, .param .u64 out", R"(
    .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<10>; .shared .align 16 .b8 tile[512];
    .shared .align 8 .b64 barrier;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [in]; mad.wide.u32 %rd1, %r1, 4, %rd1;
    ld.param.u64 %rd2, [out]; mad.wide.u32 %rd2, %r1, 4, %rd2;
    mov.u32 %r5, tile; mad.lo.u32 %r2, %r1, 4, %r5; xor.b32 %r3, %r1, 32; mad.lo.u32 %r3, %r3, 4, %r5;
    mov.u32 %r4, barrier;
    setp.eq.u32 %p1, %r1, 0;
)" + body + "\nst.global.u32 [%rd2], %r9;\nret;\n");
}

std::vector<Fault> findings(const std::string& body) {
  Gpu gpu(text(body), {.checks = test::kAllChecks});
  const auto in = gpu.upload(std::vector<std::uint32_t>(kThreads, 5));
  const auto out = gpu.zeros<std::uint32_t>(kThreads);
  return gpu.run("k", {1, 1, 1}, {kThreads, 1, 1}, pack(in, out)).findings;
}

Kinds kinds(const std::string& body) { return test::kinds_of(findings(body)); }

const std::string kCopy = "cp.async.ca.shared.global [%r2], [%rd1], 4; cp.async.commit_group;\n";
const std::string kWait = "cp.async.wait_group 0;\n";
const std::string kMeet = "bar.sync 0;\n";
const std::string kReadOwn = "ld.shared.u32 %r9, [%r2];\n";
const std::string kReadOther = "ld.shared.u32 %r9, [%r3];\n";
const std::string kClear = "st.shared.u32 [%r2], 0; bar.sync 0;\n";

const std::string kInit = "@%p1 mbarrier.init.shared.b64 [%r4], 64;\n";
const std::string kArrive = "mbarrier.arrive.shared.b64 %rd3, [%r4];\n";
const std::string kAwait = "WAIT: mbarrier.test_wait.shared.b64 %p2, [%r4], %rd3; @!%p2 bra WAIT;\n";

}  // namespace

TEST_CASE("a thread that waits for a copy and reaches a barrier can use the copied data") {
  CHECK(kinds(kCopy + kWait + kReadOwn) == Kinds{});
  CHECK(kinds(kCopy + kWait + kMeet + kReadOther) == Kinds{});
  // Two stages: the second is under way while the first is used, then the first is filled again.
  const std::string stages =
      kCopy +
      "cp.async.ca.shared.global [%r2+256], [%rd1], 4; cp.async.commit_group; cp.async.wait_group 1;\n";
  CHECK(kinds(stages + kMeet + kReadOther + kMeet + kCopy + kWait + kMeet + kReadOther) == Kinds{});
}

TEST_CASE("a use of shared memory before the wait for a copy is found, also by the copying thread") {
  for (const std::string& use : {kReadOwn, std::string("st.shared.u32 [%r2], 1; mov.u32 %r9, 0;\n")}) {
    const auto found = findings(kClear + kCopy + ".loc 1 9 1\n" + use + kWait);
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == FaultKind::unfinished_copy);
    CHECK(found[0].source.line == 9);
    CHECK(found[0].count == kThreads);
    REQUIRE(found[0].other);
    CHECK(found[0].other->instruction == "cp.async.ca.shared.global");
    CHECK(found[0].other->thread == found[0].thread);
  }
}

TEST_CASE("a barrier for threads does not wait for copies") {
  CHECK(kinds(kClear + kCopy + kMeet + kReadOther + kWait) == Kinds{FaultKind::unfinished_copy});
  CHECK(kinds(kClear + kCopy + kMeet + kReadOther) == Kinds{FaultKind::unfinished_copy});
  // Nor is waiting for too few groups.
  CHECK(kinds(kClear + kCopy + "cp.async.wait_group 1;\n" + kReadOwn + kWait) ==
        Kinds{FaultKind::unfinished_copy});
}

TEST_CASE("a wait for copies does not synchronise threads") {
  CHECK(kinds(kClear + kCopy + kWait + kReadOther) == Kinds{FaultKind::shared_race});
}

TEST_CASE("refilling a stage that other threads might still read is a race") {
  CHECK(kinds(kClear + kReadOther + kCopy + kMeet + kWait) == Kinds{FaultKind::shared_race});
  CHECK(kinds(kClear + kReadOther + kMeet + kCopy + kWait) == Kinds{});
}

TEST_CASE(
    "threads may copy the same bytes to one place, as memcpy_async of cooperative groups does, but not "
    "others") {
  const std::string first = "ld.param.u64 %rd4, [in];\n", use = kWait + kMeet + "ld.shared.u32 %r9, [%r5];\n";
  const std::string all_to_one = "cp.async.ca.shared.global [%r5], [%rd4], 4; cp.async.commit_group;\n";
  CHECK(kinds(first + all_to_one + use) == Kinds{});
  // A part of the source is replaced by zeros: in one thread only.
  const std::string others = "selp.u32 %r10, 0, 4, %p1; cp.async.ca.shared.global [%r5], [%rd4], 4, %r10;\n";
  CHECK_FALSE(kinds(first + others + use).empty());
}

TEST_CASE("an mbarrier must be initialised before other threads use it") {
  CHECK(kinds(kInit + kMeet + kArrive + kAwait + "mov.u32 %r9, 0;") == Kinds{});
  const auto found = findings(".loc 1 3 1\n" + kInit + ".loc 1 4 1\n" + kArrive + kAwait + "mov.u32 %r9, 0;");
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].source.line == 4);
  CHECK(found[0].other->instruction == "mbarrier.init.shared.b64");
  CHECK(kinds(kInit + kMeet + kArrive + kAwait + kMeet +
              "@%p1 mbarrier.inval.shared.b64 [%r4]; mov.u32 %r9, 0;") == Kinds{});
}

TEST_CASE("the words of an mbarrier count as written, and as accessed by arriving threads") {
  CHECK(kinds(kInit + kMeet + "ld.shared.u32 %r9, [%r4];\n") == Kinds{});
  CHECK(kinds(kInit + kMeet + kArrive + "ld.shared.u32 %r9, [%r4];\n").contains(FaultKind::shared_race));
}

TEST_CASE("copies that arrive at an mbarrier are ordered before threads that wait there") {
  const std::string arrive = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r4]; mov.u64 %rd3, 0;\n";
  const std::string await = "WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra WAIT;\n";
  const std::string copy = "cp.async.ca.shared.global [%r2], [%rd1], 4;\n";
  CHECK(kinds(kInit + kMeet + copy + arrive + await + kReadOther) == Kinds{});
  CHECK(kinds(kInit + kMeet + kClear + copy + arrive + kReadOther + await) == Kinds{FaultKind::shared_race});
}

TEST_CASE("lanes of one warp that use different mbarriers are ordered by each of them") {
  const std::string setup =
      "and.b32 %r4, %r1, 1; mad.lo.u32 %r4, %r4, 8, %r5; add.u32 %r4, %r4, 384; setp.lt.u32 %p1, %r1, 2;\n"
      "@%p1 mbarrier.init.shared.b64 [%r4], 32;\n";
  const std::string read = "xor.b32 %r6, %r1, 34; mad.lo.u32 %r6, %r6, 4, %r5; ld.shared.u32 %r9, [%r6];\n";
  const std::string arrive = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r4];\n";
  const std::string await = "WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra WAIT;\n";
  CHECK(kinds(setup + kMeet + kCopy + arrive + await + read) == Kinds{});
  CHECK(kinds(setup + kMeet + "st.shared.u32 [%r2], %r1;\n" + kArrive + kAwait + read) == Kinds{});
  CHECK(kinds(setup + kMeet + "st.shared.u32 [%r2], %r1;\n" + kArrive + read + kAwait)
            .contains(FaultKind::shared_race));
}

TEST_CASE("a copy is found in any part of a wide access's range, but not next to it") {
  const std::string far = "cp.async.ca.shared.global [%r2+256], [%rd1], 4; cp.async.commit_group;\n";
  const std::string clear = "st.shared.u32 [%r2], 0; st.shared.u32 [%r2+256], 0; bar.sync 0;\n";
  CHECK(kinds(clear + far + "ld.shared.u32 %r9, [%r2];\n" + kWait) == Kinds{});
  const std::string strided = "shl.b32 %r6, %r1, 3; add.u32 %r6, %r6, %r5; ld.shared.u32 %r9, [%r6];\n";
  CHECK(kinds(clear + far + strided + kWait).contains(FaultKind::unfinished_copy));
}

TEST_CASE("a copy's read is an access, also if it has fewer bytes than the write") {
  const auto read = [](const std::string& size) {
    Gpu gpu(text("mov.u32 %r9, 0; setp.lt.u32 %p2, %r1, 32; selp.u32 %r10, 4, 0, %p2;\n"
                 "cp.async.ca.shared.global [%r2], [%rd1], 4" +
                 size + "; cp.async.wait_all;\n"),
            {.checks = test::kAllChecks});
    const auto in = gpu.upload(std::vector<std::uint32_t>(kThreads, 5));
    const auto out = gpu.zeros<std::uint32_t>(kThreads);
    std::uint64_t bytes = 0;
    for (const auto& access : gpu.run("k", {1, 1, 1}, {kThreads, 1, 1}, pack(in, out)).accesses)
      if (!access.is_write && access.start >= in && access.end() <= in + 4 * kThreads)
        bytes += access.size_bytes;
    return bytes;
  };
  CHECK(read("") == 4 * kThreads);
  CHECK(read(", 4") == 4 * kThreads);
  CHECK(read(", %r10") == 4 * 32);  // threads from 32 on read nothing
  CHECK(read(", %p2") == 4 * 32);   // those before ignore the source
}

}  // namespace async_checks_test
