// Programs under tools that work, fail, hang or write no usable log. The tools are shell scripts, and the
// program runs on the virtual GPU.
#include <filesystem>
#include <fstream>

#include "base/files.hpp"
#include "tests/runner/jobs.hpp"
#include "tests/runner/kit.hpp"

namespace gpu_tool_test {

using namespace grader;
using End = CaseRun::End;
using testing::contains;
namespace fs = std::filesystem;

/// A tool in a folder that the box's user can read.
class ToolScript {
 public:
  explicit ToolScript(const std::string& commands) : temporary_("warpgrade-tool-test") {
    fs::permissions(temporary_.path(), fs::perms(0755));
    const fs::path folder = temporary_.path() / "bin";
    fs::create_directory(folder);
    path_ = folder / "tool";
    std::ofstream(path_) << "#!/bin/sh\nwhile [ \"$1\" != --log-file ]; do shift; done\nlog=$2\nshift 2\n"
                         << commands;
    fs::permissions(path_, fs::perms(0755));
  }
  const fs::path& path() const { return path_; }

 private:
  TemporaryFolder temporary_;
  fs::path path_;
};

ToolRun run_under(const std::string& commands, std::chrono::seconds limit = std::chrono::seconds(60)) {
  static const Runner runner = testing::make_runner();
  static const Built built =
      testing::build(runner, fs::path(WARPGRADE_SOURCE_DIR) / "grader/workloads/tiled_matmul/naive.cu");
  const ToolScript tool(commands);
  return runner.run_under({"tool", tool.path(), {"--option", "value"}, limit}, built,
                          testing::small_product());
}

TEST_CASE("a program under a tool gives its answer, and the tool's log is read") {
  const ToolRun ended = run_under("echo measured >\"$log\"\nexec \"$@\"\n");
  CHECK(ended.run.end == End::finished);
  REQUIRE(ended.run.answer.outputs.size() == 1);
  CHECK(ended.run.answer.outputs[0].values == std::vector<float>{4, 5, 10, 11});
  REQUIRE(ended.log);
  CHECK(*ended.log == "measured\n");
}

TEST_CASE("a tool that fails, or does not start the program, gives no finished run") {
  const ToolRun failed = run_under("echo no permission\nexit 3\n");
  CHECK((failed.run.end == End::exited && failed.run.code == 3));
  CHECK_THAT(failed.run.printed, contains("no permission"));
  REQUIRE_FALSE(failed.log);
  CHECK_THAT(failed.log.error(), contains("No such file"));
  CHECK(run_under("echo all is well >\"$log\"\n").run.end != End::finished);
}

TEST_CASE("a tool that hangs ends at its limit") {
  const ToolRun ended = run_under("sleep 100\n", std::chrono::seconds(1));
  CHECK(ended.run.end == End::wall_limit);
}

TEST_CASE("a log that is no regular file, or is too large, is not read") {
  CHECK(run_under("ln -s /etc/passwd \"$log\"\nexec \"$@\"\n").log.error() == "is a symbolic link");
  CHECK(run_under("mkfifo \"$log\"\nexec \"$@\"\n").log.error() == "is not a regular file");
  CHECK(run_under("mkdir \"$log\"\nexec \"$@\"\n").log.error() == "is a folder, not a file");
  CHECK_THAT(run_under("head -c 20000000 /dev/zero >\"$log\"\nexec \"$@\"\n").log.error(),
             contains("at most"));
}

TEST_CASE("a tool that cannot be started is reported") {
  const Runner runner = testing::make_runner();
  const Built built =
      testing::build(runner, fs::path(WARPGRADE_SOURCE_DIR) / "grader/workloads/tiled_matmul/naive.cu");
  const ToolRun ended = runner.run_under({"tool", "/usr/bin/no-such-tool", {}, std::chrono::seconds(20)},
                                         built, testing::small_product());
  CHECK(ended.run.end != End::finished);
  CHECK_FALSE(ended.log);
}

TEST_CASE("tools are found in PATH and in the toolkit") {
  const ToolScript tool("");
  CHECK(find_gpu_tool("no-such-tool", FrontEnd{}).empty());
  FrontEnd front_end;
  front_end.toolkit_root = tool.path().parent_path().parent_path();
  CHECK(find_gpu_tool("tool", front_end) == tool.path());
}

}  // namespace gpu_tool_test
