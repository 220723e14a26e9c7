#include "judge/useful_work.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "harness/elements.hpp"
#include "judge/arrays.hpp"
#include "judge/word_runs.hpp"

namespace grader {
namespace {

using harness::Words;
using vgpu::cudart::FlowStep;
using Steps = std::vector<FlowStep>;

/// The words of the inputs or of the result. Each can be taken once, so that what is copied twice counts
/// once.
class WordPool {
 public:
  explicit WordPool(Words all) : words_(std::move(all)), first_(words_.words().size()), left_(first_.size()) {
    const PlacedWord* first = nullptr;
    for (const PlacedWord& one : words_.index()) {
      if (first == nullptr || first->word != one.word) first = &one;
      first_[one.place] = first->place;
      ++left_[first->place];
    }
  }
  enum class Taken { yes, again, unknown };  ///< again: all words with this value were taken before
  /// Quick where the words are in the order of the pool.
  Taken take(std::uint32_t word) {
    if (next_ == first_.size() || words_.words()[next_] != word) {
      const auto found = words_.first(word);
      if (!found) return Taken::unknown;
      next_ = *found;
    }
    std::uint32_t& left = left_[first_[next_++]];
    if (left == 0) return Taken::again;
    --left;
    return Taken::yes;
  }

 private:
  IndexedWords words_;
  std::vector<std::uint32_t> first_;  ///< by place: where its word occurs first
  std::vector<std::uint32_t> left_;   ///< by first place: words that were not taken yet
  std::size_t next_ = 0;              ///< the place after the last one that was taken
};

void append(Words& all, const std::vector<float>& values, harness::Element element) {
  const Words words = harness::encoded(values, element);
  all.insert(all.end(), words.begin(), words.end());
}

Words words_of_inputs(const harness::Job& job) {
  Words all;
  for (const harness::Input& one : job.inputs) append(all, one.values, one.element);
  for (const harness::EarlierCall& call : job.earlier)
    for (const harness::Input& one : call.inputs) append(all, one.values, one.element);
  return all;
}

Words words_of_result(const CaseRun& run, const harness::Job& job) {
  Words all;
  for (std::size_t i = 0; i < job.outputs.size(); ++i)
    append(all, run.answer.outputs.at(i).values, job.outputs[i].element);
  return all;
}

/// Most of the words that it brought to the device are inputs that other copies had brought before.
bool repeats_inputs(const FlowStep& step, const Words& to_device, WordPool& inputs) {
  std::size_t taken = 0, again = 0;
  const std::size_t end = std::min(step.end_sent, to_device.size());
  for (std::size_t i = step.first_sent; i < end; ++i) {
    const WordPool::Taken one = inputs.take(to_device[i]);
    taken += one == WordPool::Taken::yes ? 1 : 0;
    again += one == WordPool::Taken::again ? 1 : 0;
  }
  return again > taken;
}

/// At least half of the words that it brought to the host are a part of the result.
bool delivers(const FlowStep& step, const Words& to_host, WordPool& result) {
  std::size_t taken = 0;
  const std::size_t end = std::min(step.end_word, to_host.size());
  for (std::size_t i = step.first_word; i < end; ++i)
    taken += result.take(to_host[i]) == WordPool::Taken::yes ? 1 : 0;
  return taken > 0 && 2 * taken >= end - step.first_word;
}

std::vector<bool> that_use_inputs(const Steps& steps) {
  std::vector<bool> use(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    use[i] = steps[i].reads_host || std::any_of(steps[i].sources.begin(), steps[i].sources.end(),
                                                [&](std::uint32_t source) { return use[source]; });
  return use;
}

std::vector<bool> that_lead_to_result(const Steps& steps, const Words& to_host, WordPool result) {
  std::vector<bool> lead(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) lead[i] = delivers(steps[i], to_host, result);
  for (std::size_t i = steps.size(); i-- > 0;)
    if (lead[i])
      for (const std::uint32_t source : steps[i].sources) lead[source] = true;
  return lead;
}

}  // namespace

void mark_useful_work(CaseRun& run, const harness::Job& job) {
  if (!is_on_host(job)) return;
  const Steps& steps = run.session.work_flow.steps;
  const std::vector<bool> use_inputs = that_use_inputs(steps);
  const std::vector<bool> lead =
      that_lead_to_result(steps, run.session.words.to_host, WordPool(words_of_result(run, job)));
  WordPool inputs(words_of_inputs(job));
  std::set<vgpu::OperationId> useful;
  for (std::size_t i = 0; i < steps.size(); ++i)
    // A kernel that hides what it accesses gains nothing.
    if (use_inputs[i] && lead[i] && !steps[i].is_hidden &&
        !repeats_inputs(steps[i], run.session.words.to_device.words, inputs))
      useful.insert(steps[i].operation);
  for (vgpu::TimedOperation& one : run.session.timeline) one.is_useful = useful.contains(one.id);
}

}  // namespace grader
