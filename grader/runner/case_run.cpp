#include "runner/case_run.hpp"

#include <algorithm>

namespace grader {
namespace {

using End = CaseRun::End;
using State = harness::Conversation::State;

/// The run's end as the box reports it, for a program that kept the channel's protocol.
End end_of(const BoxResult& box, State state) {
  switch (box.end) {
    case BoxResult::End::stopped:
      return End::stopped;
    case BoxResult::End::memory_limit:
      return End::memory_limit;
    case BoxResult::End::output_limit:
      return End::output_limit;
    case BoxResult::End::cpu_limit:
      return End::cpu_limit;
    case BoxResult::End::wall_limit:
      return state == State::ready ? End::stopped : End::wall_limit;  // the program waited for the other one
    case BoxResult::End::signalled:
      return End::crashed;
    case BoxResult::End::exited:
      break;
  }
  if (box.code == 0 && state == State::answered) return End::finished;
  if (box.code == 0 && state == State::no_entry) return End::no_entry;
  return End::exited;
}

}  // namespace

void name_end(CaseRun& run, const Expected<BoxResult, Diagnostic>& box, const harness::Conversation& talk) {
  if (!box) {
    run.end = End::grader_fault;
    run.fault = box.error().what;
    return;
  }
  run.code = box->code;
  run.printed = box->output;
  run.answer = talk.answer();
  run.turns = talk.records();
  run.end = talk.is_abandoned() ? End::stopped : end_of(*box, talk.state());
  if (run.end == End::stopped) return;
  if (talk.state() != State::broken && run.session.protocol_error.empty()) return;
  run.end = End::channel_broken;
  run.fault = talk.state() == State::broken ? talk.problem() : run.session.protocol_error;
}

}  // namespace grader
