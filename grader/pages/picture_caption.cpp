#include "pages/picture_caption.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace grader::pages {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The part of `name` before `end`, if it ends so.
std::optional<std::string> before(std::string_view name, std::string_view end) {
  if (!name.ends_with(end) || name.size() == end.size()) return std::nullopt;
  return std::string(name.substr(0, name.size() - end.size()));
}

/// "camera-out" → "out of case camera".
std::string array_of_case(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string::npos) return name;
  return fmt::format("{} of case {}", name.substr(dash + 1), name.substr(0, dash));
}

std::string image_caption(const std::string& stem) {
  if (const auto array = before(stem, "-errors"))
    return fmt::format(
        "Errors in {}: white is within the tolerance, orange to dark red is off, blue was never written or "
        "is NaN",
        array_of_case(*array));
  if (const auto array = before(stem, "-expected")) return "What " + array_of_case(*array) + " should be";
  return "Values of " + array_of_case(stem);
}

/// A second picture of the same name: "k-divergence-2".
std::string without_number(std::string stem) {
  const std::size_t dash = stem.rfind('-');
  const bool is_numbered = dash != std::string::npos && is_digits(std::string_view(stem).substr(dash + 1));
  const bool is_line = is_numbered && std::string_view(stem).substr(0, dash).ends_with("-access");
  return is_numbered && !is_line ? stem.substr(0, dash) : stem;
}

std::optional<std::string> drawing_caption(const std::string& stem) {
  constexpr std::string_view kAccess = "-access-", kRoofline = "roofline-";
  if (stem.starts_with(kRoofline))
    return fmt::format("Roofline of the device {}: operations per second against operations per byte",
                       stem.substr(kRoofline.size()));
  if (stem == "timeline") return "Timeline: when copies and kernels ran, by stream and by engine";
  if (const auto one = before(stem, "-timeline"))
    return fmt::format("Timeline of case {}: when copies and kernels ran, by stream and by engine", *one);
  if (const auto kernel = before(stem, "-divergence"))
    return fmt::format("Kernel {}: the lanes of one warp that execute or wait at each step", *kernel);
  const std::size_t access = stem.rfind(kAccess);
  if (access == std::string::npos || !is_digits(std::string_view(stem).substr(access + kAccess.size())))
    return std::nullopt;
  return fmt::format("Kernel {}, line {}: the lanes of one warp against the memory that they access",
                     stem.substr(0, access), stem.substr(access + kAccess.size()));
}

}  // namespace

std::string picture_caption(const std::string& file_name) {
  if (const auto stem = before(file_name, ".png")) return image_caption(*stem);
  const auto stem = before(file_name, ".svg");
  if (!stem) return file_name;
  if (auto caption = drawing_caption(*stem)) return *std::move(caption);
  return drawing_caption(without_number(*stem)).value_or(file_name);
}

}  // namespace grader::pages
