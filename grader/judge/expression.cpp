#include "judge/expression.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/contains.hpp"
#include "judge/wrong_values.hpp"
#include "vgpu/state/unwritten.hpp"

namespace grader {
namespace {

using vgpu::Term;
using vgpu::TermId;
using Kind = Term::Kind;

constexpr std::size_t kMostTerms = std::size_t{1} << 19U;  ///< of one sum, and of all together
constexpr int kMostNesting = 6;
constexpr std::size_t kLongest = 220;  ///< characters
constexpr std::size_t kShort = 4;      ///< a row of so many terms is written in full
constexpr char kPlaceholder = '\1';    ///< of an element in Part::text

/// A term of a sum: equal texts whose elements are equally far apart are one row of terms.
struct Part {
  std::string text;
  std::vector<NamedElement> elements;  ///< for the placeholders, in order
  bool is_single = true;               ///< needs no parentheses
  std::size_t times = 1;               ///< in the sum

  auto key() const {
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (const NamedElement& one : elements) all.emplace_back(one.array, one.index);
    return std::pair(text, std::move(all));
  }
};

/// The distance from one part to another of the same form, by element; nullopt: another form.
std::optional<std::vector<std::ptrdiff_t>> step_between(const Part& from, const Part& to) {
  if (from.text != to.text || from.elements.size() != to.elements.size() || from.times != to.times)
    return std::nullopt;
  std::vector<std::ptrdiff_t> steps;
  for (std::size_t i = 0; i < from.elements.size(); ++i) {
    if (from.elements[i].array != to.elements[i].array) return std::nullopt;
    steps.push_back(static_cast<std::ptrdiff_t>(to.elements[i].index) -
                    static_cast<std::ptrdiff_t>(from.elements[i].index));
  }
  return steps;
}

class Writer {
 public:
  Writer(const vgpu::Terms& terms, const ElementNames& names) : terms_(terms), names_(names) {}

  std::string text_of(TermId term) {
    std::string text = resolved(part_of(term, 0));
    if (!failed_ && text.size() <= kLongest) return text;
    failed_ = false;
    budget_ = kMostTerms;
    text = ingredients_of(term);
    return failed_ || text.size() > kLongest ? "" : text;
  }

 private:
  const Term& node(TermId term) const { return terms_.nodes[term]; }
  bool is_sum(TermId term) const {
    return node(term).kind == Kind::sum || node(term).kind == Kind::difference;
  }

  Part part_of(TermId id, int depth) {
    if (id == 0 || depth > kMostNesting || budget_ == 0) {
      failed_ = true;
      return {};
    }
    --budget_;
    const Term& term = node(id);
    switch (term.kind) {
      case Kind::word:
        return part_of_word(terms_.words[term.left]);
      case Kind::constant:
        if (std::isnan(terms_.constants[term.left])) return {"a constant", {}};  // of a type that is not read
        return {number_text(terms_.constants[term.left]), {}};
      case Kind::sum:
      case Kind::minimum:
      case Kind::maximum:
        return row_of(id, depth);
      case Kind::difference:
        if (is_sum(term.left)) return row_of(id, depth);
        return joined(part_of(term.left, depth + 1), " - ", part_of(term.right, depth + 1));
      case Kind::product:
        return joined(part_of(term.left, depth + 1), " * ", part_of(term.right, depth + 1));
      case Kind::quotient:
        return joined(part_of(term.left, depth + 1), " / ", part_of(term.right, depth + 1));
      case Kind::test:
        return applied("test", part_of(term.left, depth + 1), term.right, depth);
      case Kind::function:
        return of_function(static_cast<Term::Function>(term.right), part_of(term.left, depth + 1));
      case Kind::other:
        break;
    }
    Part part = part_of(term.left, depth + 1);
    return term.right == 0 ? part : applied("f", std::move(part), term.right, depth);
  }

  /// Of one operand, or of two if there is a second one.
  Part applied(const char* function, Part part, TermId second, int depth) {
    if (second != 0) part = joined(std::move(part), ", ", part_of(second, depth + 1));
    return {function + ("(" + part.text + ")"), std::move(part.elements)};
  }

  static Part of_function(Term::Function function, Part operand) {
    const auto named = [&](const char* name) {
      return Part{name + ("(" + operand.text + ")"), std::move(operand.elements)};
    };
    switch (function) {
      case Term::Function::absolute:
        return named("abs");
      case Term::Function::truncated:
        return named("int");
      case Term::Function::root:
        return named("sqrt");
      case Term::Function::half:
        return named("half");
      case Term::Function::negated:
        return {"-" + (operand.is_single ? operand.text : "(" + operand.text + ")"),
                std::move(operand.elements)};
      case Term::Function::other:
        break;
    }
    return named("f");
  }

  Part part_of_word(const vgpu::Terms::Word& word) const {
    const NamedElement element = names_.of_word(word);
    if (element.array == ElementNames::kNoArray && contains(vgpu::kUnwrittenWords, word.bits))
      return {std::string(kWithoutValue), {}};
    if (element.array == ElementNames::kNoArray) return {number_text(std::bit_cast<float>(word.bits)), {}};
    return {std::string(1, kPlaceholder), {element}};
  }

