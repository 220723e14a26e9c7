#include "packages/entry_path.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace grader {
namespace {

using Kind = EntryPath::Kind;

constexpr std::size_t kMaxPath = 4096, kMaxDepth = 64;
constexpr std::array<std::string_view, 3> kSideFiles = {"__MACOSX", "Thumbs.db", "desktop.ini"};

std::vector<std::string_view> split(std::string_view path, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = path.find_first_of(separators);
    parts.push_back(path.substr(0, end));
    if (end == std::string_view::npos) return parts;
    path.remove_prefix(end + 1);
  }
}

/// True if the path is absolute or contains ".." on any system: "/x", "\x", "C:\x", "C:/x", "a/../b",
/// "a\..\b".
bool is_hostile(std::string_view path) {
  constexpr std::string_view kSeparators = "/\\";
  const auto is_separator = [&](char c) { return kSeparators.find(c) != std::string_view::npos; };
  if (!path.empty() && is_separator(path.front())) return true;
  if (path.size() > 2 && path[1] == ':' && std::isalpha(static_cast<unsigned char>(path[0])) != 0 &&
      is_separator(path[2]))
    return true;
  const auto parts = split(path, kSeparators);
  return std::find(parts.begin(), parts.end(), "..") != parts.end();
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_side_file(std::string_view part) {
  return part.starts_with('.') || std::find(kSideFiles.begin(), kSideFiles.end(), part) != kSideFiles.end();
}

}  // namespace

EntryPath read_entry_path(std::string_view raw) {
  if (is_hostile(raw)) return {Kind::hostile, ""};
  if (raw.size() > kMaxPath || std::any_of(raw.begin(), raw.end(), is_control)) return {Kind::odd, ""};
  EntryPath result;
  const auto parts = split(raw, raw.find('/') == std::string_view::npos ? "\\" : "/");
  if (parts.size() > kMaxDepth) return {Kind::odd, ""};
  for (const std::string_view part : parts) {
    if (part.empty() || part == ".") continue;
    if (is_side_file(part)) return {Kind::side_file, ""};
    if (!result.path.empty()) result.path += '/';
    result.path += part;
  }
  return result;
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string shown_name(std::string_view name) {
  constexpr std::size_t kMaxShown = 120;
  return name.size() <= kMaxShown ? std::string(name) : std::string(name.substr(0, kMaxShown)) + "…";
}

}  // namespace grader
