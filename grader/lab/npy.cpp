#include "lab/npy.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace grader {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they are in memory");

constexpr std::string_view kMagic{"\x93NUMPY\x01\x00", 8};
constexpr std::size_t kPreamble = kMagic.size() + 2;  // the header's length: 2 bytes, little-endian
constexpr std::size_t kAlignment = 64;
constexpr std::string_view kBeforeShape = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
constexpr std::string_view kAfterShape = "), }";
constexpr std::size_t kMaxElements = std::size_t{1} << 28U;

std::string shape_text(const Shape& shape) {
  std::string text;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return shape.size() == 1 ? text + "," : text;
}

/// Everything before the values.
std::string header_for(const Shape& shape) {
  std::string header = fmt::format("{}{}{}", kBeforeShape, shape_text(shape), kAfterShape);
  const std::size_t unpadded = kPreamble + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string start(kMagic);
  start += static_cast<char>(header.size() & 0xFFU);
  start += static_cast<char>(header.size() >> 8U);
  return start + header;
}

/// "2, 3" → {2, 3}. Accepts some invalid spellings; comparing with a newly written header detects them.
std::optional<Shape> parse_shape(std::string_view text) {
  Shape shape;
  while (!text.empty()) {
    std::uint32_t extent = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc{}) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    while (!text.empty() && (text.front() == ',' || text.front() == ' ')) text.remove_prefix(1);
  }
  return shape;
}

/// nullopt: more than kMaxElements.
std::optional<std::size_t> bounded_count(const Shape& shape) {
  std::size_t count = 1;
  for (const std::uint32_t extent : shape) {
    if (extent != 0 && count > kMaxElements / extent) return std::nullopt;
    count *= extent;
  }
  return count;
}

}  // namespace

std::string write_npy(const Array& array) {
  std::string bytes = header_for(array.shape);
  const std::size_t start = bytes.size();
  bytes.resize(start + array.values.size() * sizeof(float));
  if (!array.values.empty())
    std::memcpy(bytes.data() + start, array.values.data(), array.values.size() * sizeof(float));
  return bytes;
}

Expected<Array, std::string> read_npy(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return Unexpected{std::string("is not a .npy file of version 1.0")};
  const std::size_t after = bytes.find(kAfterShape);
  if (!bytes.substr(kPreamble > bytes.size() ? bytes.size() : kPreamble).starts_with(kBeforeShape) ||
      after == std::string_view::npos)
    return Unexpected{std::string("contains something other than little-endian float32 in C order")};
  const std::size_t shape_start = kPreamble + kBeforeShape.size();
  if (after < shape_start) return Unexpected{std::string("has a broken header")};
  const auto shape = parse_shape(bytes.substr(shape_start, after - shape_start));
  // The whole header must be the one that write_npy() writes for this shape.
  if (!shape || !bytes.starts_with(header_for(*shape))) return Unexpected{std::string("has a broken header")};
  const auto count = bounded_count(*shape);
  if (!count) return Unexpected{fmt::format("has more than {} elements", kMaxElements)};

  const std::string_view values = bytes.substr(header_for(*shape).size());
  if (values.size() != *count * sizeof(float))
    return Unexpected{fmt::format("has {} bytes of values, but the shape ({}) needs {}", values.size(),
                                  shape_text(*shape), *count * sizeof(float))};
  Array array{"", *shape, std::vector<float>(*count)};
  if (*count > 0) std::memcpy(array.values.data(), values.data(), values.size());
  return array;
}

}  // namespace grader
