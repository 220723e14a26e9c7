#include "slurm/array_folders.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/descriptor.hpp"
#include "base/files.hpp"
#include "schedule/item_list.hpp"
#include "schedule/run_diagnostics.hpp"

namespace grader::slurm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "array-";
constexpr std::size_t kMaxListBytes = std::size_t{64} << 20U;
constexpr std::size_t kMaxNodeNameBytes = 256;
constexpr off_t kTailBytes = 2000;

std::optional<std::size_t> number_of(const std::string& name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::size_t number = 0;
  const char *start = name.data() + kPrefix.size(), *end = name.data() + name.size();
  const auto read = std::from_chars(start, end, number);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(number) : std::nullopt;
}

/// True for host names and Slurm's node names. Any other text in such a file is ignored.
bool is_node_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c < 0x80 && (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.');
  });
}

}  // namespace

std::vector<Items> ArrayFolders::read_list(const fs::path& file) const {
  const auto text = read_file(file, kMaxListBytes);
  std::istringstream lines(text ? *text : "");
  std::string line;
  // An array of another run, or with a damaged list, keeps its number but has no tasks.
  if (!std::getline(lines, line) || line != run_.fingerprint) return {};
  std::vector<Items> tasks;
  while (std::getline(lines, line)) {
    auto items = parse_item_list(line, run_.items);
    if (!items) return {};
    tasks.push_back(*std::move(items));
  }
  return tasks;
}

std::string ArrayFolders::list_text(const std::vector<Items>& tasks) const {
  std::string text = run_.fingerprint + "\n";
  for (const Items& items : tasks) text += item_list_text(items) + "\n";
  return text;
}

Expected<ArrayFolders, Diagnostic> ArrayFolders::open(const fs::path& folder, Run run) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return Unexpected{output_unwritable(folder, error.message())};
  ArrayFolders arrays(folder, std::move(run));
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (const auto number = number_of(entry->path().filename().string()))
      arrays.arrays_[*number] = arrays.read_list(entry->path() / "tasks");
  if (!arrays.arrays_.empty()) arrays.last_number_ = arrays.arrays_.rbegin()->first;
  if (error) return Unexpected{output_unwritable(folder, error.message())};
  return arrays;
}

Expected<std::size_t, Diagnostic> ArrayFolders::add(const std::vector<Items>& tasks) {
  const std::size_t number = last_number_ + 1;
  std::error_code error;
  fs::create_directory(folder(number), error);
  if (error) return Unexpected{output_unwritable(folder(number), error.message())};
  const fs::path list = folder(number) / "tasks";
  const auto written = write_file_atomically(list, list_text(tasks));
  if (!written) return Unexpected{output_unwritable(list, written.error())};
  arrays_[number] = tasks;
  last_number_ = number;
  return number;
}

void ArrayFolders::remove(std::size_t array) {
  std::error_code ignored;
  fs::remove_all(folder(array), ignored);
  arrays_.erase(array);
}

fs::path ArrayFolders::folder(std::size_t array) const {
  return folder_ / fmt::format("{}{:04}", kPrefix, array);
}

fs::path ArrayFolders::file(const TaskName& task, const char* ending) const {
  return folder(task.array) / (std::to_string(task.index) + ending);
}

const Items& ArrayFolders::items(const TaskName& task) const {
  static const Items kNone;
  const auto array = arrays_.find(task.array);
  if (array == arrays_.end() || task.index >= array->second.size()) return kNone;
  return array->second[task.index];
}

std::optional<TaskName> ArrayFolders::last_task(std::size_t item) const {
  for (auto array = arrays_.rbegin(); array != arrays_.rend(); ++array)
    for (std::size_t index = 0; index < array->second.size(); ++index) {
      const Items& items = array->second[index];
      if (std::find(items.begin(), items.end(), item) != items.end()) return TaskName{array->first, index};
    }
  return std::nullopt;
}

bool ArrayFolders::has_log(const TaskName& task) const {
  std::error_code error;
  return fs::exists(fs::symlink_status(file(task, ".log"), error));
}

std::string ArrayFolders::log_tail(const TaskName& task) const {
  // The file need not be Slurm's log: O_NOFOLLOW refuses links, and O_NONBLOCK does not wait at a FIFO.
  const Descriptor log(::open(file(task, ".log").c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!log || ::fstat(log.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
  std::string tail(kTailBytes, '\0');
  const off_t start = std::max<off_t>(0, facts.st_size - kTailBytes);
  const ssize_t got = ::pread(log.get(), tail.data(), tail.size(), start);
  tail.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  if (start > 0)
    tail.erase(0, tail.find('\n') + 1);  // the first line is incomplete; drop it if the tail has more lines
  while (!tail.empty() && tail.back() == '\n') tail.pop_back();
  return tail;
}

std::optional<std::string> ArrayFolders::unhealthy_node(const TaskName& task) const {
  const auto text = read_file(file(task, ".unhealthy"), kMaxNodeNameBytes);
  if (!text) return std::nullopt;
  const std::string name = text->substr(0, text->find('\n'));
  return is_node_name(name) ? std::optional(name) : std::nullopt;
}

}  // namespace grader::slurm
