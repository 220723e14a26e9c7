// `warpgrade check` from end to end, on the virtual GPU.
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"
#include "schema_check.hpp"

namespace check_test {

using namespace testing;
using Json = nlohmann::json;

namespace {

Ended check(std::vector<std::string> arguments, const Setting& setting = {}) {
  std::vector<std::string> command = {"check", "02-tiled-matmul", "--device", "virtual"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return warpgrade(command, setting);
}

}  // namespace

TEST_CASE("the solution gets full marks, and its JSON is valid") {
  const Ended ended = check({"--source", solution().string(), "--format", "json"});
  INFO(ended.err);
  REQUIRE(ended.code == 0);
  const Json result = Json::parse(ended.out);
  CHECK(SchemaCheck::of("result.schema.json").problems(result).empty());
  CHECK(result["score"] == 100);
  CHECK(result["verdict"] == "accepted");
  CHECK(result["provenance"]["source_sha256"].get<std::string>().size() == 64);
}

TEST_CASE("the page of the solution shows requested and transferred bytes apart, with naive and solution") {
  const Ended ended = check({"--source", solution().string()});
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, contains("global load requested B/flop") &&
                            contains("global load transferred B/flop") && contains("naive") &&
                            contains("100/100 points"));
}

TEST_CASE("the untouched skeleton compiles, scores 0 and exits with 1") {
  const Ended ended = check({"--format", "json"});
  CHECK(ended.code == 1);
  const Json result = Json::parse(ended.out);
  CHECK(result["score"] == 0);
  CHECK(result["verdict"] != "compile_error");
}

TEST_CASE("a source that does not compile exits with 1 and points at the line") {
  const Ended ended = check({"--source", bad_input("does_not_compile").string()});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.out, contains("error[WG-C01]") && contains("does_not_compile.cu:5") &&
                            contains("Next: warpgrade explain WG-C01"));
}

TEST_CASE("check grades answers.json next to the source, and questions shows and grades them without a run") {
  const grader::TemporaryFolder folder("e2e");
  const auto source = folder.path() / "tiled_matmul.cu", answers = folder.path() / "answers.json";
  write(source, text_of(solution()));
  const std::vector<std::string> questions = {"questions", "02", "--answers", answers.string()};
  const auto ask = [&](std::vector<std::string> more) {
    more.insert(more.begin(), questions.begin(), questions.end());
    return warpgrade(more);
  };
  CHECK_THAT(ask({}).err, contains("--name"));
  CHECK_THAT(ask({"--name", "alice"}).out, contains("Before you write code") && contains("tile-bytes"));
  CHECK(ask({"--name", "alice", "--new"}).code == 0);
  CHECK(ask({"--name", "alice", "--new"}).code == 2);  // never overwritten
  Json file = Json::parse(text_of(answers));
  CHECK(SchemaCheck::of("answers.schema.json").problems(file).empty());
  file["answers"]["tile-bytes"] = 1;
  file["answers"]["own-blocks"] = 1;
  write(answers, file.dump());
  CHECK(ask({}).code == 1);
  const Ended bob = ask({"--name", "bob"});
  CHECK(bob.code == 1);
  CHECK_THAT(bob.out, contains("is for the name \"alice\""));

  const Ended text = check({"--source", source.string()});
  CHECK(text.code == 0);  // the lab's own score does not depend on answers
  CHECK_THAT(text.out, contains("100/100 points") && contains("Questions for alice: 0/10 points") &&
                           contains(" wrong (") && contains("tile-bytes") &&
                           contains("Next: warpgrade questions 02-tiled-matmul --hints 2"));
  const Json result = Json::parse(check({"--source", source.string(), "--format", "json"}).out);
  CHECK(SchemaCheck::of("result.schema.json").problems(result).empty());
  CHECK(result["questions"]["max_points"] == 10);
  CHECK(result["questions"]["answers"][9]["status"] == "wrong");  // known after the run
  CHECK(result["score"] == 100);
  write(answers, "{");
  CHECK_THAT(check({"--source", source.string()}).out,
             contains("answers.json cannot be used: it is not JSON"));
}

