// Messages for mistyped command lines, and the commands that need no compiler.
#include <sstream>

#include "catch.hpp"
#include "e2e/program.hpp"

namespace usage_test {

using namespace testing;

TEST_CASE("help begins with examples and version is short") {
  const Ended help = warpgrade({"--help"});
  CHECK(help.code == 0);
  CHECK(help.out.starts_with("Examples:"));
  CHECK_THAT(help.out, contains("\nFor the labs:\n  check       Builds your file, runs the lab's cases, ") &&
                           contains("\nFor any CUDA program:\n  nvcc  ") &&
                           contains("\nFor instructors and teaching assistants:\n  grade  "));
  CHECK_THAT(help.out, !contains("warpgrade check 02-tiled-matmul --pictures"));
  for (const char* command : {"check", "questions", "grade", "explain", "export", "pictures", "similarity",
                              "doctor", "datasets", "lint", "calibrate"}) {
    CHECK_THAT(help.out, contains(command));
    const Ended of_command = warpgrade({command, "--help"});
    CHECK(of_command.code == 0);
    CHECK(of_command.out.starts_with("Example"));
  }
  CHECK(warpgrade({"--version"}).code == 0);
}

TEST_CASE("help fits a window of 80 columns") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"check", "--help"}, {"profile", "--help"}, {"run", "--help"}}) {
    INFO(words.front());
    const Ended help = warpgrade(words, {.environment = {{"COLUMNS", "80"}}});
    CHECK(help.code == 0);
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  }
}

/// What bash offers for the last word of the line.
std::string completed(const std::string& words) {
  const std::filesystem::path program = std::filesystem::canonical("/proc/self/exe").parent_path();
  // compopt works only while a line is completed.
  const std::string script = "PATH=\"" + program.string() + R"~(:$PATH"
eval "$(warpgrade completion bash)"
compopt() { :; }
COMP_WORDS=()~" + words + R"~()
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_warpgrade
echo "${COMPREPLY[*]}")~";
  const Ended ended = run({"/bin/bash", "-c", script});
  CHECK(ended.err.empty());
  return ended.out;
}

TEST_CASE("bash completes commands, options, their values, labs and codes") {
  CHECK(completed("warpgrade ch") == "check\n");
  CHECK_THAT(completed("warpgrade ''"), contains("grade") && contains("completion") && !contains("lab-test"));
  CHECK(completed("warpgrade check 02") == "02-tiled-matmul\n");
  CHECK(completed("warpgrade check --case one --form") == "--format\n");
  CHECK(completed("warpgrade check --format ''") == "text json\n");
  CHECK(completed("warpgrade check --format = j") == "json\n");
  CHECK(completed("warpgrade check --color a") == "auto always\n");
  CHECK_THAT(completed("warpgrade explain WG-M0"), contains("WG-M01 WG-M02"));
  CHECK(completed("warpgrade datasets ''") == "generate verify\n");
  CHECK(completed("warpgrade datasets generate --al") == "--all\n");
  CHECK(completed("warpgrade run /etc/host.con") == "/etc/host.conf\n");
}

TEST_CASE("scripts for zsh and fish and the manual page cover every command") {
  for (const char* command :
       {"check", "grade", "explain", "export", "similarity", "datasets", "nvcc", "run"}) {
    CHECK_THAT(warpgrade({"completion", "zsh"}).out, contains("_warpgrade_" + std::string(command) + "() {"));
    CHECK_THAT(warpgrade({"completion", "fish"}).out, contains("-a " + std::string(command) + " -d '"));
    CHECK_THAT(warpgrade({"man"}).out, contains(".SS warpgrade " + std::string(command) + "\n"));
  }
  CHECK(warpgrade({"completion", "zsh"}).out.starts_with("#compdef warpgrade\n"));
  // Quotes, brackets and colons of help texts do not end a word of the script.
  CHECK_THAT(warpgrade({"completion", "fish"}).out, contains(R"(the lab'\''s cases)"));
  CHECK_THAT(warpgrade({"completion", "zsh"}).out,
             contains(R"('*:LAB:_warpgrade_labs')") &&
                 contains(R"(--format[text, or json\: one document per lab])"));
  CHECK_THAT(warpgrade({"man"}).out, contains(R"(\fB\-\-format\fR text|json)"));
  CHECK(warpgrade({"completion"}).code == 2);
  CHECK(warpgrade({"completion", "tcsh"}).code == 2);
}

TEST_CASE("a mistyped command, option or value is exit code 2 with a suggestion") {
  const Ended command = warpgrade({"chek", "02-tiled-matmul"});
  CHECK(command.code == 2);
  CHECK_THAT(command.err, contains("`chek`") && contains("did you mean `check`"));
  const Ended option = warpgrade({"check", "--sorce", "x.cu"});
  CHECK(option.code == 2);
  CHECK_THAT(option.err, contains("`--sorce`") && contains("did you mean `--source`") &&
                             contains("warpgrade check --help"));
  CHECK(warpgrade({"check", "--device", "abacus"}).code == 2);
  CHECK(warpgrade({"grade"}).code == 2);
  CHECK(warpgrade({"datasets"}).code == 2);
  CHECK(warpgrade({"grade", "x", "--out", "y", "--jobs", "0"}).code == 2);
}

