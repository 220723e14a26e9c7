// The facts about one run of one case.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "harness/conversation.hpp"
#include "harness/job.hpp"
#include "runner/changed_inputs.hpp"
#include "runner/gpu_record.hpp"
#include "sandbox/box.hpp"
#include "vgpu/cudart/device_side/server.hpp"

namespace grader {

struct CaseRun {
  enum class End {
    finished,  ///< the harness sent a complete answer
    no_entry,  ///< the shared object does not define the function
    crashed,   ///< `code` is the signal
    exited,    ///< exit status `code` before the answer was complete, or not 0 after it
    wall_limit,
    cpu_limit,
    memory_limit,
    output_limit,
    channel_broken,  ///< an invalid message on the channel or the device's socket; see `fault`
    grader_fault,
    stopped,  ///< by the stop flag, or because the other program of a pair left without an answer
  };
  End end = End::grader_fault;
  int code = 0;
  harness::Answer answer;
  vgpu::cudart::SessionReport session;  ///< virtual only
  /// Virtual only: for each output in device memory, the lines that stored its elements, as in
  /// Device::stored_by(); empty for outputs in host memory.
  std::vector<std::vector<vgpu::StoreLine>> stored_by;
  /// Of a run that follows terms: for each output, what its elements were computed from, as in
  /// Device::terms_of(); empty for outputs in host memory, see session.words.
  std::vector<std::vector<vgpu::TermId>> computed_from;
  std::shared_ptr<const vgpu::Terms> terms;  ///< null: not followed
  std::vector<ChangedInput> changed_inputs;
  std::string printed;  ///< what the program printed, capped; shown to the student only
  /// Virtual: modelled time of kernels, copies within the device and fills, summed in the grader; cuda:
  /// answer.seconds.
  double seconds = 0;
  std::vector<harness::TurnRecord> turns;  ///< only if the job takes turns
  std::optional<GpuRecord> gpu;            ///< of a timed run on a real GPU, if NVML is installed
  std::string fault;                       ///< grader_fault, channel_broken: what happened
  std::string forged;  ///< virtual only: how the answer differs from device memory; empty: no difference
};

/// Sets how a run ended. If several ends apply, the first in this order is chosen: grader_fault; stopped;
/// channel_broken; a limit; crashed or exited; no_entry; finished. The caller sets `run.session` before the
/// call: its protocol error counts as channel_broken.
/// The answer and the records are taken from the conversation.
void name_end(CaseRun& run, const Expected<BoxResult, Diagnostic>& box, harness::Conversation& talk);

}  // namespace grader
