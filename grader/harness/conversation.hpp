// The grader's end of the channel: sends the job, follows the harness's progress, receives the answer. Never
// blocks on one program: converse() serves one or more at the same time and alternates programs that take
// turns.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/frame.hpp"
#include "harness/job.hpp"
#include "harness/messages.hpp"

namespace grader::harness {

/// The observations of one turn.
struct TurnRecord {
  double device_s = 0;  ///< by events in the boxed program, which can be forged
  double wall_s =
      0;  ///< by the grader's clock, from the request for the call to the reply that the device has finished
  std::vector<Array> outputs;  ///< only of a turn with `shown`, if values are wanted
};

/// What the grader needs of a program that takes turns.
enum class Wanted { times_and_values, times };

class Conversation {
 public:
  enum class State {
    working,   ///< the harness is working; at the end of the conversation: it left without an answer
    ready,     ///< a harness that takes turns waits for the next one
    answered,  ///< answer() is complete
    no_entry,  ///< the shared object does not define the function
    broken,    ///< an invalid message arrived; problem() describes it
  };

  /// Makes `socket` non-blocking; the caller still owns it.
  /// `turns` are those of a job that takes turns; `job` and `turns` must outlive the conversation. If the job
  /// is not the last one, the conversation is over when the answer is complete: another one can then use the
  /// socket.
  Conversation(int socket, const Job& job, std::span<const Turn> turns = {},
               Wanted wanted = Wanted::times_and_values);

  State state() const { return state_; }
  bool is_open() const { return open_; }
  const Answer& answer() const { return answer_; }
  const std::string& problem() const { return problem_; }
  std::size_t turn_count() const { return turns_.size(); }
  /// One record per turn taken, in order.
  const std::vector<TurnRecord>& records() const { return records_; }
  // Both are large; the conversation must have ended.
  Answer take_answer() { return std::move(answer_); }
  std::vector<TurnRecord> take_records() { return std::move(records_); }

  int socket() const { return socket_; }
  bool has_more_to_send() const { return open_ && !outgoing_.is_empty(); }
  void send_some();
  void receive_some();
  /// Begins the next turn; after the last one, requests the answer. Requires: state() is ready.
  void go();
  /// Ends the conversation for a reason that is not this program's.
  void abandon();
  bool is_abandoned() const { return abandoned_; }

 private:
  using Clock = std::chrono::steady_clock;
  /// What the harness is doing, during a turn and between turns.
  enum class Phase { loading, preparing, calling, showing, resting, finishing, leaving };

  void take(Frame frame);
  void take(Ready);
  void take(const Called& called);
  void take(Shown&& shown);
  void take(NoEntry);
  void take(Left);
  void take(Answer&& answer);
  void ask(Phase phase, const Request& request);
  void rest();
  void give_up(std::string why);

  const int socket_;
  const Job& job_;
  const std::span<const Turn> turns_;
  const Wanted wanted_;
  Outbox outgoing_;
  FrameReader reader_;
  State state_ = State::working;
  Phase phase_ = Phase::loading;
  Clock::time_point call_began_;
  bool open_ = true, abandoned_ = false;
  Answer answer_;
  std::vector<TurnRecord> records_;
  std::string problem_;
};

/// Returns when every harness has closed its end. Programs that take turns get them in the order 1 2, 2 1,
/// 1 2, …, so that a drift of the device's speed favours neither; a program that has left is skipped. A
/// program with fewer turns than another one takes them evenly spread, and stays until the last round: its
/// end would disturb the other's calls. `before_turns` is called once, when all programs have loaded their
/// jobs and before the first turn.
void converse(std::span<Conversation> conversations, const std::function<void()>& before_turns = {});

}  // namespace grader::harness
