// The four forms in which every text for terminals has a golden file: piped, a window of 60 columns, ASCII,
// colour.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/terminal.hpp"

namespace testing {

/// Compares render(terminal) with the files NAME.txt, NAME-60.txt, NAME-ascii.txt and NAME-color.txt. Returns
/// the names of those that differ. `golden` is the module's function that reads them.
template <class Golden, class Render>
std::vector<std::string> changed_goldens(const std::string& name, const Golden& golden,
                                         const Render& render) {
  using grader::Terminal;
  const std::pair<const char*, Terminal> forms[] = {{"", Terminal{}},
                                                    {"-60", {.width = 60, .interactive = true}},
                                                    {"-ascii", {.unicode = false}},
                                                    {"-color", {.interactive = true, .color = true}}};
  std::vector<std::string> changed;
  for (const auto& [suffix, terminal] : forms) {
    const std::string file = name + suffix + ".txt", text = render(terminal);
    if (golden(file, text) != text) changed.push_back(file);
  }
  return changed;
}

inline const std::vector<std::string> kNoChange;

}  // namespace testing
