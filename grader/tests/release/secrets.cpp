#include "release/secrets.hpp"

#include <cctype>
#include <functional>

#include "base/files.hpp"
#include "e2e/program.hpp"

namespace testing {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShortest = 24;  // shorter lines are in every program: "for (int i = 0; i < n;"

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0) line.remove_prefix(1);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.remove_suffix(1);
  return line;
}

void for_each_line(std::string_view bytes, const std::function<void(std::string_view)>& use) {
  std::size_t start = 0;
  for (std::size_t i = 0; i <= bytes.size(); ++i) {
    const unsigned char c = i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : '\0';
    if (c == '\t' || (c >= ' ' && c != 0x7f)) continue;
    const std::string_view line = trimmed(bytes.substr(start, i - start));
    if (line.size() >= kShortest) use(line);
    start = i + 1;
  }
}

}  // namespace

std::set<std::string> lines_below(const std::vector<fs::path>& folders) {
  std::set<std::string> lines;
  for (const fs::path& folder : folders)
    for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
      // Packages of the browser tests, which set-up installs: others' work, licences that we pack too.
      if (entry->path().filename() == "node_modules") entry.disable_recursion_pending();
      // A golden file is what the product prints, parts of which are in the program.
      if (entry->is_regular_file() && !entry->is_symlink() &&
          entry->path().string().find("/golden/") == std::string::npos)
        for_each_line(text_of(entry->path()), [&](std::string_view line) { lines.emplace(line); });
    }
  return lines;
}

std::vector<std::string> secrets_in(std::string_view bytes, const std::set<std::string>& secrets) {
  std::vector<std::string> found;
  for_each_line(bytes, [&](std::string_view line) {
    if (secrets.contains(std::string(line))) found.emplace_back(line);
  });
  return found;
}

}  // namespace testing
