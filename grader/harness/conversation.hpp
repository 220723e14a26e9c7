// The grader's end of the channel: sends the job, follows the harness, takes the answer. Never blocks on one
// program: converse() serves one or several at once and lets stepped ones take turns, call by call.
#pragma once

#include <span>
#include <string>

#include "harness/frame.hpp"
#include "harness/job.hpp"
#include "harness/messages.hpp"

namespace grader::harness {

class Conversation {
 public:
  enum class State {
    working,   ///< the harness is at it; at the end of the conversation: it left without an answer
    ready,     ///< a stepped harness waits for its go-ahead
    answered,  ///< answer() is complete
    no_entry,  ///< the shared object lacks the function
    broken,    ///< something came that is no answer; problem() says what
  };

  /// `socket` is non-blocking from here on and stays the caller's.
  Conversation(int socket, const Job& job);

  State state() const { return state_; }
  bool is_open() const { return open_; }
  const Answer& answer() const { return answer_; }
  const std::string& problem() const { return problem_; }

  int socket() const { return socket_; }
  bool has_more_to_send() const { return open_ && !outgoing_.empty(); }
  void send_some();
  void receive_some();
  void go();
  /// Ends the conversation for a reason that is not this program's.
  void abandon();
  bool is_abandoned() const { return abandoned_; }

 private:
  void take(const Frame& frame);
  void give_up(std::string why);

  const int socket_;
  const Job& job_;
  std::string outgoing_;
  std::size_t sent_ = 0;  ///< bytes of outgoing_; cutting them off each time would move a large job often
  FrameReader reader_;
  State state_ = State::working;
  bool open_ = true, abandoned_ = false;
  Answer answer_;
  std::string problem_;
};

/// Until every harness has closed its end. Stepped ones get their turns in the order 1 2, 2 1, 1 2, …, so
/// that a drift of the device's speed favours neither; one that has left is passed over.
void converse(std::span<Conversation> conversations);

}  // namespace grader::harness
