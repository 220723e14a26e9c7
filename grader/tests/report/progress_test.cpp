#include "report/progress.hpp"

#include "catch.hpp"
#include "report/sample.hpp"

using namespace grader;
using namespace testing;
using namespace std::chrono_literals;

TEST_CASE("progress shows the number done, the rate and the time left") {
  const auto text = progress_text(15, 0, 60, 30s, "alice", plain());
  CHECK(text == "[#####---------------] 15/60  30/min  time left 1:30  alice");
}

TEST_CASE("items that were done before a run resumed do not count for its rate") {
  const auto text = progress_text(45, 30, 60, 30s, "", plain());
  CHECK(text == "[###############-----] 45/60  30/min  time left 0:30");
}

TEST_CASE("progress before the first result and without work has no rate") {
  CHECK(progress_text(0, 0, 60, 3s, "", plain()) == "[--------------------] 0/60");
  CHECK(progress_text(0, 0, 0, 0s, "", plain()) == "[--------------------] 0/0");
}

TEST_CASE("progress fits its line and replaces control characters") {
  const auto text = progress_text(15, 0, 60, 30s, std::string(100, 'x') + "\x1b[2J", plain(60));
  CHECK(columns(text) <= 59);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("nothing is drawn if the output is not a terminal") {
  std::string written;
  {
    ProgressLine line(plain(), [&](std::string_view text) { written += text; });
    line.show(1, 2, "alice");
    line.show("building");
  }
  CHECK(written.empty());
}

TEST_CASE("the line is drawn on a terminal and cleared at the end") {
  std::string written;
  {
    ProgressLine line(colored(), [&](std::string_view text) { written += text; });
    line.show(1, 2, "alice");
  }
  CHECK_THAT(written, contains("1/2") && !contains("/min"));
  CHECK(written.ends_with("\r\x1b[K"));
}
