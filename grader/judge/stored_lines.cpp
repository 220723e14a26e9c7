#include "judge/stored_lines.hpp"

#include <algorithm>
#include <bit>

#include "harness/elements.hpp"
#include "judge/source_hints.hpp"
#include "judge/wording.hpp"

namespace grader {

StoredLines::StoredLines(const CaseRun& run, const harness::Job& job, std::size_t output,
                         const SourceText& source)
    : run_(run),
      job_(job),
      source_(source),
      is_on_device_(job.outputs[output].place == harness::Place::device) {
  if (is_on_device_) {
    if (output < run.stored_by.size()) by_element_ = run.stored_by[output];
    return;
  }
  words_ = harness::encoded(run.answer.outputs[output].values, job.outputs[output].element);
  const vgpu::cudart::TransferredWords& words = run.session.words;
  std::set<std::uint32_t> not_stored;
  for (std::size_t i = 0; i < words.stored_by.size(); ++i)
    if (harness::is_poison(std::bit_cast<float>(words.to_host[i])))
      (words.stored_by[i] == 0 ? not_stored : stored_poison_).insert(words.to_host[i]);
  for (const std::uint32_t word : not_stored) stored_poison_.erase(word);
}

/// 0: not a line of the student's file.
std::uint32_t StoredLines::own_line(vgpu::StoreLine number) const {
  if (number == 0 || number > run_.session.store_lines.size()) return 0;
  const auto& [file, line] = run_.session.store_lines[number - 1];
  return file.substr(file.rfind('/') + 1) == source_.name ? line : 0;  // npos + 1 is 0
}

/// 0: unknown, or different stores gave the value.
std::uint32_t StoredLines::line_of(std::size_t element) const {
  if (is_on_device_) return element < by_element_.size() ? own_line(by_element_[element]) : 0;
  const vgpu::cudart::TransferredWords& words = run_.session.words;
  std::optional<vgpu::StoreLine> only;
  for (std::size_t i = 0; i < words.stored_by.size(); ++i) {
    if (words.to_host[i] != words_[element]) continue;
    if (only && *only != words.stored_by[i]) return 0;
    only = words.stored_by[i];
  }
  return only && words.is_complete ? own_line(*only) : 0;
}

/// 0: no kernel stored anything.
std::uint32_t StoredLines::most_frequent_line() const {
  std::map<std::uint32_t, std::size_t> counts;
  for (const vgpu::StoreLine number : is_on_device_ ? by_element_ : run_.session.words.stored_by)
    if (const std::uint32_t line = own_line(number); line != 0) ++counts[line];
  const auto most = std::max_element(counts.begin(), counts.end(), [](const auto& one, const auto& other) {
    return one.second < other.second;
  });
  return most == counts.end() ? 0 : most->first;
}

bool StoredLines::name(Diagnostic& diagnostic, std::uint32_t line, const char* role) const {
  if (line == 0) return false;
  locate(diagnostic, source_.name, line, source_);
  diagnostic.first += std::string("; ") + role;
  return true;
}

void StoredLines::name_store(Diagnostic& diagnostic, std::size_t element) const {
  if (!name(diagnostic, line_of(element), "stored by this line") && is_on_device_)
    name_other_store(diagnostic);
}

void StoredLines::name_other_store(Diagnostic& diagnostic) const {
  const vgpu::cudart::DeviceCopies& copies = run_.session.device_copies;
  name(diagnostic, most_frequent_line(),
       copies.copies + copies.fills > 0
           ? "this line stores other elements; this one was changed last by a copy or a fill, or by nothing"
           : "this line stores other elements, not this one");
}

void StoredLines::name_launch(Diagnostic& diagnostic) const {
  const auto& launches = run_.session.launches;
  if (!launches.empty())
    name(diagnostic, launch_of(source_, kernel_name(launches.back().kernel), job_.entry).value_or(0),
         "launched by this line");
}

bool StoredLines::nothing_came_back() const {
  const vgpu::cudart::TransferredWords& words = run_.session.words;
  return !run_.session.store_lines.empty() && words.is_complete &&
         std::all_of(words.stored_by.begin(), words.stored_by.end(),
                     [](vgpu::StoreLine number) { return number == 0; });
}

bool StoredLines::has_no_copies() const {
  return run_.session.traffic.to_host == 0 && run_.session.traffic.written_to_host == 0;
}

void StoredLines::name_copy(Diagnostic& diagnostic) const {
  name(diagnostic, only_use(source_, "cudaMemcpyDeviceToHost").value_or(0), "this line copies to the host");
}

}  // namespace grader
