// Runs the built `warpgrade` as a user would, and returns its output and exit status.
#pragma once

#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace testing {

struct Ended {
  int code = -1;  ///< exit status; 128 + signal if a signal ended the program
  std::string out, err;
};

struct Setting {
  std::filesystem::path folder = ".";                   ///< current folder
  std::map<std::string, std::string> environment = {};  ///< on top of the test's own
  std::optional<std::size_t> file_size_limit = {};      ///< bytes; larger files cannot be written
  std::string stdout_file = {};                         ///< file for stdout instead of Ended::out
  /// Sends `interrupt_with` as soon as this file exists.
  std::optional<std::filesystem::path> interrupt_when = {};
  int interrupt_with = SIGINT;
  /// Sends SIGKILL as soon as this returns true.
  std::function<bool()> kill_when = {};
};

Ended warpgrade(const std::vector<std::string>& arguments, const Setting& setting = {});
/// Runs another program, given by its path.
Ended run(const std::vector<std::string>& command, const Setting& setting = {});

std::filesystem::path source_folder();                     ///< of the kit
std::filesystem::path solution();                          ///< of 02-tiled-matmul
std::filesystem::path bad_input(const std::string& name);  ///< a file below tests/hostile, without its suffix
std::string text_of(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& text);

/// WARPGRADE_CORPUS_PART=K/N leaves every Nth program of a corpus, from number K (0 ≤ K < N) on: .ci/run
/// grades another part with each commit, .ci/nightly all programs. Without the variable all are left.
bool is_in_corpus_part(std::size_t number);

}  // namespace testing
