#include "export/destination.hpp"

#include "base/files.hpp"
#include "catch.hpp"
#include "export/sample_class.hpp"

using namespace grader;
using namespace testing;
namespace fs = std::filesystem;

namespace {

std::optional<Diagnostic> write(const fs::path& folder, const ClassResults& all, Existing existing) {
  return write_folder(folder, *export_gradescope(all, {}), *find_format("gradescope"), all, existing);
}

}  // namespace

TEST_CASE("existing files are replaced only on request") {
  const TemporaryFolder folder("export");
  const fs::path file = folder.path() / "grades.csv";
  CHECK_FALSE(write_one(file, "one", Existing::keep));
  const auto refused = write_one(file, "two", Existing::keep);
  REQUIRE(refused);
  CHECK(refused->code == "WG-G56");
  CHECK(*read_file(file, 100) == "one");
  CHECK_FALSE(write_one(file, "two", Existing::replace));
  CHECK(*read_file(file, 100) == "two");
  CHECK(write_one(folder.path(), "x", Existing::replace));
}

TEST_CASE("a folder gets one file per submission, and files of submissions without a grade are removed") {
  const TemporaryFolder folder("export");
  const fs::path out = folder.path() / "a" / "b";
  ClassResults all = attacked_class();
  CHECK_FALSE(write(out, all, Existing::keep));
  CHECK(fs::exists(out / "alice.json"));
  CHECK_FALSE(write_one(out / "notes.txt", "mine", Existing::keep));
  CHECK(write(out, all, Existing::keep)->code == "WG-G56");
  all.submissions.at(1).results.front().score.status = ResultStatus::grader_fault;
  CHECK_FALSE(write(out, all, Existing::replace));
  CHECK_FALSE(fs::exists(out / "alice.json"));
  CHECK(fs::exists(out / "carol.json"));
  CHECK(fs::exists(out / "notes.txt"));
}