  static Part joined(Part left, const char* sign, Part right) {
    const auto wrapped = [](const Part& part) { return part.is_single ? part.text : "(" + part.text + ")"; };
    Part both{wrapped(left) + sign + wrapped(right), std::move(left.elements), false};
    both.elements.insert(both.elements.end(), right.elements.begin(), right.elements.end());
    // "a * b" is a term of a sum as it is.
    both.is_single = std::string_view(sign) == " * ";
    return both;
  }

  struct Signed {
    TermId term = 0;
    bool is_negative = false;
  };

  /// The terms of a sum of sums and differences, or of a minimum of minima.
  std::vector<Signed> flattened(TermId id) {
    const Kind kind = node(id).kind == Kind::difference ? Kind::sum : node(id).kind;
    std::vector<Signed> open{{id}}, flat;
    while (!open.empty() && !failed_) {
      const auto [next, is_negative] = open.back();
      open.pop_back();
      if (next == 0) continue;
      const Term& term = node(next);
      const bool is_difference = kind == Kind::sum && term.kind == Kind::difference;
      if (term.kind != kind && !is_difference) {
        flat.push_back({next, is_negative});
      } else {
        open.push_back({term.right, is_negative != is_difference});
        open.push_back({term.left, is_negative});
      }
      failed_ = flat.size() + open.size() > kMostTerms;
    }
    return flat;
  }

  Part row_of(TermId id, int depth) {
    const Kind kind = node(id).kind == Kind::difference ? Kind::sum : node(id).kind;
    std::vector<Part> parts;
    for (const auto [term, is_negative] : flattened(id)) {
      parts.push_back(part_of(term, depth + 1));
      if (is_negative) parts.back() = of_function(Term::Function::negated, std::move(parts.back()));
      if (failed_) return {};
    }
    // Two elements alone can be a term of another row: min(d[0][0] + d[0][5], …).
    if (parts.size() == 2 && kind == Kind::sum) return joined(parts[0], " + ", parts[1]);
    const std::string count = parts.size() > kShort ? fmt::format(" ({} terms)", parts.size()) : "";
    const std::string text = row_text(std::move(parts), kind == Kind::sum ? " + " : ", ");
    if (kind == Kind::sum) return {text + count, {}, false};
    return {(kind == Kind::minimum ? "min(" : "max(") + text + ")" + count, {}};
  }

  std::string resolved(const Part& part) const {
    std::string text;
    std::size_t next = 0;
    for (const char one : part.text)
      one == kPlaceholder ? text += names_.text(part.elements[next++]) : text += one;
    return text;
  }

  /// "a + b + … + z (26 terms)": rows of equal steps, the longest first seen.
  std::string row_text(std::vector<Part> parts, const char* sign) const {
    constexpr std::size_t kShown = 3;  ///< rows
    parts = counted(std::move(parts));
    std::string text;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : sign) + more; };
    const auto add_part = [&](const Part& part) {
      const std::string times = part.times == 1 ? "" : fmt::format("{} times ", part.times);
      add(part.times == 1 || part.is_single ? times + resolved(part) : times + "(" + resolved(part) + ")");
    };
    std::size_t first = 0;
    for (std::size_t rows = 0; first < parts.size() && (rows < kShown || parts.size() <= kShort); ++rows) {
      std::size_t end = first + 1;
      if (end < parts.size())
        if (const auto step = step_between(parts[first], parts[end]))
          while (end < parts.size() && step_between(parts[end - 1], parts[end]) == step) ++end;
      if (end - first <= kShort) {
        for (std::size_t i = first; i < end; ++i) add_part(parts[i]);
      } else {
        add_part(parts[first]);
        add_part(parts[first + 1]);
        add("…");
        add_part(parts[end - 1]);
      }
      first = end;
    }
    if (first < parts.size()) add("…");
    return text;
  }

  /// Sorted, and equal parts once.
  static std::vector<Part> counted(std::vector<Part> parts) {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& one, const Part& other) { return one.key() < other.key(); });
    std::vector<Part> different;
    for (Part& one : parts) {
      if (!different.empty() && different.back().key() == one.key())
        ++different.back().times;
      else
        different.push_back(std::move(one));
    }
    return different;
  }

  /// Without the operations: the elements alone.
  std::string ingredients_of(TermId id) {
    std::vector<TermId> open{id};
    std::set<TermId> seen;
    std::vector<Part> parts;
    while (!open.empty() && !failed_) {
      const TermId next = open.back();
      open.pop_back();
      if (next == 0 || !seen.insert(next).second) continue;
      const Term& term = node(next);
      if (term.kind == Kind::word) {
        Part part = part_of_word(terms_.words[term.left]);
        if (!part.elements.empty()) parts.push_back(std::move(part));
      } else if (term.kind != Kind::constant) {
        if (term.kind != Kind::function) open.push_back(term.right);
        open.push_back(term.left);
      }
      failed_ = seen.size() > kMostTerms;
    }
    return failed_ || parts.empty() ? "" : "a function of " + row_text(std::move(parts), ", ");
  }

  const vgpu::Terms& terms_;
  const ElementNames& names_;
  std::size_t budget_ = kMostTerms;
  bool failed_ = false;
};

}  // namespace

std::string expression_text(const vgpu::Terms& terms, TermId term, const ElementNames& names) {
  if (!terms.is_complete || term == 0 || term >= terms.nodes.size()) return "";
  return Writer(terms, names).text_of(term);
}

}  // namespace grader
