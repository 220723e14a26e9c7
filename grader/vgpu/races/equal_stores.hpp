// Threads of a block that have stored the bytes that a granule already had, with no order between them and
// the thread whose store the shadow holds (race_shadow.hpp): whatever the order of these stores is, each of
// the threads reads its own value back.
#pragma once

#include <bitset>
#include <cstdint>
#include <unordered_map>

#include "vgpu/races/race_shadow.hpp"

namespace vgpu {

class EqualStores {
 public:
  void begin_block() { stores_.clear(); }
  bool empty() const { return stores_.empty(); }
  /// The thread has stored the same bytes as `write`, which the granule's shadow still holds.
  void add(const ShadowSpan& at, AccessKey write, unsigned thread) {
    Stores& stores = stores_[at.write];
    if (stores.write != write.bits()) stores = {write.bits(), {}};
    stores.threads.set(thread);
  }
  /// Whether the thread has stored the bytes of `write`, the granule's last store.
  bool has(const ShadowSpan& at, AccessKey write, unsigned thread) const {
    if (write.thread() == thread) return true;
    if (stores_.empty()) return false;
    const auto stores = stores_.find(at.write);
    return stores != stores_.end() && stores->second.write == write.bits() &&
           stores->second.threads.test(thread);
  }

 private:
  struct Stores {
    std::int32_t write = 0;  ///< AccessKey::bits
    std::bitset<std::size_t{1} << AccessKey::kThreadBits> threads;
  };
  std::unordered_map<const std::int32_t*, Stores> stores_;  ///< by the granule's place in the shadow
};

}  // namespace vgpu
