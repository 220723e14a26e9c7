#include "toolchain/version_probe.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace grader {
namespace {

constexpr std::size_t kMaxAnswerBytes = 64 * 1024;

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> piece;
  ssize_t count = 0;
  while (text.size() < kMaxAnswerBytes && (count = ::read(descriptor, piece.data(), piece.size())) > 0) {
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  return text;
}

/// The program's output on both streams; nullopt if it could not be started or did not exit with 0.
std::optional<std::string> ask(const std::string& program, std::vector<std::string> arguments) {
  std::array<int, 2> pipe_ends;
  if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return std::nullopt;

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  arguments.insert(arguments.begin(), program);
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawn(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);

  // Before waitpid(): a program that fills the pipe blocks until it is read (pipe(7)).
  std::string answer = failure == 0 ? read_all(pipe_ends[0]) : "";
  ::close(pipe_ends[0]);
  if (failure != 0) return std::nullopt;
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return std::nullopt;
  }
  return answer;
}

}  // namespace

std::optional<CompilerVersion> probe_version(const std::filesystem::path& compiler, std::string_view marker) {
  const auto answer = ask(compiler.string(), {"--version"});
  if (!answer) return std::nullopt;
  const std::size_t found = answer->find(marker);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t start = found + marker.size();
  const std::size_t end = answer->find_first_not_of("0123456789.", start);
  CompilerVersion version{.text = answer->substr(start, end - start)};
  const auto [_, error] =
      std::from_chars(version.text.data(), version.text.data() + version.text.size(), version.major);
  if (error != std::errc{}) return std::nullopt;
  return version;
}

std::optional<std::filesystem::path> probe_toolkit_root(const std::filesystem::path& nvcc) {
  constexpr std::string_view kMarker = "#$ TOP=";  // CMake's CUDA support reads the same line
  const auto answer = ask(nvcc.string(), {"--dryrun", "-E", "-x", "cu", "/dev/null"});
  const std::size_t found = answer ? answer->find(kMarker) : std::string::npos;
  if (found == std::string::npos) return std::nullopt;
  const std::size_t start = found + kMarker.size();
  const std::filesystem::path top = answer->substr(start, answer->find_first_of("\r\n", start) - start);
  std::error_code failure;
  std::filesystem::path root = std::filesystem::canonical(top, failure);
  if (failure) return std::nullopt;
  return root;
}

}  // namespace grader
