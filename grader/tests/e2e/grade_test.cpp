// `warpgrade grade` from end to end, on the virtual GPU.
#include <sched.h>
#include <sys/mount.h>

#include "catch.hpp"
#include "e2e/class_fixture.hpp"
#include "schema_check.hpp"

namespace grade_test {

using namespace testing;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

fs::path result_of(const ClassFixture& fixture, const std::string& id) {
  return fixture.out() / "results" / id / "02-tiled-matmul.json";
}

/// Sources that differ slightly, so that each one is graded separately.
void add_solutions(const ClassFixture& fixture, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string id = "s" + std::to_string(10 + i);
    write(fixture.submissions() / id / "tiled_matmul.cu", text_of(solution()) + "// " + id + "\n");
  }
}

}  // namespace

TEST_CASE("a class gets a table, a gradebook, a summary and one result per submission", "[slow]") {
  const ClassFixture fixture;
  fixture.add("alice", solution());
  fixture.add("=1+1", bad_input("does_not_compile"));
  write(fixture.submissions() / "carol" / "notes.txt", "the file was forgotten");
  write(fixture.submissions() / "dora.zip", "PK");
  const Ended ended = fixture.grade({});
  INFO(ended.err);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, contains("alice") && contains("100/100") && contains("WG-C01") &&
                            contains("WG-S10") && contains("WG-S11") && contains("summary.json"));
  const Json summary = Json::parse(text_of(fixture.out() / "summary.json"));
  CHECK(SchemaCheck::of("summary.schema.json").problems(summary).empty());
  REQUIRE(summary["results"].size() == 4);
  for (const Json& row : summary["results"])
    CHECK(SchemaCheck::of("result.schema.json")
              .problems(Json::parse(text_of(fixture.out() / row["file"].get<std::string>())))
              .empty());
  CHECK_THAT(text_of(fixture.out() / "gradebook.csv"), contains("'=1+1"));
}

TEST_CASE("results are the same for any number of jobs and device threads", "[slow]") {
  const ClassFixture one, two;
  for (const ClassFixture* fixture : {&one, &two}) {
    fixture->add("right", solution());
    fixture->add("stray", bad_input("out_of_bounds"));
    fixture->add("waits", bad_input("divergent_barrier"));
  }
  CHECK(one.grade({"--jobs", "1", "--device-threads", "1"}).code == 0);
  CHECK(two.grade({"--jobs", "2", "--device-threads", "2"}).code == 0);
  for (const char* id : {"right", "stray", "waits"})
    CHECK(without_provenance(result_of(one, id)) == without_provenance(result_of(two, id)));
  CHECK(text_of(one.out() / "summary.json") == text_of(two.out() / "summary.json"));
  CHECK(text_of(one.out() / "gradebook.csv") == text_of(two.out() / "gradebook.csv"));
}

TEST_CASE("Ctrl-C keeps finished results and exits with 130", "[slow]") {
  const ClassFixture fixture;
  add_solutions(fixture, 8);
  const Ended ended = fixture.grade({"--jobs", "1"}, {.interrupt_when = result_of(fixture, "s10")});
  CHECK(ended.code == 130);
  CHECK_THAT(ended.err, contains("interrupted"));
  const Json summary = Json::parse(text_of(fixture.out() / "summary.json"));
  CHECK(summary["interrupted"] == true);
  CHECK(summary["results"].size() >= 1);
  CHECK(summary["results"].size() < 8);
  CHECK(without_provenance(result_of(fixture, "s10"))["score"] == 100);
}

TEST_CASE("an output folder that cannot be written is detected immediately, exit code 3") {
  const ClassFixture fixture;
  add_solutions(fixture, 1);
  write(fixture.out(), "a file stands in the way");
  const Ended ended = fixture.grade({});
  CHECK(ended.code == 3);
  CHECK_THAT(ended.err, contains("WG-G21") && contains("--out"));
}

TEST_CASE("files that cannot grow stop the run before it grades, exit code 3") {
  const ClassFixture fixture;
  add_solutions(fixture, 1);
  const Ended ended = fixture.grade({}, {.file_size_limit = 4096});
  CHECK(ended.code == 3);
  CHECK_THAT(ended.err, contains("WG-G21") && contains("File too large"));
  CHECK_FALSE(fs::exists(result_of(fixture, "s10")));
}

TEST_CASE("a full disk is detected before grading, exit code 3 and no incomplete file") {
  const ClassFixture fixture;
  add_solutions(fixture, 4);
  fs::create_directory(fixture.out());
  // In a mount namespace of this process, so that no mount remains.
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", fixture.out().c_str(), "tmpfs", 0, "size=16k") != 0) {
    WARN("no permission to mount a small file system: not tested here");
    return;
  }
  const Ended ended = fixture.grade({});
  const bool any_result = fs::exists(fixture.out() / "results" / "s10");
  ::umount(fixture.out().c_str());
  CHECK(ended.code == 3);
  CHECK_THAT(ended.err, contains("WG-G21") && contains("No space left on device"));
  CHECK_FALSE(any_result);
}

