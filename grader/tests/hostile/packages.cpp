// Packages whose files are hostile, not their source code. They are created here, because a checkout should not
// contain a fifo or a file of two megabytes.
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "e2e/program.hpp"
#include "tests/hostile/corpus.hpp"

namespace testing {
namespace {

namespace fs = std::filesystem;

using Make = std::function<void(const fs::path& file)>;

std::string utf16(const std::string& text) {
  std::string wide = "\xff\xfe";
  for (const char c : text) wide += {c, '\0'};
  return wide;
}

std::string with_carriage_returns(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return result;
}

void write_among_others(const fs::path& file, const std::map<std::string, std::string>& others) {
  write(file, text_of(solution()));
  for (const auto& [name, text] : others) write(file.parent_path() / name, text);
}

const std::map<std::string, Make>& makers() {
  static const std::map<std::string, Make> kMakers{
      {"package/missing", [](const fs::path& file) { write(file.parent_path() / "notes.txt", "forgotten"); }},
      {"package/blank", [](const fs::path& file) { write(file, " \n\t\r\n "); }},
      {"package/byte_order_mark_only", [](const fs::path& file) { write(file, "\xef\xbb\xbf"); }},
      {"package/byte_order_mark", [](const fs::path& file) { write(file, "\xef\xbb\xbf" + text_of(solution())); }},
      {"package/carriage_returns", [](const fs::path& file) { write(file, with_carriage_returns(text_of(solution()))); }},
      {"package/utf16", [](const fs::path& file) { write(file, utf16(text_of(solution()))); }},
      {"package/elf_file", [](const fs::path& file) { write(file, text_of("/proc/self/exe").substr(0, 500'000)); }},
      {"package/nul_inside", [](const fs::path& file) { write(file, text_of(solution()) + std::string(1, '\0')); }},
      {"package/two_megabytes", [](const fs::path& file) { write(file, std::string(2 << 20, '\n') + text_of(solution())); }},
      {"package/one_long_line", [](const fs::path& file) { write(file, "//" + std::string(900'000, 'x') + "\n" + text_of(solution())); }},
      {"package/symlink", [](const fs::path& file) {
         fs::create_directories(file.parent_path());
         fs::create_symlink(solution(), file);
       }},
      {"package/symlinked_folder", [](const fs::path& file) {
         fs::create_directories(file.parent_path().parent_path());
         fs::create_directory_symlink(solution().parent_path(), file.parent_path());
       }},
      {"package/fifo", [](const fs::path& file) {
         fs::create_directories(file.parent_path());
         ::mkfifo(file.c_str(), 0644);
       }},
      {"package/folder_for_a_file", [](const fs::path& file) { fs::create_directories(file); }},
      {"package/device", [](const fs::path& file) {
         fs::create_directories(file.parent_path());
         // Only root can create a device; other users create a link, which must not be followed either.
         if (::mknod(file.c_str(), S_IFCHR | 0644, makedev(1, 5)) != 0) fs::create_symlink("/dev/zero", file);
       }},
      {"package/brings_headers", [](const fs::path& file) {
         write_among_others(file, {{"cuda_runtime.h", "#error taken\n"}, {"vector", "#error taken\n"},
                                   {"lab/check.hpp", "#error taken\n"}, {"lab/tiled_matmul.hpp", "#error taken\n"}});
       }},
      {"package/brings_build_files", [](const fs::path& file) {
         write_among_others(file, {{"Makefile", "all:\n\ttouch /tmp/owned\n"}, {"CMakeLists.txt", "message(FATAL_ERROR taken)\n"},
                                   {"nvcc.profile", "INCLUDES += -I/\n"}, {".git/hooks/post-checkout", "touch /tmp/owned\n"},
                                   {"lab.json", "{}"}, {"02-tiled-matmul.json", "{\"score\": 100}"}});
       }},
      {"package/many_files", [](const fs::path& file) {
         write(file, text_of(solution()));
         for (int i = 0; i < 2000; ++i) write(file.parent_path() / ("extra" + std::to_string(i)), "");
       }},
      {"package/deep_folders", [](const fs::path& file) {
         write(file, text_of(solution()));
         fs::path deep = file.parent_path();
         for (int i = 0; i < 100; ++i) deep /= "d";
         fs::create_directories(deep);
       }},
      {"package/shell_names", [](const fs::path& file) {
         write_among_others(file, {{"a$(touch PWNED).cu", ""}, {"`touch PWNED`.cu", ""}, {"-h.cu", ""}, {"e\"x.cu", ""},
                                   {"new\nline.cu", ""}, {"\xe2\x80\xaertl.cu", ""}, {"\xff\xfe.cu", ""}});
       }},
  };
  return kMakers;
}

}  // namespace

void make_package(const std::string& name, const fs::path& folder, const std::string& source) {
  const auto maker = makers().find(name);
  if (maker == makers().end()) throw std::runtime_error("there is no recipe for " + name);
  fs::create_directories(folder.parent_path());
  maker->second(folder / source);
}

}  // namespace testing
