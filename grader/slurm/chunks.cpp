#include "slurm/chunks.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>

#include <fmt/format.h>

namespace grader::slurm {
namespace {

constexpr std::size_t kFewest = 5;         // half a minute of work or so
constexpr std::size_t kMostTasks = 500;    // a minute or two until Slurm has started them all
constexpr std::size_t kRetryDivisor = 4;   // 16, 4, 1: two attempts single out any culprit of a usual chunk
constexpr unsigned kAloneFromAttempt = 2;  // counted from 0

/// Cuts a number off the front.
std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::size_t items_per_task(std::size_t items) {
  return std::max(kFewest, (items + kMostTasks - 1) / kMostTasks);
}

std::size_t items_per_retry(std::size_t first, unsigned attempt) {
  if (attempt == 0) return first;
  return attempt >= kAloneFromAttempt ? 1 : std::max<std::size_t>(1, first / kRetryDivisor);
}

std::vector<Items> chunks(const Items& items, std::size_t size) {
  assert(size > 0);
  std::vector<Items> result;
  for (std::size_t start = 0; start < items.size(); start += size) {
    const auto first = items.begin() + static_cast<std::ptrdiff_t>(start);
    result.emplace_back(first, first + static_cast<std::ptrdiff_t>(std::min(size, items.size() - start)));
  }
  return result;
}

std::string ranges(const Items& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size();) {
    std::size_t last = i;
    while (last + 1 < items.size() && items[last + 1] == items[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", items[i]);
    if (last > i) text += fmt::format("-{}", items[last]);
    i = last + 1;
  }
  return text;
}

std::optional<Items> read_ranges(std::string_view text) {
  constexpr std::size_t kMostItems = 1'000'000;
  Items items;
  do {
    const auto first = take_number(text);
    const auto last = first && take(text, '-') ? take_number(text) : first;
    if (!last || *last < *first || *last - *first >= kMostItems - items.size()) return std::nullopt;
    for (std::size_t item = *first; item <= *last; ++item) items.push_back(item);
  } while (take(text, ','));
  return text.empty() ? std::optional(std::move(items)) : std::nullopt;
}

}  // namespace grader::slurm
