// The channel between grader and harness: what is said arrives, what is not an answer is refused, and nobody
// is kept waiting by a program that does not read, does not write or leaves.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include <sys/socket.h>
#include <unistd.h>

#include "catch.hpp"
#include "harness/conversation.hpp"
#include "harness/link.hpp"
#include "tests/runner/jobs.hpp"

using namespace grader::harness;
using grader::Array;
using State = Conversation::State;
using testing::contains;
using testing::right_answer;
using testing::small_product;

namespace {

struct Sockets {
  Sockets() { REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0); }
  ~Sockets() {
    for (const int end : ends) ::close(end);
  }
  /// As when a box has ended.
  void leave() {
    ::close(ends[1]);
    ends[1] = -1;
  }

  std::array<int, 2> ends{-1, -1};
};

/// The state in which the conversation ends when the program writes these bytes and leaves.
Conversation after(const std::string& bytes, const Job& job) {
  Sockets sockets;
  Conversation talk(sockets.ends[0], job);
  std::thread program([&] {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t sent = ::send(sockets.ends[1], bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (sent <= 0) break;
      done += static_cast<std::size_t>(sent);
    }
    sockets.leave();
  });
  converse({&talk, 1});
  program.join();
  return talk;
}

std::string said(const Reply& reply) { return encode(write_reply(reply)); }

}  // namespace

TEST_CASE("a job arrives as it was sent") {
  Job job = small_product();
  job.warm_ups = 2;
  job.inputs[0].values[3] = std::numeric_limits<float>::quiet_NaN();
  job.inputs[1].place = grader::harness::Place::host;
  job.outputs[0].element = grader::harness::Element::i32;
  job.outputs[0].starts_as = 1;
  FrameReader reader({.payload_floats = 100});
  reader.feed(encode(write_job(job)));
  const Job read = read_job(*reader.take());
  CHECK(read.adapter == job.adapter);
  CHECK(read.entry == job.entry);
  CHECK(read.scalars == job.scalars);
  CHECK(read.warm_ups == 2);
  CHECK(read.inputs[0].shape == job.inputs[0].shape);
  CHECK(std::isnan(read.inputs[0].values[3]));
  CHECK(read.inputs[0].place == grader::harness::Place::device);
  CHECK(read.inputs[1].place == grader::harness::Place::host);
  CHECK(read.outputs[0].shape == job.outputs[0].shape);
  CHECK(read.outputs[0].element == grader::harness::Element::i32);
  CHECK(read.outputs[0].starts_as == 1);
  CHECK(reader.is_empty());
}

TEST_CASE("a frame is put together from single bytes") {
  FrameReader reader({.payload_floats = 2});
  for (const char byte : encode({"{}", {1.5F, -2.0F}})) {
    CHECK_FALSE(reader.take());
    reader.feed({&byte, 1});
  }
  const auto frame = reader.take();
  REQUIRE(frame);
  CHECK(frame->header == "{}");
  CHECK(frame->payload == std::vector<float>{1.5F, -2.0F});
}

TEST_CASE("a frame that declares more than permitted is refused before it is stored") {
  FrameReader reader({.header_bytes = 10, .payload_floats = 4});
  const std::uint32_t sizes[] = {2, 5};
  reader.feed({reinterpret_cast<const char*>(sizes), sizeof sizes});
  CHECK(reader.is_broken());
  CHECK_FALSE(reader.take());
}

TEST_CASE("a right answer is taken") {
  const Conversation talk = after(said(right_answer()), small_product());
  REQUIRE(talk.state() == State::answered);
  CHECK(talk.answer().outputs[0].values == right_answer().outputs[0].values);
  CHECK(talk.answer().seconds == right_answer().seconds);
}

TEST_CASE("a problem is an answer without outputs") {
  const Conversation talk = after(said(Answer{.problem = "cudaMalloc: out of memory"}), small_product());
  REQUIRE(talk.state() == State::answered);
  CHECK(talk.answer().problem == "cudaMalloc: out of memory");
}

TEST_CASE("an answer that is not what the job asked for breaks the channel, with the reason") {
  const auto broken = [](const std::function<void(Answer&)>& spoil) {
    Answer answer = right_answer();
    spoil(answer);
    const Conversation talk = after(said(answer), small_product());
    CHECK(talk.state() == State::broken);
    return talk.problem();
  };
  CHECK(broken([](Answer& a) { a.outputs[0].name.push_back('Q'); }) == "output 0 is not P");
  CHECK(broken([](Answer& a) {
          a.outputs[0].shape = {4, 1};
        }) == "output P has shape 4x1 when it should be 2x2");
  CHECK(broken([](Answer& a) { a.outputs[0].values.pop_back(); }) == "output P is cut off");
  CHECK(broken([](Answer& a) { a.outputs[0].values.push_back(1); }) == "a message larger than any answer");
  CHECK(broken([](Answer& a) { a.outputs.clear(); }) == "0 outputs when it should be 1");
  CHECK(broken([](Answer& a) { a.outputs.push_back({"P", {0}, {}}); }) == "2 outputs when it should be 1");
  CHECK(broken([](Answer& a) { a.seconds.clear(); }) == "0 times when it should be 1");
  CHECK(broken([](Answer& a) { a.seconds = {-1}; }) == "-1 is no duration");
  CHECK(broken([](Answer& a) { a.seconds = {std::nan("")}; }) ==
        "0 times when it should be 1");  // JSON: null
}

