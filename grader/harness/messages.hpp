// What the frames on the channel say. The grader sends a job; the harness answers with its outputs, or "no
// entry". Of a job that takes turns the harness first says "ready", and the grader asks for each call:
//
//   prepare (with the inputs' rotation) → ready      inputs written, outputs poisoned, caches cold
//   call                                → called     the device has finished; time by its events
//   show                                → shown      the call's outputs
//   finish                              → answer     the outputs of the last call
//
// So the grader's own clock runs over nothing but the call. A harness that meets an error answers with it.
//
// read_answer() reads what a hostile program may have written: it accepts exactly what the job asked for.
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
  enum class Kind { prepare, call, show, finish };
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
using Reply = std::variant<Ready, Called, Shown, NoEntry, Answer>;

Frame write_job(const Job& job);
Frame write_request(const Request& request);
Frame write_reply(const Reply& reply);

/// The grader is trusted; a malformed job is a defect and ends the harness by an exception.
Job read_job(const Frame& frame);
Request read_request(const Frame& frame);

/// How large a reply to this job can be.
FrameLimits reply_limits(const Job& job);
/// The error says what is wrong ("output P has shape 4x4 when it should be 4x5").
Expected<Reply, std::string> read_reply(const Frame& frame, const Job& job);

}  // namespace grader::harness
