// Answers with random damage: each is refused or read as an answer that fits the job.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "catch.hpp"
#include "harness/messages.hpp"
#include "tests/runner/jobs.hpp"

using namespace grader;
using namespace grader::harness;

namespace {

/// Flips, inserts, removes or repeats a few bytes.
std::string damaged(const std::string& whole, SplitMix64& random) {
  std::vector<char> bytes(whole.begin(), whole.end());
  for (std::uint64_t edits = 1 + random.below(4); edits > 0 && !bytes.empty(); --edits) {
    const std::size_t offset = random.below(bytes.size());
    const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto rest = static_cast<std::ptrdiff_t>(bytes.size() - offset);
    const auto byte = static_cast<char>(random.below(256));
    switch (random.below(4)) {
      case 0:
        *at = byte;
        break;
      case 1:
        bytes.insert(at, byte);
        break;
      case 2:
        bytes.erase(at, at + std::min(rest, static_cast<std::ptrdiff_t>(1 + random.below(8))));
        break;
      default: {
        const std::vector<char> piece(at, at + std::min(rest, static_cast<std::ptrdiff_t>(random.below(40))));
        bytes.insert(at, piece.begin(), piece.end());
      }
    }
  }
  return {bytes.begin(), bytes.end()};
}

bool fits(const Reply& reply, const Job& job) {
  const auto* answer = std::get_if<Answer>(&reply);
  if (answer == nullptr) return std::holds_alternative<NoEntry>(reply);  // the job takes no turns
  if (!answer->problem.empty()) return answer->outputs.empty();
  return answer->outputs.size() == 1 && answer->outputs[0].shape == job.outputs[0].shape &&
         answer->outputs[0].values.size() == element_count(job.outputs[0].shape) &&
         std::isfinite(answer->seconds) && answer->seconds >= 0;
}

}  // namespace

TEST_CASE("damaged answers are refused or still fit the job") {
  const Job job = testing::small_product();
  const std::string whole = encode(write_reply(testing::right_answer()));
  SplitMix64 random(7);
  int accepted = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    FrameReader reader(reply_limits(job));
    reader.feed(damaged(whole, random));
    const auto frame = reader.take();
    const auto reply =
        frame ? read_reply(*frame, job) : Expected<Reply, std::string>(Unexpected{std::string("no frame")});
    if (!reply) {
      ++refused;
    } else {
      ++accepted;
      if (!fits(*reply, job)) FAIL("accepted what does not fit, at iteration " << i);
    }
  }
  CHECK(accepted > 100);  // damage to values alone
  CHECK(refused > 10'000);
}
