// What PTX is taken for as machine code: issue slots, units, and chains of waits.
#include "vgpu/cost/machine_work.hpp"

#include "vgpu/cost/cache_trace.hpp"
#include "vgpu/gpu.hpp"

namespace machine_work_test {

using vgpu::Pipe;
using vgpu::Wait;
using vgpu::exec::LineAccess;
using vgpu::exec::Stretch;

namespace {

vgpu::ptx::Function function_of(const std::string& body) {
  const std::string registers =
      ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<20>; .reg .f64 %fd<8>; "
      ".shared .align 16 .b8 s[4096]; ";
  auto module = vgpu::ptx::parse(test::kernel_text(".param .u64 in", registers + body + " ret;"));
  REQUIRE(module);
  return module->functions.front();
}

std::vector<Stretch> stretches(const std::string& body) {
  const auto function = function_of(body);
  const auto flow = vgpu::ptx::analyse(function);
  REQUIRE(flow);
  return vgpu::exec::stretches_of(function, *flow);
}

/// The work of code without branches.
int waits(const std::string& body, Wait wait) {
  const auto all = stretches(body);
  REQUIRE(all.size() == 1);
  return all[0].waits[wait];
}

vgpu::exec::InstructionWork work(const std::string& instruction) {
  return vgpu::exec::work_of(function_of(instruction).code.front());
}

}  // namespace

TEST_CASE("instructions use the issue slots and the unit of their machine code") {
  CHECK(work("mov.u32 %r1, %r2;").slots == 0);
  CHECK(work("ld.param.u64 %rd1, [in];").slots == 0);
  CHECK(work("cvta.to.global.u64 %rd1, %rd2;").slots == 0);
  CHECK(work("fma.rn.f32 %f1, %f2, %f3, %f4;").pipe == Pipe::fp32);
  CHECK(work("fma.rn.f64 %fd1, %fd2, %fd3, %fd4;").pipe == Pipe::fp64);
  CHECK(work("add.s32 %r1, %r2, %r3;").slots == 1);
  CHECK(work("add.s64 %rd1, %rd2, %rd3;").slots == 2);
  CHECK(work("ld.global.f32 %f1, [%rd1];").pipe == Pipe::load_store);
  CHECK(work("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];").pipe == Pipe::texture);
  CHECK(work("shfl.sync.down.b32 %r1, %r2, 1, 31, -1;").pipe == Pipe::load_store);
  const auto root = work("rsqrt.approx.f32 %f1, %f2;");
  CHECK(root.pipe == Pipe::special);
  CHECK(root.on_pipe == 1);
  CHECK(root.slots > work("rsqrt.approx.ftz.f32 %f1, %f2;").slots);
  CHECK(work("div.rn.f32 %f1, %f2, %f3;").slots > work("div.full.f32 %f1, %f2, %f3;").slots);
}

TEST_CASE("products of matrices use tensor cores in proportion to their multiply-adds") {
  const auto product = [](const std::string& form) { return work(form + " {%r1}, {%r2}, {%r3}, {%r4};"); };
  const auto halves = product("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  CHECK(halves.pipe == Pipe::tensor);
  CHECK(halves.slots == 1);
  CHECK(halves.on_pipe * vgpu::kTensorUnit == 16 * 8 * 16);
  CHECK(product("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32").on_pipe == halves.on_pipe);
  CHECK(product("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32").on_pipe == halves.on_pipe);
  const auto tile = product("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32");
  CHECK(tile.slots == 2);
  CHECK(tile.on_pipe == 2 * halves.on_pipe);
  const auto doubles = product("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64");
  CHECK(doubles.pipe == Pipe::tensor_fp64);
  CHECK(doubles.on_pipe * vgpu::kTensorFp64Unit == 16 * 8 * 4);
}

TEST_CASE("loads of matrices cost an instruction per access, plus those that transpose or pack") {
  const auto load = [](const std::string& form) {
    return work("wmma.load." + form + " {%r1}, [%rd1], %r2;");
  };
  CHECK(load("a.sync.aligned.row.m16n16k16.global.f16").slots == 4);
  CHECK(load("a.sync.aligned.col.m16n16k16.global.f16").slots == 8);
  CHECK(load("a.sync.aligned.col.m16n16k16.global.f16").on_pipe == 4);
  CHECK(load("a.sync.aligned.col.m16n16k16.global.s8").slots == 10);
  CHECK(load("c.sync.aligned.row.m16n16k16.global.f32").slots == 4);
  CHECK(load("c.sync.aligned.col.m16n16k16.global.f32").slots == 8);
  CHECK(work("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];").slots == 1);
}

TEST_CASE("a product waits for its rows, and the next product waits for it") {
  const std::string text =
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, "
      "[%r5];mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, "
      "{%f1, %f2, %f3, %f4};mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, "
      "%r2}, {%r4}, {%f1, %f2, %f3, %f4};";
  CHECK(waits(text, Wait::shared) == 1);
  CHECK(waits(text, Wait::tensor) == 2);
  CHECK(waits("wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [s], {%f1}, 16; ld.shared.f32 %f2, [s];"
              "add.f32 %f3, %f2, %f2;",
              Wait::shared) == 1);
}

TEST_CASE("a chain of sums has one wait per sum, independent sums have one wait in total") {
  CHECK(waits("add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f2;", Wait::arithmetic) == 3);
  CHECK(waits("add.f32 %f1, %f4, %f2; add.f32 %f2, %f4, %f4; add.f32 %f3, %f4, %f5;", Wait::arithmetic) == 1);
}

TEST_CASE("loads with known addresses overlap, those of a pointer chase do not") {
  CHECK(waits("ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd2]; add.u32 %r3, %r1, %r2;", Wait::global) ==
        1);
  CHECK(waits("ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd2];", Wait::global) == 2);
}

TEST_CASE("a load stays after a store to a possibly equal address, unless it reads constant data") {
  const std::string load_and_store = "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1; ";
  CHECK(waits(load_and_store + "ld.global.u32 %r2, [%rd3];", Wait::global) == 2);
  CHECK(waits(load_and_store + "ld.global.nc.u32 %r2, [%rd3];", Wait::global) == 1);
  CHECK(waits(load_and_store + "ld.shared.u32 %r2, [s];", Wait::shared) == 0);  // overlaps the longer wait
}

TEST_CASE("a barrier waits for stores before it, and accesses after it wait for the barrier") {
  const std::string text =
      "ld.global.u32 %r1, [%rd1]; st.shared.u32 [s], %r1; bar.sync 0; ld.shared.u32 %r2, [s+4];";
  CHECK(waits(text, Wait::global) == 1);
  CHECK(waits(text, Wait::barrier) == 1);
  CHECK(waits(text, Wait::shared) == 1);
}

TEST_CASE("basic blocks end at branches that remain, and short ifs become predicates") {
  CHECK(stretches("add.u32 %r1, %r1, 1; LOOP: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra LOOP;")
            .size() == 3);
  CHECK(stretches("setp.lt.u32 %p1, %r1, 9; @%p1 bra NEXT; add.u32 %r1, %r1, 1; NEXT: add.u32 %r1, %r1, 2;")
            .size() == 1);
}

namespace {

/// A loop that adds two loaded values of `type` in each iteration. The step of its counter ends with `step`.
std::string summing_loop(const std::string& step, const std::string& before = "", unsigned loads = 2) {
  std::string body = "LOOP: " + before;
  for (unsigned i = 0; i < loads; ++i)
    body += "ld.global.f32 %f1, [%rd" + std::to_string(i) + "]; add.f32 %f3, %f3, %f1; ";
  return body + "add.s32 %r1, %r1, " + step + "; setp.lt.s32 %p1, %r1, %r2; @%p1 bra LOOP;";
}

/// Waits for global memory in four iterations of the loop that is the second stretch.
unsigned waits_of_four_iterations(const std::string& loop) {
  const auto all = stretches("mov.u32 %r3, %ntid.x; mov.u32 %r2, 8; " + loop);
  REQUIRE(all.size() == 3);
  return 4U / all[1].waits.executions * all[1].waits[Wait::global];
}

}  // namespace

TEST_CASE("loops with a constant step are unrolled: their loads wait together, as far as registers permit") {
  CHECK(waits_of_four_iterations(summing_loop("1")) == 1);
  CHECK(waits_of_four_iterations(summing_loop("-4", "", 4)) == 1);  // 16 registers
  CHECK(waits_of_four_iterations(summing_loop("-4", "", 5)) == 2);
  CHECK(waits_of_four_iterations(summing_loop("%r3")) == 4);  // the step is known only when the kernel runs
  CHECK(waits_of_four_iterations(summing_loop("1", ".pragma \"nounroll\"; ")) == 4);
  CHECK(waits_of_four_iterations(summing_loop("1", "bar.sync 0; ")) == 4);
  CHECK(waits_of_four_iterations(summing_loop("1", "add.s32 %r2, %r2, 1; ")) == 4);  // the end changes
  std::string long_body;
  for (int i = 0; i < 60; ++i) long_body += "add.f32 %f4, %f4, %f5; ";
  CHECK(waits_of_four_iterations(summing_loop("1", long_body)) == 4);
  // Doubles take two registers, and a chain of loads remains one.
  CHECK(waits_of_four_iterations("LOOP: ld.global.f64 %fd1, [%rd1]; ld.global.f64 %fd2, [%rd1+8]; "
                                 "ld.global.f64 %fd3, [%rd1+16]; add.s32 %r1, %r1, 1; "
                                 "setp.ne.s32 %p1, %r1, 9; @%p1 bra LOOP;") == 2);
  CHECK(waits_of_four_iterations("LOOP: ld.global.u64 %rd1, [%rd1]; add.s32 %r1, %r1, 1; "
                                 "setp.ne.s32 %p1, %r1, 9; @%p1 bra LOOP;") == 4);
}

TEST_CASE("stores are counted by line") {
  vgpu::exec::MemorySide memory(1U << 20U);
  using Kind = LineAccess::Kind;
  memory.serve({{Kind::store, 1, 1U}, {Kind::store, 2, 15U}, {Kind::atomic, 3, 1U}, {Kind::load, 5, 15U}});
  CHECK(memory.stored_lines() == 2);
}

TEST_CASE("for each kind of atomic, the line with the most accesses is kept") {
  vgpu::exec::MemorySide memory(1U << 20U);
  memory.add({{3, {.lanes = 5, .scattered = 1}}, {4, {.float_lanes = 2}}});
  memory.add({{3, {.lanes = 1}}, {5, {.lanes = 4, .scattered = 7}}});
  CHECK(memory.hottest_atomics() == vgpu::AtomicLoad{6, 2, 7});
}

TEST_CASE("adding 1 where a predicate holds is one instruction") {
  const auto function =
      function_of("setp.eq.s32 %p1, %r1, 3; selp.u32 %r2, 1, 0, %p1; add.s32 %r3, %r3, %r2; ");
  const auto flow = vgpu::ptx::analyse(function);
  REQUIRE(flow);
  const auto sites = vgpu::exec::work_sites(function, *flow, {0, 1, 2, 3}, {});
  int slots = 0;
  for (const auto& site : sites) slots += site.work.pipe == Pipe::integer ? site.work.slots : 0;
  CHECK(slots == 2);
}

}  // namespace machine_work_test
