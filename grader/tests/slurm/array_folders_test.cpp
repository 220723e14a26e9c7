#include "slurm/array_folders.hpp"

#include <fstream>

#include "base/files.hpp"
#include "catch.hpp"

namespace array_folders_test {

using namespace grader;
using namespace grader::slurm;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

struct Fixture {
  TemporaryFolder folder{"arrays"};
  ArrayFolders open(const std::string& fingerprint = "ab12") const {
    auto arrays = ArrayFolders::open(folder.path() / "slurm", {fingerprint, 10});
    REQUIRE(arrays);
    return *std::move(arrays);
  }
};

}  // namespace

TEST_CASE("arrays are numbered in order, and a later run knows them") {
  const Fixture fixture;
  ArrayFolders arrays = fixture.open();
  CHECK(*arrays.add({{0, 1, 2}, {3}}) == 1);
  CHECK(*arrays.add({{1}}) == 2);
  const ArrayFolders later = fixture.open();
  CHECK(later.items({1, 0}) == Items{0, 1, 2});
  CHECK(later.items({1, 1}) == Items{3});
  CHECK(later.items({1, 2}).empty());
  CHECK(later.items({9, 0}).empty());
  CHECK(later.last_task(1) == TaskName{2, 0});
  CHECK(later.last_task(3) == TaskName{1, 1});
  CHECK_FALSE(later.last_task(4));
}

TEST_CASE("lists of another manifest are not this run's") {
  const Fixture fixture;
  ArrayFolders arrays = fixture.open("ab12");
  REQUIRE(arrays.add({{0, 1}}));
  ArrayFolders other = fixture.open("cd34");
  CHECK(other.items({1, 0}).empty());
  CHECK_FALSE(other.last_task(0));
  CHECK(*other.add({{0}}) == 2);
}

TEST_CASE("an array that was not submitted leaves nothing") {
  const Fixture fixture;
  ArrayFolders arrays = fixture.open();
  const std::size_t array = *arrays.add({{0}});
  arrays.remove(array);
  CHECK_FALSE(fs::exists(arrays.folder(array)));
  CHECK_FALSE(arrays.last_task(0));
}

TEST_CASE(
    "an array whose list is truncated or lost after a crash counts as empty, and its number is not reused") {
  const Fixture fixture;
  {
    ArrayFolders arrays = fixture.open();
    REQUIRE(arrays.add({{0}}));
    REQUIRE(arrays.add({{1}}));
    write(arrays.folder(2) / "tasks", "ab12\n1\n2-");
    fs::remove(arrays.folder(1) / "tasks");
  }
  ArrayFolders arrays = fixture.open();
  CHECK_FALSE(arrays.last_task(0));
  CHECK_FALSE(arrays.last_task(1));
  CHECK(*arrays.add({{5}}) == 3);
}

TEST_CASE("the end of a task's log consists of whole lines") {
  const Fixture fixture;
  ArrayFolders arrays = fixture.open();
  const std::size_t array = *arrays.add({{0}, {1}, {2}});
  const TaskName task{array, 0}, silent{array, 1}, link{array, 2};
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
  write(arrays.folder(array) / "0.log", text);
  fs::create_symlink("/etc/passwd", arrays.folder(array) / "2.log");
  const std::string tail = arrays.log_tail(task);
  CHECK(tail.size() <= 2000);
  CHECK(tail.starts_with("line "));
  CHECK(tail.ends_with("line 999"));
  CHECK(arrays.has_log(task));
  CHECK_FALSE(arrays.has_log(silent));
  CHECK(arrays.log_tail(silent).empty());
  CHECK(arrays.log_tail(link).empty());
}

TEST_CASE("a task reports its unhealthy node, if the text is a node's name") {
  const Fixture fixture;
  ArrayFolders arrays = fixture.open();
  const std::size_t array = *arrays.add({{0}, {1}, {2}});
  write(arrays.folder(array) / "0.unhealthy", "gpu-07.cluster\n");
  write(arrays.folder(array) / "1.unhealthy", "a,b --exclusive\n");
  write(arrays.folder(array) / "2.unhealthy", "");
  CHECK(arrays.unhealthy_node({array, 0}) == "gpu-07.cluster");
  CHECK_FALSE(arrays.unhealthy_node({array, 1}));
  CHECK_FALSE(arrays.unhealthy_node({array, 2}));
  CHECK_FALSE(arrays.unhealthy_node({7, 0}));
}

TEST_CASE("a folder that cannot be created is reported") {
  const auto arrays = ArrayFolders::open("/proc/slurm", {"ab12", 10});
  REQUIRE_FALSE(arrays);
  CHECK(arrays.error().code == "WG-G21");
}

}  // namespace array_folders_test
