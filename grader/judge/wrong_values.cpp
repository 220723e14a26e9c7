#include "judge/wrong_values.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/contains.hpp"
#include "harness/elements.hpp"
#include "judge/wording.hpp"
#include "vgpu/state/unwritten.hpp"

namespace grader {

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";  // the sign of a NaN has no meaning
  if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
  return fmt::format("{:.6g}", value);
}

bool agree(double actual, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(actual);
  return actual == expected || std::abs(actual - expected) <= tolerance;
}

std::vector<std::size_t> wrong_elements(const OutputPair& output) {
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < output.actual.values.size(); ++i)
    if (!agree(output.actual.values[i], output.expected.values[i], output.expected.tolerances[i]))
      wrong.push_back(i);
  return wrong;
}

WrongValues::WrongValues(const OutputPair& output)
    : actual_(output.actual.values),
      expected_(output.expected),
      supply_(output.supply),
      place_(output.place),
      hint_(output.hint),
      lines_(output.lines),
      is_integer_(output.element == harness::Element::i32),
      wrong_(wrong_elements(output)) {}

double WrongValues::error(std::size_t i) const { return std::abs(actual_[i] - expected_.values[i]); }

std::string WrongValues::subject(std::size_t some, const char* singular, const char* plural) const {
  if (size() == 1) return fmt::format("the only element of {} {}", name(), singular);
  if (some == size()) return fmt::format("all {} elements of {} {}", some, name(), plural);
  return fmt::format("{} of {} elements of {} {}", some, size(), name(), some == 1 ? singular : plural);
}

bool WrongValues::is_poison(std::size_t i) const { return harness::is_poison(actual_[i]); }

bool WrongValues::is_of_new_memory(std::size_t i) const {
  return contains(vgpu::kUnwrittenWords, std::bit_cast<std::uint32_t>(actual_[i]));
}

Diagnostic WrongValues::report(std::string code, const Elements& elements, std::string what,
                               std::string likely_cause, std::string next_step) const {
  Diagnostic diagnostic =
      bare_report(std::move(code), elements, std::move(what), std::move(likely_cause), std::move(next_step));
  if (lines_ != nullptr) lines_->name_store(diagnostic, elements.front());
  return diagnostic;
}

Diagnostic WrongValues::bare_report(std::string code, const Elements& elements, std::string what,
                                    std::string likely_cause, std::string next_step) const {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.what = std::move(what);
  diagnostic.first = quote(elements.front());
  diagnostic.count = elements.size();
  diagnostic.likely_cause = std::move(likely_cause);
  diagnostic.next_step = std::move(next_step);
  return diagnostic;
}

std::string WrongValues::quote(std::size_t i) const {
  const std::string where = element_name(expected_.name, expected_.shape, i);
  std::string actual = number_text(actual_[i]), expected = number_text(expected_.values[i]);
  if (actual == expected && actual_[i] != expected_.values[i]) {  // 9 digits distinguish all floats
    actual = fmt::format("{:.9g}", actual_[i]);
    expected = fmt::format("{:.9g}", expected_.values[i]);
  }
  std::string text = fmt::format("{} is {} when it should be {}", where, actual, expected);
  if (std::isfinite(error(i)) && expected_.tolerances[i] > 0) {
    const auto [distance, allowed] = numbers_told_apart(error(i), expected_.tolerances[i]);
    text += fmt::format(" (off by {}, allowed {})", distance, allowed);
  }
  return text;
}

}  // namespace grader
