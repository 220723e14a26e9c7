#include "base/programs.hpp"

#include <cstdlib>
#include <fstream>

#include "base/files.hpp"
#include "catch.hpp"

using grader::find_program;

namespace {

/// Sets PATH until the end of the scope.
class PathVariable {
 public:
  explicit PathVariable(const std::string& value) { ::setenv("PATH", value.c_str(), 1); }
  ~PathVariable() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_ = std::getenv("PATH");
};

std::filesystem::path add(const std::filesystem::path& folder, mode_t mode) {
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "tool";
  std::ofstream(file) << "#!/bin/sh\n";
  std::filesystem::permissions(file, static_cast<std::filesystem::perms>(mode));
  return file;
}

}  // namespace

TEST_CASE("the first program of a name on PATH is found") {
  const grader::TemporaryFolder folder("programs");
  const auto first = folder.path() / "first", second = folder.path() / "second",
             third = folder.path() / "third";
  add(first, 0600);
  std::filesystem::create_directories(second / "tool");
  const auto program = add(third, 0700);
  const PathVariable path(first.string() + "::" + second.string() + ":" + third.string());
  CHECK(find_program("tool") == program);
  CHECK(find_program("another").empty());
}

TEST_CASE("programs in relative folders of PATH are not found") {
  const grader::TemporaryFolder folder("programs");
  add(folder.path(), 0700);
  const PathVariable path(std::filesystem::relative(folder.path()).string() + ":");
  CHECK(find_program("tool").empty());
}
