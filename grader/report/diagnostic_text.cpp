#include "report/diagnostic_text.hpp"

#include <fmt/format.h>

#include "report/numbers.hpp"

namespace grader {
namespace {

/// "  try: …", wrapped with a hanging indent; empty if the text is empty.
std::string labelled(std::string_view label, std::string_view text, const Terminal& terminal) {
  if (text.empty()) return {};
  const std::string safe = printable(text, terminal.unicode);
  std::string block;
  for (const std::string& line : wrap(std::string(label) + ": " + safe, terminal.width - 6))
    block += (block.empty() ? "  " : "      ") + line + "\n";
  return block;
}

std::string place(const Diagnostic& diagnostic, const std::string& path, const Terminal& terminal) {
  if (!diagnostic.where) return {};
  const auto& [file, line] = *diagnostic.where;
  std::string text = "  --> " + printable(path.empty() ? file : path, terminal.unicode);
  if (line > 0) text += fmt::format(":{}", line);
  text += "\n";
  if (line > 0 && !diagnostic.source_line.empty()) {
    const std::size_t indent = diagnostic.source_line.find_first_not_of(" \t");
    const std::string code = indent == std::string::npos ? "" : diagnostic.source_line.substr(indent);
    const std::string gutter = fmt::format("  {:>4} |   ", line);
    const std::string shown = printable(code, terminal.unicode);
    text += paint(terminal, Ink::quiet, gutter) +
            cut_in_window(shown, terminal.width - gutter.size(), terminal) + "\n";
  }
  return text;
}

std::string occurrences(const Diagnostic& diagnostic) {
  if (diagnostic.first.empty() && diagnostic.count <= 1) return {};
  if (diagnostic.count <= 1) return diagnostic.first;
  const std::string total = "seen " + count_text(diagnostic.count) + " times";
  return diagnostic.first.empty() ? total : diagnostic.first + "; " + total;
}

}  // namespace

std::string diagnostic_text(const Diagnostic& diagnostic, const std::string& path, const Terminal& terminal) {
  const bool is_error = diagnostic.severity == Severity::error;
  std::string mark = name_of(diagnostic.severity);
  if (!diagnostic.code.empty()) mark += "[" + diagnostic.code + "]";
  std::string text;
  for (const std::string& line :
       wrap(mark + ": " + printable(diagnostic.what, terminal.unicode), terminal.width - 6))
    text +=
        (text.empty() ? paint(terminal, is_error ? Ink::bad : Ink::warning, mark) + line.substr(mark.size())
                      : "      " + line) +
        "\n";
  text += place(diagnostic, path, terminal);
  text += labelled("first seen", occurrences(diagnostic), terminal);
  text += labelled("likely cause", diagnostic.likely_cause, terminal);
  text += labelled("try", diagnostic.next_step, terminal);
  if (!diagnostic.code.empty()) text += "  more: warpgrade explain " + diagnostic.code + "\n";
  return text;
}

std::string short_place(const Diagnostic& diagnostic) {
  std::string text = diagnostic.code;
  if (diagnostic.where && diagnostic.where->line > 0)
    text += fmt::format(" {}:{}", diagnostic.where->file, diagnostic.where->line);
  return text;
}

}  // namespace grader
