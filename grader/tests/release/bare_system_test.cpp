// The archive on a system that has a compiler and nothing else of what the kit is built with.
#include <chrono>

#include "base/programs.hpp"
#include "catch.hpp"
#include "release/archived_kit.hpp"

namespace bare_system_test {

using namespace testing;
namespace fs = std::filesystem;

namespace {

/// A root folder with the Debian package of a compiler only and, if `toolkit` is not empty, that CUDA Toolkit
/// in the same place as here.
class BareSystem {
 public:
  explicit BareSystem(const std::string& compiler, fs::path toolkit = {})
      : place_("bare-system"), toolkit_(std::move(toolkit)) {
    const Ended made = run({"/bin/bash", (source_folder() / "grader/tests/release/bare_system.sh").string(),
                            root().string(), compiler, "tar", "xz-utils"});
    INFO(made.err);
    REQUIRE(made.code == 0);
    if (!toolkit_.empty()) fs::create_directories(root() / toolkit_.relative_path());
  }
  fs::path root() const { return place_.path() / "root"; }

  /// Runs a shell command as a new user in the home folder.
  Ended shell(const std::string& command) const {
    std::vector<std::string> words = {"/usr/bin/bwrap", "--unshare-all", "--die-with-parent"};
    const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
    add({"--ro-bind", root(), "/", "--bind", home(), "/home"});
    if (!toolkit_.empty()) add({"--ro-bind", toolkit_, toolkit_});
    add({"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/home"});
    const std::string path = "/usr/bin:/bin" + (toolkit_.empty() ? "" : ":" + (toolkit_ / "bin").string());
    add({"--clearenv", "--setenv", "HOME", "/home", "--setenv", "PATH", path, "/bin/bash", "-c", command});
    return run(words);
  }
  fs::path home() const { return root() / "home"; }

 private:
  grader::TemporaryFolder place_;
  fs::path toolkit_;
};

/// The folder of the CUDA Toolkit whose nvcc is in the PATH; empty without one.
fs::path toolkit_folder() {
  const fs::path nvcc = grader::find_program("nvcc");
  return nvcc.empty() ? fs::path() : fs::canonical(nvcc).parent_path().parent_path();
}

/// The commands of the README's first block, without their comments.
std::vector<std::string> first_commands(const std::string& readme) {
  std::vector<std::string> commands;
  std::istringstream lines(readme.substr(readme.find("```sh\n") + 6));
  for (std::string line; std::getline(lines, line) && line != "```";)
    commands.push_back(line.substr(0, line.find("  #")));
  return commands;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A new user follows the archive's README.
void follow_readme(const BareSystem& bare) {
  const ArchivedKit kit(".tar.xz");
  fs::copy_file(kit.archive(), bare.home() / "course.tar.xz");
  const auto start = std::chrono::steady_clock::now();
  REQUIRE(bare.shell("tar xf course.tar.xz").code == 0);
  const std::vector<std::string> commands = first_commands(text_of(bare.home() / "course/README.md"));
  REQUIRE(commands.size() == 2);
  const Ended doctor = bare.shell("cd course && " + commands[0]);
  INFO(doctor.out << doctor.err);
  CHECK(doctor.code == 0);
  const Ended first = bare.shell("cd course && " + commands[1]);
  INFO(first.out << first.err);
  CHECK(first.code == 1);
  CHECK_THAT(first.out, contains("WG-H12") && contains("0/100 points"));
  const double first_fail_s = seconds_since(start);
  WARN("from the archive to the first FAIL: " << first_fail_s << " s");
  CHECK(first_fail_s < 60);

  fs::copy_file(source_folder() / "solutions/00-warm-up/saxpy.cu",
                bare.home() / "course/labs/00-warm-up/saxpy.cu", fs::copy_options::overwrite_existing);
  const Ended solved = bare.shell("cd course && ./warpgrade check 00-warm-up");
  INFO(solved.out << solved.err);
  CHECK(solved.code == 0);
  CHECK_THAT(solved.out, contains("100/100 points"));
  CHECK(bare.shell("cd course && ./warpgrade handin 00").code == 0);
  CHECK(fs::exists(bare.home() / "course/00-warm-up.zip"));
}

}  // namespace

TEST_CASE("on a bare system with clang, the README leads to the first FAIL, to 100 points and to a hand-in",
          "[slow]") {
  follow_readme(BareSystem("clang"));
}

TEST_CASE("on a bare system with a CUDA Toolkit and g++, the README leads to the same", "[slow]") {
  const fs::path toolkit = toolkit_folder();
  if (toolkit.empty()) {
    WARN("not run: there is no nvcc in the PATH");
    return;
  }
  follow_readme(BareSystem("g++", toolkit));
}

}  // namespace bare_system_test
