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

TEST_CASE("memory that kernels allocated and did not free counts as lost") {
  SessionReport program;
  program.kernel_allocations = {3, 72};
  CHECK(grader::diagnose_program(program).empty());
  program.has_ended = true;
  const auto reported = grader::diagnose_program(program);
  REQUIRE(reported.size() == 1);
  CHECK(reported[0].code == "WG-M09");
  CHECK(reported[0].severity == grader::Severity::warning);
  CHECK(reported[0].what == "the program ends with 3 allocations by kernels not freed, 72 bytes");
  program.kernel_allocations = {};
  CHECK(grader::diagnose_program(program).empty());
}

TEST_CASE("a copy of unwritten memory to the host is a note") {
  SessionReport program;
  program.unwritten_copies = {{.allocation = {0x100, 4096, 2},
                               .first_byte = 2048,
                               .bytes = 1024,
                               .copied_bytes = 2048,
                               .count = 3,
                               .place = {"main.cu", 9, "main"}}};
  auto reported = grader::diagnose_program(program);
  REQUIRE(reported.size() == 1);
  CHECK(reported[0].code == "WG-M07");
  CHECK(reported[0].severity == grader::Severity::note);
  CHECK(reported[0].what == "1024 of 2048 bytes that are copied to the host were never written");
  CHECK(reported[0].first == "byte 2048 of allocation 2 (4096 bytes)");
  CHECK(reported[0].count == 3);
  CHECK(reported[0].where->line == 9);
  program.unwritten_copies[0].bytes = 2048;
  CHECK(grader::diagnose_program(program)[0].what ==
        "device memory that was never written is copied to the host");
}

}  // namespace

}  // namespace program_test
