#include "judge/computed_from.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/no_pattern.hpp"
#include "harness/elements.hpp"
#include "judge/expression.hpp"
#include "judge/patterns.hpp"

namespace grader {
namespace {

constexpr std::uint64_t kWordBytes = sizeof(std::uint32_t);

/// Finds the elements of the last call's arrays: by address if they are on the device; otherwise by value,
/// since a program can copy an array to any place on the device, with padding, or a part of it.
class Arrays {
 public:
  Arrays(const harness::Job& job, const CaseRun& run) {
    const auto& inputs = run.answer.inputs;
    for (std::size_t i = 0; i < job.inputs.size(); ++i) {
      const harness::Input& input = job.inputs[i];
      // The last call's inputs are the last ones.
      const std::size_t at = inputs.size() - job.inputs.size() + i;
      const std::uint64_t address = at < inputs.size() ? inputs[at].address : 0;
      add(input.name, input.shape, address);
      if (address == 0) add_values(harness::encoded(input.values, input.element));
    }
    for (std::size_t i = 0; i < job.outputs.size(); ++i) {
      const auto& addresses = run.answer.addresses;
      add("the old " + job.outputs[i].name, job.outputs[i].shape, i < addresses.size() ? addresses[i] : 0);
    }
  }

  NamedElement element_of(const vgpu::Terms::Word& word) const {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const std::uint64_t offset = word.address - arrays_[i].address;
      if (arrays_[i].address != 0 && offset / kWordBytes < element_count(arrays_[i].shape))
        return {i, offset / kWordBytes};
    }
    const auto known = by_value_.find(word.bits);
    return known == by_value_.end() || !known->second ? NamedElement{ElementNames::kNoArray} : *known->second;
  }
  std::string text(const NamedElement& element) const {
    const auto& [name, shape, address] = arrays_[element.array];
    return element_name(name, shape, element.index);
  }

 private:
  struct Named {
    std::string name;
    Shape shape;
    std::uint64_t address = 0;  ///< 0: in host memory
  };

  void add(std::string name, const Shape& shape, std::uint64_t address) {
    arrays_.push_back({std::move(name), shape, address});
  }
  void add_values(const harness::Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto [known, is_new] = by_value_.try_emplace(words[i], NamedElement{arrays_.size() - 1, i});
      if (!is_new) known->second.reset();
    }
  }

  std::vector<Named> arrays_;
  /// Elements in host memory; nullopt: several have this value.
  std::unordered_map<std::uint32_t, std::optional<NamedElement>> by_value_;
};

/// Where in `all` the output is as a whole; nullopt: nowhere, or there are many places to try, as among
/// zeros.
std::optional<std::size_t> place_of(const harness::Words& values, std::size_t element,
                                    const std::vector<std::uint32_t>& all) {
  constexpr int kMostTries = 64;
  int tries = 0;
  for (std::size_t at = all.size(); at-- > element && tries < kMostTries;) {
    const std::size_t start = at - element;
    if (all[at] != values[element] || values.size() > all.size() - start) continue;
    ++tries;
    if (std::equal(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(start)))
      return start;
  }
  return std::nullopt;
}

/// Of an output in host memory. If it came back as a whole, its elements are known by their place among the
/// words that came back; otherwise by their value. 0: several words, or none, have it.
vgpu::TermId term_of_host(const vgpu::cudart::TransferredWords& words, const harness::Words& values,
                          std::size_t element) {
  const auto& all = words.to_host;
  if (words.terms.size() != all.size()) return 0;
  if (const auto start = place_of(values, element, all)) return words.terms[*start + element];
  const auto first = std::find(all.begin(), all.end(), values[element]);
  if (first == all.end() || std::find(first + 1, all.end(), values[element]) != all.end()) return 0;
  return words.terms[static_cast<std::size_t>(first - all.begin())];
}

vgpu::TermId term_of(const CaseRun& run, const harness::Job& job, std::size_t output, std::size_t element) {
  if (output < run.computed_from.size() && element < run.computed_from[output].size())
    return run.computed_from[output][element];
  const Array& values = run.answer.outputs[output];
  return term_of_host(run.session.words, harness::encoded(values.values, job.outputs[output].element),
                      element);
}

/// The output's element that the diagnostic quotes first.
std::optional<std::size_t> quoted_element(const Diagnostic& diagnostic, const harness::OutputSpec& output) {
  const std::size_t count = element_count(output.shape);
  for (std::size_t i = 0; i < count; ++i)
    if (diagnostic.first.starts_with(element_name(output.name, output.shape, i) + " is ")) return i;
  return std::nullopt;
}

/// The elements of an array in "in[0] + in[1] + … + in[4091] + in[8192] (4093 terms)", or in "max(in[0],
/// in[1], …, in[4091]) (4092 terms)".
struct RowOfElements {
  const char* what = "sum";
  std::size_t terms = 0, first = 0, last = 0;
};

