#include "score/limits.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace grader {
namespace {

/// A part that is busy for less than this share of the time does not limit it.
constexpr double kLimits = 0.6;

struct Part {
  const char* counter;
  const char* name;
  const char* advice;
};

constexpr std::array<Part, 3> kParts{{
    {"dram_s", "DRAM", "only fewer bytes, or fuller sectors, make it faster; fewer instructions do not"},
    {"compute_s", "instructions",
     "only fewer instructions make it faster; fewer bytes do not. A loop needs fewer if the compiler can "
     "unroll it, which a constant bound allows"},
    {"shared_s", "shared memory", "only fewer accesses, or fewer bank conflicts, make it faster"},
}};

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

double value_of(const std::map<std::string, double>& counters, const char* name) {
  const auto found = counters.find(name);
  return found == counters.end() ? 0.0 : found->second;
}

const Part& busiest_of(const std::map<std::string, double>& counters) {
  const double kernels = value_of(counters, "kernel_s");
  const auto busy = [&](const Part& part) { return std::min(kernels, value_of(counters, part.counter)); };
  return *std::max_element(kParts.begin(), kParts.end(),
                           [&](const Part& a, const Part& b) { return busy(a) < busy(b); });
}

/// Bytes that accesses to global memory move, for each byte that they request; 0: there is no access.
double moved_per_requested_byte(const std::map<std::string, double>& counters) {
  const double requested =
      value_of(counters, "global_load_requested_bytes") + value_of(counters, "global_store_requested_bytes");
  const double moved = value_of(counters, "global_load_transferred_bytes") +
                       value_of(counters, "global_store_transferred_bytes");
  return requested > 0 ? moved / requested : 0;
}

}  // namespace

bool is_uncoalesced(const std::map<std::string, double>& counters) {
  constexpr double kMost = 2.5;  // rows that do not begin at a sector need less than 2
  return busiest_part(counters) == kParts[0].counter && moved_per_requested_byte(counters) > kMost;
}

std::string busiest_part(const std::map<std::string, double>& counters) {
  return value_of(counters, "kernel_s") > 0 ? busiest_of(counters).counter : "";
}

bool is_of_speed(const std::string& counter) {
  return counter.ends_with("_per_clock") || counter.ends_with("_per_call_clock");
}

std::string limiting_part(const std::map<std::string, double>& counters, double timed_s) {
  const double kernels = value_of(counters, "kernel_s");
  if (kernels <= 0) return "";
  const auto share = [&](const Part& part) {
    return std::min(1.0, value_of(counters, part.counter) / kernels);
  };
  const Part& busiest = busiest_of(counters);
  std::string text;
  if (kernels < 0.5 * timed_s)
    text = fmt::format(
        "kernels run for only {} of the time: copies, and gaps between operations, take the rest; "
        "in the kernels, ",
        percent(kernels / timed_s));
  if (share(busiest) < kLimits)
    return text +
           fmt::format(
               "neither DRAM ({}), nor instructions ({}), nor shared memory ({}) is busy: warps wait for "
               "caches, for loads or at barriers; more warps, or more independent work in each, help",
               percent(share(kParts[0])), percent(share(kParts[1])), percent(share(kParts[2])));
  text += fmt::format("{} limit{} the speed: busy for {} of the kernels' time", busiest.name,
                      &busiest == &kParts[1] ? "" : "s", percent(share(busiest)));
  for (const Part& part : kParts)
    if (&part != &busiest) text += fmt::format(", {} for {}", part.name, percent(share(part)));
  if (is_uncoalesced(counters))
    return text + fmt::format(
                      "; {:.3g} bytes are moved for each byte that the kernels ask for, because a "
                      "warp's accesses are far apart",
                      moved_per_requested_byte(counters));
  return text + "; " + busiest.advice;
}

}  // namespace grader
