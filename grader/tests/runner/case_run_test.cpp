// Which end of a run is reported if several apply.
#include "runner/case_run.hpp"

#include <array>

#include <sys/socket.h>
#include <unistd.h>

#include "catch.hpp"
#include "tests/runner/jobs.hpp"

using namespace grader;
using End = CaseRun::End;
using BoxEnd = BoxResult::End;

namespace {

/// The end of a run whose program sent `bytes` and whose box ended as given.
CaseRun named(BoxEnd end, int code, const std::string& bytes, const std::string& protocol_error = "") {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  const harness::Job job = testing::small_product();
  harness::Conversation talk(ends[0], job);
  REQUIRE(::write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  harness::converse({&talk, 1});
  ::close(ends[0]);
  BoxResult box;
  box.end = end;
  box.code = code;
  CaseRun run;
  run.session.protocol_error = protocol_error;
  name_end(run, box, talk);
  return run;
}

const std::string kAnswer = harness::encode(harness::write_reply(testing::right_answer()));

}  // namespace

TEST_CASE("a run is finished when the answer is complete and the exit status is 0") {
  CHECK(named(BoxEnd::exited, 0, kAnswer).end == End::finished);
  CHECK(named(BoxEnd::exited, 0, "").end == End::exited);
  CHECK(named(BoxEnd::exited, 1, kAnswer).end == End::exited);
  CHECK(named(BoxEnd::signalled, 11, kAnswer).end == End::crashed);
}

TEST_CASE("a missing function is reported only when nothing else failed") {
  const std::string missing = harness::encode(harness::write_reply(harness::NoEntry{}));
  CHECK(named(BoxEnd::exited, 0, missing).end == End::no_entry);
  CHECK(named(BoxEnd::memory_limit, 0, missing).end == End::memory_limit);
}

TEST_CASE("a limit outranks a complete answer") {
  CHECK(named(BoxEnd::output_limit, 0, kAnswer).end == End::output_limit);
  CHECK(named(BoxEnd::wall_limit, 0, kAnswer).end == End::wall_limit);
}

TEST_CASE("a broken channel outranks limits, and an interruption outranks all") {
  const CaseRun broken = named(BoxEnd::wall_limit, 0, kAnswer + "x");
  CHECK(broken.end == End::channel_broken);
  CHECK(broken.fault == "the program sent data after the answer");
  const CaseRun device = named(BoxEnd::exited, 0, kAnswer, "an unknown command 77");
  CHECK(device.end == End::channel_broken);
  CHECK(device.fault == "an unknown command 77");
  CHECK(named(BoxEnd::stopped, 0, kAnswer + "x").end == End::stopped);
}
