// The hints of a lab's hints.md, one by one. Pure. Tested by tests/report/hints_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/terminal.hpp"

namespace grader {

struct Hint {
  std::string section;  ///< "The launch (TODO 1)"
  std::string title;    ///< "How many blocks?"
  std::string body;     ///< Markdown
};

/// Each <details> of the page, in order. Text outside of them is no hint.
std::vector<Hint> hints_of(std::string_view markdown);

/// The index of the first hint whose section begins with `heading`; nullopt if there is none.
std::optional<std::size_t> first_hint_of(const std::vector<Hint>& hints, std::string_view heading);

/// "Hint 2 of 9, The launch (TODO 1): How many blocks?", then the body.
std::string hint_text(const std::vector<Hint>& hints, std::size_t index, const Terminal& terminal);

}  // namespace grader
