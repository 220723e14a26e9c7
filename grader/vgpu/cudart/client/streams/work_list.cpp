// Performs the work of graphs. Steps without an order between them are performed in different streams of the
// device, so that they overlap in modelled time and races between them are found.

#include <optional>

#include "vgpu/cudart/client/streams/host_functions.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"
#include "vgpu/cudart/client/streams/work.hpp"

namespace vgpu::cudart::client {
namespace {

Outcome mark(Runtime& runtime, MarkKind kind, std::uint32_t stream, std::uint64_t event = 0) {
  return outcome_of(runtime.ask(Mark{kind, stream, event}));
}

/// One launch of a list. Branch 0 is the stream of the launch.
class Launched {
 public:
  Launched(Runtime& runtime, const WorkList& list, std::uint32_t stream)
      : runtime_(runtime), list_(list), last_(last_steps(list.placements)), events_(list.steps.size()) {
    streams_.push_back(stream);
  }
  ~Launched() {
    for (const auto& event : events_)
      if (event) mark(runtime_, MarkKind::event_destroy, 0, *event);
    if (begin_) mark(runtime_, MarkKind::event_destroy, 0, *begin_);
  }
  Launched(const Launched&) = delete;
  Launched& operator=(const Launched&) = delete;

  Outcome perform_all() {
    if (last_.size() > 1) begin_ = new_event_number();
    Outcome outcome = begin_ ? mark(runtime_, MarkKind::event_record, streams_[0], *begin_) : Outcome();
    for (std::size_t step = 0; step < list_.steps.size() && outcome.error == cudaSuccess; ++step) {
      if (runtime_.has_pending_fault()) return {};  // skip the work after a kernel that faulted
      outcome = perform_step(step);
    }
    for (std::size_t branch = 1; branch < last_.size() && outcome.error == cudaSuccess; ++branch)
      outcome = mark(runtime_, MarkKind::event_wait, streams_[0], *events_[last_[branch]]);
    return outcome;
  }

 private:
  Outcome perform_step(std::size_t step) {
    const Placement& placement = list_.placements[step];
    Outcome outcome = enter(placement.branch);
    const std::uint32_t stream = streams_[placement.branch];
    for (const std::size_t other : placement.awaited)
      if (outcome.error == cudaSuccess)
        outcome = mark(runtime_, MarkKind::event_wait, stream, *events_[other]);
    if (outcome.error != cudaSuccess) return outcome;
    run_host_functions(runtime_);  // steps that follow those of other branches are known to the device only
    const auto* inner = std::get_if<GraphWork>(&list_.steps[step]);
    outcome = inner ? Launched(runtime_, *inner->list, stream).perform_all()
                    : perform(runtime_, list_.steps[step], stream);
    const bool is_end = placement.branch > 0 && last_[placement.branch] == step;
    if (outcome.error != cudaSuccess || (!placement.is_awaited && !is_end)) return outcome;
    events_[step] = new_event_number();
    return mark(runtime_, MarkKind::event_record, stream, *events_[step]);
  }

  /// Makes a new branch follow the work before the graph.
  Outcome enter(unsigned branch) {
    if (branch < streams_.size()) return {};
    const auto stream = branch_stream(runtime_, streams_[0], branch);
    if (!stream) return stream.error();
    streams_.push_back(*stream);
    return mark(runtime_, MarkKind::event_wait, *stream, *begin_);
  }

  Runtime& runtime_;
  const WorkList& list_;
  const std::vector<std::size_t> last_;
  std::vector<std::optional<std::uint64_t>> events_;  ///< recorded after the steps that others wait for
  std::optional<std::uint64_t> begin_;
  std::vector<std::uint32_t> streams_;
};

}  // namespace

Outcome perform_graph(Runtime& runtime, const WorkList& list, std::uint32_t stream) {
  Outcome problem = mark(runtime, MarkKind::graph_begin, stream);
  if (problem.error != cudaSuccess) return problem;
  Outcome outcome = Launched(runtime, list, stream).perform_all();
  problem = mark(runtime, MarkKind::graph_end, stream);
  return outcome.error != cudaSuccess ? outcome : problem;
}

}  // namespace vgpu::cudart::client
