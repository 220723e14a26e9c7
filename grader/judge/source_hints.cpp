#include "judge/source_hints.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "judge/code_text.hpp"
#include "judge/declarations.hpp"
#include "judge/function_lines.hpp"

namespace grader {

namespace {

/// "kernel<<<" or "kernel<16><<<".
bool launches(std::string_view code, std::string_view kernel) {
  const auto rest = after_word(code, kernel);
  if (!rest) return false;
  const std::size_t next = rest->find_first_not_of(" \t");
  return next != std::string_view::npos && (*rest)[next] == '<' &&
         rest->find("<<<") != std::string_view::npos;
}

LineRange all_lines(const SourceText& source) { return {0, source.lines.size()}; }

/// The first line of code that passes `test`.
template <class Test>
std::optional<std::uint32_t> first_line(const SourceText& source, LineRange lines, Test test) {
  for (std::size_t i = lines.begin; i < lines.end; ++i)
    if (test(code_of(source.lines[i]))) return static_cast<std::uint32_t>(i + 1);
  return std::nullopt;
}

/// The only line of code that passes `test`.
template <class Test>
std::optional<std::uint32_t> only_line(const SourceText& source, LineRange lines, Test test) {
  std::optional<std::uint32_t> found;
  for (std::size_t i = lines.begin; i < lines.end; ++i) {
    if (!test(code_of(source.lines[i]))) continue;
    if (found) return std::nullopt;
    found = static_cast<std::uint32_t>(i + 1);
  }
  return found;
}

/// The only line of the file that passes `test`; if there are several, the only one in the function.
template <class Test>
std::optional<std::uint32_t> only_or_in(const SourceText& source, std::string_view function, Test test) {
  const auto only = only_line(source, all_lines(source), test);
  return only ? only : only_line(source, body_of(source, function), test);
}

bool names_any(std::string_view code, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* word) { return contains_word(code, word); });
}

bool has_all_lanes(std::string_view code) {
  const auto has = [&](std::string_view mask) { return code.find(mask) != std::string_view::npos; };
  return has("0xffffffff") || has("0xFFFFFFFF") || has("~0") || has("-1");
}

/// A mask of all lanes, or a name that a line of the file sets to one.
bool is_full_mask(const SourceText& source, std::string_view mask) {
  if (has_all_lanes(mask)) return true;
  const auto sets_it = [&](const std::string& line) {
    const std::string_view code = code_of(line);
    return contains_word(code, mask) && !contains_word(code, "__syncwarp") && has_all_lanes(code);
  };
  return std::any_of(source.lines.begin(), source.lines.end(), sets_it);
}

/// The code has a barrier or a group for a part of a warp: see sync_of_part().
bool syncs_part(const SourceText& source, std::string_view code) {
  if (const auto rest = after_word(code, "__syncwarp")) {
    const std::string_view arguments = trimmed(*rest);
    if (!arguments.starts_with('(')) return false;
    const std::string_view mask = trimmed(arguments.substr(1, arguments.rfind(')') - 1));
    return !mask.empty() && !mask.starts_with(')') && !is_full_mask(source, mask);
  }
  for (const char* group : {"tiled_partition", "thread_block_tile"})
    if (const auto size = after_word(code, group)) {
      const std::string_view number = size->starts_with('<') ? size->substr(1) : "";
      const auto threads = number_in(trimmed(number.substr(0, number.find_first_of(",>"))));
      return threads && *threads < 32;
    }
  return names_any(code, {"coalesced_threads", "binary_partition", "labeled_partition"});
}

/// The lines of a device function, and of the device functions of the file that it calls.
std::vector<LineRange> with_called(const SourceText& source, LineRange caller) {
  std::vector<LineRange> all{caller};
  std::size_t left = 100;  // functions, for each of which the caller is searched
  for (std::size_t i = 0; i < source.lines.size() && left > 0 && caller.begin < caller.end; ++i) {
    const std::string_view code = code_of(source.lines[i]);
    if (i == caller.begin || !contains_word(code, "__device__")) continue;
    const std::string_view head = code.substr(0, code.find('('));
    if (head == code) continue;  // a variable
    --left;
    const std::string name(head.substr(head.find_last_of(" *&") + 1));  // npos + 1 is 0
    const bool is_called = first_line(source, caller, [&](std::string_view one) {
                             return !name.empty() && contains_word(one, name);
                           }).has_value();
    if (is_called)
      all.push_back(device_function_with(source, source.name, static_cast<std::uint32_t>(i + 1)));
  }
  return all;
}

