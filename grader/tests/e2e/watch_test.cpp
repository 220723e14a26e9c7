// `warpgrade watch` on a pseudo terminal and with pipes, on the virtual GPU.
#include <chrono>
#include <thread>

#include "base/files.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"
#include "e2e/terminal_program.hpp"

namespace watch_test {

using namespace testing;
using namespace std::chrono_literals;

namespace {

/// A file of lab 00 in a folder of its own: at first the skeleton.
class WatchedFile {
 public:
  WatchedFile() { save(source_folder() / "labs/00-warm-up/saxpy.cu"); }
  std::string path() const { return folder_.path() / "saxpy.cu"; }
  /// As editors do: a new file that replaces the old one.
  void save(const std::filesystem::path& contents) const {
    std::filesystem::copy_file(contents, folder_.path() / "new");
    std::filesystem::rename(folder_.path() / "new", path());
  }
  void save_solution() const { save(source_folder() / "solutions/00-warm-up/saxpy.cu"); }

 private:
  grader::TemporaryFolder folder_{"watch"};
};

std::vector<std::string> watch(const WatchedFile& file) {
  return {"watch", "00-warm-up", "--source", file.path(), "--device", "virtual"};
}

constexpr const char* kPrompt = "q quit";

}  // namespace

TEST_CASE("watch checks again on save, says what improved, and answers single keys", "[slow]") {
  const WatchedFile file;
  TerminalProgram program(watch(file), Ends::terminal);
  REQUIRE(program.waits_for("0/100 points."));
  REQUIRE(program.waits_for(kPrompt));
  CHECK_FALSE(program.is_terminal_usual());
  program.press('h');
  CHECK(program.waits_for("Hint 1 of "));
  program.press('h');
  CHECK(program.waits_for("Hint 2 of "));
  program.press('e');
  CHECK(program.waits_for("WG-H12: "));
  program.press('n');
  CHECK(program.waits_for("with --source there is no next lab"));
  file.save(source_folder() / "solutions/00-warm-up/wrong/error_ignored.cu");
  CHECK(program.waits_for("better: index 0"));
  CHECK(program.waits_for("WG-H12 is gone"));
  REQUIRE(program.waits_for(kPrompt));
  program.press('h');
  CHECK(program.waits_for(", Errors (TODO 4): "));
  file.save_solution();
  CHECK(program.waits_for("100/100 points."));
  program.press('q');
  CHECK(program.wait() == 0);
  CHECK(program.is_terminal_usual());
}

TEST_CASE("keys that are pressed while a check runs are ignored", "[slow]") {
  const WatchedFile file;
  TerminalProgram program(watch(file), Ends::terminal);
  REQUIRE(program.waits_for("building"));
  program.press('q');
  CHECK(program.waits_for(kPrompt));
  std::this_thread::sleep_for(300ms);
  program.press('h');
  CHECK(program.waits_for("Hint 1 of "));
  program.press('q');
  CHECK(program.wait() == 1);
}

TEST_CASE("the terminal is restored by every signal that ends or stops the program", "[slow]") {
  const WatchedFile file;
  for (const auto& [signal, code] :
       {std::pair{SIGINT, 130}, {SIGTERM, 130}, {SIGQUIT, 128 + SIGQUIT}, {SIGSEGV, 128 + SIGSEGV}}) {
    INFO(signal);
    TerminalProgram program(watch(file), Ends::terminal);
    REQUIRE(program.waits_for(kPrompt));
    CHECK_FALSE(program.is_terminal_usual());
    program.send(signal);
    CHECK(program.wait() == code);
    CHECK(program.is_terminal_usual());
  }
  TerminalProgram program(watch(file), Ends::terminal);
  REQUIRE(program.waits_for(kPrompt));
  program.send(SIGTSTP);
  REQUIRE(program.has_stopped());
  CHECK(program.is_terminal_usual());
  program.send(SIGCONT);
  for (int i = 0; i < 200 && program.is_terminal_usual(); ++i) std::this_thread::sleep_for(20ms);
  CHECK_FALSE(program.is_terminal_usual());
  program.press('q');
  CHECK(program.wait() == 1);
  CHECK(program.is_terminal_usual());
}

TEST_CASE("with pipes, watch prints plain lines: one per check, one per change", "[slow]") {
  const WatchedFile file;
  TerminalProgram program(watch(file), Ends::pipes);
  REQUIRE(program.waits_for("00-warm-up: 0/100 points, first WG-H12\n"));
  file.save_solution();
  CHECK(program.waits_for("00-warm-up: 100/100 points\n"));
  CHECK(program.waits_for("better: "));
  program.send(SIGINT);
  CHECK(program.wait() == 130);
  CHECK(program.output().find('\x1b') == std::string::npos);
}

TEST_CASE("a file that does not exist cannot be watched") {
  const Ended ended = warpgrade({"watch", "00-warm-up", "--source", "/dev/null/no.cu"});
  CHECK(ended.code == 2);
  CHECK_THAT(ended.err, contains("cannot watch /dev/null/no.cu"));
  CHECK(warpgrade({"watch"}).code == 2);
}

}  // namespace watch_test
