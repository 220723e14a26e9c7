#include "schedule/build_cache.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "base/files.hpp"
#include "base/sha256.hpp"

namespace grader {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20U;

/// Names and contents of all files below `folder`, in a fixed order.
std::string folder_contents(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_regular_file(error)) files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  std::string contents;
  for (const fs::path& file : files) {
    const auto text = read_file(file, kMaxFileBytes);
    contents += fmt::format("{} {}\n", file.string(), text ? sha256_hex(*text) : text.error());
  }
  return contents;
}

/// Identifies the library that submissions are linked to by its size and modification time: hashing it would
/// take longer than the cache saves.
std::string identity(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  const auto time = fs::last_write_time(file, error).time_since_epoch().count();
  return fmt::format("{} {} {}\n", file.string(), size, time);
}

/// `rules` is null for the kit's own programs, which have none.
std::string text_of(const policy::Rules* rules) {
  if (rules == nullptr) return "";
  return fmt::format("{}|{}|{}", fmt::join(rules->entries, ","), fmt::join(rules->allow_symbols, ","),
                     fmt::join(rules->forbid_libraries, ","));
}

std::string key_of(const Runner& runner, const std::string& source, const std::string& source_name,
                   const policy::Rules* rules) {
  const FrontEnd& front_end = runner.front_end();
  std::error_code error;
  return sha256_hex(
      fmt::format("2\n{}\n{}\n{}\n{}\n{}\n{}\n", text_of(rules), source_name, front_end.compiler.string(),
                  front_end.version, front_end.host_linker.string(), to_string(runner.options().device)) +
      identity(fs::read_symlink("/proc/self/exe", error)) + folder_contents(runner.paths().student_include) +
      folder_contents(runner.paths().cuda_include) + source);
}

Built kept_at(const fs::path& folder) { return Built{std::make_shared<const fs::path>(folder)}; }

}  // namespace

Expected<Built, BuildFailure> BuildCache::build(const Runner& runner, const fs::path& source,
                                                const std::string& source_name,
                                                const policy::Rules* rules) const {
  const auto text = read_file(source, kMaxFileBytes);
  if (!text) return runner.build(source, source_name, rules);  // reports what is wrong with the file
  const fs::path entry = folder_ / key_of(runner, *text, source_name, rules);
  if (Built kept = kept_at(entry); fs::is_regular_file(kept.shared_object())) return kept;
  auto built = runner.build(source, source_name, rules);
  if (built) store(*built, entry);
  return built;
}

/// A complete folder appears under its final name, or none at all.
void BuildCache::store(const Built& built, const fs::path& entry) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path temporary = folder_ / fmt::format(".new-{}-{}", ::getpid(), entry.filename().string());
  fs::create_directory(temporary, error);
  if (error) return;
  fs::copy_file(built.shared_object(), temporary / built.shared_object().filename(), error);
  if (!error) fs::rename(temporary, entry, error);
  if (error) fs::remove_all(temporary, error);
  drop_oldest();
}

void BuildCache::drop_oldest() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error))
    entries.emplace_back(entry->last_write_time(error), entry->path());
  if (entries.size() <= max_entries_) return;
  std::sort(entries.begin(), entries.end());
  for (std::size_t i = 0; i < entries.size() - max_entries_; ++i) fs::remove_all(entries[i].second, error);
}

std::optional<double> BuildCache::seconds(const std::string& key) const {
  constexpr std::size_t kMaxNumberBytes = 64;
  const auto text = read_file(folder_ / sha256_hex(key), kMaxNumberBytes);
  if (!text) return std::nullopt;
  char* end = nullptr;
  const double seconds = std::strtod(text->c_str(), &end);
  const bool is_number = end != text->c_str() && std::isfinite(seconds) && seconds > 0;
  return is_number ? std::optional(seconds) : std::nullopt;
}

void BuildCache::keep_seconds(const std::string& key, double seconds) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  // Without the file, the time is measured again.
  (void)write_file_atomically(folder_ / sha256_hex(key), fmt::format("{}\n", seconds));
  drop_oldest();
}

fs::path BuildCache::default_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return fs::path(cache) / "warpgrade";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".cache" / "warpgrade";
  return fs::temp_directory_path() / fmt::format("warpgrade-cache-{}", ::getuid());
}

}  // namespace grader
