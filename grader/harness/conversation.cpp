#include "harness/conversation.hpp"

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

namespace grader::harness {

namespace {

const std::string kOutOfTurn = "an unexpected message";

}  // namespace

Conversation::Conversation(int socket, const Job& job, std::span<const Turn> turns, Wanted wanted)
    : socket_(socket), job_(job), turns_(turns), wanted_(wanted), reader_(reply_limits(job)) {
  outgoing_.add(write_job(job));
  ::fcntl(socket, F_SETFL, O_NONBLOCK);
}

void Conversation::send_some() {
  // A program that does not read its job can still have sent a message.
  if (!outgoing_.send(socket_)) outgoing_.clear();
}

void Conversation::receive_some() {
  char buffer[64 * 1024];
  const std::span<std::byte> room = reader_.payload_room();
  void* const to = room.empty() ? static_cast<void*>(buffer) : room.data();
  const ssize_t got = ::recv(socket_, to, room.empty() ? sizeof buffer : room.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    open_ = false;
    return;
  }
  if (state_ == State::answered || state_ == State::no_entry)
    return give_up("the program sent data after the answer");
  const auto count = static_cast<std::size_t>(got);
  room.empty() ? reader_.feed({buffer, count}) : reader_.received(count);
  while (open_) {
    auto frame = reader_.take();
    if (!frame) break;
    take(*std::move(frame));
  }
  if (open_ && reader_.is_broken()) give_up("the program sent a message larger than any answer");
  const bool done = state_ == State::answered || state_ == State::no_entry;
  if (open_ && done && !reader_.is_empty()) give_up("the program sent data after the answer");
  if (done && !job_.is_last) open_ = false;
}

void Conversation::take(Frame frame) {
  if (state_ != State::working) return give_up(kOutOfTurn);
  auto reply = read_reply(std::move(frame), job_);
  if (!reply) return give_up(reply.error());
  std::visit([this](auto& one) { take(std::move(one)); }, *reply);
}

void Conversation::take(Ready) {
  if (phase_ == Phase::loading) return rest();
  if (phase_ != Phase::preparing) return give_up(kOutOfTurn);
  call_began_ = Clock::now();
  ask(Phase::calling, {.kind = Request::Kind::call});
}

void Conversation::take(const Called& called) {
  if (phase_ != Phase::calling) return give_up(kOutOfTurn);
  // The grader's own clock: `called.seconds` comes from the student's process.
  const std::chrono::duration<double> wall = Clock::now() - call_began_;
  const bool shown = wanted_ == Wanted::times_and_values && turns_[records_.size()].shown;
  records_.push_back({called.seconds, wall.count(), {}});
  if (!shown) return rest();
  ask(Phase::showing, {.kind = Request::Kind::show});
}

void Conversation::take(Shown&& shown) {
  if (phase_ != Phase::showing) return give_up(kOutOfTurn);
  records_.back().outputs = std::move(shown.outputs);
  rest();
}

void Conversation::take(NoEntry) {
  if (phase_ != Phase::loading) return give_up(kOutOfTurn);
  state_ = State::no_entry;
}

void Conversation::take(Left) {
  if (phase_ != Phase::leaving) return give_up(kOutOfTurn);
  state_ = State::answered;
}

/// A problem can arrive at any time, outputs only when they were requested.
void Conversation::take(Answer&& answer) {
  const bool is_due = phase_ == (job_.takes_turns ? Phase::finishing : Phase::loading);
  if (!is_due && answer.problem.empty()) return give_up(kOutOfTurn);
  answer_ = std::move(answer);
  state_ = State::answered;
}

void Conversation::ask(Phase phase, const Request& request) {
  phase_ = phase;
  state_ = State::working;
  outgoing_.add(write_request(request));
}

void Conversation::rest() {
  phase_ = Phase::resting;
  state_ = State::ready;
}

/// The program at the other end gets an error or end-of-file.
void Conversation::give_up(std::string why) {
  state_ = State::broken;
  problem_ = std::move(why);
  open_ = false;
  ::shutdown(socket_, SHUT_RDWR);
}

void Conversation::abandon() {
  abandoned_ = true;
  open_ = false;
  ::shutdown(socket_, SHUT_RDWR);
}

void Conversation::go() {
  if (records_.size() < turns_.size())
    return ask(Phase::preparing,
               {.kind = Request::Kind::prepare, .rotation = turns_[records_.size()].rotation});
  if (wanted_ == Wanted::times) return ask(Phase::leaving, {.kind = Request::Kind::leave});
  ask(Phase::finishing, {.kind = Request::Kind::finish});
}

namespace {

/// Decides whose turn it is among programs that take turns.
class Turns {
 public:
  explicit Turns(std::span<Conversation> players) : players_(players) {
    for (const Conversation& one : players) rounds_ = std::max(rounds_, one.turn_count());
  }

  /// Starts the next turn when the current player has finished its call or left.
  void advance() {
    // A player that has left can be next twice in a row.
    for (std::size_t looked = 0; looked <= 2 * players_.size(); ++looked) {
      Conversation& player = current();
      if (player.is_open() && player.state() == Conversation::State::working) return;
      if (player.is_open() && player.state() == Conversation::State::ready && !given_ &&
          is_in_round(player)) {
        given_ = true;
        return player.go();
      }
      ++turn_;
      given_ = false;
    }
  }

 private:
  std::size_t round() const { return turn_ / players_.size(); }

  Conversation& current() {
    const std::size_t count = players_.size(), place = turn_ % count;
    return players_[round() % 2 == 0 ? place : count - 1 - place];
  }

  /// Fewer turns than rounds are spread evenly. After the last round, all get their last request.
  bool is_in_round(const Conversation& player) const {
    const std::size_t turns = player.turn_count();
    return round() >= rounds_ || (round() + 1) * turns / rounds_ > round() * turns / rounds_;
  }

  std::span<Conversation> players_;
  std::size_t rounds_ = 0;
  std::size_t turn_ = 0;
  bool given_ = false;
};

bool is_loading(const Conversation& one) {
  return one.is_open() && one.state() == Conversation::State::working && one.records().empty();
}

bool left_without_answer(const Conversation& one) {
  return !one.is_open() && one.state() != Conversation::State::answered;
}

}  // namespace

void converse(std::span<Conversation> conversations, const std::function<void()>& before_turns) {
  Turns turns(conversations);
  bool has_begun = false;
  while (std::any_of(conversations.begin(), conversations.end(),
                     [](const auto& one) { return one.is_open(); })) {
    std::vector<pollfd> waiting;
    for (const Conversation& one : conversations)
      waiting.push_back({one.is_open() ? one.socket() : -1,
                         static_cast<short>(POLLIN | (one.has_more_to_send() ? POLLOUT : 0)), 0});
    ::poll(waiting.data(), waiting.size(), -1);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if ((waiting[i].revents & POLLOUT) != 0) conversations[i].send_some();
      if ((waiting[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) conversations[i].receive_some();
    }
    // A turn needs all conversations: without one of them, the others would wait forever.
    if (std::any_of(conversations.begin(), conversations.end(), left_without_answer))
      for (Conversation& one : conversations)
        if (one.is_open() && one.state() == Conversation::State::ready) one.abandon();
    if (!has_begun) {
      if (std::any_of(conversations.begin(), conversations.end(), is_loading)) continue;
      has_begun = true;
      if (before_turns) before_turns();
    }
    turns.advance();
  }
}

}  // namespace grader::harness
