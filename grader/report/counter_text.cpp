#include "report/counter_text.hpp"

namespace grader {
namespace {

std::string paragraph(const std::string& text, const Terminal& terminal) {
  std::string block;
  for (const std::string& line : wrap(spelled(text, terminal), terminal.width)) block += line + "\n";
  return block;
}

}  // namespace

std::string counter_text(const CounterPage& page, const Terminal& terminal) {
  std::string text = paint(terminal, Ink::strong, page.name) + " (" + spelled(page.group, terminal) +
                     ")\n\n" + paragraph(page.definition, terminal);
  if (!page.nsight.empty()) text += "\n" + paragraph("Nsight Compute: " + page.nsight, terminal);
  if (!page.difference.empty()) text += "\n" + paragraph("On a real GPU: " + page.difference, terminal);
  return text;
}

}  // namespace grader
