#include "app/output.hpp"

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

ColorChoice color_choice(const std::string& word) {
  if (word == "always") return ColorChoice::always;
  return word == "never" ? ColorChoice::never : ColorChoice::automatic;
}

}  // namespace grader::app
