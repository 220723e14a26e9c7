// The facts of one run of one case.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "harness/conversation.hpp"
#include "harness/job.hpp"
#include "sandbox/box.hpp"
#include "vgpu/cudart/device_side/server.hpp"

namespace grader {

struct CaseRun {
  enum class End {
    finished,  ///< the harness sent a complete answer
    no_entry,  ///< the shared object lacks the function
    crashed,   ///< `code` is the signal
    exited,    ///< left with `code` before the answer was complete, or with another than 0 after it
    wall_limit,
    cpu_limit,
    memory_limit,
    output_limit,
    channel_broken,  ///< the channel or the device's socket carried something that is no message; see `fault`
    grader_fault,
    stopped,  ///< by the stop flag, or because the program it took turns with left without an answer
  };
  End end = End::grader_fault;
  int code = 0;
  harness::Answer answer;
  vgpu::cudart::SessionReport session;  ///< virtual only
  std::string printed;                  ///< what the program printed, capped, for the student's eyes only
  double seconds = 0;  ///< virtual: modelled kernel time, summed in the grader; cuda: answer.seconds
  std::vector<harness::TurnRecord> turns;  ///< of a job that takes turns
  std::string fault;                       ///< grader_fault, channel_broken: what happened
  std::string
      forged;  ///< virtual only: how the answer differs from what the device holds; empty: it does not
};

/// Names how a run ended. When several hold: grader_fault; stopped; channel_broken; a limit; crashed or
/// exited; no_entry; finished. The session is the caller's to add (before: a protocol error counts as
/// channel_broken).
void name_end(CaseRun& run, const Expected<BoxResult, Diagnostic>& box, const harness::Conversation& talk);

}  // namespace grader
