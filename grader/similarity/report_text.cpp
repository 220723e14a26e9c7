#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "similarity/report.hpp"

namespace grader::similarity {
namespace {

constexpr std::size_t kMaxNames = 5;  // of listed documents with too little code of their own

std::string header(const Comparison& lab, const Terminal& terminal) {
  return paint(terminal, Ink::strong, lab.lab) + fmt::format(": {} submissions, {} pairs, {} from {} on\n",
                                                             lab.documents.size(), lab.pairs_compared,
                                                             lab.above_threshold, percent(lab.threshold));
}

std::string row(const std::string& mark, const std::string& share, const std::string& lines,
                const std::string& first, const std::string& second, const Terminal& terminal) {
  constexpr std::size_t kMark = 3, kShare = 10, kLines = 15;
  const std::size_t name = (terminal.width - kMark - kShare - kLines - 6) / 2;
  return mark + right(share, kShare, terminal) + "  " + right(lines, kLines, terminal) + "  " +
         left(printable(first, terminal.unicode), name, terminal) + "  " +
         cut(printable(second, terminal.unicode), name, terminal) + "\n";
}

std::string pair_row(const Comparison& lab, const Pair& pair, const Terminal& terminal) {
  const bool is_marked = pair.similarity >= lab.threshold;
  return row(is_marked ? paint(terminal, Ink::bad, "!") + "  " : "   ", percent(pair.similarity),
             fmt::format("{} lines", pair.longest_lines()), lab.documents[pair.first].name,
             lab.documents[pair.second].name, terminal);
}

std::string too_little(const Comparison& lab, const Terminal& terminal) {
  if (lab.too_little.empty()) return {};
  const std::size_t shown = std::min(lab.too_little.size(), kMaxNames);
  std::string text = fmt::format(
      "not compared, too little beyond what was handed out: {}",
      fmt::join(lab.too_little.begin(), lab.too_little.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < lab.too_little.size()) text += fmt::format(" and {} more", lab.too_little.size() - shown);
  std::string lines;
  for (const std::string& line : wrap(printable(text, terminal.unicode), terminal.width))
    lines += line + "\n";
  return lines;
}

}  // namespace

std::string percent(double share) { return fmt::format("{:.0f} %", std::floor(share * 100)); }

std::string similarity_text(const std::vector<Comparison>& labs, const Terminal& terminal) {
  std::string text;
  for (const Comparison& lab : labs) {
    if (!text.empty()) text += '\n';
    text += header(lab, terminal);
    if (!lab.pairs.empty()) text += row("   ", "similarity", "longest match", "first", "second", terminal);
    for (const Pair& pair : lab.pairs) text += pair_row(lab, pair, terminal);
    text += too_little(lab, terminal);
  }
  return text;
}

}  // namespace grader::similarity
