// `warpgrade lint --mutants`: mistakes in right answers must cost points.
#include <map>

#include "base/files.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"

namespace mutants_test {

using namespace testing;
namespace fs = std::filesystem;

namespace {

const std::string kLab = "00-warm-up";

/// The real kit with its own copy of the lab and of its solutions.
class LabKit {
 public:
  LabKit() : folder_("mutants-kit") {
    for (const char* part : {"grader", "handout", "datasets"})
      fs::create_directory_symlink(source_folder() / part, folder_.path() / part);
    for (const char* part : {"labs", "solutions"}) {
      fs::create_directory(folder_.path() / part);
      fs::copy(source_folder() / part / kLab, folder_.path() / part / kLab, fs::copy_options::recursive);
    }
    fs::copy(source_folder() / "labs" / "include", folder_.path() / "labs" / "include",
             fs::copy_options::recursive);
  }

  fs::path lab_json() const { return folder_.path() / "labs" / kLab / "lab.json"; }
  fs::path equivalents() const { return folder_.path() / "solutions" / kLab / "equivalent.json"; }
  Ended run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"lint", "--jobs", "2"});
    return warpgrade(arguments, {.environment = {{"WARPGRADE_HOME", folder_.path().string()}}});
  }

 private:
  grader::TemporaryFolder folder_;
};

std::string table(const std::string& line, const std::string& after) {
  return R"({"schema": "warpgrade.equivalent/1", "mutants": [{"file": "saxpy.cu", "line": ")" + line +
         R"(", "becomes": [")" + after + R"("], "why": "a proof"}]})";
}

}  // namespace

TEST_CASE("a mutant that does not exist is exit code 2") {
  const Ended ended = warpgrade({"lint", "--mutant", kLab + "/saxpy.cu:1:boundary:1"});
  CHECK(ended.code == 2);
  CHECK_THAT(ended.err, contains("there is no mutant `00-warm-up/saxpy.cu:1:boundary:1`"));
}

TEST_CASE("a part that does not exist is exit code 2") {
  for (const std::string part : {"0/2", "3/2", "1/", "/2", "half", "1/2x"}) {
    INFO(part);
    const Ended ended = warpgrade({"lint", "--mutants", "--part", part, kLab});
    CHECK(ended.code == 2);
    CHECK_THAT(ended.err, contains("there is no part `" + part + "`"));
  }
}

TEST_CASE("parts of a run grade different mutants, and all of them", "[slow]") {
  const LabKit kit;
  for (const char* part : {"1/57", "57/57"}) {
    const Ended ended = kit.run({"--mutants", "--part", part});
    CHECK(ended.code == 0);
    CHECK_THAT(ended.out, contains(part[0] == '1' ? "2 of 113" : "1 of 113"));
  }
}

TEST_CASE("a named mutant is printed as a change and graded", "[slow]") {
  const Ended ended = LabKit().run({"--mutant", kLab + "/saxpy.cu:10:boundary:1"});
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, contains("killed  00-warm-up/saxpy.cu:10:boundary:1") && contains("- if (i < n)") &&
                            contains("+ if (i <= n)"));
}

TEST_CASE("a mutant that no case finds survives and fails the command", "[slow]") {
  const LabKit kit;
  std::string lab = text_of(kit.lab_json());
  // The sizes beyond 16 bits, and the limits on the bytes that the largest one copies.
  for (const auto& [large, small] :
       std::map<std::string, std::string>{{"\"n\": 131072", "\"n\": 65535"},
                                          {"\"n\": 524832", "\"n\": 65535"},
                                          {"\"n\": 786400", "\"n\": 65535"},
                                          {"\"n\": 524803", "\"n\": 65535"},
                                          {"\"n\": 524801", "\"n\": 65535"},
                                          {"\"n\": 65553", "\"n\": 65535"},
                                          {"\"n\": 70001", "\"n\": 65535"},
                                          {"\"at_least\": 1048576", "\"at_least\": 524280"},
                                          {"\"at_least\": 524288", "\"at_least\": 262140"}})
    for (std::size_t at = lab.find(large); at != std::string::npos; at = lab.find(large))
      lab.replace(at, large.size(), small);
  write(kit.lab_json(), lab);
  const Ended ended = kit.run({"--mutant", kLab + "/saxpy.cu:7:narrow-type:1"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.out,
             contains("survived  00-warm-up/saxpy.cu:7:narrow-type:1") && contains("unsigned short n"));
}

TEST_CASE("entries of equivalent.json that fit no mutant, or one that loses points, are reported", "[slow]") {
  const LabKit kit;
  const std::string name = kLab + "/saxpy.cu:10:boundary:1";
  write(kit.equivalents(), table("if (i < m) y[i] = 0;", "if (i <= m) y[i] = 0;"));
  const Ended stale = kit.run({"--mutant", name});
  CHECK(stale.code == 1);
  CHECK_THAT(stale.out, contains("saxpy.cu has no mutant `if (i <= m) y[i] = 0;`"));

  const std::string rest = " y[i] = a * x[i] + y[i];  // the last block can have more threads than elements";
  write(kit.equivalents(), table("if (i < n)" + rest, "if (i <= n)" + rest));
  const Ended wrong = kit.run({"--mutant", name});
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.out, contains(name + " is listed as equivalent but loses points"));
}

// All mutants of all labs take hours: .ci/nightly mutants.
TEST_CASE("no mutant of a sample gets full marks", "[nightly]") {
  const Ended ended = warpgrade({"lint", "--mutants", "--sample", "20", kLab});
  INFO(ended.out);
  CHECK(ended.code == 0);
}

}  // namespace mutants_test
