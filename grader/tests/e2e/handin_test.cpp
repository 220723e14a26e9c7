// `warpgrade handin`, and what `grade` makes of the package.
#include "base/sha256.hpp"
#include "catch.hpp"
#include "e2e/class_fixture.hpp"
#include "schema_check.hpp"

namespace handin_test {

using namespace testing;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

Json receipt_in_result(const ClassFixture& fixture, const std::string& id) {
  const Json result = Json::parse(text_of(fixture.out() / "results" / id / "02-tiled-matmul.json"));
  CHECK(SchemaCheck::of("result.schema.json").problems(result).empty());
  return result.contains("receipt") ? result["receipt"] : Json();
}

Ended hand_in(const std::vector<std::string>& arguments, const fs::path& folder) {
  std::vector<std::string> all = {"handin", "02-tiled-matmul", "--device", "virtual"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return warpgrade(all, {.folder = folder});
}

}  // namespace

TEST_CASE("a hand-in is graded as it is, and the result says that its receipt fits", "[slow]") {
  const ClassFixture fixture;
  const grader::TemporaryFolder work("work");
  const fs::path mine = work.path() / "mine.cu";
  write(mine, text_of(solution()));
  write(work.path() / "answers.json", "{}\n");

  const Ended packed = hand_in({"--source", mine.string()}, work.path());
  INFO(packed.err);
  REQUIRE(packed.code == 0);
  CHECK_THAT(packed.out, contains("packed in 02-tiled-matmul.zip") && contains("100/100 points") &&
                             contains("answers.json  ") && contains("SHA-256"));
  fs::copy(work.path() / "02-tiled-matmul.zip", fixture.submissions() / "ada.zip");

  // Another student takes the package, changes the source and hands in a folder.
  REQUIRE(run({"/usr/bin/python3", "-m", "zipfile", "-e", (fixture.submissions() / "ada.zip").string(),
               (fixture.submissions() / "bob").string()})
              .code == 0);
  const fs::path changed = fixture.submissions() / "bob" / "02-tiled-matmul" / "tiled_matmul.cu";
  write(changed, text_of(bad_input("does_not_compile")));
  fixture.add("cleo", bad_input("does_not_compile"));
  write(fixture.submissions() / "cleo" / "02-tiled-matmul" / "receipt.json", "<script>");

  const Ended graded = fixture.grade({});
  INFO(graded.err);
  REQUIRE(graded.code == 0);
  const Json ada = receipt_in_result(fixture, "ada");
  CHECK(ada["files_match"] == true);
  CHECK(ada["score"] == 100);
  CHECK(ada["score_agrees"] == true);
  const Json bob = receipt_in_result(fixture, "bob");
  CHECK(bob["files_match"] == false);
  CHECK(bob["score_agrees"] == false);
  CHECK(receipt_in_result(fixture, "cleo")["problem"] == "is not JSON");

  const Ended shown =
      warpgrade({"export", fixture.out().string(), "--format", "gradescope", "--submission", "ada"});
  CHECK_THAT(shown.out, contains("receipt: packed 20") && contains("its digests match the files"));

  // The same files continue the run; another receipt does not pass for the same hand-in.
  CHECK(fixture.grade({"--resume"}).code == 0);
  write(fixture.submissions() / "cleo" / "02-tiled-matmul" / "receipt.json", "{}");
  CHECK(fixture.grade({"--resume"}).code == 2);
  CHECK(fixture.grade({"--only", "changed"}).code == 0);
  CHECK(receipt_in_result(fixture, "cleo")["problem"] == "is not a receipt of this version of warpgrade");
}

TEST_CASE("a hand-in without a check has a receipt without a score") {
  const grader::TemporaryFolder work("work");
  const Ended packed = hand_in(
      {"--no-check", "--source", solution().string(), "--format", "json", "--out", "x.tar.gz"}, work.path());
  INFO(packed.err);
  REQUIRE(packed.code == 0);
  const Json receipt = Json::parse(packed.out);
  CHECK(SchemaCheck::of("receipt.schema.json").problems(receipt).empty());
  CHECK(receipt["score"].is_null());
  CHECK(receipt["sources"].size() == 1);
  const Ended listed = run({"/usr/bin/tar", "tzf", (work.path() / "x.tar.gz").string()});
  CHECK(listed.out == "02-tiled-matmul/receipt.json\n02-tiled-matmul/tiled_matmul.cu\n");
}

TEST_CASE("what cannot be handed in is named, with the next step") {
  const grader::TemporaryFolder work("work");
  const Ended wrong_name = hand_in({"--no-check", "--out", "x.rar"}, work.path());
  CHECK(wrong_name.code == 2);
  CHECK_THAT(wrong_name.err, contains("x.rar") && contains(".zip or .tar.gz"));
  const Ended no_file = hand_in({"--no-check", "--source", "gone.cu"}, work.path());
  CHECK(no_file.code == 2);
  CHECK_THAT(no_file.err, contains("there is no file") && contains("gone.cu") && contains("--source"));
  const Ended no_folder = hand_in({"--no-check", "--force", "--out", "no/such/x.zip"}, work.path());
  CHECK(no_folder.code == 3);
  CHECK_THAT(no_folder.err, contains("no/such/x.zip"));
  CHECK(warpgrade({"handin", "99-none"}).code == 2);
}

TEST_CASE("an unchanged skeleton is packed only by force") {
  const grader::TemporaryFolder work("work");
  const fs::path file = work.path() / "tiled_matmul.cu", package = work.path() / "02-tiled-matmul.zip";
  write(file, text_of(source_folder() / "labs/02-tiled-matmul/tiled_matmul.cu"));
  const Ended refused = hand_in({"--no-check"}, work.path());
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, contains(file.string() + " is the unchanged skeleton") && contains("--source") &&
                              contains("--force"));
  CHECK_FALSE(fs::exists(package));
  CHECK(hand_in({"--no-check", "--force"}, work.path()).code == 0);
  CHECK(fs::exists(package));
}

