#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mutants/rules.hpp"

namespace grader::mutants {
namespace {

using namespace std::string_view_literals;

template <std::size_t Count>
bool begins_with_one_of(std::string_view text, const std::array<std::string_view, Count>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.starts_with(word); });
}

/// no-barrier, moved-barrier: one statement too early or too late.
void mutate_barrier(const Code& code, std::size_t i, Sink& sink) {
  if (code.text(i) != "__syncthreads" && code.text(i) != "__syncwarp") return;
  const Range barrier = code.statement_at(i);
  sink.replace("no-barrier", barrier, ";");
  const std::string call(code.text(barrier));
  if (const auto before = code.statement_before(barrier.begin))
    sink.replace("moved-barrier", Range{before->begin, barrier.end},
                 fmt::format("{} {}", call, code.text(*before)));
  if (const auto after = code.statement_after(barrier.end))
    sink.replace("moved-barrier", Range{barrier.begin, after->end},
                 fmt::format("{} {}", code.text(*after), call));
}

/// no-wait, no-call: a call of the runtime is missing. Errors that the call returned are not checked either.
void mutate_call(const Code& code, std::size_t i, Sink& sink) {
  static constexpr std::array kWaits = {"cudaStreamSynchronize"sv, "cudaDeviceSynchronize"sv,
                                        "cudaEventSynchronize"sv, "cudaStreamWaitEvent"sv,
                                        "cudaEventRecord"sv};
  static constexpr std::array kCalls = {"cudaMemcpy"sv,        "cudaMemset"sv,         "cudaFree"sv,
                                        "cudaHostRegister"sv,  "cudaHostUnregister"sv, "memcpy"sv,
                                        "cudaStreamDestroy"sv, "cudaEventDestroy"sv};
  const bool is_wait = begins_with_one_of(code.text(i), kWaits);
  if (code.text(i + 1) != "(" || (!is_wait && !begins_with_one_of(code.text(i), kCalls))) return;
  Range statement = code.statement_at(i);
  const bool has_check = code.text(i - 2) == "CUDA_CHECK";
  statement.begin = has_check ? i - 2 : code.text(i - 1) == "::" ? i - 2 : i;
  if (code.text(statement.begin - 1) == "=" || code.text(statement.begin - 1) == "return") return;
  sink.replace(is_wait ? "no-wait" : "no-call", statement, ";");
}

/// wrong-stream: the default stream in the place of another one.
void mutate_stream(const Code& code, std::size_t i, Sink& sink) {
  static constexpr std::array kLast = {"cudaMemcpyAsync"sv, "cudaStreamSynchronize"sv, "cudaEventRecord"sv};
  const std::vector<Range> arguments = code.arguments(code.text(i) == "<<<" ? i : i + 1);
  if (code.text(i) == "<<<" && arguments.size() == 4) sink.replace("wrong-stream", arguments[3], "0");
  if (begins_with_one_of(code.text(i), kLast) && !arguments.empty())
    sink.replace("wrong-stream", arguments.back(), "0");
}

/// copy-length: elements in the place of bytes, or half of the bytes. copy-direction.
void mutate_copy(const Code& code, std::size_t i, Sink& sink) {
  if (code.text(i) == "sizeof" && code.text(i - 1) == "*" && code.partner(i + 1)) {
    const Range size{i - 1, *code.partner(i + 1) + 1};
    sink.replace("copy-length", Range{i - 2, size.end}, std::string(code.text(i - 2)));
    sink.replace("copy-length", size, fmt::format("{} / 2", code.text(size)));
  }
  if (code.text(i).ends_with("bytes") && (code.text(i + 1) == "," || code.text(i + 1) == ")"))
    sink.replace("copy-length", i, fmt::format("{} / 2", code.text(i)));
  if (code.text(i) == "cudaMemcpyHostToDevice") sink.replace("copy-direction", i, "cudaMemcpyDeviceToHost");
  if (code.text(i) == "cudaMemcpyDeviceToHost") sink.replace("copy-direction", i, "cudaMemcpyHostToDevice");
}

/// rounded-down: the last, partly filled block or tile is missing. fixed-blocks: no more than 96 of them.
void mutate_count(const Code& code, std::size_t i, Sink& sink) {
  if (code.text(i) != "ceil_div") return;
  const std::vector<Range> arguments = code.arguments(i + 1);
  const Range call{i - 2, code.partner(i + 1).value_or(i) + 1};  // lab::ceil_div(…)
  if (arguments.size() != 2) return;
  sink.replace("rounded-down", call,
               fmt::format("(({}) / ({}))", code.text(arguments[0]), code.text(arguments[1])));
  sink.replace("fixed-blocks", call, fmt::format("({0} < 96 ? {0} : 96)", code.text(call)));
}

/// swapped-arguments: the dimensions of a grid or of a block.
void mutate_dim3(const Code& code, std::size_t i, Sink& sink) {
  const std::size_t open = code.text(i + 1) == "(" ? i + 1 : i + 2;
  const std::vector<Range> arguments = code.arguments(open);
  if (code.text(i) != "dim3" || code.text(open) != "(" || arguments.size() != 2) return;
  sink.replace("swapped-arguments", Range{open + 1, *code.partner(open)},
               fmt::format("{}, {}", code.text(arguments[1]), code.text(arguments[0])));
}

/// fixed-size: the kernel works for sizes up to 256.
void mutate_sizes(const Code& code, Sink& sink) {
  for (const Function& function : code.functions())
    for (const std::string_view name : function.integers)
      if (function.is_kernel)
        sink.insert_before("fixed-size", function.body.begin,
                           fmt::format("if ({0} > 256) {0} = 256; ", name));
}

}  // namespace

void add_launch_mutants(const Code& code, Sink& sink) {
  for (std::size_t i = 2; i + 2 < code.size(); ++i) {
    mutate_barrier(code, i, sink);
    mutate_call(code, i, sink);
    mutate_stream(code, i, sink);
    mutate_copy(code, i, sink);
    mutate_count(code, i, sink);
    mutate_dim3(code, i, sink);
  }
  mutate_sizes(code, sink);
}

}  // namespace grader::mutants
