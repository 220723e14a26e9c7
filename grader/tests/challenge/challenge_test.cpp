// Builds the programs that bench-solutions compares with `warpgrade nvcc`, and lets bench-solutions check
// them on the virtual GPU: right results at awkward sizes, without a race, an access out of bounds or a read
// of unwritten memory.
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"
#include "toolchain/front_end.hpp"

using namespace testing;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace challenge_test {
namespace {

fs::path warpgrade_program() { return fs::path(WARPGRADE_BINARY_DIR) / "bin" / "warpgrade"; }

/// A function with a ladder.
struct Work {
  std::string lab, function;
};

/// Builds the programs of these works in `folder`.
void build(const fs::path& folder, const std::vector<Work>& works) {
  std::string labs;
  for (const Work& one : works) labs += one.lab + " ";
  const Ended ended =
      run({"/bin/bash", (source_folder() / "grader/challenge/build.sh").string(), folder.string()},
          {.environment = {{"NVCC", warpgrade_program().string() + " nvcc"}, {"LABS", labs}}});
  INFO(ended.err);
  REQUIRE(ended.code == 0);
}

/// Those of the present part of the corpus.
std::vector<Work> works() {
  std::vector<Work> part;
  std::size_t number = 0;
  for (const Work& one : {Work{"01-memory-types", "convolve_tiled"},
                          {"02-tiled-matmul", "tiled_matmul"},
                          {"03-reduction-divergence", "reduce_sum"},
                          {"04-coalescing", "transpose"},
                          {"04-coalescing", "matmul_corner_turning"},
                          {"04-coalescing", "matvec"},
                          {"05-pinned-streams", "add_pipelined"},
                          {"06-min-plus", "step_on_device"}})
    if (is_in_corpus_part(number++)) part.push_back(one);
  return part;
}

void verify(const fs::path& programs, const std::string& function) {
  const fs::path report = programs / "report.json";
  // The steps need more shared memory per block than the lecture GPU has.
  const Ended ended =
      warpgrade({"run", "--profile", "h200", "--report", report.string(),
                 (programs / "bench-solutions").string(), programs.string(), "--verify", "--only", function});
  INFO(function << "\n" << ended.out << ended.err);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, !contains("WRONG"));
  const Json result = Json::parse(text_of(report));
  for (const Json& program : result.at("programs")) {
    CHECK(program.at("api_failures") == Json::array());
    CHECK(program.at("launches").size() > 10);
    for (const Json& launch : program.at("launches")) {
      INFO(launch.at("name"));
      CHECK(launch.at("faults") == Json::array());
    }
  }
}

}  // namespace

TEST_CASE("every step of a ladder is right and passes all checks of the virtual GPU", "[corpus]") {
  if (!grader::find_front_end(grader::FrontEndKind::nvcc)) {
    WARN("skipped: nvcc is not installed");
    return;
  }
  const std::vector<Work> part = works();
  if (part.empty()) return;
  const grader::TemporaryFolder folder("challenge");
  build(folder.path(), part);
  for (const Work& one : part) verify(folder.path(), one.function);
}

}  // namespace challenge_test
