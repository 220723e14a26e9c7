#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "profile/gpu_facts.hpp"
#include "report/diagnostic_text.hpp"
#include "report/markup.hpp"
#include "report/numbers.hpp"

namespace grader {
namespace {

std::string ratio_text(const CounterPair& one) {
  if (one.ours == one.measured) return "1";
  return one.measured == 0 ? "-" : value_text(one.ours / one.measured);
}

/// Whole numbers in full, others with four digits.
std::string pair_value(double value) {
  constexpr double kLargest = 1e15;
  const bool is_whole =
      value >= 0 && value < kLargest && value == static_cast<double>(static_cast<std::uint64_t>(value));
  return is_whole ? std::to_string(static_cast<std::uint64_t>(value)) : value_text(value);
}

/// A row of the table; on a narrow terminal, the name has a line of its own.
std::string pair_row(const std::string& name, std::size_t name_width, const std::string& ours,
                     const std::string& measured, const std::string& ratio, const Terminal& terminal) {
  const std::string numbers = fmt::format(" {:>12} {:>12} {:>7}\n", ours, measured, ratio);
  if (2 + name_width + numbers.size() > terminal.width + 1)
    return cut("  " + name, terminal.width, terminal) + "\n     " + numbers;
  return "  " + left(name, name_width, terminal) + numbers;
}

std::string pairs_text(const PairedKernel& kernel, const Terminal& terminal) {
  std::size_t width = 7;
  for (const CounterPair& one : kernel.counters) width = std::max(width, one.name.size());
  std::string text = pair_row("counter", width, "virtual", "measured", "ratio", terminal);
  for (const CounterPair& one : kernel.counters)
    text +=
        pair_row(one.name, width, pair_value(one.ours), pair_value(one.measured), ratio_text(one), terminal);
  return text;
}

/// The counters that differ, by their reason.
std::map<std::string, std::string> reasons_of(const GpuFacts& facts) {
  std::map<std::string, std::string> reasons;
  for (const PairedKernel& kernel : facts.kernels) {
    for (const CounterPair& one : kernel.counters) {
      std::string& names = reasons[one.reason];
      if ((", " + names + ", ").find(", " + one.name + ", ") == std::string::npos)
        names += (names.empty() ? "" : ", ") + one.name;
    }
  }
  reasons.erase("");
  return reasons;
}

std::string paragraph_text(const std::string& text, const Terminal& terminal) {
  std::string block;
  for (const std::string& line : wrap(spelled(printable(text, terminal.unicode), terminal), terminal.width))
    block += line + "\n";
  return block;
}

std::string heading_of(const PairedKernel& kernel) {
  return fmt::format("{}, {} {}", kernel.name, kernel.launches, kernel.launches == 1 ? "launch" : "launches");
}

constexpr const char* kExplanation =
    "virtual: the virtual GPU with the profile h200; measured: Nsight Compute, with empty caches before each "
    "kernel; ratio: virtual per measured";

}  // namespace

std::string gpu_text(const GpuFacts& facts, const Terminal& terminal) {
  std::string text =
      paint(terminal, Ink::strong,
            cut("Real GPU: " + printable(facts.gpu, terminal.unicode), terminal.width, terminal)) +
      "\n";
  for (const std::string& note : facts.notes) text += paragraph_text("note: " + note, terminal);
  for (const PairedKernel& kernel : facts.kernels)
    text += "\n" + cut("  " + printable(heading_of(kernel), terminal.unicode), terminal.width, terminal) +
            "\n" + pairs_text(kernel, terminal);
  if (!facts.kernels.empty()) text += paragraph_text(kExplanation, terminal);
  for (const auto& [reason, names] : reasons_of(facts))
    text += paragraph_text(names + ": " + reason, terminal);
  for (const auto* list : {&facts.findings, &facts.problems})
    for (const Diagnostic& one : *list) text += "\n" + diagnostic_text(one, "", terminal);
  return text;
}

std::string gpu_markup(const GpuFacts& facts) {
  std::string section =
      fmt::format("<section>\n<h2 id=\"real-gpu\">Real GPU: {}</h2>\n", markup_text(facts.gpu));
  for (const std::string& note : facts.notes) section += fmt::format("<p>Note: {}</p>\n", markup_text(note));
  for (const auto* list : {&facts.findings, &facts.problems})
    for (const Diagnostic& one : *list)
      section += fmt::format(
          "<p class=\"bad\">{} {}: {}{}</p>\n", name_of(one.severity), markup_text(one.code),
          markup_text(one.what),
          one.where ? markup_text(fmt::format(" ({}:{})", one.where->file, one.where->line)) : "");
  for (const PairedKernel& kernel : facts.kernels) {
    section += fmt::format(
        "<div class=\"scroll\" tabindex=\"0\"><table><caption>{}</caption>\n<tr><th "
        "scope=\"col\">counter</th><th "
        "scope=\"col\">virtual</th><th scope=\"col\">measured</th><th scope=\"col\">ratio</th></tr>\n",
        markup_text(heading_of(kernel)));
    for (const CounterPair& one : kernel.counters)
      section +=
          fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                      markup_text(one.name), pair_value(one.ours), pair_value(one.measured), ratio_text(one));
    section += "</table></div>\n";
  }
  if (!facts.kernels.empty())
    section += fmt::format("<p class=\"faint\">{}</p>\n", markup_text(kExplanation));
  for (const auto& [reason, names] : reasons_of(facts))
    section += fmt::format("<p>{}: {}</p>\n", markup_text(names), markup_text(reason));
  return section + "</section>\n";
}

}  // namespace grader