struct AtomicName {
  const char* name;
  bool is_lock;
};

/// The code compares the result of an atomic operation for equality, or loops while it is true.
std::optional<AtomicName> compared_atomic(std::string_view code) {
  constexpr auto kAtomics = std::to_array<AtomicName>({{"atomicCAS", true},
                                                       {"atomicExch", true},
                                                       {"exchange", true},
                                                       {"compare_exchange_strong", true},
                                                       {"compare_exchange_weak", true},
                                                       {"test_and_set", true},
                                                       {"atomicAdd", false},
                                                       {"atomicInc", false},
                                                       {"atomicSub", false},
                                                       {"atomicDec", false},
                                                       {"fetch_add", false},
                                                       {"fetch_sub", false},
                                                       {"load", false}});
  for (const AtomicName& one : kAtomics) {
    const auto rest = after_word(code, one.name);
    if (!rest || !rest->starts_with('(')) continue;
    std::size_t end = 0;
    for (int open = 0; end < rest->size(); ++end) {
      open += (*rest)[end] == '(' ? 1 : (*rest)[end] == ')' ? -1 : 0;
      if (open == 0) break;
    }
    const std::string_view after = trimmed(rest->substr(std::min(end + 1, rest->size())));
    const bool is_compared = after.starts_with("==") || after.starts_with("!=");
    if (is_compared || (after.starts_with(')') && contains_word(code, "while"))) return one;
  }
  return std::nullopt;
}

