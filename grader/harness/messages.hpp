// The messages in the frames on the channel. The grader sends a job; the harness answers with its outputs or
// "no entry"; after the answer to a job that is not the last one, the grader sends the next job. If the job
// takes turns, the harness first sends "ready", and the grader requests each step:
//
//   prepare (with the inputs' rotation) → ready      inputs written, outputs poisoned, caches cold
//   call                                → called     the device has finished; time by its events
//   show                                → shown      the call's outputs
//   finish                              → answer     the outputs of the last call
//   leave                               → left       in place of finish: no outputs
//
// So the grader's own clock measures only the call. A harness that gets an error sends it as the answer.
//
// read_reply() reads bytes that a hostile program can have written: it accepts only replies that fit the job.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/expected.hpp"
#include "harness/frame.hpp"
#include "harness/job.hpp"

namespace grader::harness {

struct Request {
  enum class Kind { prepare, call, show, finish, leave };
  Kind kind = Kind::finish;
  std::uint64_t rotation = 0;  ///< prepare
};

struct Ready {};
struct Called {
  double seconds = 0;  ///< between events on the device
};
struct Shown {
  std::vector<Array> outputs;
};
struct NoEntry {};
struct Left {};
using Reply = std::variant<Ready, Called, Shown, NoEntry, Left, Answer>;

// The messages refer to the arrays of their arguments.
Message write_job(const Job& job);
Message write_request(const Request& request);
Message write_reply(const Reply& reply);

/// The grader is trusted: a malformed job is a defect of the grader and ends the harness by an exception.
Job read_job(const Frame& frame);
Request read_request(const Frame& frame);

/// The largest size of a reply to this job.
FrameLimits reply_limits(const Job& job);
/// The error describes the first mistake ("output P has shape 4x4 when it should be 4x5").
Expected<Reply, std::string> read_reply(Frame frame, const Job& job);

}  // namespace grader::harness
