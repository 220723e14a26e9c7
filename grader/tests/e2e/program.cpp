#include "e2e/program.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.hpp"

namespace testing {
namespace {

namespace fs = std::filesystem;

/// Runs in the child until exec; a failure ends the child with status 127.
void become(const std::vector<std::string>& command, const Setting& setting, const fs::path& out,
            const fs::path& err) {
  const int to = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644),
            errors = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(to, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  if (::chdir(setting.folder.c_str()) != 0) ::_exit(127);
  ::setenv("COLUMNS", "160",
           1);  // wide, so that no message is wrapped inside a text that a test searches for
  for (const auto& [name, value] : setting.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (setting.file_size_limit) {
    const rlimit limit{*setting.file_size_limit, *setting.file_size_limit};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

void signal_when(pid_t child, int signal, const std::function<bool()>& holds) {
  using namespace std::chrono_literals;
  for (int i = 0; i < 6000 && !holds(); ++i) std::this_thread::sleep_for(10ms);
  ::kill(child, signal);
}

}  // namespace

Ended warpgrade(const std::vector<std::string>& arguments, const Setting& setting) {
  std::vector<std::string> command = {std::string(WARPGRADE_BINARY_DIR) + "/bin/warpgrade"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, setting);
}

Ended run(const std::vector<std::string>& command, const Setting& setting) {
  const grader::TemporaryFolder folder("e2e");
  const fs::path out = setting.stdout_file.empty() ? folder.path() / "out" : fs::path(setting.stdout_file);

  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become(command, setting, out, folder.path() / "err");
  if (setting.interrupt_when) {  // twice within a short time, as timeout(1) does
    signal_when(child, setting.interrupt_with, [&] { return fs::exists(*setting.interrupt_when); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::kill(child, setting.interrupt_with);
  }
  if (setting.kill_when) signal_when(child, SIGKILL, setting.kill_when);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          setting.stdout_file.empty() ? text_of(out) : "", text_of(folder.path() / "err")};
}

fs::path source_folder() { return WARPGRADE_SOURCE_DIR; }
fs::path solution() { return source_folder() / "solutions" / "02-tiled-matmul" / "tiled_matmul.cu"; }
fs::path bad_input(const std::string& name) {
  const fs::path corpus = source_folder() / "grader" / "tests" / "hostile";
  for (const auto& kind : fs::directory_iterator(corpus))
    if (fs::path file = kind.path() / (name + ".cu"); fs::exists(file)) return file;
  throw std::runtime_error("no hostile submission is called " + name);
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

bool is_in_corpus_part(std::size_t number) {
  const char* text = std::getenv("WARPGRADE_CORPUS_PART");
  if (text == nullptr) return true;
  std::size_t part = 0, parts = 0;
  char slash = 0;
  std::istringstream(text) >> part >> slash >> parts;
  if (slash != '/' || part >= parts)
    throw std::invalid_argument("WARPGRADE_CORPUS_PART is " + std::string(text) + ", not K/N with K < N");
  return number % parts == part;
}

}  // namespace testing
