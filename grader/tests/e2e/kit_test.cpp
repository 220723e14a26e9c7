// Kits that are broken in one way, and the intact kit, which must pass `warpgrade lint`.
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"

namespace kit_test {

using namespace testing;
namespace fs = std::filesystem;

namespace {

/// The real kit with its own copy of a lab folder.
class CopiedKit {
 public:
  CopiedKit() : folder_("kit") {
    for (const char* part : {"grader", "solutions", "handout", "datasets"})
      if (fs::exists(source_folder() / part))
        fs::create_directory_symlink(source_folder() / part, folder_.path() / part);
    fs::copy(source_folder() / "labs", folder_.path() / "labs", fs::copy_options::recursive);
  }
  /// The kit's own kernels become empty files.
  void replace_workloads() const {
    fs::remove(folder_.path() / "grader");
    fs::create_directory(folder_.path() / "grader");
    for (const auto& entry : fs::directory_iterator(source_folder() / "grader"))
      if (entry.path().filename() != "workloads")
        fs::create_symlink(entry.path(), folder_.path() / "grader" / entry.path().filename());
    write(folder_.path() / "grader" / "workloads" / "tiled_matmul" / "naive.cu", "");
  }
  /// Without the lab's other programs, lint is quick.
  void keep_one_solution(const std::string& lab, const std::string& file) const {
    const fs::path from = source_folder() / "solutions" / lab, to = folder_.path() / "solutions" / lab;
    fs::remove(folder_.path() / "solutions");
    auto expected = nlohmann::ordered_json::parse(text_of(from / "expected.json"));
    expected["files"] = {{file, expected["files"][file]}};
    write(to / "expected.json", expected.dump());
    write(to / file, text_of(from / file));
  }
  fs::path root() const { return folder_.path(); }
  fs::path skeleton() const { return lab_json().parent_path() / "tiled_matmul.cu"; }
  fs::path lab_json() const { return folder_.path() / "labs" / "02-tiled-matmul" / "lab.json"; }
  Ended run(const std::vector<std::string>& arguments) const {
    return warpgrade(arguments, {.environment = {{"WARPGRADE_HOME", folder_.path().string()}}});
  }

 private:
  grader::TemporaryFolder folder_;
};

/// The students' tests of `kit`, as the build has made them, in a folder of their own.
class CopiedTests {
 public:
  explicit CopiedTests(const CopiedKit& kit) : folder_("tests") {
    const fs::path build = WARPGRADE_BINARY_DIR;
    for (const fs::path& from : {build / "labs" / "CTestTestfile.cmake", build / "CTestCustom.cmake"}) {
      std::string text =
          everywhere(text_of(from), (build / "lab-results").string(), (folder_.path() / "r").string());
      text = everywhere(text, "WARPGRADE_HOME=" + source_folder().string(),
                        "WARPGRADE_HOME=" + kit.root().string());
      write(folder_.path() / from.filename(), text);
    }
  }
  Ended run(const std::string& label) const {
    return testing::run({"/usr/bin/env", "ctest", "-L", label}, {.folder = folder_.path()});
  }

 private:
  static std::string everywhere(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
    return text;
  }

