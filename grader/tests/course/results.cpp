#include "results.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace course {
namespace {

template <class... Values>
std::string text(const char* format, Values... values) {
  char buffer[200];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

Output read_line(const std::string& line) {
  std::istringstream words(line);
  Output output;
  words >> output.launch >> output.name;
  if (output.name == "failed") {
    output.type = output.name;
    words >> output.hash;
    return output;
  }
  std::string amount, word;
  words >> output.type >> output.count >> output.bound >> amount;
  if (!words) throw std::runtime_error("no line of results: " + line.substr(0, 80));
  output.amount = std::strtod(amount.c_str(), nullptr);
  while (words >> word) {
    if (word == "hash") {
      words >> output.hash;
    } else {
      output.bits.push_back(std::stoull(word, nullptr, 16));
    }
  }
  if (output.hash.empty() && output.bits.size() != output.count)
    throw std::runtime_error(output.launch + " " + output.name + ": values are missing");
  return output;
}

float as_float(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

/// The distance between two floats in units in the last place, across zero if necessary. All NaNs are equal,
/// and differ from all numbers.
double ulps_between(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b) ? 0 : INFINITY;
  const auto position = [](float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return std::int64_t{bits < 0 ? INT32_MIN - bits : bits};
  };
  return static_cast<double>(std::abs(position(a) - position(b)));
}

double absolute_between(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return ulps_between(a, b);
  return a == b ? 0 : std::fabs(double{a} - double{b});
}

/// All NaNs are equal: GPUs return one canonical NaN, CPUs propagate the operand's NaN.
bool same_value(const std::string& type, std::uint64_t a, std::uint64_t b) {
  if (a == b) return true;
  if (type == "f32") return std::isnan(as_float(a)) && std::isnan(as_float(b));
  return type == "f64" && std::isnan(std::bit_cast<double>(a)) && std::isnan(std::bit_cast<double>(b));
}

std::string compare_exact(const Output& one, const Output& other, bool& agrees) {
  if (!one.hash.empty()) {
    agrees = one.hash == other.hash;
    return text(agrees ? "%zu values equal" : "the hashes of %zu values differ", one.count);
  }
  std::size_t different = 0, first = 0;
  for (std::size_t i = one.count; i-- > 0;) {
    if (same_value(one.type, one.bits[i], other.bits[i])) continue;
    ++different;
    first = i;
  }
  agrees = different == 0;
  if (agrees) return text("%zu values equal", one.count);
  return text("%zu of %zu differ, the first, [%zu], is %llx and %llx", different, one.count, first,
              static_cast<unsigned long long>(one.bits[first]),
              static_cast<unsigned long long>(other.bits[first]));
}

std::string compare_bounded(const Output& one, const Output& other, bool& agrees) {
  const auto distance = one.bound == "ulps" ? ulps_between : absolute_between;
  double largest = 0;
  std::size_t where = 0;
  for (std::size_t i = 0; i < one.count; ++i) {
    const double apart = distance(as_float(one.bits[i]), as_float(other.bits[i]));
    if (apart > largest) largest = apart, where = i;
  }
  agrees = largest <= 2 * one.amount;
  return text(
      "%zu values at most %.4g%s apart, %.4g allowed%s", one.count, largest,
      one.bound == "ulps" ? " ulps" : "", 2 * one.amount,
      agrees ? ""
             : text(", [%zu] is %g and %g", where, as_float(one.bits[where]), as_float(other.bits[where]))
                   .c_str());
}

Comparison compare(const Output& one, const Output& other) {
  Comparison result{one.launch, one.name, false, {}};
  if (one.type == "failed" || other.type == "failed") {
    result.found = (one.type == "failed" ? one : other).hash;
  } else if (one.type != other.type || one.count != other.count || one.bound != other.bound ||
             one.hash.empty() != other.hash.empty()) {
    result.found =
        "the outputs have different types or sizes: the files are of different versions of the program";
  } else if (one.bound == "exact") {
    result.found = compare_exact(one, other, result.agrees);
  } else {
    result.found = compare_bounded(one, other, result.agrees);
  }
  return result;
}

const Output* find(const std::vector<Output>& outputs, const Output& like) {
  const auto same = [&](const Output& output) {
    return output.launch == like.launch &&
           (output.name == like.name || output.type == "failed" || like.type == "failed");
  };
  const auto found = std::find_if(outputs.begin(), outputs.end(), same);
  return found == outputs.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Output> read_results(std::istream& text) {
  std::vector<Output> outputs;
  for (std::string line; std::getline(text, line);) {
    if (!line.empty()) outputs.push_back(read_line(line));
  }
  return outputs;
}

std::vector<Output> read_results(const std::filesystem::path& file) {
  std::ifstream text(file);
  if (!text) throw std::runtime_error("cannot read " + file.string());
  return read_results(text);
}

std::vector<Comparison> compare(const std::vector<Output>& one, const std::vector<Output>& other) {
  std::vector<Comparison> comparisons;
  for (const Output& output : one) {
    const Output* partner = find(other, output);
    comparisons.push_back(partner ? compare(output, *partner)
                                  : Comparison{output.launch, output.name, false, "only in the first file"});
  }
  for (const Output& output : other) {
    if (!find(one, output))
      comparisons.push_back({output.launch, output.name, false, "only in the second file"});
  }
  return comparisons;
}

}  // namespace course
