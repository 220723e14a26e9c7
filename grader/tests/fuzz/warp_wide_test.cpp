// Random kernels of warp-wide operations: any mask, any lanes that ended or branched before, in blocks whose
// last warp is not full. Each launch ends with a result or with a fault by name, and does so in the same way
// with any number of processor threads. WARPGRADE_FUZZ_WARP_KERNELS=1000000 sets the number of kernels.
#include <cstdlib>

#include <fmt/format.h>

#include "fuzz/random.hpp"
#include "vgpu/gpu.hpp"

namespace fuzz_warp_wide_test {
namespace {

using fuzz::Random;

constexpr std::uint64_t kStepLimit = 1U << 14U;

/// An operand: a register with a different value in each lane, or a number that often is an edge case.
std::string word(Random& random) {
  static constexpr std::uint32_t kEdges[] = {0,      1,      2,          31,         32, 33,
                                             0x1F00, 0xFFFF, 0xFFFF0000, 0x80000000, ~0U};
  switch (random.below(4)) {
    case 0:
      return fmt::format("%m{}", random.below(4));
    case 1:
      return std::to_string(random.one_of(kEdges));
    case 2:
      return "%lane";
    default:
      return std::to_string(static_cast<std::uint32_t>(random.next()));
  }
}

std::string mask(Random& random) {
  return random.one_in(3)   ? std::string("0xffffffff")
         : random.one_in(2) ? std::string("%active")
                            : word(random);
}

std::string predicate(Random& random) { return fmt::format("%p{}", random.below(4)); }

std::string operation(Random& random) {
  static constexpr const char* kShuffles[] = {"up", "down", "bfly", "idx"};
  static constexpr const char* kVotes[] = {"all", "any", "uni"};
  static constexpr const char* kReductions[] = {"add.u32", "min.s32", "max.u32",
                                                "and.b32", "or.b32",  "xor.b32"};
  static constexpr const char* kOpaque[] = {
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%address];",
      "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;",
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r0,%r1}, "
      "{%f0,%f1,%f2,%f3};",
      "bar.sync 0;",
      "barrier.sync 1;",
      "bar.red.popc.u32 %r2, 0, %p1;",
      "membar.gl;",
      "activemask.b32 %r3;",
      "atom.shared.add.u32 %r0, [%address], 1;",
      "red.shared.add.u32 [%address], 1;",
      "exit;"};
  switch (random.below(9)) {
    case 0:
      return fmt::format("bar.warp.sync {};", mask(random));
    case 1:
    case 2:
      return fmt::format("shfl.sync.{}.b32 %r{}|%p2, %r{}, {}, {}, {};", random.one_of(kShuffles),
                         random.below(4), random.below(4), word(random), word(random), mask(random));
    case 3:
      return fmt::format("vote.sync.{}.pred %p3, %p{}, {};", random.one_of(kVotes), random.below(4),
                         mask(random));
    case 4:
      return fmt::format("vote.sync.ballot.b32 %r0, {}, {};", predicate(random), mask(random));
    case 5:
      return fmt::format("match.any.sync.b32 %r1, %r{}, {};", random.below(4), mask(random));
    case 6:
      return fmt::format("match.all.sync.b64 %r2|%p0, %wide, {};", mask(random));
    case 7:
      return fmt::format("redux.sync.{} %r3, %r{}, {};", random.one_of(kReductions), random.below(4),
                         mask(random));
    default:
      return random.one_of(kOpaque);
  }
}

