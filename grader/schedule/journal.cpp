#include "schedule/journal.hpp"

#include <cerrno>
#include <cstring>
#include <mutex>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "schedule/run_diagnostics.hpp"

namespace grader {

struct Journal::State {
  std::filesystem::path file;
  int descriptor = -1;
  std::mutex mutex;
};

Journal::Journal(std::unique_ptr<State> state) : state_(std::move(state)) {}
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;
Journal::~Journal() {
  if (state_ != nullptr && state_->descriptor >= 0) ::close(state_->descriptor);
}

namespace {

/// Removes an incomplete last line, left by a process that was killed. False: the line cannot be removed.
bool drop_torn_line(int descriptor) {
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  off_t end = size;
  for (char last = 0; end > 0; --end)
    if (::pread(descriptor, &last, 1, end - 1) != 1 || last == '\n') break;
  return end == size || ::ftruncate(descriptor, end) == 0;
}

}  // namespace

Expected<Journal, Diagnostic> Journal::open(const std::filesystem::path& file) {
  auto state = std::make_unique<State>();
  state->file = file;
  state->descriptor = ::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (state->descriptor < 0) return Unexpected{output_unwritable(file, std::strerror(errno))};
  Journal journal(std::move(state));
  if (::flock(journal.state_->descriptor, LOCK_EX | LOCK_NB) != 0)
    return Unexpected{output_in_use(file.parent_path())};
  if (!drop_torn_line(journal.state_->descriptor))
    return Unexpected{output_unwritable(file, std::strerror(errno))};
  return journal;
}

Expected<bool, Diagnostic> Journal::append(const std::string& json_line) {
  const std::lock_guard lock(state_->mutex);
  const std::string line = json_line + "\n";
  const off_t before = ::lseek(state_->descriptor, 0, SEEK_END);
  errno = 0;
  const ssize_t written = ::write(state_->descriptor, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size()) && ::fdatasync(state_->descriptor) == 0) return true;
  const std::string why = written >= 0 && errno == 0 ? "no space for a whole line" : std::strerror(errno);
  if (before >= 0 && ::ftruncate(state_->descriptor, before) != 0)
    return Unexpected{output_unwritable(state_->file, why + "; its last line might be incomplete")};
  return Unexpected{output_unwritable(state_->file, why)};
}

}  // namespace grader
