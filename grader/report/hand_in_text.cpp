#include "report/hand_in_text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace grader {
namespace {

constexpr std::size_t kMaxLines = 20, kMaxNames = 5;

std::string names(const std::vector<std::string>& all) {
  const std::vector<std::string> shown(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMaxNames)));
  const std::string text = fmt::format("{}", fmt::join(shown, ", "));
  return all.size() <= kMaxNames ? text : fmt::format("{} and {} more", text, all.size() - kMaxNames);
}

std::vector<std::string> remarks_on(const HandIn& hand_in) {
  std::vector<std::string> remarks;
  if (hand_in.late.value_or(false)) remarks.emplace_back("late");
  if (!hand_in.not_taken.empty())
    remarks.push_back("several uploads, the last one counts; not used: " + names(hand_in.not_taken));
  for (const auto& [lab, others] : hand_in.same_bytes)
    remarks.push_back(fmt::format("{}: same bytes as {}", lab, names(others)));
  remarks.insert(remarks.end(), hand_in.notes.begin(), hand_in.notes.end());
  return remarks;
}

}  // namespace

std::string hand_in_text(const std::map<std::string, HandIn>& hand_ins, const Terminal& terminal) {
  std::string text;
  std::size_t lines = 0;
  for (const auto& [submission, hand_in] : hand_ins)
    for (const std::string& remark : remarks_on(hand_in)) {
      if (++lines > kMaxLines) continue;
      const std::string line = printable(submission + ": " + remark, terminal.unicode);
      for (const std::string& part : wrap("note: " + line, terminal.width)) text += part + "\n";
    }
  if (lines > kMaxLines)
    text += fmt::format("note: {} more such notes are in summary.json\n", lines - kMaxLines);
  return text.empty() ? text : text + "\n";
}

}  // namespace grader
