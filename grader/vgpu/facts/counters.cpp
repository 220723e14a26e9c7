#include "vgpu/facts/counters.hpp"

#include <bit>

namespace vgpu {
namespace {

/// Adds member by member. Requires that all members are counts of 64 bits.
template <class Counts>
void add(Counts& to, const Counts& from) {
  using Words = std::array<std::uint64_t, sizeof(Counts) / sizeof(std::uint64_t)>;
  auto sum = std::bit_cast<Words>(to);
  const auto more = std::bit_cast<Words>(from);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  to = std::bit_cast<Counts>(sum);
}

}  // namespace

CacheTraffic& CacheTraffic::operator+=(const CacheTraffic& other) {
  add(*this, other);
  return *this;
}

Counters& Counters::operator+=(const Counters& other) {
  add(*this, other);
  return *this;
}

}  // namespace vgpu
