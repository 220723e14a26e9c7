// Follows handout/instructor/adding-a-lab.md in a copy of the kit. The files and commands are the page's code
// blocks.
//
// The copy is mounted over the checkout for the commands alone, so that the copied build folder, which is
// full of absolute paths, stays valid and only what is new is compiled.
#include <sstream>

#include "base/files.hpp"
#include "base/programs.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"

namespace adding_a_lab_test {

using namespace testing;
namespace fs = std::filesystem;

namespace {

/// A fenced code block with a title: ```cpp title="labs/07-twice/twice.cu"
struct Block {
  std::string title, text;
};

std::vector<Block> titled_blocks(const std::string& page) {
  const std::string fence = "```", title = " title=\"";
  std::vector<Block> blocks;
  bool inside = false, titled = false;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(fence)) {
      if (titled) blocks.back().text += line + "\n";
      continue;
    }
    inside = !inside;
    const std::size_t start = line.find(title);
    titled = inside && start != std::string::npos;
    if (titled)
      blocks.push_back({line.substr(start + title.size(), line.size() - start - title.size() - 1), ""});
  }
  return blocks;
}

std::string replaced_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// The checkout's files and its build folder, in a temporary folder.
class KitWithBuild {
 public:
  KitWithBuild() : folder_("warpgrade-kit") {
    std::vector<std::string> command = {"/bin/cp", "-a"};
    for (const char* part : {".github", "CMakeLists.txt", "CMakePresets.json", "datasets", "grader",
                             "handout", "labs", "solutions", "README.md"})
      command.push_back((source_folder() / part).string());
    command.push_back(folder_.path().string());
    REQUIRE(run(command).code == 0);
    const fs::path build = folder_.path() / build_folder();
    fs::create_directories(build.parent_path());
    // Other tests can be running: a temporary file that vanishes during the copy does not matter.
    run({"/bin/cp", "-a", WARPGRADE_BINARY_DIR, build.string()});
    REQUIRE(fs::exists(build / "bin" / "warpgrade"));
  }

  static fs::path build_folder() {
    return fs::path(WARPGRADE_BINARY_DIR).lexically_relative(source_folder());
  }
  const fs::path& path() const { return folder_.path(); }

  /// Runs the commands with the copy mounted over the checkout.
  Ended sh(const std::string& commands) const {
    return run({grader::find_program("bwrap").string(), "--dev-bind", "/", "/", "--bind", path().string(),
                source_folder().string(), "--chdir", source_folder().string(), "/bin/bash", "-exc",
                commands});
  }

 private:
  grader::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a lab is added as the handbook describes", "[slow]") {
  const fs::path page = "handout/instructor/adding-a-lab.md";
  if (KitWithBuild::build_folder().string().starts_with("..")) {
    WARN("the build folder is outside the checkout: not tested here");
    return;
  }
  const KitWithBuild kit;
  if (kit.sh("true").code != 0) {
    WARN("no permission to mount folders: not tested here");
    return;
  }
  std::string commands;
  for (const Block& block : titled_blocks(text_of(source_folder() / page))) {
    if (block.title == "commands") {
      commands += block.text;
      continue;
    }
    INFO(block.title);
    CHECK_FALSE(fs::exists(kit.path() / block.title));  // a lab adds files and changes none
    CHECK((!block.title.starts_with("grader/") || block.title.starts_with("grader/workloads/twice/")));
    write(kit.path() / block.title, block.text);
  }
  const Ended ended = kit.sh(replaced_all(commands, "build/virtual", KitWithBuild::build_folder().string()));
  INFO(ended.out);
  INFO(ended.err);
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, contains("07-twice/wrong/no_guard.cu") && contains(" 0 failed"));
}

}  // namespace adding_a_lab_test