TEST_CASE("an unknown lab, case, task or file is exit code 2 with plain words and no code") {
  const auto refused = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"check", "02-tiled-matmul"});
    const Ended ended = warpgrade(arguments);
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    CHECK_THAT(ended.err,
               contains("error: ") && contains("try: ") && !contains("WG-") && !contains("explain"));
    return ended.err;
  };
  const Ended lab = warpgrade({"check", "02-tiled-matmull"});
  CHECK(lab.code == 2);
  CHECK_THAT(lab.err,
             contains("error: there is no lab `02-tiled-matmull`; did you mean `02-tiled-matmul`?") &&
                 !contains("WG-"));
  CHECK_THAT(refused({"--case", "on"}), contains("did you mean `one`"));
  CHECK_THAT(refused({"--case", "tiling/one"}), contains("task tiling has no case `one`"));
  CHECK_THAT(refused({"--case", "tilin/one"}), contains("no task `tilin`; did you mean `tiling`"));
  CHECK_THAT(refused({"--task", "boundry"}), contains("no task `boundry`; did you mean `boundary`"));
  CHECK_THAT(refused({"--source", "/dev/null/file.cu"}), contains("/dev/null/file.cu: Not a directory"));
  CHECK_THAT(refused({"04-coalescing", "--task", "corner"}), contains("exactly one lab"));
}

TEST_CASE("the beginning of a lab's name is enough for every command that takes a lab") {
  // --source names no file, so that nothing is built: the message proves that the lab was found.
  for (const char* lab : {"02", "02-t", "labs/02-tiled-matmul/", "labs/02"}) {
    INFO(lab);
    const Ended found = warpgrade({"check", lab, "--case", "no-case"});
    CHECK(found.code == 2);
    CHECK_THAT(found.err, contains("lab 02-tiled-matmul has no case"));
  }
  const std::vector<std::vector<std::string>> commands = {
      {"check", "0"},
      {"grade", source_folder().string(), "--out", "/dev/null/out", "--lab", "0"},
      {"similarity", source_folder().string(), "--lab", "0"},
      {"lint", "0"},
      {"calibrate", "0"}};
  for (const auto& command : commands) {
    INFO(command.front());
    const Ended ambiguous = warpgrade(command);
    CHECK(ambiguous.code == 2);
    CHECK_THAT(ambiguous.err, contains("several labs begin with `0`") && contains("02-tiled-matmul"));
  }
  CHECK_THAT(warpgrade({"check", ""}).err, contains("there is no lab ``"));
  CHECK_THAT(warpgrade({"check", "my.cu"}).err,
             contains("error: `my.cu` is a source file, not the name of a lab") &&
                 contains("warpgrade check LAB --source my.cu"));
}

TEST_CASE("the program alone names the next useful command") {
  const Ended alone = warpgrade({});
  CHECK(alone.code == 0);
  CHECK_THAT(alone.out, contains("Next: warpgrade check 00-warm-up"));
}

TEST_CASE("explain prints a page, lists all codes and helps with a mistyped one") {
  const Ended page = warpgrade({"explain", "WG-M01"});
  CHECK(page.code == 0);
  CHECK(page.out.starts_with("# WG-M01: "));
  CHECK(warpgrade({"explain", "m01"}).out == page.out);
  const Ended list = warpgrade({"explain"});
  CHECK(list.code == 0);
  CHECK_THAT(list.out, contains("WG-C01") && contains("WG-V01"));
  const Ended unknown = warpgrade({"explain", "WG-M91"});
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, contains("did you mean"));
  CHECK_THAT(warpgrade({"explain", "WG-X99"}).err,
             contains("codes begin with WG-B, WG-C") && !contains("did you mean"));
}

TEST_CASE("explain finds a counter by the names that tables print, and suggests a near one") {
  for (const char* name :
       {"sectors per global load", "sectors per global store", "wavefronts per shared load",
        "wavefronts per shared store", "active lanes per instruction", "divergent branches",
        "global load requested B/flop", "block threads", "most_block_threads", "launches"}) {
    INFO(name);
    CHECK(warpgrade({"explain", name}).code == 0);
  }
  CHECK_THAT(warpgrade({"explain", "sectors per global load"}).out,
             contains("global_load_sectors_per_request"));
  CHECK_THAT(warpgrade({"explain", "block_threads"}).out, contains("threads per block"));
  CHECK_THAT(warpgrade({"explain", "counters"}).out, contains("`block_threads`"));
  const Ended unknown = warpgrade({"explain", "blok_threads"});
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, contains("did you mean `block_threads`?") && contains("explain counters"));
}

TEST_CASE("doctor shows what works, without a path below the home folder") {
  const Ended doctor = warpgrade({"doctor"}, {.environment = {{"HOME", source_folder().string()}}});
  CHECK(doctor.code == 0);
  CHECK_THAT(doctor.out,
             contains("compiler") && contains("sandbox") && contains("virtual GPU") && contains("processor"));
  CHECK_THAT(doctor.out, !contains(source_folder().string()));
}

TEST_CASE("doctor without a kit shows what is missing and exits with 3") {
  const Ended doctor = warpgrade({"doctor"}, {.environment = {{"WARPGRADE_HOME", "/dev/null/kit"}}});
  CHECK(doctor.code == 3);
  CHECK_THAT(doctor.out, contains("missing") && contains("WARPGRADE_HOME"));
}

TEST_CASE("output that cannot be written is a fault, not a success") {
  const Ended full = warpgrade({"explain"}, {.stdout_file = "/dev/full"});
  CHECK(full.code == 3);
  CHECK_THAT(full.err, contains("No space left"));
}

TEST_CASE("no escape byte is written to a pipe unless colour is requested") {
  CHECK(warpgrade({"doctor"}).out.find('\x1b') == std::string::npos);
  CHECK(warpgrade({"doctor", "--color", "always"}).out.find('\x1b') != std::string::npos);
  CHECK(warpgrade({"doctor"}, {.environment = {{"LC_ALL", "C"}}}).out.find('\xc2') == std::string::npos);
}

}  // namespace usage_test