/// Operations, some of them for lanes with a predicate only, some in a branch that joins again or ends.
std::string kernel(Random& random) {
  std::string body = R"(
    .reg .pred %p<4>; .reg .b32 %m<4>, %r<4>, %lane, %active, %thread, %address; .reg .f32 %f<4>;
    .reg .b64 %wide, %in, %out, %offset; .shared .align 16 .b8 tile[512];
    ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %thread, %tid.x; mov.u32 %lane, %laneid;
    mov.f32 %f0, 0f3F800000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
    mul.wide.u32 %offset, %thread, 32; add.u64 %in, %in, %offset; add.u64 %out, %out, %offset;
    ld.global.v4.u32 {%m0, %m1, %m2, %m3}, [%in]; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%in+16];
    shl.b32 %address, %lane, 4; mov.b64 %wide, {%r0, %r1}; mov.u32 %active, 0xffffffff;
)";
  for (int i = 0; i < 4; ++i)
    body += fmt::format("setp.lt.u32 %p{}, %m{}, {};\n", i, i, static_cast<std::uint32_t>(random.next()));
  const std::size_t operations = 1 + random.below(8);
  int label = 0;
  for (std::size_t i = 0; i < operations; ++i) {
    const std::string guard =
        random.one_in(2) ? "" : "@" + std::string(random.one_in(2) ? "!" : "") + predicate(random) + " ";
    switch (random.below(6)) {
      case 0:
        body += guard + "bra L" + std::to_string(label) + ";\nactivemask.b32 %active;\n" + operation(random) +
                "\nL" + std::to_string(label) + ":\n";
        ++label;
        break;
      case 1:
        body += guard + "exit;\n";
        break;
      default:
        body += guard + operation(random) + "\n";
    }
  }
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) "
         "{" +
         body + "st.global.v4.u32 [%out], {%r0, %r1, %r2, %r3}; ret;\n}\n";
}

struct Outcome {
  vgpu::LaunchError error{};
  std::vector<vgpu::FaultKind> faults;
  std::vector<std::uint32_t> words;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome run(const std::string& text, std::uint32_t threads, unsigned cpu_threads, bool is_checked,
            std::vector<std::uint32_t> input) {
  vgpu::DeviceOptions options;
  options.cpu_threads = cpu_threads;
  options.step_limit = kStepLimit;
  options.checks = {is_checked, is_checked};
  test::Gpu gpu(text, options);
  const auto in = gpu.upload(input);
  const auto out = gpu.upload(std::vector<std::uint32_t>(input.size()));
  const vgpu::LaunchRecord record = gpu.launch("k", {2, 1, 1}, {threads, 1, 1}, test::pack(in, out));
  Outcome outcome{record.error, {}, {}};
  for (const vgpu::Fault& fault : record.faults) outcome.faults.push_back(fault.kind);
  if (record.faults.empty()) outcome.words = gpu.download<std::uint32_t>(out, input.size());
  return outcome;
}

}  // namespace

TEST_CASE("warp-wide operations with any mask and any dead lanes end with a result or a fault") {
  const char* asked = std::getenv("WARPGRADE_FUZZ_WARP_KERNELS");
  const std::uint64_t kernels = asked ? std::strtoull(asked, nullptr, 10) : 400;
  static constexpr std::uint32_t kThreads[] = {1, 17, 32, 33, 64, 96};
  std::size_t completed = 0;
  for (std::uint64_t seed = 1; seed <= kernels; ++seed) {
    Random random(seed);
    const std::string text = kernel(random);
    const std::uint32_t threads = random.one_of(kThreads);
    std::vector<std::uint32_t> input(std::size_t{threads} * 8);
    const bool is_uniform = random.one_in(2);
    for (std::size_t i = 0; i < input.size(); ++i)
      input[i] = is_uniform && i >= 8 ? input[i % 8] : static_cast<std::uint32_t>(random.next());
    INFO("seed " << seed << ", " << threads << " threads\n" << text);
    const Outcome plain = run(text, threads, 1, false, input);
    CHECK(plain.error == vgpu::LaunchError::none);
    CHECK(run(text, threads, 1, true, input) == plain);
    CHECK(run(text, threads, 3, true, input) == plain);
    completed += plain.faults.empty() ? 1 : 0;
  }
  // Both ways to end are common: a generator whose kernels all fault in the first instruction tests little.
  CHECK(completed > kernels / 20);
  CHECK(completed < kernels * 19 / 20);
}

}  // namespace fuzz_warp_wide_test
