// Instructions that the generator of random kernels omits because results cannot be compared with a GPU:
// behaviour that the PTX manual leaves undefined, and faults of CUDA 13.0's assembler (assembler_faults.cu).
#include "catch.hpp"
#include "fuzz/program.hpp"

using namespace fuzz;

namespace {

template <class Visit>
void for_each_step(const std::vector<Step>& steps, const Visit& visit) {
  for (const Step& step : steps) {
    visit(step);
    for_each_step(step.body, visit);
    for_each_step(step.otherwise, visit);
  }
}

/// Calls `visit` for each step of many programs.
template <class Visit>
void for_each_step(const Visit& visit) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) for_each_step(random_program(seed).steps, visit);
}

bool starts_with(const Step& step, const char* form) {
  return step.form && step.form->name.starts_with(form);
}

}  // namespace

TEST_CASE("set and testp have no predicate") {
  for_each_step([](const Step& step) {
    if (step.has_guard) CHECK_FALSE((starts_with(step, "set.") || starts_with(step, "testp.")));
  });
}

TEST_CASE("immediate amounts of 16-bit shifts have at most 16 bits") {
  for_each_step([](const Step& step) {
    const bool is_shift = starts_with(step, "shl.") || starts_with(step, "shr.");
    if (is_shift && step.form->name.ends_with("16")) CHECK(step.operands[1].bits <= 0xFFFF);
  });
}

TEST_CASE("a butterfly in a tile reads only lanes of the tile") {
  Step step;
  step.what = Step::What::shuffle;
  step.mode = "bfly";
  step.tiling = {Tiling::Kind::blocks, 4};
  step.operands = {{false, 0, 0}, {true, 21, 0}};  // 21 is 1 modulo 4
  step.destination = 1;
  Program program;
  program.registers = {'r', 'r'};
  program.steps = {step};
  std::vector<Record> inputs;
  for (Bits thread = 0; thread < kThreads; ++thread) inputs.push_back({thread, 0});
  const auto outputs = interpret(program, inputs);
  for (Bits thread = 0; thread < kThreads; ++thread) CHECK(outputs[thread][1] == (thread ^ 1U));
  CHECK_THAT(ptx_body(program, "%in", "%out"), testing::contains("and.b32 %x2, 0x00000015, 3;\n"));
}
