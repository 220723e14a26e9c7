#include "judge/program.hpp"

#include "catch.hpp"

namespace program_test {

namespace {

using testing::contains;
using vgpu::cudart::ApiFailure;
using vgpu::cudart::MemoryKind;
using vgpu::cudart::SessionReport;

ApiFailure mistake(const std::string& detail, std::uint32_t line) {
  ApiFailure failure{.call = "cudaFree", .error = 1, .detail = detail, .is_mistake = true};
  if (line != 0) failure.place = {"main.cu", line, "main"};
  return failure;
}

TEST_CASE("different failed calls are reported separately, equal ones once") {
  SessionReport program;
  program.failures = {mistake("freed twice", 3), mistake("not allocated", 5), mistake("freed twice", 3)};
  auto reported = grader::diagnose_program(program);
  REQUIRE(reported.size() == 2);
  CHECK(reported[0].first == "freed twice");
  CHECK(reported[0].count == 2);
  CHECK(reported[1].first == "not allocated");
  CHECK(reported[1].count == 1);

  program.failures = {mistake("freed twice", 0), mistake("not allocated", 0)};  // no debug information
  CHECK(grader::diagnose_program(program).size() == 2);
}

TEST_CASE("a failure is reported only if it was ignored or is always a mistake") {
  SessionReport program;
  program.failures = {{.call = "cudaFuncSetAttribute", .error = 1}};
  CHECK(grader::diagnose_program(program).empty());
  program.failures[0].is_mistake = true;
  CHECK(grader::diagnose_program(program).at(0).code == "WG-H08");
  program.failures[0].is_ignored = true;
  CHECK(grader::diagnose_program(program).at(0).code == "WG-H13");
}

TEST_CASE("memory counts as lost only if the program ended normally") {
  SessionReport program;
  program.live_allocations = {{0x100, 16, 1}};
  program.memory[0x100].is_lost = true;
  program.memory[0x7f0000000000] = {MemoryKind::pinned, 64, {"main.cu", 4, "main"}, {}, true};
  CHECK(grader::diagnose_program(program).empty());
  program.has_ended = true;
  const auto reported = grader::diagnose_program(program);
  REQUIRE(reported.size() == 2);
  CHECK_THAT(reported[0].what, contains("1 allocation of device memory"));
  CHECK_THAT(reported[1].what, contains("1 allocation of pinned host memory not freed, 64 bytes"));
  CHECK(reported[1].first == "64 bytes at main.cu:4");
  CHECK_THAT(reported[1].next_step, contains("cudaFreeHost"));
}

}  // namespace

}  // namespace program_test
