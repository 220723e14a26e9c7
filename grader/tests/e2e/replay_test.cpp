// `warpgrade replay` from end to end, on the virtual GPU.
#include "base/files.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"

namespace replay_test {

using namespace testing;

namespace {

/// A graded class of one submission that reads out of bounds.
class GradedClass {
 public:
  explicit GradedClass(bool has_seed_file) {
    const auto own = folder_.path() / "class/ada/02-tiled-matmul";
    std::filesystem::create_directories(own);
    std::filesystem::copy_file(bad_input("out_of_bounds"), own / "tiled_matmul.cu");
    write(seed_file(), "0123456789abcdef0123456789abcdef");
    std::vector<std::string> command = {"grade",    (folder_.path() / "class").string(),
                                        "--out",    (folder_.path() / "out").string(),
                                        "--lab",    "02-tiled-matmul",
                                        "--device", "virtual"};
    if (has_seed_file) {
      command.emplace_back("--seed-file");
      command.push_back(seed_file());
    }
    ended_ = warpgrade(command);
  }
  const Ended& ended() const { return ended_; }
  std::string seed_file() const { return folder_.path() / "seeds"; }
  std::string result() const { return folder_.path() / "out/results/ada/02-tiled-matmul.json"; }

 private:
  grader::TemporaryFolder folder_{"replay"};
  Ended ended_;
};

}  // namespace

TEST_CASE("a failed case of a graded class fails again with the same diagnostic, from the run's own copy") {
  const GradedClass graded(false);
  REQUIRE(graded.ended().code == 0);
  CHECK_THAT(graded.ended().out, contains("Run a failed case again, for instance:\n  warpgrade replay ") &&
                                     contains("/out/results/ada/02-tiled-matmul.json tiling/"));
  const Ended again = warpgrade({"replay", graded.result(), "tiling/square-32"});
  INFO(again.err);
  CHECK(again.code == 1);
  CHECK_THAT(again.out, contains("FAIL  square-32") && contains("error[WG-M02]") &&
                            contains("--> ada/02-tiled-matmul/tiled_matmul.cu:") &&
                            contains("As in the result: FAIL WG-M02."));
  CHECK_THAT(again.err, contains("file: ") && contains("/out/sources/"));
  const Ended repaired =
      warpgrade({"replay", graded.result(), "tiling/square-32", "--source", solution().string()});
  CHECK(repaired.code == 0);
  CHECK_THAT(repaired.err, contains("is not the file that the result was made from"));
  CHECK_THAT(repaired.out, contains("The result has FAIL WG-M02; now pass."));
  const grader::TemporaryFolder elsewhere("replay");
  std::filesystem::copy_file(graded.result(), elsewhere.path() / "alone.json");
  const Ended changed = warpgrade({"replay", elsewhere.path() / "alone.json", "tiling/square-32"});
  CHECK(changed.code == 2);
  CHECK_THAT(changed.err, contains("tiled_matmul.cu has changed since the result was made") &&
                              contains("warpgrade check 02-tiled-matmul --case tiling/square-32"));
}

TEST_CASE("secret inputs are replayed only with the seed file of the run") {
  const GradedClass graded(true);
  REQUIRE(graded.ended().code == 0);
  const Ended refused = warpgrade({"replay", graded.result(), "tiling/square-32"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             contains("the inputs of case square-32 are secret") && contains("--seed-file FILE"));
  const Ended allowed =
      warpgrade({"replay", graded.result(), "tiling/square-32", "--seed-file", graded.seed_file()});
  CHECK(allowed.code == 1);
  CHECK_THAT(allowed.out, contains("As in the result: FAIL"));
  write(graded.seed_file(), "another seed file, of other bytes");
  const Ended other =
      warpgrade({"replay", graded.result(), "tiling/square-32", "--seed-file", graded.seed_file()});
  CHECK(other.code == 2);
  CHECK_THAT(other.err, contains("is another seed file than that of the run"));
}

TEST_CASE("replay names the failed cases, and refuses files that are not results") {
  const GradedClass graded(false);
  const Ended unknown = warpgrade({"replay", graded.result(), "tiling/square-3"});
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, contains("did you mean `tiling/square-32`?") && contains("failed cases: "));
  const Ended page = warpgrade({"replay", (source_folder() / "README.md").string(), "one"});
  CHECK(page.code == 2);
  CHECK_THAT(page.err, contains("cannot read the result"));
}

}  // namespace replay_test
