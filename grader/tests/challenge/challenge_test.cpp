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

/// Builds everything in `folder`.
void build(const fs::path& folder) {
  const Ended ended =
      run({"/bin/bash", (source_folder() / "grader/challenge/build.sh").string(), folder.string()},
          {.environment = {{"NVCC", warpgrade_program().string() + " nvcc"}}});
  INFO(ended.err);
  REQUIRE(ended.code == 0);
}

}  // namespace

TEST_CASE("every step of a ladder is right and passes all checks of the virtual GPU", "[corpus][slow]") {
  if (!grader::find_front_end(grader::FrontEndKind::nvcc)) {
    WARN("skipped: nvcc is not installed");
    return;
  }
  const grader::TemporaryFolder folder("challenge");
  build(folder.path());
  const fs::path report = folder.path() / "report.json";
  // The steps need more shared memory per block than the lecture GPU has.
  const Ended ended =
      warpgrade({"run", "--profile", "h200", "--report", report.string(),
                 (folder.path() / "bench-solutions").string(), folder.path().string(), "--verify"});
  INFO(ended.out << ended.err);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, !contains("WRONG"));
  const Json result = Json::parse(text_of(report));
  for (const Json& program : result.at("programs")) {
    CHECK(program.at("api_failures") == Json::array());
    CHECK(program.at("launches").size() > 100);
    for (const Json& launch : program.at("launches")) {
      INFO(launch.at("name"));
      CHECK(launch.at("faults") == Json::array());
    }
  }
}

}  // namespace challenge_test
