#include "packing/linked_pages.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace grader {
namespace {

namespace fs = std::filesystem;

/// The length of the code that starts at the beginning of `text`, with its backticks; 0 if there is none.
std::size_t length_of_code(std::string_view text) {
  const std::size_t quotes = std::min(text.find_first_not_of('`'), text.size());
  if (quotes == 0) return 0;
  const std::size_t end = text.find(text.substr(0, quotes), quotes);
  return end == std::string_view::npos ? quotes : end + quotes;
}

struct Link {
  std::string_view text, target;
  std::size_t length = 0;  ///< of the whole link; 0: there is none
};

/// The link that starts at the beginning of `text`.
Link link_at(std::string_view text) {
  if (!text.starts_with('[')) return {};
  const std::size_t middle = text.find_first_of("[]", 1);
  if (middle == std::string_view::npos || text.substr(middle, 2) != "](") return {};
  const std::size_t end = text.find_first_of("() \n", middle + 2);
  if (end == std::string_view::npos || text[end] != ')') return {};
  return {text.substr(1, middle - 1), text.substr(middle + 2, end - middle - 2), end + 1};
}

bool is_external(std::string_view target) {
  const std::size_t colon = target.find(':');
  return colon != std::string_view::npos && colon < target.find('/');
}

/// The target's path, without "..", anchor and a '/' at the end.
std::string path_of(const std::string& page, std::string_view target) {
  const std::string_view file = target.substr(0, target.find('#'));
  if (file.empty()) return page;
  std::string path = (fs::path(page).parent_path() / file).lexically_normal().string();
  if (path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

std::string without_dangling_links(const std::string& page, const std::string& text,
                                   const std::function<bool(const std::string& path)>& is_packed) {
  std::string result;
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t taken = length_of_code(rest);
    const Link link = link_at(rest);
    if (link.length > 0 && !is_external(link.target) && !is_packed(path_of(page, link.target))) {
      result += link.text;
      taken = link.length;
    } else {
      taken = std::max({taken, link.length, std::size_t{1}});
      result += rest.substr(0, taken);
    }
    rest.remove_prefix(taken);
  }
  return result;
}

}  // namespace grader