/// Removes "max(" and ")" from the text of a maximum.
const char* take_row_kind(std::string_view& text) {
  for (const auto& [begin, what] : {std::pair("max(", "maximum"), std::pair("min(", "minimum")})
    if (text.starts_with(begin) && text.ends_with(")")) {
      text = text.substr(4, text.size() - 5);
      return what;
    }
  return "sum";
}

/// nullopt: the text is not a row of single elements of this array, in ascending order.
std::optional<RowOfElements> row_of_elements(std::string_view text, const std::string& array) {
  constexpr std::string_view kTerms = " terms)";
  RowOfElements row;
  if (const std::size_t count = text.rfind(" ("); text.ends_with(kTerms) && count != std::string_view::npos) {
    std::from_chars(text.data() + count + 2, text.data() + text.size(), row.terms);
    text = text.substr(0, count);
  }
  row.what = take_row_kind(text);
  const std::string_view separator = row.what == std::string_view("sum") ? " + " : ", ";
  std::size_t listed = 0;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + separator.size()));
    if (part == "…") continue;
    std::size_t index = 0;
    if (!part.starts_with(array + "[")) return std::nullopt;
    const char* const end = part.data() + part.size();
    const auto parsed = std::from_chars(part.data() + array.size() + 1, end, index);
    if (parsed.ec != std::errc() || std::string_view(parsed.ptr, end) != "]") return std::nullopt;
    if (listed > 0 && index <= row.last) return std::nullopt;
    if (listed++ == 0) row.first = index;
    row.last = index;
  }
  if (row.terms == 0) row.terms = listed;
  return listed == 0 ? std::nullopt : std::optional(row);
}

/// Why a sum or maximum of all elements lacks some: the likely cause and the next step.
std::pair<std::string, const char*> cause_of_left_out(const RowOfElements& row, std::size_t all,
                                                      const std::string& array) {
  const bool is_one_run = row.last - row.first + 1 == row.terms;
  if (is_one_run && row.first == 0)
    return {
        fmt::format("the {} lacks the last elements of `{}`: those after the last complete group are left "
                    "out, where loads of several elements end, the number of blocks is rounded down, or a "
                    "second kernel takes too few partial results",
                    row.what, array),
        "add the last elements as well: round numbers of groups up, with a guard at the end"};
  if (is_one_run && row.last + 1 == all)
    return {fmt::format("the {} lacks the first elements of `{}`: an index begins after 0, or the thread or "
                        "block with the number 0 does nothing",
                        row.what, array),
            "begin with element 0"};
  return {fmt::format("the {} lacks groups of elements of `{}`: a second level takes only as many partial "
                      "results as its block has threads, the step of a loop is too large, or a part of the "
                      "threads does nothing",
                      row.what, array),
          "compare the missing elements with the blocks that load them; let each thread of a second level "
          "walk over all partial results, in steps of its block"};
}

/// As many elements as a launch before the last one had blocks, from the first on: the last one took the
/// input for their results.
bool is_of_input(const RowOfElements& row, const vgpu::cudart::SessionReport& session) {
  const auto& launches = session.launches;
  return row.first == 0 && row.last + 1 == row.terms && launches.size() > 1 &&
         std::any_of(launches.begin(), launches.end() - 1, [&](const vgpu::LaunchRecord& launch) {
           return launch.grid.count() == row.terms && launch.grid.count() > 1;
         });
}

/// A sum or maximum of all elements lacks some.
void name_left_out(const std::string& text, const harness::Job& job, const CaseRun& run, Diagnostic& wrong) {
  for (const harness::Input& input : job.inputs) {
    const auto row = row_of_elements(text, input.name);
    const std::size_t all = element_count(input.shape);
    if (input.shape.size() != 1 || !row || row->terms >= all) continue;
    wrong.code = "WG-V08";
    wrong.what = fmt::format("`{}` is the {} of a part of the elements", job.outputs.front().name, row->what);
    wrong.first += fmt::format(" of the {} elements", all);
    std::tie(wrong.likely_cause, wrong.next_step) = cause_of_left_out(*row, all, input.name);
    if (!is_of_input(*row, run.session)) continue;
    wrong.likely_cause = fmt::format(
        "the second level reads `{}` instead of the partial results: these are as many of its elements "
        "as the first level has blocks",
        input.name);
    wrong.next_step = "pass the array of partial results to the second launch";
  }
}

/// 32 in "32 times in[511] (32 terms)"; 0: it is another text.
std::size_t times_of_one(std::string_view text) {
  constexpr std::string_view kTimes = " times ";
  std::size_t times = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), times);
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return text.starts_with(kTimes) && text.find(" + ") == std::string_view::npos ? times : 0;
}

