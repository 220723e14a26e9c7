#include "judge/computed_from.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>

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

/// How many elements of the array are in "in[0] + in[1] + … + in[4091] (4092 terms)"; 0: it is no such sum.
std::size_t first_elements_in(const std::string& text, const std::string& array) {
  const std::string begin = fmt::format("{0}[0] + {0}[1] + … + {0}[", array);
  if (!text.starts_with(begin)) return 0;
  std::size_t last = 0;
  std::from_chars(text.data() + begin.size(), text.data() + text.size(), last);
  return text.substr(begin.size()) == fmt::format("{}] ({} terms)", last, last + 1) ? last + 1 : 0;
}

/// A sum of all elements lacks the last ones.
void name_left_out(const std::string& text, const harness::Job& job, Diagnostic& wrong) {
  for (const harness::Input& input : job.inputs) {
    const std::size_t terms = first_elements_in(text, input.name), all = element_count(input.shape);
    if (input.shape.size() != 1 || terms == 0 || terms >= all) continue;
    wrong.code = "WG-V08";
    wrong.what = fmt::format("`{}` is the sum of a part of the elements", job.outputs.front().name);
    wrong.first += fmt::format(" of the {} elements", all);
    wrong.likely_cause = fmt::format(
        "the sum lacks the last elements of `{}`: those after the last complete group are left out, where "
        "loads of several elements end, the number of blocks is rounded down, or a second kernel takes too "
        "few partial sums",
        input.name);
    wrong.next_step = "add the last elements as well: round numbers of groups up, with a guard at the end";
  }
}

void add_terms(const std::string& text, const harness::Job& job, Diagnostic& wrong) {
  if (text.empty()) return;
  wrong.first += "; computed as " + text;
  if ((has_no_pattern(wrong) || wrong.code == "WG-V03") && text.find(kWithoutValue) != std::string::npos) {
    wrong.likely_cause =
        "memory is used that has no value yet: neither host code nor a kernel has written it, as an output "
        "that is read before it is stored, or a copy to it is too small (memcpy and cudaMemcpy count bytes)";
    wrong.next_step =
        "write all of it in each call before it is read: a counter begins with 0, a copy has the number of "
        "elements times sizeof(float) bytes";
  } else if (has_no_pattern(wrong) && !suspects_earlier_calls(wrong)) {
    wrong.next_step =
        "compare these terms with the definition on the lab's page: which are missing, too many, or have a "
        "wrong index?";
    if (job.outputs.size() == 1 && element_count(job.outputs.front().shape) == 1)
      name_left_out(text, job, wrong);
  }
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
      add_terms(expression_text(*run.terms, term_of(run, job, output, *element), names), job, one);
      break;
    }
  }
}

}  // namespace grader
