#include "mutants/mutants.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "mutants/rules.hpp"

namespace grader::mutants {
namespace {

using namespace std::string_view_literals;

constexpr std::array kSlips = {"constant"sv,       "index-offset"sv, "operator"sv,
                               "swapped-extent"sv, "swapped-xy"sv,   "tunable"sv};

bool is_slip(const Mutant& one) { return std::find(kSlips.begin(), kSlips.end(), one.rule) != kSlips.end(); }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string_view>& lines, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t first = lines[i].find_first_not_of(' ');
    if (first == std::string_view::npos) continue;
    if (!text.empty()) text += ' ';
    text += lines[i].substr(first);
  }
  return text;
}

std::string_view line_at(std::string_view source, std::size_t at) {
  const std::size_t before = source.rfind('\n', at);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return source.substr(begin, source.find('\n', begin) - begin);
}

/// A number that depends on the line's text alone, so that changes elsewhere in the file do not change it.
std::size_t hash_of(std::string_view line) {
  return std::accumulate(line.begin(), line.end(), std::size_t{0}, [](std::size_t value, char c) {
    return value * 31 + static_cast<unsigned char>(c);
  });
}

/// Keeps one mistake per line.
std::vector<Mutant> thinned(std::string_view source, std::vector<Mutant> all) {
  std::map<std::uint32_t, std::vector<std::size_t>> slips;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (is_slip(all[i])) slips[all[i].line].push_back(i);
  std::set<std::size_t> kept;
  for (const auto& [line, places] : slips)
    kept.insert(places[hash_of(line_at(source, all[places.front()].at)) % places.size()]);
  std::vector<Mutant> left;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!is_slip(all[i]) || kept.contains(i)) left.push_back(std::move(all[i]));
  return left;
}

}  // namespace

void Sink::replace(const std::string& rule, Range tokens, std::string text) {
  const std::size_t at = code_.begins(tokens.begin);
  mutants_.push_back(
      {rule, code_.token(tokens.begin).line, 0, at, code_.ends(tokens.end - 1) - at, std::move(text)});
}

void Sink::insert_before(const std::string& rule, std::size_t token, const std::string& text) {
  mutants_.push_back({rule, code_.token(token).line, 0, code_.begins(token), 0, text});
}

std::string Mutant::name() const { return fmt::format("{}:{}:{}", line, rule, ordinal); }

std::vector<Mutant> mutants_of(std::string_view source, Slips slips) {
  const Code code(source);
  Sink sink(code);
  add_guard_mutants(code, sink);
  add_value_mutants(code, sink);
  add_launch_mutants(code, sink);
  std::vector<Mutant> all = sink.take();
  std::stable_sort(all.begin(), all.end(), [](const Mutant& a, const Mutant& b) {
    return std::tie(a.at, a.rule, a.length) < std::tie(b.at, b.rule, b.length);
  });
  if (slips == Slips::none) std::erase_if(all, is_slip);
  std::set<std::string> texts = {std::string(source)};
  std::erase_if(all, [&](const Mutant& one) { return !texts.insert(mutated(source, one)).second; });
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> ordinals;
  for (Mutant& one : all) one.ordinal = ++ordinals[{one.line, one.rule}];
  return thinned(source, std::move(all));
}

std::string mutated(std::string_view source, const Mutant& mutant) {
  std::string text(source);
  return text.replace(mutant.at, mutant.length, mutant.replacement);
}

Change change_of(std::string_view source, const Mutant& mutant) {
  const std::string text = mutated(source, mutant);
  const auto before = lines_of(source), after = lines_of(text);
  std::size_t first = 0, same_at_end = 0;
  const std::size_t shorter = std::min(before.size(), after.size());
  while (first < shorter && before[first] == after[first]) ++first;
  while (same_at_end < shorter - first &&
         before[before.size() - 1 - same_at_end] == after[after.size() - 1 - same_at_end])
    ++same_at_end;
  return {joined(before, first, before.size() - same_at_end),
          joined(after, first, after.size() - same_at_end)};
}

}  // namespace grader::mutants
