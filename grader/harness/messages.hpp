// What the frames on the channel say. Grader to harness: one job, then (stepped jobs) a go-ahead for each
// call. Harness to grader: (stepped jobs) "ready" before each call, then one answer, or "no entry".
//
// read_answer() reads what a hostile program may have written: it accepts exactly what the job asked for.
#pragma once

#include <string>
#include <variant>

#include "base/expected.hpp"
#include "harness/frame.hpp"
#include "harness/job.hpp"

namespace grader::harness {

struct Ready {};
struct NoEntry {};
using Reply = std::variant<Ready, NoEntry, Answer>;

Frame write_job(const Job& job);
Frame write_go();
Frame write_reply(const Reply& reply);

/// The grader is trusted; a malformed job is a defect and ends the harness by an exception.
Job read_job(const Frame& frame);

/// How large a reply to this job can be.
FrameLimits reply_limits(const Job& job);
/// The error says what is wrong ("output P has shape 4x4 when it should be 4x5").
Expected<Reply, std::string> read_reply(const Frame& frame, const Job& job);

}  // namespace grader::harness