TEST_CASE("one case alone passes or fails") {
  const Ended right = check({"--source", solution().string(), "--case", "one"});
  CHECK(right.code == 0);
  CHECK_THAT(right.out, contains("pass  one"));
  const Ended wrong = check({"--source", bad_input("out_of_bounds").string(), "--case", "one"});
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.out, contains("FAIL  one") && contains("error[WG-M02]"));
}

TEST_CASE("a check that a diagnostic names can be pasted into --case") {
  const Ended page = check({"--source", bad_input("out_of_bounds").string()});
  const std::size_t in = page.out.find("  in: ");
  REQUIRE(in != std::string::npos);
  const std::string name = page.out.substr(in + 6, page.out.find_first_of(",\n", in) - in - 6);
  INFO(name);
  REQUIRE_THAT(name, contains("/"));
  const Ended wrong = check({"--source", bad_input("out_of_bounds").string(), "--case", name});
  CHECK(wrong.code == 1);
  CHECK_THAT(wrong.out, contains("FAIL  " + name.substr(name.find('/') + 1)) && contains("error[WG-M02]"));
  const Ended right = check({"--source", solution().string(), "--case", name});
  CHECK(right.code == 0);
}

TEST_CASE("a link to a student's own file is followed, a link to nothing is a usage error") {
  const grader::TemporaryFolder folder("e2e");
  const auto link = folder.path() / "mine.cu";
  std::filesystem::create_symlink(solution(), link);
  const Ended followed = check({"--source", link.string(), "--case", "one"});
  CHECK(followed.code == 0);
  std::filesystem::remove(link);
  std::filesystem::create_symlink("no-such-file", link);
  const Ended broken = check({"--source", link.string(), "--case", "one"});
  CHECK(broken.code == 2);
  CHECK_THAT(broken.err, contains("mine.cu: No such file"));
}

TEST_CASE("memory that the function does not free is reported with the line of its allocation") {
  const grader::TemporaryFolder folder("e2e");
  const auto source = folder.path() / "leaks.cu";
  std::string text = text_of(solution());
  const std::string head =
      "void tiled_matmul(const float* d_M, const float* d_N, float* d_P, int m, int k, int n) {\n";
  const std::size_t body = text.find(head) + head.size();
  REQUIRE(body > head.size());
  text.insert(body, "  float* d_lost = nullptr;\n  cudaMalloc(&d_lost, 100);\n");
  write(source, text);
  const Ended ended = check({"--source", source.string(), "--case", "one"});
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, contains("warning[WG-M09]") && contains("cudaMalloc(&d_lost, 100);") &&
                            contains("first seen: allocation 1 (100 bytes) at leaks.cu:"));
  const Ended clean = check({"--source", solution().string(), "--case", "one"});
  CHECK_THAT(clean.out, !contains("WG-M09"));
}