TEST_CASE("a seed file changes the inputs of all but public cases, and results do not reveal its contents",
          "[slow]") {
  const ClassFixture plain, secret;
  const fs::path seed_file = secret.out().parent_path() / "seed";
  write(seed_file, "a secret of the graders");
  plain.add("alice", solution());
  secret.add("alice", solution());
  CHECK(plain.grade({}).code == 0);
  REQUIRE(secret.grade({"--seed-file", seed_file.string()}).code == 0);
  const Json before = Json::parse(text_of(result_of(plain, "alice")));
  const std::string text = text_of(result_of(secret, "alice"));
  const Json after = Json::parse(text);
  CHECK(SchemaCheck::of("result.schema.json").problems(after).empty());
  CHECK(after["score"] == 100);
  const Json &inputs = before["provenance"]["inputs"], &changed = after["provenance"]["inputs"];
  REQUIRE(inputs.size() == changed.size());
  for (const auto& [name, input] : inputs.items()) {
    INFO(name);
    const bool is_public = name == "17x33x65";
    CHECK((changed[name]["sha256"] == input["sha256"]) == is_public);
    CHECK(changed[name]["seed"].is_null() == !is_public);
  }
  CHECK(before["provenance"]["seed_file"].is_null());
  CHECK(after["provenance"]["seed_file"].get<std::string>().size() == 16);
  for (const std::string& written : {text, text_of(secret.out() / "journal.jsonl")})
    CHECK_THAT(written, !contains("secret of the graders"));
}

TEST_CASE("a seed file that is too short is a usage error before anything is graded") {
  const ClassFixture fixture;
  add_solutions(fixture, 1);
  const fs::path seed_file = fixture.out().parent_path() / "seed";
  write(seed_file, "short");
  const Ended ended = fixture.grade({"--seed-file", seed_file.string()});
  CHECK(ended.code == 2);
  CHECK_THAT(ended.err, contains("WG-G26") && contains("/dev/urandom"));
  CHECK_FALSE(fs::exists(fixture.out()));
}

TEST_CASE(
    "without --lab, students get rows for the labs that they handed in, and with it, every student gets "
    "one") {
  const ClassFixture fixture;
  const auto hand_in = [&](const std::string& id, const std::string& lab, const std::string& file) {
    write(fixture.submissions() / id / lab / file, "// nothing but a comment\n");
  };
  hand_in("alice", "02-tiled-matmul", "tiled_matmul.cu");
  hand_in("bob", "00-warm-up", "saxpy.cu");
  write(fixture.submissions() / "carol" / "notes.txt", "the file was forgotten");
  const auto rows = [&](const std::vector<std::string>& labs, const std::string& out) {
    std::vector<std::string> command = {"grade",    fixture.submissions().string(),
                                        "--device", "virtual",
                                        "--out",    (fixture.out().parent_path() / out).string()};
    for (const std::string& lab : labs) command.insert(command.end(), {"--lab", lab});
    const Ended ended = warpgrade(command);
    INFO(ended.err);
    CHECK(ended.code == 0);
    CHECK((ended.err.find("2 submissions contain only some of the labs") != std::string::npos) ==
          labs.empty());
    const Json summary = Json::parse(text_of(fixture.out().parent_path() / out / "summary.json"));
    CHECK(SchemaCheck::of("summary.schema.json").problems(summary).empty());
    CHECK(summary["interrupted"] == false);
    std::vector<std::string> found;
    for (const Json& row : summary["results"])
      found.push_back(row["submission"].get<std::string>() + " " + row["lab"].get<std::string>());
    return found;
  };
  CHECK(rows({}, "handed-in") == std::vector<std::string>{"alice 02-tiled-matmul", "bob 00-warm-up",
                                                          "carol 00-warm-up", "carol 02-tiled-matmul"});
  CHECK(rows({"02"}, "asked") ==
        std::vector<std::string>{"alice 02-tiled-matmul", "bob 02-tiled-matmul", "carol 02-tiled-matmul"});
  // Every student has a grade in the exports, without the labs that were not handed in.
  const std::string out = (fixture.out().parent_path() / "handed-in").string();
  const Ended exported = warpgrade({"export", out, "--format", "gradescope", "--out", out + "/upload"});
  CHECK(exported.code == 0);
  CHECK(exported.err.empty());
  for (const char* id : {"alice", "bob", "carol"})
    CHECK(fs::exists(fs::path(out) / "upload" / (std::string(id) + ".json")));
}

TEST_CASE("links in a submission are refused, although check follows a student's own") {
  const ClassFixture fixture;
  fs::create_directories(fixture.submissions() / "mallory" / "02-tiled-matmul");
  fs::create_symlink(solution(), fixture.submissions() / "mallory" / "02-tiled-matmul" / "tiled_matmul.cu");
  const Ended ended = fixture.grade({});
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, contains("rejected") && contains("WG-S11") && contains("link"));
}

TEST_CASE("missing submissions are a usage error, an empty folder has nothing to grade") {
  const ClassFixture fixture;
  const Ended empty = fixture.grade({});
  CHECK(empty.code == 4);
  CHECK_THAT(empty.err, contains("nothing to grade") && contains("try: "));
  fs::remove(fixture.submissions());
  const Ended ended = fixture.grade({});
  CHECK(ended.code == 2);
  CHECK_THAT(ended.err, contains("WG-G20"));
}

TEST_CASE("grading without a sandbox must be requested and is recorded everywhere") {
  const ClassFixture fixture;
  fixture.add("broken", bad_input("does_not_compile"));
  const Ended ended = fixture.grade({"--unsafe-no-sandbox"});
  CHECK(ended.code == 0);
  CHECK_THAT(ended.err, contains("warning: --unsafe-no-sandbox"));
  CHECK_THAT(ended.out, contains("1 graded WITHOUT A SANDBOX"));
  const Json summary = Json::parse(text_of(fixture.out() / "summary.json"));
  CHECK(summary.at("without_sandbox") == 1);
  const Json result =
      Json::parse(text_of(fixture.out() / summary.at("results").at(0).at("file").get<std::string>()));
  CHECK_THAT(result.at("provenance").at("sandbox").get<std::string>(), contains("none"));
}

}  // namespace grade_test
