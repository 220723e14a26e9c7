#include "runner/case_run.hpp"

#include <algorithm>

namespace grader {
namespace {

using RunEnd = CaseRun::End;
using State = harness::Conversation::State;

/// The run's end as the box reports it, for a program that kept the channel's protocol.
RunEnd end_of(const BoxResult& box, State state) {
  switch (box.end) {
    case BoxResult::End::stopped:
      return RunEnd::stopped;
    case BoxResult::End::memory_limit:
      return RunEnd::memory_limit;
    case BoxResult::End::output_limit:
      return RunEnd::output_limit;
    case BoxResult::End::cpu_limit:
      return RunEnd::cpu_limit;
    case BoxResult::End::wall_limit:
      return state == State::ready ? RunEnd::stopped
                                   : RunEnd::wall_limit;  // the program waited for the other one
    case BoxResult::End::signalled:
      return RunEnd::crashed;
    case BoxResult::End::exited:
      break;
  }
  if (box.code == 0 && state == State::answered) return RunEnd::finished;
  if (box.code == 0 && state == State::no_entry) return RunEnd::no_entry;
  return RunEnd::exited;
}

}  // namespace

void name_end(CaseRun& run, const Expected<BoxResult, Diagnostic>& box, harness::Conversation& talk) {
  if (!box) {
    run.end = RunEnd::grader_fault;
    run.fault = box.error().what;
    return;
  }
  run.code = box->code;
  run.printed = box->output;
  run.answer = talk.take_answer();
  run.turns = talk.take_records();
  run.end = talk.is_abandoned() ? RunEnd::stopped : end_of(*box, talk.state());
  if (run.end == RunEnd::stopped) return;
  if (talk.state() != State::broken && run.session.protocol_error.empty()) return;
  run.end = RunEnd::channel_broken;
  run.fault = talk.state() == State::broken ? talk.problem() : run.session.protocol_error;
}

}  // namespace grader