TEST_CASE("a refused launch is reported with the line of <<<…>>>, not with that of the kernel") {
  const auto source = source_folder() / "grader/tests/runner/bad_launch.cu";
  for (const auto& more : {std::vector<std::string>{}, {"--front-end", "clang"}}) {
    std::vector<std::string> arguments = {"--source", source.string(), "--case", "one"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ended ended = check(arguments);
    INFO(ended.out << ended.err);
    CHECK(ended.code == 1);
    CHECK_THAT(ended.out, contains("bad_launch.cu:8") && contains("kernel<<<1, 5000>>>();"));
  }
}

TEST_CASE("a case for another kind of device is not graded") {
  const Json lab = Json::parse(text_of(source_folder() / "labs" / "02-tiled-matmul" / "lab.json"));
  for (const auto& [name, one] : lab["cases"].items()) {
    if (one.value("only_on", "") != "cuda") continue;
    CHECK(check({"--source", solution().string(), "--case", name}).code == 4);
  }
}

TEST_CASE("the output of the student's program is shown for a single case, escaped") {
  const Ended ended = check({"--source", bad_input("fake_json").string(), "--case", "one"});
  CHECK(ended.code == 1);
  CHECK_THAT(ended.out, contains("your program printed in one:") && contains("| {\"schema\""));
}

TEST_CASE("check draws the images of every case that it runs, and prints their paths") {
  const grader::TemporaryFolder folder("pictures");
  const std::vector<std::string> command = {
      "check",      "01-memory-types",
      "--device",   "virtual",
      "--case",     "blur-33x9",
      "--pictures", folder.path().string(),
      "--source",   (source_folder() / "solutions" / "01-memory-types" / "memory_types.cu").string()};
  const Ended ended = warpgrade(command);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out,
             contains("pictures:") &&
                 contains("01-memory-types/blur-33x9-{in.png,out.png,out-expected.png,out-errors.png}"));
  const auto drawn = folder.path() / "01-memory-types";
  CHECK(text_of(drawn / "blur-33x9-out.png") == text_of(drawn / "blur-33x9-out-expected.png"));
  CHECK(text_of(drawn / "blur-33x9-out-errors.png").starts_with("\x89PNG"));
}

TEST_CASE("pictures are not in the JSON, and a lab without images prints a note") {
  const grader::TemporaryFolder folder("pictures");
  const Ended ended = check({"--source", solution().string(), "--case", "one", "--format", "json",
                             "--pictures", folder.path().string()});
  CHECK(ended.code == 0);
  CHECK(Json::parse(ended.out)["score"] == 0);
  CHECK_THAT(ended.err, contains("no case that was run has a picture"));
}

TEST_CASE("a build is kept, and a changed file is built again") {
  const grader::TemporaryFolder folder("e2e");
  const auto source = folder.path() / "mine.cu", cache = folder.path() / "cache";
  const std::vector<std::string> arguments = {"--source", source.string(), "--build-only", "--build-cache",
                                              cache.string()};
  write(source, text_of(solution()));
  CHECK(check(arguments).code == 0);
  CHECK(check(arguments).code == 0);
  CHECK(std::distance(std::filesystem::directory_iterator(cache), {}) == 1);
  write(source, text_of(bad_input("does_not_compile")));
  CHECK(check(arguments).code == 1);
  CHECK(std::distance(std::filesystem::directory_iterator(cache), {}) == 1);
}

TEST_CASE("without bubblewrap, check notes the missing sandbox and grade refuses") {
  const grader::TemporaryFolder programs("programs");
  for (const auto& entry : std::filesystem::directory_iterator("/usr/bin"))
    if (entry.path().filename() != "bwrap")
      std::filesystem::create_symlink(entry.path(), programs.path() / entry.path().filename());
  const grader::TemporaryFolder cache("cache");
  const Setting no_bubblewrap{.environment = {{"PATH", programs.path().string() + ":/usr/local/cuda/bin"},
                                              {"XDG_CACHE_HOME", cache.path().string()}}};
  const std::vector<std::string> arguments = {"--source", solution().string(), "--case", "one"};
  const Ended ended = check(arguments, no_bubblewrap);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.err, contains("note: bubblewrap") && contains("without a sandbox"));
  CHECK_THAT(check(arguments, no_bubblewrap).err, !contains("bubblewrap"));  // once is enough

  const grader::TemporaryFolder out("out");
  const Ended refused =
      warpgrade({"grade", programs.path().string(), "--out", out.path().string()}, no_bubblewrap);
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, contains("WG-S01"));
}

TEST_CASE("check on a real GPU grades nothing if there is no GPU") {
  if (std::filesystem::exists("/dev/nvidiactl")) return;
  const Ended ended = warpgrade({"check", "02-tiled-matmul", "--device", "cuda"});
  CHECK(ended.code == 4);
  CHECK_THAT(ended.err, contains("--device virtual"));
}

}  // namespace check_test
