#include "judge/wording.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace grader {
namespace {

/// Takes "<length><identifier>" from the front of a mangled name.
std::optional<std::string_view> take_identifier(std::string_view& rest) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view after = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (length == 0 || length > after.size()) return std::nullopt;
  rest = after.substr(length);
  return after.substr(0, length);
}

/// "tile" from "Z12tiled_kernelPKfE4tile": a function's variable, which follows the function's own mangled
/// name.
std::optional<std::string_view> local_variable(std::string_view mangled) {
  if (!mangled.starts_with("Z")) return std::nullopt;
  for (std::size_t end = mangled.rfind('E'); end != std::string_view::npos;
       end = mangled.rfind('E', end - 1)) {
    std::string_view rest = mangled.substr(end + 1);
    const auto name = take_identifier(rest);
    if (name && (rest.empty() || rest.starts_with("_")))
      return name;  // "_0" distinguishes variables of the same name
  }
  return std::nullopt;
}

}  // namespace

std::string cleaned(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  std::string clean(text.substr(0, kLongest));
  // Do not leave an incomplete UTF-8 character at the cut.
  if (clean.size() < text.size())
    while (!clean.empty() && (static_cast<unsigned char>(text[clean.size()]) & 0xC0U) == 0x80U)
      clean.pop_back();
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; },
      ' ');
  return clean.size() < text.size() ? clean + "…" : clean;
}

std::string kernel_name(std::string_view mangled) {
  std::string_view rest = mangled;
  if (!rest.starts_with("_Z")) return cleaned(mangled);
  rest.remove_prefix(2);
  if (const auto variable = local_variable(rest)) return cleaned(*variable);
  // "N2ns1kE…" is nested. In any other name, the parameter types follow the first identifier.
  const bool is_nested = rest.starts_with("N");
  if (is_nested) rest.remove_prefix(1);
  if (rest.starts_with("L")) rest.remove_prefix(1);
  std::string_view name = take_identifier(rest).value_or("");
  while (const auto identifier = is_nested ? take_identifier(rest) : std::nullopt) name = *identifier;
  return cleaned(name.empty() ? mangled : name);
}

std::string dimensions(const vgpu::Dim3& extent) {
  return fmt::format("({}, {}, {})", extent.x, extent.y, extent.z);
}

std::string thread_place(const vgpu::Dim3& block, const vgpu::Dim3& thread) {
  return fmt::format("block {}, thread {}", dimensions(block), dimensions(thread));
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::pair<std::string, std::string> numbers_told_apart(double a, double b) {
  constexpr int kAllDigits = std::numeric_limits<double>::max_digits10;
  std::pair<std::string, std::string> texts;
  for (int digits = 2; digits <= kAllDigits && texts.first == texts.second; ++digits)
    texts = {fmt::format("{:.{}g}", a, digits), fmt::format("{:.{}g}", b, digits)};
  return texts;
}

std::string place_of(const std::string& file, std::uint32_t line) {
  if (line == 0) return "no line";
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line);  // npos + 1 is 0
}

void locate(Diagnostic& diagnostic, std::string_view file, std::uint32_t line, const SourceText& source) {
  if (file.empty() || line == 0 || line > static_cast<std::uint32_t>(std::numeric_limits<int>::max())) return;
  const std::string_view name = file.substr(file.rfind('/') + 1);  // npos + 1 is 0
  diagnostic.where = SourceLocation{cleaned(name), static_cast<int>(line)};
  if (name == source.name && line <= source.lines.size())
    diagnostic.source_line = cleaned(source.lines[line - 1]);
}

std::string error_name(int error) {
  // The errors that course programs encounter (CUDA Runtime API, enumeration cudaError).
  static constexpr std::array<std::pair<int, const char*>, 19> kNames{
      {{1, "cudaErrorInvalidValue"},
       {2, "cudaErrorMemoryAllocation"},
       {9, "cudaErrorInvalidConfiguration"},
       {13, "cudaErrorInvalidSymbol"},
       {17, "cudaErrorInvalidDevicePointer"},
       {21, "cudaErrorInvalidMemcpyDirection"},
       {98, "cudaErrorInvalidDeviceFunction"},
       {101, "cudaErrorInvalidDevice"},
       {209, "cudaErrorNoKernelImageForDevice"},
       {214, "cudaErrorECCUncorrectable"},
       {400, "cudaErrorInvalidResourceHandle"},
       {700, "cudaErrorIllegalAddress"},
       {701, "cudaErrorLaunchOutOfResources"},
       {702, "cudaErrorLaunchTimeout"},
       {712, "cudaErrorHostMemoryAlreadyRegistered"},
       {713, "cudaErrorHostMemoryNotRegistered"},
       {716, "cudaErrorMisalignedAddress"},
       {719, "cudaErrorLaunchFailure"},
       {801, "cudaErrorNotSupported"}}};
  for (const auto& [number, name] : kNames)
    if (number == error) return fmt::format("{} ({})", name, number);
  return fmt::format("CUDA error {}", error);
}

}  // namespace grader