TEST_CASE("answers that need a run are graded with the run of the check") {
  const grader::TemporaryFolder work("work");
  write(work.path() / "tiled_matmul.cu", text_of(solution()));
  REQUIRE(warpgrade({"questions", "--name", "alice", "--new"}, {.folder = work.path()}).code == 0);
  Json answers = Json::parse(text_of(work.path() / "answers.json"));
  answers["answers"]["own-blocks"] = 1;  // wrong
  write(work.path() / "answers.json", answers.dump());
  CHECK_THAT(hand_in({"--no-check"}, work.path()).out, contains("0 of 10 right; 1 needs a check"));
  CHECK_THAT(hand_in({}, work.path()).out, contains("0 of 10 right; 9 not answered\n"));
}

TEST_CASE("without LAB, it is the lab of the current folder or of the only lab's file in it") {
  const grader::TemporaryFolder work("here");
  const auto ask = [&](const fs::path& folder) {
    return warpgrade({"questions", "--name", "alice"}, {.folder = folder});
  };
  CHECK_THAT(ask(source_folder() / "labs" / "02-tiled-matmul").out, contains("02-tiled-matmul"));
  const Ended nowhere = ask(work.path());
  CHECK(nowhere.code == 2);
  CHECK_THAT(nowhere.err, contains("no lab is named") && contains("name the lab"));
  write(work.path() / "tiled_matmul.cu", text_of(solution()));
  CHECK_THAT(ask(work.path()).out, contains("02-tiled-matmul"));
  const Ended packed = warpgrade({"handin", "--no-check"}, {.folder = work.path()});
  CHECK(packed.code == 0);
  CHECK_THAT(packed.out, contains("Lab 02-tiled-matmul is packed in 02-tiled-matmul.zip"));
  CHECK_THAT(packed.out,
             contains(grader::sha256_hex(text_of(solution()))));  // the file here, not the skeleton
  write(work.path() / "saxpy.cu", "");
  CHECK(ask(work.path()).code == 2);
}

}  // namespace handin_test