/// The element is a word that no kernel has computed.
void name_uncomputed(Diagnostic& wrong) {
  if (!has_no_pattern(wrong) || suspects_earlier_calls(wrong)) return;
  if (wrong.first.find("stored by this line") != std::string::npos) {
    wrong.likely_cause =
        "this line stores an element as it was loaded: the index of the load, or of an array in shared "
        "memory "
        "on the way, names another element; or what was computed is not what the line stores";
    wrong.next_step =
        "for a thread and its neighbour, follow the element from the load to this line: which place does "
        "each "
        "index name?";
    return;
  }
  wrong.likely_cause =
      "no kernel has computed this value, which came from the host: no thread stores the element, because "
      "several blocks or threads store others twice or a guard is too strict, or a kernel stores what it "
      "has loaded";
  wrong.next_step =
      "work out which block and thread store this element: the row and the column need the block, its width, "
      "and the thread";
}

// Each of these explains a wrong element by the text of its terms, and returns whether it could.

bool name_missing_value(const std::string& text, Diagnostic& wrong) {
  const bool can_follow = has_no_pattern(wrong) || wrong.code == "WG-V03";
  if (!can_follow || text.find(kWithoutValue) == std::string::npos) return false;
  wrong.likely_cause =
      "memory is used that has no value yet: neither host code nor a kernel has written it, as an output "
      "that is read before it is stored, or a copy to it is too small (memcpy and cudaMemcpy count bytes)";
  wrong.next_step =
      "write all of it in each call before it is read: a counter begins with 0, a copy has the number of "
      "elements times sizeof(float) bytes";
  return true;
}

bool name_half_precision(const std::string& text, Diagnostic& wrong) {
  const bool can_follow = has_no_pattern(wrong) || wrong.code == "WG-V03";
  if (!can_follow || text.find("half(") == std::string::npos) return false;
  wrong.code = "WG-V06";
  wrong.likely_cause =
      "values are rounded to 16 bits on the way (half(…) in these terms), which keep three decimal digits, "
      "and can be too small or too large for them";
  wrong.next_step = "keep inputs, tiles and sums in float";
  return true;
}

bool name_infinite_term(const std::string& text, Diagnostic& wrong) {
  if (wrong.code != "WG-V03" || text.find("infinity") == std::string::npos) return false;
  wrong.likely_cause =
      "one of these terms is infinity, and no element of the inputs: a number was too large for its type on "
      "the way (16-bit floats end at 65,504), or was divided by 0, or the program itself stored "
      "infinity there, as padding";
  wrong.next_step = "keep numbers in float, and look where the infinity comes from";
  return true;
}

bool name_repeated_element(const std::string& text, Diagnostic& wrong) {
  const std::size_t times = has_no_pattern(wrong) ? times_of_one(text) : 0;
  if (times <= 1) return false;
  wrong.likely_cause = fmt::format(
      "one element is added {} times: a shuffle returns a lane's own value where no lane is so far above or "
      "below it, so that only one lane has the whole sum; or an index is the same for all of them",
      times);
  wrong.next_step =
      "after __shfl_down_sync, lane 0 has the sum; after __shfl_xor_sync, each lane has; else compare the "
      "index with the loop's variable and the thread";
  return true;
}

void point_at_terms(Diagnostic& wrong) {
  if (!has_no_pattern(wrong) || suspects_earlier_calls(wrong)) return;
  wrong.next_step =
      "compare these terms with the definition on the lab's page: which are missing, too many, or have a "
      "wrong index?";
}

void add_terms(const std::string& text, const harness::Job& job, const CaseRun& run, Diagnostic& wrong) {
  if (text.empty()) return;
  wrong.first += "; computed as " + text;
  const bool is_explained = name_missing_value(text, wrong) || name_half_precision(text, wrong) ||
                            name_infinite_term(text, wrong) || name_repeated_element(text, wrong);
  if (!is_explained) point_at_terms(wrong);
  const bool is_one = job.outputs.size() == 1 && element_count(job.outputs.front().shape) == 1;
  // That a maximum is another element, or that loads are missing, says less.
  const bool says_less = has_no_pattern(wrong) || wrong.likely_cause.starts_with("kernels load only") ||
                         text.starts_with("max(") || text.starts_with("min(");
  if (is_one && says_less && !suspects_earlier_calls(wrong)) name_left_out(text, job, run, wrong);
}

}  // namespace

void name_terms(std::vector<Diagnostic>& diagnostics, const harness::Job& job, const CaseRun& run) {
  if (run.terms == nullptr || run.answer.outputs.size() != job.outputs.size()) return;
  const Arrays arrays(job, run);
  const ElementNames names{[&](const vgpu::Terms::Word& word) { return arrays.element_of(word); },
                           [&](const NamedElement& element) { return arrays.text(element); }};
  for (Diagnostic& one : diagnostics) {
    if (!one.code.starts_with("WG-V")) continue;
    for (std::size_t output = 0; output < job.outputs.size(); ++output) {
      const auto element = quoted_element(one, job.outputs[output]);
      if (!element) continue;
      const vgpu::TermId term = term_of(run, job, output, *element);
      const bool is_word = term != 0 && run.terms->nodes[term].kind == vgpu::Term::Kind::word;
      if (is_word && element_count(job.outputs[output].shape) > 1) name_uncomputed(one);
      add_terms(expression_text(*run.terms, term, names), job, run, one);
      break;
    }
  }
}

}  // namespace grader
