#include "harness/messages.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"

namespace grader::harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxProblemBytes = 4096;

using Parts = std::vector<std::span<const std::byte>>;

void append_arrays(const std::vector<Array>& arrays, Json& list, Parts& payload) {
  for (const Array& one : arrays) {
    list.push_back({{"name", one.name}, {"shape", one.shape}});
    payload.push_back(std::as_bytes(std::span(one.values)));
  }
}

std::string spelled(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

template <class T>
std::optional<T> member(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  try {
    return found->get<T>();
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

/// The rest of a frame's payload.
class Payload {
 public:
  explicit Payload(std::vector<float> values) : values_(std::move(values)) {}

  std::size_t size() const { return values_.size() - taken_; }
  bool empty() const { return size() == 0; }
  /// Requires: count <= size(). If these are all values, they are not copied.
  std::vector<float> take(std::size_t count) {
    if (taken_ == 0 && count == values_.size()) return std::exchange(values_, {});
    const auto first = values_.begin() + static_cast<std::ptrdiff_t>(taken_);
    taken_ += count;
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

 private:
  std::vector<float> values_;
  std::size_t taken_ = 0;
};

/// Outputs must be those of the job, in its order; their values are taken from the payload.
Expected<std::vector<Array>, std::string> read_outputs(const Json& message, Payload& payload,
                                                       const Job& job) {
  const auto member_of_message = message.find("outputs");
  if (member_of_message == message.end() || !member_of_message->is_array())
    return Unexpected{std::string("no outputs")};
  const Json& list = *member_of_message;
  if (list.size() != job.outputs.size())
    return Unexpected{fmt::format("{} outputs when it should be {}", list.size(), job.outputs.size())};
  std::vector<Array> outputs;
  for (std::size_t i = 0; i < job.outputs.size(); ++i) {
    const OutputSpec& expected = job.outputs[i];
    const Json& given = list[i];
    if (!given.is_object() || member<std::string>(given, "name") != expected.name)
      return Unexpected{fmt::format("output {} is not {}", i, expected.name)};
    const auto shape = member<Shape>(given, "shape");
    if (shape != expected.shape)
      return Unexpected{fmt::format("output {} has shape {} when it should be {}", expected.name,
                                    shape ? spelled(*shape) : "unknown", spelled(expected.shape))};
    const std::size_t count = element_count(expected.shape);
    if (payload.size() < count) return Unexpected{fmt::format("output {} is truncated", expected.name)};
    outputs.push_back({expected.name, expected.shape, payload.take(count)});
  }
  return outputs;
}

Expected<CallOutputs, std::string> read_call_outputs(const Json& message, Payload& payload, const Job& job) {
  auto outputs = read_outputs(message, payload, job);
  if (!outputs) return Unexpected{outputs.error()};
  auto addresses = member<std::vector<std::uint64_t>>(message, "addresses");
  if (!addresses || addresses->size() != job.outputs.size()) return Unexpected{std::string("no addresses")};
  return CallOutputs{*std::move(outputs), *std::move(addresses)};
}

/// The number of elements of each input, in the order of input_count().
std::vector<std::size_t> input_sizes(const Job& job) {
  std::vector<std::size_t> sizes;
  const auto add = [&](const std::vector<Input>& inputs) {
    for (const Input& one : inputs) sizes.push_back(element_count(one.shape));
  };
  if (!job.takes_turns)
    for (const EarlierCall& one : job.earlier) add(one.inputs);
  add(job.inputs);
  return sizes;
}

/// The words of inputs are bits of floats in the payload.
Expected<std::vector<InputAfter>, std::string> read_inputs(const Json& message, Payload& payload,
                                                           const Job& job) {
  const auto addresses = member<std::vector<std::uint64_t>>(message, "input_addresses");
  const auto counts = member<std::vector<std::size_t>>(message, "input_counts");
  const std::vector<std::size_t> sizes = input_sizes(job);
  if (!addresses || !counts || addresses->size() != sizes.size() || counts->size() != sizes.size())
    return Unexpected{std::string("the inputs are missing")};
  std::vector<InputAfter> inputs;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t count = (*counts)[i];
    if (count > payload.size() || (count != 0 && count != sizes[i]))
      return Unexpected{fmt::format("input {} has a wrong number of elements", i + 1)};
    InputAfter& input = inputs.emplace_back();
    input.address = (*addresses)[i];
    input.words.resize(count);
    const std::vector<float> values = payload.take(count);
    if (count > 0) std::memcpy(input.words.data(), values.data(), count * sizeof(float));
  }
  return inputs;
}

/// The outputs of the earlier calls with checked results.
Expected<std::vector<CallOutputs>, std::string> read_earlier(const Json& message, Payload& payload,
                                                             const Job& job) {
  const Json list = message.value("earlier", Json::array());
  if (list.size() != checked_earlier_calls(job))
    return Unexpected{std::string("the results of earlier calls are missing")};
  std::vector<CallOutputs> earlier;
  for (const Json& one : list) {
    auto call = read_call_outputs(one, payload, job);
    if (!call) return Unexpected{call.error()};
    earlier.push_back(*std::move(call));
  }
  return earlier;
}

Unexpected<std::string> too_many_values() {
  return Unexpected{std::string("the message contains more values than the arrays have")};
}

Expected<double, std::string> read_seconds(const Json& message) {
  const auto seconds = member<double>(message, "seconds");
  if (!seconds) return Unexpected{std::string("no time")};
  if (!std::isfinite(*seconds) || *seconds < 0)
    return Unexpected{fmt::format("{} is not a duration", *seconds)};
  return *seconds;
}

/// Names of arrays, or of memory that the submission allocated itself, as warpgradeOverrunMemory() calls it.
bool are_memory(const std::vector<std::string>& names, const Job& job) {
  const auto is_memory = [&](const std::string& name) {
    const auto has_name = [&](const auto& one) { return one.name == name; };
    return name == "memory from malloc or new" || name == "pinned memory" ||
           std::any_of(job.inputs.begin(), job.inputs.end(), has_name) ||
           std::any_of(job.outputs.begin(), job.outputs.end(), has_name);
  };
  return std::all_of(names.begin(), names.end(), is_memory);
}

Expected<Reply, std::string> read_answer(const Json& message, std::vector<float> values, const Job& job) {
  Answer answer;
  const auto problem = member<std::string>(message, "problem");
  if (!problem || problem->size() > kMaxProblemBytes)
    return Unexpected{std::string("the problem is missing or too long")};
  answer.problem = *problem;
  if (!answer.problem.empty()) {
    if (!values.empty()) return Unexpected{std::string("the message contains both a problem and values")};
    return Reply{std::move(answer)};
  }
  Payload payload(std::move(values));
  auto outputs = read_call_outputs(message, payload, job);
  if (!outputs) return Unexpected{outputs.error()};
  auto earlier = read_earlier(message, payload, job);
  if (!earlier) return Unexpected{earlier.error()};
  auto inputs = read_inputs(message, payload, job);
  if (!inputs) return Unexpected{inputs.error()};
  if (!payload.empty()) return too_many_values();
  answer.outputs = std::move(outputs->outputs);
  answer.addresses = std::move(outputs->addresses);
  answer.earlier = *std::move(earlier);
  answer.inputs = *std::move(inputs);
  const auto overrun = member<std::vector<std::string>>(message, "overrun");
  if (!overrun || !are_memory(*overrun, job))
    return Unexpected{std::string("the list of overrun arrays contains an unknown name")};
  answer.overrun = *overrun;
  const auto seconds = read_seconds(message);
  if (!seconds) return Unexpected{seconds.error()};
  answer.seconds = *seconds;
  return Reply{std::move(answer)};
}

/// The members that a job and an earlier call have in common.
template <class Call>
Json write_call(const Call& call, Parts& payload) {
  Json message{{"scalars", call.scalars}, {"inputs", Json::array()}, {"outputs", Json::array()}};
  for (const Input& one : call.inputs) {
    message["inputs"].push_back(
        {{"name", one.name}, {"shape", one.shape}, {"place", one.place}, {"element", one.element}});
    payload.push_back(std::as_bytes(std::span(one.values)));
  }
  for (const OutputSpec& one : call.outputs) {
    Json output{{"name", one.name}, {"shape", one.shape}, {"place", one.place}, {"element", one.element}};
    if (one.starts_as) output["starts_as"] = *one.starts_as;
    message["outputs"].push_back(std::move(output));
  }
  return message;
}

/// Takes the values of inputs from `next` on.
template <class Call>
void read_call(const Json& message, std::vector<float>::const_iterator& next, Call& call) {
  call.scalars = message.at("scalars");
  for (const Json& one : message.at("inputs")) {
    const Shape shape = one.at("shape");
    const auto count = static_cast<std::ptrdiff_t>(element_count(shape));
    call.inputs.push_back(
        {{one.at("name"), shape, {next, next + count}}, one.at("place"), one.at("element")});
    next += count;
  }
  for (const Json& one : message.at("outputs"))
    call.outputs.push_back({one.at("name"), one.at("shape"), one.at("place"), one.at("element"),
                            member<std::size_t>(one, "starts_as")});
}

Message write(const Ready&) { return {json_text(Json{{"kind", "ready"}}), {}}; }
Message write(const Called& called) {
  return {json_text(Json{{"kind", "called"}, {"seconds", called.seconds}}), {}};
}
Message write(const Shown& shown) {
  Message frame;
  Json message{{"kind", "shown"}, {"outputs", Json::array()}};
  append_arrays(shown.outputs, message["outputs"], frame.payload);
  frame.header = json_text(message);
  return frame;
}
Message write(const NoEntry&) { return {json_text(Json{{"kind", "no_entry"}}), {}}; }
Message write(const Left&) { return {json_text(Json{{"kind", "left"}}), {}}; }
Message write(const Answer& answer) {
  Message frame;
  Json message{
      {"kind", "answer"},          {"seconds", answer.seconds},        {"addresses", answer.addresses},
      {"overrun", answer.overrun}, {"input_addresses", Json::array()}, {"input_counts", Json::array()},
      {"outputs", Json::array()}};
  message["problem"] = answer.problem.substr(0, kMaxProblemBytes);
  append_arrays(answer.outputs, message["outputs"], frame.payload);
  for (const CallOutputs& one : answer.earlier) {
    Json& call =
        message["earlier"].emplace_back(Json{{"addresses", one.addresses}, {"outputs", Json::array()}});
    append_arrays(one.outputs, call["outputs"], frame.payload);
  }
  for (const InputAfter& one : answer.inputs) {
    message["input_addresses"].push_back(one.address);
    message["input_counts"].push_back(one.words.size());
    frame.payload.push_back(std::as_bytes(std::span(one.words)));
  }
  frame.header = json_text(message);
  return frame;
}

}  // namespace

Message write_job(const Job& job) {
  Message frame;
  Json message = write_call(job, frame.payload);
  message["kind"] = "job";
  message["adapter"] = job.adapter;
  message["entry"] = job.entry;
  message["takes_turns"] = job.takes_turns;
  if (!job.is_last) message["is_last"] = false;
  message["earlier"] = Json::array();
  for (const EarlierCall& one : job.earlier) {
    message["earlier"].push_back(write_call(one, frame.payload));
    message["earlier"].back()["values"] = one.values;
    if (!one.entry.empty()) message["earlier"].back()["entry"] = one.entry;
  }
  frame.header = json_text(message);
  return frame;
}

Message write_request(const Request& request) {
  return {json_text(Json{{"request", request.kind}, {"rotation", request.rotation}}), {}};
}

Message write_reply(const Reply& reply) {
  return std::visit([](const auto& one) { return write(one); }, reply);
}

Job read_job(const Frame& frame) {
  const Json message = valid_json_from(frame.header);
  Job job;
  job.adapter = message.at("adapter");
  job.entry = message.at("entry");
  job.takes_turns = message.at("takes_turns");
  job.is_last = member<bool>(message, "is_last").value_or(true);
  auto next = frame.payload.begin();
  read_call(message, next, job);
  for (const Json& one : message.at("earlier")) {
    read_call(one, next, job.earlier.emplace_back());
    job.earlier.back().values = one.at("values");
    job.earlier.back().entry = one.value("entry", "");
  }
  return job;
}

Request read_request(const Frame& frame) {
  const Json message = valid_json_from(frame.header);
  return {message.at("request"), message.at("rotation")};
}

FrameLimits reply_limits(const Job& job) {
  FrameLimits limits;
  const std::size_t calls = 1 + checked_earlier_calls(job);
  for (const OutputSpec& one : job.outputs) {
    limits.payload_floats += calls * element_count(one.shape);
    limits.header_bytes += 25;                                     // the output's address
    limits.header_bytes += (calls - 1) * (one.name.size() + 200);  // name, shape and address
  }
  for (const std::size_t size : input_sizes(job)) {
    limits.payload_floats += size;
    limits.header_bytes += 50;  // the input's address and size
  }
  return limits;
}

Expected<Reply, std::string> read_reply(Frame frame, const Job& job) {
  const Json message = json_from(frame.header);
  if (!message.is_object()) return Unexpected{std::string("the header is not a JSON object")};
  const auto kind = member<std::string>(message, "kind");
  if (kind == "answer") return read_answer(message, std::move(frame.payload), job);
  if (kind == "shown" && job.takes_turns) {
    Payload payload(std::move(frame.payload));
    auto outputs = read_outputs(message, payload, job);
    if (!outputs) return Unexpected{outputs.error()};
    if (!payload.empty()) return too_many_values();
    return Reply{Shown{std::move(*outputs)}};
  }
  if (!frame.payload.empty())
    return Unexpected{std::string("a message of this kind must not contain values")};
  if (kind == "ready" && job.takes_turns) return Reply{Ready{}};
  if (kind == "called" && job.takes_turns) {
    const auto seconds = read_seconds(message);
    if (!seconds) return Unexpected{seconds.error()};
    return Reply{Called{*seconds}};
  }
  if (kind == "no_entry") return Reply{NoEntry{}};
  if (kind == "left" && job.takes_turns) return Reply{Left{}};
  return Unexpected{std::string("the message has an unknown kind")};
}

}  // namespace grader::harness
