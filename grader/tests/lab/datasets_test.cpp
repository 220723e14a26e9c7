#include "lab/datasets.hpp"

#include <fstream>

#include "base/sha256.hpp"
#include "catch.hpp"
#include "lab/lab_fixture.hpp"
#include "lab/npy.hpp"
#include "schema_check.hpp"

namespace datasets_test {

namespace {

namespace fs = std::filesystem;
using grader::DatasetFiles;
using grader::Diagnostic;
using grader::generate_datasets;
using grader::Lab;
using grader::TemporaryFolder;
using grader::verify_datasets;
using testing::contains;
using testing::small_lab;

/// The small lab without its large case, which takes long to generate.
std::vector<Lab> labs() {
  auto lab = small_lab();
  lab["tasks"].erase(2);
  lab["cases"].erase("large");
  lab["cases"]["square"]["workload"] = {{"m", 130}, {"k", 130}, {"n", 1}};
  return {testing::loaded(lab)};
}

struct Generated {
  TemporaryFolder folder{"datasets-test"};
  grader::DatasetSummary summary = *generate_datasets(labs(), folders(), DatasetFiles::committed);

  grader::DatasetFolders folders() const { return {folder.path() / "kept", folder.path() / "large"}; }

  fs::path file(const std::string& name) const { return folders().committed / "07-small" / name; }
  fs::path large_file(const std::string& name) const { return folders().large / "07-small" / name; }
  fs::path manifest() const { return folders().committed / "manifest.json"; }
  std::vector<Diagnostic> verify() const { return verify_datasets(labs(), folders()); }
  Diagnostic only_problem() const {
    const auto problems = verify();
    REQUIRE(problems.size() == 1);
    CHECK_FALSE(problems[0].next_step.empty());
    return problems[0];
  }
};

std::string text_of(const fs::path& path) { return *grader::read_file(path, 1U << 24U); }

void replace_in(const fs::path& path, const std::string& from, const std::string& to) {
  std::string text = text_of(path);
  REQUIRE(text.find(from) != std::string::npos);
  REQUIRE(grader::write_file_atomically(path, text.replace(text.find(from), from.size(), to)));
}

TEST_CASE("small cases become files, large cases are only in the manifest") {
  const Generated made;
  CHECK(made.summary.arrays == 4);
  CHECK(made.summary.files == 2);
  CHECK(fs::exists(made.file("odd/M.npy")));
  CHECK_FALSE(fs::exists(made.file("square")));
  const auto manifest = nlohmann::json::parse(text_of(made.manifest()));
  CHECK(testing::SchemaCheck::of("datasets.schema.json").problems(manifest).empty());
  const auto& entry = manifest["arrays"][3];
  CHECK(entry["file"] == "07-small/odd/N.npy");
  CHECK(entry["shape"] == nlohmann::json{5, 7});
  CHECK(entry["sha256"] == grader::sha256_hex(text_of(made.file("odd/N.npy"))));
  CHECK(manifest["arrays"][0]["committed"] == false);
  CHECK(made.verify().empty());
}

TEST_CASE("large files are written on request to a separate folder, and are then verified, too") {
  Generated made;
  std::vector<std::string> heard;
  const auto progress = [&](std::size_t done, std::size_t total, const std::string& next) {
    heard.push_back(std::to_string(done) + "/" + std::to_string(total) + " " + next);
  };
  REQUIRE(generate_datasets(labs(), made.folders(), DatasetFiles::all, progress)->files == 4);
  CHECK(heard == std::vector<std::string>{"0/2 07-small/square", "1/2 07-small/odd"});
  CHECK(fs::exists(made.large_file("square/M.npy")));
  CHECK_FALSE(fs::exists(made.file("square")));
  CHECK(made.verify().empty());
  std::ofstream(made.large_file("square/M.npy"), std::ios::app) << "x";
  CHECK(made.only_problem().code == "WG-G07");
}

TEST_CASE("a changed case is generated again, and the files of a removed case are removed") {
  Generated made;
  REQUIRE(generate_datasets(labs(), made.folders(), DatasetFiles::all));
  auto changed = labs();
  changed[0].cases[1].workload["m"] = 9;
  CHECK_FALSE(verify_datasets(changed, made.folders()).empty());
  CHECK(generate_datasets(changed, made.folders(), DatasetFiles::all)->removed == 0);
  CHECK(verify_datasets(changed, made.folders()).empty());

  changed[0].cases[0].name = "renamed";
  changed[0].cases.pop_back();
  const std::string foreign = "values of another student";
  REQUIRE(grader::write_file_atomically(made.file("odd/notes.txt"), foreign));
  CHECK(generate_datasets(changed, made.folders(), DatasetFiles::all)->removed == 4);
  CHECK(verify_datasets(changed, made.folders()).empty());
  CHECK_FALSE(fs::exists(made.large_file("square")));
  CHECK(text_of(made.file("odd/notes.txt")) == foreign);
}

TEST_CASE("an array that is now too large to be committed leaves no committed file") {
  Generated made;
  REQUIRE(generate_datasets(labs(), made.folders(), DatasetFiles::all));
  auto changed = labs();
  changed[0].cases[0].workload = changed[0].cases[1].workload;
  CHECK(generate_datasets(changed, made.folders(), DatasetFiles::all)->removed == 2);
  CHECK(verify_datasets(changed, made.folders()).empty());
}

TEST_CASE("an old manifest cannot make `generate` delete files elsewhere") {
  const Generated made;
  const fs::path outside = made.folder.path() / "outside.npy";
  REQUIRE(grader::write_file_atomically(outside, "mine"));
  replace_in(made.manifest(), "07-small/odd/M.npy", "../outside.npy");
  replace_in(made.manifest(), "07-small/odd/N.npy", outside.string());
  CHECK(generate_datasets(labs(), made.folders(), DatasetFiles::committed)->removed == 0);
  CHECK(fs::exists(outside));
}

TEST_CASE("generating again changes no byte") {
  const Generated made;
  const std::string before = text_of(made.manifest());
  REQUIRE(generate_datasets(labs(), made.folders(), DatasetFiles::committed));
  CHECK(text_of(made.manifest()) == before);
}

TEST_CASE("a changed value, a missing or truncated file, a pointer and an unknown file are each reported") {
  const Generated made;
  const std::string original = text_of(made.file("odd/M.npy"));
  std::string changed = original;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  REQUIRE(grader::write_file_atomically(made.file("odd/M.npy"), changed));
  CHECK(made.only_problem().what == "contains values that differ from the generator's");
  REQUIRE(grader::write_file_atomically(made.file("odd/M.npy"), original.substr(0, 140)));
  CHECK(made.only_problem().what == "is truncated: it has 140 of 188 bytes");
  REQUIRE(grader::write_file_atomically(made.file("odd/M.npy"), ""));
  CHECK(made.only_problem().what == "is empty");
  REQUIRE(grader::write_file_atomically(made.file("odd/M.npy"), std::string(original.size(), '\0')));
  CHECK(made.only_problem().what == "contains only zero bytes");
  REQUIRE(grader::write_file_atomically(made.file("odd/M.npy"), "/annex/objects/SHA256E-s188--0"));
  CHECK(made.only_problem().what == "is a git-annex pointer, not the data");
  REQUIRE(grader::write_file_atomically(made.file("odd/M.npy"), original + original));
  CHECK_THAT(made.only_problem().what, contains("376 bytes"));
  REQUIRE(
      grader::write_file_atomically(made.file("odd/M.npy"), "version https://git-lfs.github.com/spec/v1\n"));
  CHECK(made.only_problem().what == "is a Git LFS pointer, not the data");
  fs::remove(made.file("odd/M.npy"));
  CHECK(made.only_problem().what == "is missing");
  REQUIRE(grader::write_file_atomically(made.file("odd/M.npy"), original));
  REQUIRE(grader::write_file_atomically(made.file("odd/X.npy"), original));
  CHECK(made.only_problem().what == "belongs to no case of a lab");
}

TEST_CASE("an outdated manifest is reported entry by entry") {
  const Generated made;
  replace_in(made.manifest(), "\"seed\": 2", "\"seed\": 4");
  CHECK(made.only_problem().what ==
        "the entry of 07-small/odd/M.npy is out of date: `seed` is 4 when it should be 2");
  replace_in(made.manifest(), "odd/N.npy", "odd/Q.npy");
  CHECK(made.verify().size() == 3);
}

TEST_CASE("an unreadable manifest is reported as one problem") {
  const Generated made;
  REQUIRE(grader::write_file_atomically(made.manifest(), "{\"schema\": 3}"));
  CHECK(made.only_problem().code == "WG-G05");
  REQUIRE(grader::write_file_atomically(made.manifest(), "no JSON"));
  CHECK_THAT(made.only_problem().what, contains("is not JSON: line 1"));
  REQUIRE(
      grader::write_file_atomically(made.manifest(), R"({"schema": "warpgrade.datasets/1", "arrays": [7]})"));
  CHECK_THAT(made.only_problem().what, contains("`arrays[0]` is 7 when it should be an object"));
  fs::remove(made.manifest());
  CHECK_THAT(made.only_problem().what, contains("No such file"));
}

TEST_CASE("a folder that cannot be written to is WG-G08") {
  const auto done =
      generate_datasets(labs(), {"/proc/warpgrade", "/proc/warpgrade"}, DatasetFiles::committed);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == "WG-G08");
}

TEST_CASE("the kit's own datasets match the generator") {
  const auto kit = grader::load_labs(fs::path(WARPGRADE_SOURCE_DIR) / "labs");
  REQUIRE(kit);
  const fs::path committed = fs::path(WARPGRADE_SOURCE_DIR) / "datasets";
  for (const Diagnostic& problem : verify_datasets(*kit, {committed, committed}))
    FAIL_CHECK(problem.where->file << ": " << problem.what);
}

}  // namespace

}  // namespace datasets_test
