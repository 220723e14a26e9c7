#include "lab/datasets.hpp"

#include <fstream>

#include "base/sha256.hpp"
#include "catch.hpp"
#include "lab/lab_fixture.hpp"
#include "lab/npy.hpp"
#include "schema_check.hpp"

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

/// The small lab without its large case, which takes time to make.
std::vector<Lab> labs() {
  auto lab = small_lab();
  lab["tasks"].erase(2);
  lab["cases"].erase("large");
  lab["cases"]["square"]["workload"] = {{"m", 130}, {"k", 130}, {"n", 1}};
  return {testing::loaded(lab)};
}

struct Generated {
  TemporaryFolder folder{"datasets-test"};
  grader::DatasetSummary summary = *generate_datasets(labs(), folder.path(), DatasetFiles::committed);

  fs::path file(const std::string& name) const { return folder.path() / "07-small" / name; }
  fs::path manifest() const { return folder.path() / "manifest.json"; }
  std::vector<Diagnostic> verify() const { return verify_datasets(labs(), folder.path()); }
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

TEST_CASE("small cases become files, large ones stand in the manifest alone") {
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

TEST_CASE("all files are written on request and then verified too") {
  Generated made;
  REQUIRE(generate_datasets(labs(), made.folder.path(), DatasetFiles::all)->files == 4);
  CHECK(made.verify().empty());
  std::ofstream(made.file("square/M.npy"), std::ios::app) << "x";
  CHECK(made.only_problem().code == "WG-G07");
}

TEST_CASE("generating again changes no byte") {
  const Generated made;
  const std::string before = text_of(made.manifest());
  REQUIRE(generate_datasets(labs(), made.folder.path(), DatasetFiles::committed));
  CHECK(text_of(made.manifest()) == before);
}

TEST_CASE("a changed value, a missing file, a cut file, a pointer and a stranger are each reported") {
  const Generated made;
  const std::string original = text_of(made.file("odd/M.npy"));
  std::string changed = original;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  REQUIRE(grader::write_file_atomically(made.file("odd/M.npy"), changed));
  CHECK(made.only_problem().what == "holds other values than the generator makes");
  REQUIRE(grader::write_file_atomically(made.file("odd/M.npy"), original.substr(0, 140)));
  CHECK(made.only_problem().what == "has 12 bytes of values when shape (3, 5) needs 60");
  REQUIRE(
      grader::write_file_atomically(made.file("odd/M.npy"), "version https://git-lfs.github.com/spec/v1\n"));
  CHECK(made.only_problem().what == "is a Git LFS pointer, not the data");
  fs::remove(made.file("odd/M.npy"));
  CHECK(made.only_problem().what == "is missing");
  REQUIRE(grader::write_file_atomically(made.file("odd/M.npy"), original));
  REQUIRE(grader::write_file_atomically(made.file("odd/X.npy"), original));
  CHECK(made.only_problem().what == "belongs to no lab's case");
}

TEST_CASE("a manifest that is out of date is reported entry by entry") {
  const Generated made;
  replace_in(made.manifest(), "\"seed\": 2", "\"seed\": 4");
  CHECK(made.only_problem().what ==
        "the entry of 07-small/odd/M.npy is out of date: `seed` is 4 when it should be 2");
  replace_in(made.manifest(), "odd/N.npy", "odd/Q.npy");
  CHECK(made.verify().size() == 3);
}

TEST_CASE("a manifest that cannot be read is one problem") {
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
  const auto done = generate_datasets(labs(), "/proc/warpgrade", DatasetFiles::committed);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == "WG-G08");
}

TEST_CASE("the kit's own datasets are what the generator makes") {
  const auto kit = grader::load_labs(fs::path(WARPGRADE_SOURCE_DIR) / "labs");
  REQUIRE(kit);
  for (const Diagnostic& problem : verify_datasets(*kit, fs::path(WARPGRADE_SOURCE_DIR) / "datasets"))
    FAIL_CHECK(problem.where->file << ": " << problem.what);
}

}  // namespace
