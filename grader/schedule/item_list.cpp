#include "schedule/item_list.hpp"

#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace grader {
namespace {

std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string item_list_text(const std::vector<std::size_t>& items) {
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

Expected<std::vector<std::size_t>, std::string> parse_item_list(const std::string& text, std::size_t count) {
  std::set<std::size_t> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    const std::size_t dash = part.find('-');
    const auto first = number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(part.substr(dash + 1));
    if (!first || !last || *last < *first)
      return Unexpected{fmt::format("`{}` is not a list of items like 0-4,9", text)};
    if (*last >= count)
      return Unexpected{fmt::format("there is no item {}; the manifest has {} items", *last, count)};
    for (std::size_t i = *first; i <= *last; ++i) items.insert(i);
    begin = end + 1;
  }
  return std::vector<std::size_t>(items.begin(), items.end());
}

}  // namespace grader