TEST_CASE("whatever is no message breaks the channel") {
  for (const std::string& header :
       {std::string("[]"), std::string("{"), std::string(""), std::string("{\"kind\": 7}"),
        std::string("{\"kind\": \"ready\"}"), std::string("{\"kind\": \"answer\"}"),
        std::string("{\"kind\": \"answer\", \"problem\": \"\\ud800\"}"),
        std::string("{\"kind\": \"answer\", \"problem\": \"\", \"outputs\": [1], \"seconds\": [0]}"),
        std::string(60'000, '['), std::string("{\"kind\":\"no_entry\"}\xff")})
    CHECK(after(encode({header, {}}), small_product()).state() == State::broken);
  CHECK(after("PASSED all tests\n", small_product()).state() == State::broken);
  CHECK(after(std::string(1'000'000, '\xff'), small_product()).state() == State::broken);
}

TEST_CASE("nothing may follow an answer, and nothing may come twice") {
  CHECK(after(said(right_answer()) + "x", small_product()).state() == State::broken);
  CHECK(after(said(right_answer()) + said(right_answer()), small_product()).state() == State::broken);
  Job stepped = small_product();
  stepped.stepped = true;
  CHECK(after(said(Ready{}) + said(Ready{}), stepped).state() == State::broken);
}

TEST_CASE("a program that leaves without an answer leaves the conversation without one") {
  CHECK(after("", small_product()).state() == State::working);
  const std::string answer = said(right_answer());
  CHECK(after(answer.substr(0, answer.size() - 1), small_product()).state() == State::working);
  CHECK(after(said(NoEntry{}), small_product()).state() == State::no_entry);
}

TEST_CASE("a program that answers at length without reading its job keeps nobody waiting") {
  Job job = small_product();
  const std::uint32_t many = 1 << 20U;  // far more than a socket holds
  job.inputs[0] = {Array{"M", {many}, std::vector<float>(many, 1.0F)}};
  job.outputs[0].shape = {many};
  Answer answer = right_answer();
  answer.outputs[0] = Array{"P", {many}, std::vector<float>(many, 2.0F)};
  CHECK(after(said(answer), job).state() == State::answered);
}

TEST_CASE("both ends pass large arrays through") {
  Job job = small_product();
  const std::uint32_t many = 1 << 20U;
  job.inputs[0] = {Array{"M", {many}, std::vector<float>(many)}};
  for (std::uint32_t i = 0; i < many; ++i) job.inputs[0].values[i] = static_cast<float>(i);
  job.outputs[0].shape = {many};
  Sockets sockets;
  std::thread harness([&] {
    Link link(sockets.ends[1]);
    const Job received = link.receive_job();
    link.send(
        Answer{.outputs = {{"P", {many}, received.inputs[0].values}}, .addresses = {0}, .seconds = {0.5}});
    sockets.leave();
  });
  Conversation talk(sockets.ends[0], job);
  converse({&talk, 1});
  harness.join();
  REQUIRE(talk.state() == State::answered);
  CHECK(talk.answer().outputs[0].values == job.inputs[0].values);
}

namespace {

/// Two stepped programs that note their calls; the second leaves after `second_calls`.
std::string turns(int first_calls, int second_calls) {
  Job job = small_product();
  job.stepped = true;
  std::array<Sockets, 2> sockets;
  std::string order;  // written by whoever has the turn
  const auto play = [&](std::size_t who, int calls) {
    Link link(sockets[who].ends[1]);
    link.receive_job();
    for (int i = 0; i < calls; ++i) {
      link.wait_for_turn();
      order += static_cast<char>('1' + who);
    }
    link.send(right_answer());
    sockets[who].leave();
  };
  std::thread first(play, 0, first_calls), second(play, 1, second_calls);
  std::vector<Conversation> talks;
  for (const Sockets& one : sockets) talks.emplace_back(one.ends[0], job);
  converse(talks);
  first.join();
  second.join();
  CHECK(talks[0].state() == State::answered);
  CHECK(talks[1].state() == State::answered);
  return order;
}

}  // namespace

TEST_CASE("stepped programs take turns, and the order of the turns alternates") {
  CHECK(turns(4, 4) == "12211221");
}

TEST_CASE("a program that has left with its answer is passed over") {
  CHECK(turns(5, 1) == "121111");
  CHECK(turns(1, 4) == "12222");
  CHECK(turns(0, 3) == "222");
}
