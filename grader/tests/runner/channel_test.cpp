// The channel between grader and harness: messages arrive, invalid answers are refused, and a program that
// does not read, does not write or exits does not block the grader.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
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
  /// Closes the program's end, as when a box has ended.
  void leave() {
    ::close(ends[1]);
    ends[1] = -1;
  }

  std::array<int, 2> ends{-1, -1};
};

/// The state in which the conversation ends when the program writes these bytes and exits.
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

std::string encoded(const Reply& reply) { return encode(write_reply(reply)); }

}  // namespace

TEST_CASE("a job arrives as it was sent") {
  Job job = small_product();
  job.takes_turns = true;
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
  CHECK(read.takes_turns);
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
  for (const char byte : encode(Frame{"{}", {1.5F, -2.0F}})) {
    CHECK_FALSE(reader.take());
    reader.feed({&byte, 1});
  }
  const auto frame = reader.take();
  REQUIRE(frame);
  CHECK(frame->header == "{}");
  CHECK(frame->payload == std::vector<float>{1.5F, -2.0F});
}

TEST_CASE("frames of any size arrive through the place for their payload") {
  const std::vector<float> many(100'000, 2.5F);
  const std::string bytes =
      encode(Frame{"{1}", many}) + encode(Frame{"{2}", {}}) + encode(Frame{"{3}", {1.5F}});
  for (const std::size_t piece : {std::size_t{7}, std::size_t{65'536}, bytes.size()}) {
    FrameReader reader({.payload_floats = many.size()});
    std::vector<Frame> frames;
    for (std::size_t done = 0; done < bytes.size();) {
      const std::span<std::byte> room = reader.payload_room();
      const std::size_t count = std::min({piece, bytes.size() - done, room.empty() ? piece : room.size()});
      if (room.empty()) {
        reader.feed({bytes.data() + done, count});
      } else {
        std::memcpy(room.data(), bytes.data() + done, count);
        reader.received(count);
      }
      done += count;
      while (auto frame = reader.take()) frames.push_back(*std::move(frame));
    }
    REQUIRE(frames.size() == 3);
    CHECK(frames[0].payload == many);
    CHECK(frames[1].header == "{2}");
    CHECK(frames[2].payload == std::vector<float>{1.5F});
    CHECK(reader.is_empty());
  }
}

TEST_CASE("a frame that declares more than the permitted size is refused before it is stored") {
  FrameReader reader({.header_bytes = 10, .payload_floats = 4});
  const std::uint32_t sizes[] = {2, 5};
  reader.feed({reinterpret_cast<const char*>(sizes), sizeof sizes});
  CHECK(reader.is_broken());
  CHECK_FALSE(reader.take());
}

TEST_CASE("a right answer is taken") {
  const Conversation talk = after(encoded(right_answer()), small_product());
  REQUIRE(talk.state() == State::answered);
  CHECK(talk.answer().outputs[0].values == right_answer().outputs[0].values);
  CHECK(talk.answer().seconds == right_answer().seconds);
}

TEST_CASE("inputs arrive as they are after the call, with all their bits") {
  Answer answer = right_answer();
  answer.inputs[0].address = 0xfedc'ba98'7654'3210;
  answer.inputs[1].words = {1, 0x7f800001, ~0U, 4, 5, 6};
  const Conversation talk = after(encoded(answer), small_product());
  REQUIRE(talk.state() == State::answered);
  CHECK(talk.answer().inputs[0].address == answer.inputs[0].address);
  CHECK(talk.answer().inputs[1].words == answer.inputs[1].words);
}

TEST_CASE("a problem is an answer without outputs") {
  const Conversation talk = after(encoded(Answer{.problem = "cudaMalloc: out of memory"}), small_product());
  REQUIRE(talk.state() == State::answered);
  CHECK(talk.answer().problem == "cudaMalloc: out of memory");
}

TEST_CASE("an answer that does not fit the job breaks the channel, with the reason") {
  const auto broken = [](const std::function<void(Answer&)>& spoil) {
    Answer answer = right_answer();
    spoil(answer);
    const Conversation talk = after(encoded(answer), small_product());
    CHECK(talk.state() == State::broken);
    return talk.problem();
  };
  CHECK(broken([](Answer& a) { a.outputs[0].name.push_back('Q'); }) == "output 0 is not P");
  CHECK(broken([](Answer& a) {
          a.outputs[0].shape = {4, 1};
        }) == "output P has shape 4x1 when it should be 2x2");
  CHECK(broken([](Answer& a) { a.outputs[0].values.pop_back(); }) == "output P is truncated");
  CHECK(broken([](Answer& a) { a.outputs[0].values.push_back(1); }) ==
        "the message contains more values than the arrays have");
  CHECK(broken([](Answer& a) { a.outputs.clear(); }) == "0 outputs when it should be 1");
  CHECK(broken([](Answer& a) { a.outputs.push_back({"P", {0}, {}}); }) == "2 outputs when it should be 1");
  CHECK(broken([](Answer& a) { a.inputs.pop_back(); }) == "the inputs are missing");
  CHECK(broken([](Answer& a) { a.inputs[1].words = {1, 2}; }) == "input 2 has a wrong number of elements");
  CHECK(broken([](Answer& a) { a.seconds = -1; }) == "-1 is not a duration");
  CHECK(broken([](Answer& a) { a.seconds = std::nan(""); }) == "no time");  // JSON: null
}

TEST_CASE("an invalid message breaks the channel") {
  for (const std::string& header :
       {std::string("[]"), std::string("{"), std::string(""), std::string("{\"kind\": 7}"),
        std::string("{\"kind\": \"ready\"}"), std::string("{\"kind\": \"answer\"}"),
        std::string("{\"kind\": \"answer\", \"problem\": \"\\ud800\"}"),
        std::string("{\"kind\": \"answer\", \"problem\": \"\", \"outputs\": [1], \"seconds\": [0]}"),
        std::string(60'000, '['), std::string("{\"kind\":\"no_entry\"}\xff")})
    CHECK(after(encode(Frame{header, {}}), small_product()).state() == State::broken);
  CHECK(after("PASSED all tests\n", small_product()).state() == State::broken);
  CHECK(after(std::string(1'000'000, '\xff'), small_product()).state() == State::broken);
}

TEST_CASE("no message may follow an answer, and none may be sent twice") {
  CHECK(after(encoded(right_answer()) + "x", small_product()).state() == State::broken);
  CHECK(after(encoded(right_answer()) + encoded(right_answer()), small_product()).state() == State::broken);
  CHECK(after(encoded(Ready{}), small_product()).state() == State::broken);
}

TEST_CASE("a program that leaves without an answer leaves the conversation without one") {
  CHECK(after("", small_product()).state() == State::working);
  const std::string answer = encoded(right_answer());
  CHECK(after(answer.substr(0, answer.size() - 1), small_product()).state() == State::working);
  CHECK(after(encoded(NoEntry{}), small_product()).state() == State::no_entry);
}

TEST_CASE("a program that sends a long answer without reading its job does not block the grader") {
  Job job = small_product();
  const std::uint32_t many = 1 << 20U;  // far more than a socket holds
  job.inputs[0] = {Array{"M", {many}, std::vector<float>(many, 1.0F)}};
  job.outputs[0].shape = {many};
  Answer answer = right_answer();
  answer.outputs[0] = Array{"P", {many}, std::vector<float>(many, 2.0F)};
  CHECK(after(encoded(answer), job).state() == State::answered);
}

TEST_CASE("large arrays pass in both directions") {
  Job job = small_product();
  const std::uint32_t many = 1 << 20U;
  job.inputs[0] = {Array{"M", {many}, std::vector<float>(many)}};
  for (std::uint32_t i = 0; i < many; ++i) job.inputs[0].values[i] = static_cast<float>(i);
  job.outputs[0].shape = {many};
  Sockets sockets;
  std::thread harness([&] {
    Link link(sockets.ends[1]);
    const Job received = link.receive_job();
    link.send(Answer{.outputs = {{"P", {many}, received.inputs[0].values}},
                     .addresses = {0},
                     .inputs = {{}, {}},
                     .seconds = 0.5});
    sockets.leave();
  });
  Conversation talk(sockets.ends[0], job);
  converse({&talk, 1});
  harness.join();
  REQUIRE(talk.state() == State::answered);
  CHECK(talk.answer().outputs[0].values == job.inputs[0].values);
}

namespace {

Job product_in_turns() {
  Job job = small_product();
  job.takes_turns = true;
  return job;
}

/// Acts as the harness, without the calls; passes each request to `heard`.
void play(Link& link, const std::function<void(const Request&)>& heard) {
  link.receive_job();
  link.send(Ready{});
  for (;;) {
    const Request request = link.receive_request();
    heard(request);
    switch (request.kind) {
      case Request::Kind::prepare:
        link.send(Ready{});
        break;
      case Request::Kind::call:
        link.send(Called{0.25});
        break;
      case Request::Kind::show:
        link.send(Shown{right_answer().outputs});
        break;
      case Request::Kind::finish:
        return link.send(right_answer());
      case Request::Kind::leave:
        return link.send(Left{});
    }
  }
}

constexpr std::size_t kAll = 1000;

/// The order of the calls of two programs; the second ends before its call number `second_calls`, and the
/// first takes at most `first_turns` turns.
std::string order_of_calls(std::size_t turns, std::size_t second_calls, std::size_t first_turns = kAll) {
  const Job job = product_in_turns();
  const std::vector<Turn> requested(turns);
  std::array<Sockets, 2> sockets;
  std::string order;  // written by the program that has the turn
  struct GivesUp {};
  const auto run = [&](std::size_t who, std::size_t calls) {
    Link link(sockets[who].ends[1]);
    try {
      play(link, [&](const Request& request) {
        if (request.kind != Request::Kind::call) return;
        if (calls-- == 0) throw GivesUp{};
        order += static_cast<char>('1' + who);
      });
    } catch (const GivesUp&) {
      link.send(Answer{.problem = "cudaMalloc: out of memory"});
    }
    sockets[who].leave();
  };
  std::thread first(run, 0, turns), second(run, 1, second_calls);
  std::vector<Conversation> talks;
  talks.emplace_back(sockets[0].ends[0], job, std::span(requested).first(std::min(turns, first_turns)));
  talks.emplace_back(sockets[1].ends[0], job, requested);
  std::size_t begun = 0;
  converse(talks, [&] {
    ++begun;
    CHECK(order.empty());
  });
  CHECK(begun == 1);
  first.join();
  second.join();
  for (const Conversation& talk : talks) CHECK(talk.state() == State::answered);
  return order;
}

/// The conversation with a program that takes turns and answers the requests with these replies, in this
/// order.
Conversation after_replies(const std::vector<Reply>& replies, const std::vector<Turn>& turns) {
  Sockets sockets;
  const Job job = product_in_turns();
  Conversation talk(sockets.ends[0], job, turns);
  std::thread program([&] {
    Link link(sockets.ends[1]);
    link.receive_job();
    for (std::size_t i = 0; i < replies.size(); ++i) {
      link.send(replies[i]);
      if (i + 1 < replies.size()) link.receive_request();
    }
    sockets.leave();
  });
  converse({&talk, 1});
  program.join();
  return talk;
}

}  // namespace

TEST_CASE("programs that take turns alternate, and so does the order of their turns") {
  CHECK(order_of_calls(4, 4) == "12211221");
}

TEST_CASE("a program with fewer turns takes them evenly spread") {
  CHECK(order_of_calls(4, 4, 2) ==
        "2"
        "21"
        "2"
        "21");
  CHECK(order_of_calls(5, 5, 1) == "222212");
  CHECK(order_of_calls(3, 3, 0) == "222");
}

TEST_CASE("a program that ended with a problem is skipped") {
  CHECK(order_of_calls(5, 1) == "121111");
  CHECK(order_of_calls(2, 0) == "11");
}

TEST_CASE("a program whose times alone are wanted shows nothing and leaves") {
  Sockets sockets;
  const Job job = product_in_turns();
  const std::vector<Turn> turns = {{}, {.shown = true}, {}};
  std::vector<Request::Kind> kinds;
  std::thread program([&] {
    Link link(sockets.ends[1]);
    play(link, [&](const Request& request) { kinds.push_back(request.kind); });
    sockets.leave();
  });
  Conversation talk(sockets.ends[0], job, turns, Wanted::times);
  converse({&talk, 1});
  program.join();
  using Kind = Request::Kind;
  CHECK(kinds == std::vector<Kind>{Kind::prepare, Kind::call, Kind::prepare, Kind::call, Kind::prepare,
                                   Kind::call, Kind::leave});
  CHECK(talk.state() == State::answered);
  CHECK(talk.records().size() == 3);
  CHECK(talk.answer().outputs.empty());
}

TEST_CASE("a program that leaves when its answer is wanted breaks the channel") {
  CHECK(after_replies({Ready{}, Ready{}, Called{0.25}, Left{}}, {{}}).state() == State::broken);
  CHECK(after(encoded(Left{}), small_product()).state() == State::broken);
}

TEST_CASE("a process gets one job after the other, until the last one") {
  Sockets sockets;
  std::vector<double> seen;
  std::thread program([&] {
    Link link(sockets.ends[1]);
    for (bool is_last = false; !is_last;) {
      const Job job = link.receive_job();
      seen.push_back(static_cast<double>(job.inputs[0].values[0]));
      is_last = job.is_last;
      link.send(right_answer());
    }
    sockets.leave();
  });
  for (const float value : {1.5F, 2.5F, 3.5F}) {
    Job job = small_product();
    job.inputs[0].values[0] = value;
    job.is_last = value > 3;
    Conversation talk(sockets.ends[0], job);
    converse({&talk, 1});
    CHECK(talk.state() == State::answered);
    CHECK(talk.answer().outputs[0].values == right_answer().outputs[0].values);
  }
  program.join();
  CHECK(seen == std::vector<double>{1.5, 2.5, 3.5});
}

TEST_CASE("data after an answer that is not the last one breaks the channel") {
  Job job = small_product();
  job.is_last = false;
  CHECK(after(encoded(right_answer()) + "x", job).state() == State::broken);
}

TEST_CASE("each call is requested with its rotation, and only calls to be shown send their outputs") {
  Sockets sockets;
  const Job job = product_in_turns();
  const std::vector<Turn> turns = {
      {.rotation = 7}, {.rotation = ~std::uint64_t{0}, .shown = true}, {.rotation = 1}};
  std::vector<Request> requests;
  std::thread program([&] {
    Link link(sockets.ends[1]);
    play(link, [&](const Request& request) { requests.push_back(request); });
    sockets.leave();
  });
  Conversation talk(sockets.ends[0], job, turns);
  converse({&talk, 1});
  program.join();
  using Kind = Request::Kind;
  std::vector<Kind> kinds;
  std::vector<std::uint64_t> rotations;
  for (const Request& request : requests) {
    kinds.push_back(request.kind);
    if (request.kind == Kind::prepare) rotations.push_back(request.rotation);
  }
  CHECK(kinds == std::vector<Kind>{Kind::prepare, Kind::call, Kind::prepare, Kind::call, Kind::show,
                                   Kind::prepare, Kind::call, Kind::finish});
  CHECK(rotations == std::vector<std::uint64_t>{7, ~std::uint64_t{0}, 1});
  REQUIRE(talk.records().size() == 3);
  for (const TurnRecord& record : talk.records()) {
    CHECK(record.device_s == 0.25);
    CHECK(record.wall_s > 0);
  }
  CHECK(talk.records()[0].outputs.empty());
  CHECK(talk.records()[1].outputs[0].values == right_answer().outputs[0].values);
  CHECK(talk.answer().outputs[0].values == right_answer().outputs[0].values);
}

TEST_CASE("a reply without a request breaks the channel") {
  const std::vector<Turn> one(1);
  CHECK(after_replies({Ready{}, Ready{}, Called{1}, right_answer()}, one).state() == State::answered);
  CHECK(after_replies({Ready{}, Called{1}}, one).state() == State::broken);
  CHECK(after_replies({Ready{}, Ready{}, Ready{}}, one).state() == State::broken);
  CHECK(after_replies({Ready{}, Ready{}, Shown{right_answer().outputs}}, one).state() == State::broken);
  CHECK(after_replies({Ready{}, Ready{}, Called{-1}}, one).state() == State::broken);
  CHECK(after_replies({Ready{}, NoEntry{}}, one).state() == State::broken);
  CHECK(after_replies({Ready{}, Ready{}, right_answer()}, one).state() == State::broken);  // before its time
  CHECK(after_replies({right_answer()}, one).state() == State::broken);
  CHECK(after_replies({Ready{}, Answer{.problem = "no memory"}}, one).state() == State::answered);
}
