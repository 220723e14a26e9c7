#include "app/output.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "report/diagnostic_text.hpp"

namespace grader::app {

Console open_console(ColorChoice choice) {
  return {detect_terminal(STDOUT_FILENO, choice), detect_terminal(STDERR_FILENO, choice)};
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void write_to_stderr(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void say(std::string_view text) {
  write_to_stderr(text);
  std::fputc('\n', stderr);
}

int complain(const Console& console, const Diagnostic& diagnostic, int exit_code) {
  const std::string text = diagnostic_text(diagnostic, "", console.err);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return exit_code;
}

bool finish_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return true;
  if (errno == EPIPE) return true;  // the reader closed the pipe, for example `| head`
  std::fprintf(stderr, "warpgrade: cannot write the output: %s\n", std::strerror(errno));
  return false;
}

std::string shell_word(const std::string& word) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("_-./:=@%+,", c) != nullptr;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shown_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::string relative = std::filesystem::relative(path, error).string();
  return error || relative.empty() || relative.size() > path.string().size() ? path.string() : relative;
}

ColorChoice color_choice(const std::string& word) {
  if (word == "always") return ColorChoice::always;
  return word == "never" ? ColorChoice::never : ColorChoice::automatic;
}

}  // namespace grader::app
