#include "base/files.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include <sys/stat.h>
#include <sys/wait.h>

#include "catch.hpp"

namespace {

namespace fs = std::filesystem;
using grader::read_file;
using grader::TemporaryFolder;
using grader::write_file_atomically;

std::size_t entries_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_CASE("atomically written bytes are read back, and no other file is left in the folder") {
  const TemporaryFolder folder("files-test");
  const std::string bytes("a\0b\n", 4);
  REQUIRE(write_file_atomically(folder.path() / "file", bytes));
  REQUIRE(write_file_atomically(folder.path() / "file", bytes + bytes));
  CHECK(*read_file(folder.path() / "file", 8) == bytes + bytes);
  CHECK(entries_in(folder.path()) == 1);
}

TEST_CASE("a file of exactly the limit is read, one byte more is refused with both numbers") {
  const TemporaryFolder folder("files-test");
  REQUIRE(write_file_atomically(folder.path() / "file", "12345"));
  CHECK(read_file(folder.path() / "file", 5));
  const auto refused = read_file(folder.path() / "file", 4);
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == "has 5 bytes; at most 4 are read");
}

TEST_CASE("only regular files are read: no links, folders, or fifos, and none of them blocks") {
  const TemporaryFolder folder("files-test");
  REQUIRE(write_file_atomically(folder.path() / "target", "secret"));
  fs::create_symlink(folder.path() / "target", folder.path() / "link");
  REQUIRE(::mkfifo((folder.path() / "fifo").c_str(), 0600) == 0);
  CHECK(read_file(folder.path() / "link", 100).error() == "is a symbolic link");
  CHECK(read_file(folder.path() / "fifo", 100).error() == "is not a regular file");
  CHECK(read_file(folder.path(), 100).error() == "is a folder, not a file");
  CHECK(read_file(folder.path() / "nothing", 100).error() == "No such file or directory");
  CHECK_FALSE(read_file("/dev/zero", 100));
}

TEST_CASE("a file that grows beyond its size while it is read stays under the limit") {
  // Files of /proc report a size of 0 bytes.
  const auto status = read_file("/proc/self/status", 10);
  REQUIRE_FALSE(status);
  CHECK(status.error() == "has more than 10 bytes");
}

TEST_CASE("a write that fails leaves the old file and no temporary one") {
  const TemporaryFolder folder("files-test");
  fs::create_directories(folder.path() / "occupied" / "inner");
  const auto refused = write_file_atomically(folder.path() / "occupied", "new");
  REQUIRE_FALSE(refused);
  CHECK_FALSE(refused.error().empty());
  CHECK(fs::is_directory(folder.path() / "occupied" / "inner"));
  CHECK(entries_in(folder.path()) == 1);
  CHECK_FALSE(write_file_atomically(folder.path() / "missing" / "file", "new"));
}

TEST_CASE("a temporary folder is private and deleted with its owner") {
  fs::path path;
  {
    TemporaryFolder folder("files-test");
    path = folder.path();
    std::ofstream(path / "file") << "text";
    CHECK((fs::status(path).permissions() & fs::perms::all) == fs::perms::owner_all);
    const TemporaryFolder moved(std::move(folder));
    CHECK(moved.path() == path);
  }
  CHECK_FALSE(fs::exists(path));
}

/// Runs in a process of its own; returns what the process writes to the pipe before it ends or kills itself.
std::string in_child(const std::function<std::string()>& work, bool kills_itself) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string message = work();
    if (::write(ends[1], message.data(), message.size()) < 0) ::_exit(1);
    if (kills_itself) ::raise(SIGKILL);
    ::_exit(0);
  }
  ::close(ends[1]);
  char message[4096];
  const ssize_t size = ::read(ends[0], message, sizeof message);
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return {message, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

TEST_CASE("folders of a killed process are removed by the next, those of a running one are not") {
  const TemporaryFolder place("files-test-killed");  // no other test cleans up in this folder
  ::setenv("TMPDIR", place.path().c_str(), 1);
  const TemporaryFolder own("files-test-killed-not");
  const auto make = [&] {
    static std::optional<TemporaryFolder> left;
    left.emplace("files-test-killed");
    return left->path().string();
  };
  const std::string left = in_child(make, true);
  REQUIRE(fs::exists(left));
  const auto sweep = [] {
    const TemporaryFolder next("files-test-killed");
    return std::string("done");
  };
  CHECK(in_child(sweep, false) == "done");
  ::unsetenv("TMPDIR");
  CHECK_FALSE(fs::exists(left));
  CHECK(fs::exists(own.path()));
}

}  // namespace