  grader::TemporaryFolder folder_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a lab.json that is not JSON is exit code 2 with file and line, for every command that needs it") {
  const CopiedKit kit;
  write(kit.lab_json(), replaced(text_of(kit.lab_json()), "\"tasks\": [", "\"tasks\": [,"));
  for (const auto& command :
       std::vector<std::vector<std::string>>{{"check", "02-tiled-matmul"}, {"datasets", "verify"}}) {
    const Ended ended = kit.run(command);
    CHECK(ended.code == 2);
    CHECK_THAT(ended.err, contains("WG-G01") && contains("lab.json"));
  }
}

TEST_CASE("a lab.json with a wrong value is exit code 2 with the position") {
  const CopiedKit kit;
  write(kit.lab_json(), replaced(text_of(kit.lab_json()), "\"points\": ", "\"points\": -"));
  const Ended ended = kit.run({"check", "02-tiled-matmul"});
  CHECK(ended.code == 2);
  CHECK_THAT(ended.err, contains("WG-G02") && contains("points"));
}

TEST_CASE("a baseline that does not build is the grader's fault: exit code 3, nothing charged") {
  const CopiedKit kit;
  kit.replace_workloads();
  const Ended ended =
      kit.run({"check", "02-tiled-matmul", "--source", solution().string(), "--device", "virtual"});
  CHECK(ended.code == 3);
  CHECK_THAT(ended.out, contains("WG-G23") && contains("No grade") && !contains("points."));
}

TEST_CASE("ctest prints the first mistake without an option, and skips what needs a failed task", "[slow]") {
  const CopiedKit kit;
  const CopiedTests tests(kit);
  const Ended skeleton = tests.run("02-tiled-matmul");
  INFO(skeleton.out);
  CHECK(skeleton.code != 0);
  CHECK_THAT(skeleton.out, contains("02-tiled-matmul: first mistake") &&
                               contains("error[WG-H12]: `tiled_matmul`") && contains("in: tiling/square-32"));
  const auto status_of = [](const Ended& ended, const std::string& test) {
    const std::size_t line = ended.out.find(": 02-tiled-matmul/" + test + " ");
    return line == std::string::npos ? "no such test"
                                     : ended.out.substr(line, ended.out.find('\n', line) - line);
  };
  CHECK_THAT(status_of(skeleton, "build"), contains("Passed"));
  CHECK_THAT(status_of(skeleton, "tiling/square-32"), contains("***Failed"));
  CHECK_THAT(status_of(skeleton, "boundary/one"), contains("***Skipped"));
  CHECK_THAT(status_of(skeleton, "traffic"), contains("***Skipped"));

  write(kit.skeleton(), text_of(bad_input("does_not_compile")));
  const Ended broken = tests.run("02-tiled-matmul");
  CHECK_THAT(broken.out, contains("error[WG-C01]") && contains("tests failed out of"));
  CHECK_THAT(status_of(broken, "build"), contains("***Failed"));
  CHECK_THAT(status_of(broken, "tiling/square-32"), contains("***Skipped"));

  write(kit.skeleton(), text_of(solution()));
  const Ended right = tests.run("02-tiled-matmul");
  CHECK(right.code == 0);
  CHECK_THAT(right.out, contains("100% tests passed") && !contains("first mistake") && !contains("error["));
}

TEST_CASE("a folder that is not a kit is a fault with advice") {
  const Ended ended = warpgrade({"check"}, {.environment = {{"WARPGRADE_HOME", "/tmp"}}});
  CHECK(ended.code == 3);
  CHECK_THAT(ended.err, contains("WARPGRADE_HOME"));
}

TEST_CASE("the committed datasets match their manifest") {
  const Ended ended = warpgrade({"datasets", "verify"});
  INFO(ended.err);
  CHECK(ended.code == 0);
}

TEST_CASE("generated datasets verify, a changed one does not") {
  const grader::TemporaryFolder folder("datasets");
  CHECK(warpgrade({"datasets", "generate", "--folder", folder.path().string()}).code == 0);
  CHECK(warpgrade({"datasets", "verify", "--folder", folder.path().string()}).code == 0);
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (entry.path().extension() != ".npy") continue;
    write(entry.path(), text_of(entry.path()) + "x");
    break;
  }
  CHECK(warpgrade({"datasets", "verify", "--folder", folder.path().string()}).code == 1);
}

TEST_CASE("calibration measures the programs of the requested kinds and judges the thresholds") {
  const auto calibrate = [](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"calibrate", "00-warm-up"};
    words.insert(words.end(), more.begin(), more.end());
    return warpgrade(words);
  };
  const Ended solution = calibrate({"--kind", "solution", "--format", "json"});
  REQUIRE(solution.code == 0);
  const auto speedup = nlohmann::json::parse(solution.out)["speedups"][0];
  CHECK(speedup["problems"].empty());
  REQUIRE(speedup["programs"].size() == 1);
  CHECK(speedup["programs"][0]["program"] == "solutions/00-warm-up/saxpy.cu");
  CHECK(speedup["programs"][0]["speedups"].size() == 1);
  CHECK(speedup["programs"][0]["speedups"][0] >= speedup["present"]["full"]);

  const Ended slow = calibrate({"--kind", "slow"});
  CHECK(slow.code == 0);
  CHECK_THAT(slow.out, contains("holds") && contains("one_block_with_loop") && !contains("no threshold"));
}

TEST_CASE("a solution in labs/ is not ignored as code that was handed out") {
  const CopiedKit kit;
  const grader::TemporaryFolder folder("class");
  for (const char* id : {"a", "b"}) write(folder.path() / id / "tiled_matmul.cu", text_of(solution()));
  CHECK_THAT(kit.run({"similarity", folder.path().string()}).out, contains("100 %"));
  write(kit.skeleton(), text_of(solution()));
  const Ended refused = kit.run({"similarity", folder.path().string()});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, contains("WG-G60") && contains("is not the skeleton") && contains("git checkout"));
}

TEST_CASE("the solution of every lab gets full marks", "[slow]") {
  for (const auto& entry : fs::directory_iterator(source_folder() / "labs")) {
    if (!fs::exists(entry.path() / "lab.json")) continue;
    const std::string lab = entry.path().filename().string();
    const auto sources = nlohmann::json::parse(text_of(entry.path() / "lab.json"))["sources"];
    const fs::path solution = source_folder() / "solutions" / lab / sources[0].get<std::string>();
    const Ended ended = warpgrade({"check", lab, "--source", solution.string()});
    INFO(ended.out);
    CHECK(ended.code == 0);
  }
}

TEST_CASE("lint checks the other labs after one with an invalid definition", "[slow]") {
  const CopiedKit kit;
  kit.keep_one_solution("03-reduction-divergence", "reduction.cu");
  write(kit.lab_json(), replaced(text_of(kit.lab_json()), "\"tasks\": [", "\"tasks\": [,"));
  const Ended ended = kit.run({"lint", "02", "03"});
  CHECK(ended.code == 2);
  CHECK_THAT(ended.out, contains("FAIL  02-tiled-matmul: lab.json is valid") && contains("WG-G01") &&
                            contains("ok    03-reduction-divergence: the skeleton compiles"));
}

TEST_CASE("lint finds a skeleton that is solved", "[slow]") {
  const CopiedKit kit;
  const std::string lab = "00-warm-up";
  kit.keep_one_solution(lab, "saxpy.cu");
  write(kit.lab_json().parent_path().parent_path() / lab / "saxpy.cu",
        text_of(source_folder() / "solutions" / lab / "saxpy.cu"));
  const Ended ended = kit.run({"lint", lab});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.out, contains("FAIL  00-warm-up: the skeleton compiles, scores 0") &&
                            contains("FAIL  00-warm-up: expected.json has the SHA-256 of the skeleton") &&
                            contains("saxpy.cu is not the skeleton that was handed out"));
}

}  // namespace kit_test
