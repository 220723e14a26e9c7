#include "judge/findings.hpp"

#include "catch.hpp"

namespace findings_test {

namespace {

using grader::diagnose_finding;
using grader::SourceText;
using testing::contains;
using vgpu::Fault;
using vgpu::FaultKind;
using vgpu::ptx::Space;

constexpr std::uint64_t kStart = 0x4000000800000000;

const SourceText kSource{
    "tiled_matmul.cu",
    {"constexpr int kWidth = 16;", "  __shared__ float tile[kWidth][kWidth + 1];", "  tile[ty][tx] = M[i];"}};

Fault finding(FaultKind kind, Space space) {
  Fault made;
  made.kind = kind;
  made.kernel = "_Z12tiled_kernelPKfS0_Pfiii";
  made.file = "/box/tiled_matmul.cu";
  made.source.line = 3;
  made.access_bytes = 4;
  made.space = space;
  return made;
}

}  // namespace

TEST_CASE("an element of a tile has a row and a column if the file shows how long its rows are") {
  Fault race = finding(FaultKind::shared_race, Space::shared);
  race.variable = "_ZZ12tiled_kernelPKfS0_PfiiiE4tile";
  race.variable_offset = (2 * 17 + 5) * 4;
  race.other.emplace();
  CHECK_THAT(diagnose_finding(race, {}, kSource).first, contains("`tile[2][5]`: "));
  CHECK_THAT(diagnose_finding(race, {}, {}).first, contains("`tile[39]`: "));
}

TEST_CASE("a read of unwritten memory names the place of its allocation, except for a lab's own array") {
  Fault read = finding(FaultKind::uninitialised_read, Space::global);
  read.address = kStart + 8;
  read.nearest = Fault::Nearest{kStart, 64, 0, 2};
  vgpu::cudart::MemoryNames memory;
  memory[kStart].allocated = {"src/tiled_matmul.cu", 12, "matmul"};
  const std::string allocated = "; allocated at tiled_matmul.cu:12";
  CHECK_THAT(diagnose_finding(read, {}, kSource, memory).first,
             contains("element 2 of allocation 2 (64 bytes)") && contains(allocated));
  CHECK_THAT(diagnose_finding(read, {}, kSource).first, !contains("allocated"));
  grader::harness::Job job;
  job.inputs = {{"M", {4, 4}, {}}, {"N", {4, 4}, {}}};
  CHECK_THAT(diagnose_finding(read, job, kSource, memory).first,
             contains("`N[2]`") && !contains("allocated"));
}

}  // namespace findings_test
