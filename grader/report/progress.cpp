#include "report/progress.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/numbers.hpp"

namespace grader {

std::string progress_text(std::size_t done, std::size_t before, std::size_t total,
                          std::chrono::duration<double> elapsed, std::string_view latest,
                          const Terminal& terminal) {
  constexpr std::size_t kBar = 20;
  const std::size_t filled = total == 0 ? 0 : kBar * std::min(done, total) / total;
  std::string text = fmt::format("[{:-<{}}] {}/{}", std::string(filled, '#'), kBar, done, total);
  if (done > before && elapsed.count() > 0) {
    const double per_second = static_cast<double>(done - before) / elapsed.count();
    text += fmt::format("  {:.3g}/min", per_second * 60);
    if (done < total)
      text += "  time left " +
              duration_text(static_cast<std::uint64_t>(static_cast<double>(total - done) / per_second));
  }
  if (!latest.empty()) text += "  " + printable(latest, terminal.unicode);
  // One column stays free, because some terminals wrap as soon as the last column is written.
  return cut(text, terminal.width - 1, terminal);
}

ProgressLine::ProgressLine(Terminal terminal, Write write)
    : terminal_(terminal), write_(std::move(write)), start_(std::chrono::steady_clock::now()) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(std::size_t done, std::size_t total, std::string_view latest) {
  if (!terminal_.interactive) return;
  std::size_t before = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!before_) before_ = done;
    before = *before_;
  }
  draw(progress_text(done, before, total, std::chrono::steady_clock::now() - start_, latest, terminal_));
}

void ProgressLine::show(std::string_view stage) {
  if (!terminal_.interactive) return;
  draw(cut(printable(stage, terminal_.unicode), terminal_.width - 1, terminal_));
}

// "\r" goes to the start of the line; "ESC [ K" erases to its end (ECMA-48 EL).
void ProgressLine::draw(const std::string& line) {
  const std::lock_guard lock(mutex_);
  write_("\r" + line + "\x1b[K");
  drawn_ = true;
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  if (drawn_) write_("\r\x1b[K");
  drawn_ = false;
}

}  // namespace grader