/// The pointer of which the first of these calls in the code gets the address.
std::optional<std::string> pointer_allocated_by(std::initializer_list<const char*> calls,
                                                std::string_view code) {
  for (const char* call : calls) {
    const auto rest = after_word(code, call);
    if (!rest) continue;
    const std::string_view argument = rest->substr(0, rest->find(','));
    const std::size_t at = argument.rfind('&') + 1;  // npos + 1 is 0
    if (at == 0) return std::nullopt;
    const std::size_t end = argument.find(')', at);
    return std::string(trimmed(argument.substr(at, end == std::string_view::npos ? end : end - at)));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> return_before_barrier(const SourceText& source, std::string_view file,
                                                   std::uint32_t line, std::string_view kernel) {
  const LineRange function = device_function_with(source, file, line);
  if (function.begin == function.end) return std::nullopt;
  const std::string_view head = code_of(source.lines[function.begin]);
  if (!starts_device_function(head)) return std::nullopt;
  const auto has_barrier = [&](std::uint32_t at) {
    return contains_word(code_of(source.lines[at - 1]), "__syncthreads");
  };
  std::uint32_t barrier = line;
  while (barrier > function.begin + 1 && !has_barrier(barrier)) --barrier;
  if (!has_barrier(barrier)) return std::nullopt;
  const auto returns = [](std::string_view code) { return contains_word(code, "return"); };
  if (const auto found = first_line(source, {function.begin, barrier - 1}, returns)) return found;
  // Threads can also return in the kernel, before it calls this function.
  const std::string name = last_word(trimmed(head.substr(0, head.find('('))));
  const LineRange caller = body_of(source, kernel);
  if (name.empty() || contains_word(head, kernel) || caller.begin == caller.end) return std::nullopt;
  const auto call =
      first_line(source, caller, [&](std::string_view code) { return contains_word(code, name); });
  return call ? first_line(source, {caller.begin, *call - 1}, returns) : std::nullopt;
}

std::optional<std::uint32_t> loop_around(const SourceText& source, std::string_view file,
                                         std::uint32_t line) {
  const LineRange function = device_function_with(source, file, line);
  const auto begins_loop = [](std::string_view code) { return names_any(code, {"for", "while", "do"}); };
  if (line == 0 || function.end < line) return std::nullopt;
  if (begins_loop(code_of(source.lines[line - 1]))) return line;
  std::ptrdiff_t ended = 0;  // blocks that end between the present line and `line`, less those that begin
  bool is_body = true;       // no statement ends between the two
  for (std::size_t i = line - 1; i-- > function.begin;) {
    const std::string_view code = code_of(source.lines[i]);
    const std::ptrdiff_t begun = std::count(code.begin(), code.end(), '{');
    ended += std::count(code.begin(), code.end(), '}') - begun;
    is_body &= !trimmed(code).ends_with(';');
    const bool is_around = ended < 0 || (ended == 0 && begun == 0 && is_body);
    if (is_around && begins_loop(code)) return static_cast<std::uint32_t>(i + 1);
    if (ended >= 0) continue;
    ended = 0;
    is_body = true;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> barrier_in_loop(const SourceText& source, std::string_view file,
                                             std::uint32_t line) {
  const auto loop = loop_around(source, file, line);
  const LineRange function = device_function_with(source, file, line);
  for (std::size_t i = loop ? *loop - 1 : function.end; i < function.end; ++i) {
    const auto at = static_cast<std::uint32_t>(i + 1);
    if (contains_word(code_of(source.lines[i]), "__syncthreads") && loop_around(source, file, at) == loop)
      return at;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> warp_barrier_between(const SourceText& source, std::string_view file,
                                                  std::uint32_t one, std::uint32_t other) {
  LineRange lines = device_function_with(source, file, one);
  const std::size_t low = std::min(one, other), high = std::max(one, other);
  lines = {std::max(lines.begin + 1, low) - 1, std::min(lines.end, high)};
  return first_line(source, lines, [](std::string_view code) { return contains_word(code, "__syncwarp"); });
}

std::optional<std::uint32_t> sync_of_part(const SourceText& source, std::string_view file,
                                          std::uint32_t line) {
  return first_line(source, device_function_with(source, file, line),
                    [&](std::string_view code) { return syncs_part(source, code); });
}

std::optional<std::uint32_t> integer_of_16_bits(const SourceText& source, std::string_view file,
                                                std::uint32_t line) {
  return first_line(source, device_function_with(source, file, line), [](std::string_view code) {
    return names_any(code, {"short", "ushort", "int16_t", "uint16_t"});
  });
}

bool advise_on_pitch(const SourceText& source, Diagnostic& diagnostic) {
  auto line = first_use(source, "cudaMallocPitch");
  if (!line) line = first_use(source, "cudaMalloc3D");
  if (!line) return false;
  // Another array can have no pitch.
  const bool is_of_other_line =
      diagnostic.first.find("allocated at ") != std::string::npos &&
      diagnostic.first.find(fmt::format("{}:{}", source.name, *line)) == std::string::npos;
  if (is_of_other_line) return false;
  diagnostic.likely_cause = fmt::format(
      "rows of memory from line {} are a pitch apart, which is more than the length of a row: an index that "
      "multiplies the row by another number reaches the unused bytes after a row, and so does a copy that is "
      "not cudaMemcpy2D",
      *line);
  diagnostic.next_step =
      "pass the pitch to the kernel, and use row * (pitch / sizeof(float)) + column: a pitch counts bytes";
  return true;
}

std::optional<BlockOrder> block_order(const SourceText& source, std::string_view file, std::uint32_t line) {
  BlockOrder order;
  for (const LineRange& lines : with_called(source, device_function_with(source, file, line)))
    for (std::size_t i = lines.begin; i < lines.end; ++i) {
      const std::string_view code = code_of(source.lines[i]);
      order.has_fence |= names_any(code, {"__threadfence", "atomic_thread_fence"});
      order.is_relaxed |= contains_word(code, "memory_order_relaxed") ||
                          code.find("memory_order::relaxed") != std::string_view::npos;
      const auto found = compared_atomic(code);
      if (!found || order.line != 0) continue;
      order.line = static_cast<std::uint32_t>(i + 1);
      order.atomic = found->name;
      order.is_lock = found->is_lock;
      order.is_member = !order.atomic.starts_with("atomic");
    }
  if (order.line == 0 || (order.is_member && !order.is_relaxed)) return std::nullopt;
  return order;
}

std::optional<std::uint32_t> first_use(const SourceText& source, std::string_view identifier) {
  return first_line(source, all_lines(source),
                    [&](std::string_view code) { return contains_word(code, identifier); });
}

std::optional<std::uint32_t> barrier_without_call(const SourceText& source, std::string_view file,
                                                  std::uint32_t line) {
  return first_line(source, device_function_with(source, file, line), [](std::string_view code) {
    const auto rest = after_word(code, "__syncthreads");
    return rest && !trimmed(*rest).starts_with('(');
  });
}

namespace {

bool is_of_template(const SourceText& source, std::string_view name) {
  return std::any_of(source.lines.begin(), source.lines.end(), [&](const std::string& line) {
    return contains_word(code_of(line), "template") && contains_word(code_of(line), name);
  });
}

/// Whether all names of the condition are constants or parameters of templates: it is the same for all
/// threads. `head`: "if (kThreads >= 512)".
bool is_constant_condition(const SourceText& source, std::string_view head) {
  for (std::size_t at = 0; at < head.size();) {
    const auto first = head.begin() + static_cast<std::ptrdiff_t>(at);
    const std::string_view word(
        first, static_cast<std::size_t>(std::find_if_not(first, head.end(), is_word_character) - first));
    at += std::max<std::size_t>(word.size(), 1);
    const bool is_known = word.empty() || word == "if" || word == "constexpr" || number_in(word) ||
                          constant(source, word) || is_of_template(source, word);
    if (!is_known) return false;
  }
  return true;
}

/// Follows a function's code and knows whether it is under an `if` that threads can pass differently: in its
/// braces, or in its only statement.
class Conditions {
 public:
  explicit Conditions(const SourceText& source) : source_(source) {}

  /// Whether the word, which the line has, is under an `if`; nullopt: the line does not have it.
  std::optional<bool> are_around(std::string_view word, std::string_view code) {
    std::optional<bool> found;
    for (std::size_t i = 0; i < code.size(); ++i) {
      const char c = code[i];
      if (code.substr(i).starts_with(word))
        found = is_condition(head_) || std::find(open_.begin(), open_.end(), true) != open_.end();
      if (c == '{') open_.push_back(is_condition(head_));
      if (c == '}' && !open_.empty()) open_.pop_back();
      if (c == '{' || c == '}' || c == ';')
        head_.clear();
      else
        head_ += c;
    }
    head_ += ' ';
    return found;
  }

 private:
  bool is_condition(std::string_view head) const {
    if (!names_any(head, {"if", "else"})) return false;
    return !contains_word(head, "if") || !is_constant_condition(source_, trimmed(head));
  }

  const SourceText& source_;
  std::vector<bool> open_;  ///< by open brace
  std::string head_;        ///< the code since the last statement or brace
};

}  // namespace

std::optional<std::uint32_t> barrier_in_condition(const SourceText& source, std::string_view file,
                                                  std::uint32_t earlier, std::uint32_t later) {
  const LineRange lines = device_function_with(source, file, earlier);
  const auto [low, high] = std::minmax(earlier, later);
  // Between the two lines, and elsewhere.
  std::array<std::optional<std::uint32_t>, 2> conditional;
  std::array<bool, 2> has_other{};
  Conditions conditions(source);
  for (std::size_t i = lines.begin; i < lines.end; ++i) {
    const auto line = static_cast<std::uint32_t>(i + 1);
    const auto is_conditional = conditions.are_around("__syncthreads(", code_of(source.lines[i]));
    if (!is_conditional) continue;
    const std::size_t place = low <= line && line <= high ? 0 : 1;
    if (!*is_conditional)
      has_other[place] = true;
    else if (!conditional[place])
      conditional[place] = line;
  }
  const std::size_t expected = earlier < later ? 0 : 1;
  if (conditional[expected] && !has_other[expected]) return conditional[expected];
  // A barrier is where it is expected, so the accesses belong to two iterations of a loop.
  return has_other[expected] ? conditional[1 - expected] : std::nullopt;
}

std::optional<std::uint32_t> copy_without_stream(const SourceText& source, bool is_to_host) {
  const char* const direction = is_to_host ? "cudaMemcpyDeviceToHost" : "cudaMemcpyHostToDevice";
  return first_line(source, all_lines(source), [&](std::string_view code) {
    const auto rest = after_word(code, direction);
    if (!rest || code.find("Async") == std::string_view::npos) return false;
    const std::string_view after = trimmed(rest->substr(0, rest->find(')')));
    return after.empty() || names_any(after, {"0", "nullptr", "NULL"});
  });
}

std::optional<std::uint32_t> first_atomic_of_block(const SourceText& source) {
  return first_line(source, all_lines(source), [](std::string_view code) {
    return contains_word(code, "thread_scope_block") &&
           names_any(code, {"atomic", "atomic_ref", "atomic_thread_fence"});
  });
}

std::optional<std::uint32_t> only_use(const SourceText& source, std::string_view identifier) {
  return only_line(source, all_lines(source),
                   [&](std::string_view code) { return contains_word(code, identifier); });
}

std::optional<std::uint32_t> use_in(const SourceText& source, std::string_view function,
                                    std::string_view word) {
  return first_line(source, body_of(source, function),
                    [&](std::string_view code) { return contains_word(code, word); });
}

std::size_t occurrences_in(const SourceText& source, std::string_view function, std::string_view word) {
  const LineRange lines = body_of(source, function);
  std::size_t uses = 0;
  for (std::size_t i = lines.begin; i < lines.end; ++i)
    for (auto rest = after_word(code_of(source.lines[i]), word); rest; rest = after_word(*rest, word)) ++uses;
  return uses;
}

std::optional<std::uint32_t> first_store(const SourceText& source, std::string_view kernel,
                                         std::string_view array) {
  const LineRange lines = body_of(source, kernel);
  return first_line(source, lines, [&](std::string_view code) {
    const auto rest = after_word(code, array);
    const std::size_t equals = rest && rest->starts_with('[') ? rest->find('=') : std::string_view::npos;
    const bool is_assignment = equals != std::string_view::npos && rest->substr(equals, 2) != "==" &&
                               rest->substr(0, equals).find(';') == std::string_view::npos;
    return is_assignment && !contains_word(code, "__shared__");
  });
}

std::optional<std::uint32_t> guard_of(const SourceText& source, std::string_view file, std::uint32_t line) {
  constexpr std::uint32_t kLinesBefore = 2;
  const LineRange lines = device_function_with(source, file, line);
  for (std::uint32_t i = line; i > lines.begin && i <= lines.end && i + kLinesBefore >= line; --i) {
    const std::string_view code = code_of(source.lines[i - 1]);
    // A statement before the access ends, so that its condition does not guard it.
    if (i < line && code.find_first_of(";}") != std::string_view::npos) return std::nullopt;
    // Of `inside ? in[i] : 0`, what precedes the question mark.
    const std::size_t question = code.find('?');
    const auto condition =
        question != std::string_view::npos ? std::optional(code.substr(0, question)) : after_word(code, "if");
    if (condition && std::count(condition->begin(), condition->end(), '<') == 2 &&
        condition->find("&&") != std::string_view::npos)
      return i;
  }
  return std::nullopt;
}

std::optional<LooseReturn> loose_return(const SourceText& source, std::string_view file, std::uint32_t line) {
  const LineRange lines = device_function_with(source, file, line);
  for (std::size_t i = lines.begin; i < lines.end && i + 1 < line; ++i) {
    const std::string_view code = code_of(source.lines[i]);
    const auto condition = contains_word(code, "return") ? after_word(code, "if") : std::nullopt;
    if (!condition) continue;
    const std::string_view tested = condition->substr(0, condition->find("return"));
    const bool is_conjunction = tested.find("&&") != std::string_view::npos;
    const std::size_t greater = tested.find('>');
    const bool is_loose = greater != std::string_view::npos && tested.substr(greater, 2) != ">=";
    if ((is_conjunction && greater != std::string_view::npos) || is_loose)
      return LooseReturn{static_cast<std::uint32_t>(i + 1), is_conjunction};
  }
  return std::nullopt;
}

std::optional<std::uint32_t> launch_of(const SourceText& source, std::string_view kernel,
                                       std::string_view entry) {
  return only_or_in(source, entry, [&](std::string_view code) { return launches(code, kernel); });
}

std::optional<std::uint32_t> only_call(const SourceText& source, std::string_view prefix,
                                       std::string_view entry) {
  return only_or_in(source, entry,
                    [&](std::string_view code) { return code.find(prefix) != std::string_view::npos; });
}

std::optional<std::uint32_t> first_call(const SourceText& source, std::string_view prefix,
                                        std::string_view entry) {
  return first_line(source, body_of(source, entry),
                    [&](std::string_view code) { return code.find(prefix) != std::string_view::npos; });
}

std::optional<std::uint32_t> allocation_of(const SourceText& source, std::string_view function,
                                           std::string_view pointer) {
  return first_line(source, body_of(source, function), [&](std::string_view code) {
    return pointer_allocated_by({"cudaMalloc", "cudaMallocAsync", "cudaMallocManaged"}, code) == pointer;
  });
}

std::optional<std::string> pointer_allocated_in(const SourceText& source, std::uint32_t line) {
  if (line == 0 || line > source.lines.size()) return std::nullopt;
  return pointer_allocated_by({"cudaMallocHost", "cudaHostAlloc", "cudaMallocManaged"},
                              code_of(source.lines[line - 1]));
}

}  // namespace grader
