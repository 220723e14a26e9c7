// Things that go with the device: what the program made on one that was reset since is not there any more.
// Access under the runtime's mutex.
#pragma once

#include <map>

#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {

template <class Handle, class Thing>
class DeviceTable {
 public:
  /// nullptr: there is no such thing (any more).
  Thing* find(Handle handle) {
    forget_earlier_devices();
    const auto found = things_.find(handle);
    return found == things_.end() ? nullptr : &found->second;
  }
  void add(Handle handle, const Thing& thing) {
    forget_earlier_devices();
    things_[handle] = thing;
  }
  void remove(Handle handle) { things_.erase(handle); }

 private:
  void forget_earlier_devices() {
    const std::uint64_t device = Runtime::instance().device_number();
    if (device != device_) things_.clear();
    device_ = device;
  }

  std::uint64_t device_ = 0;
  std::map<Handle, Thing> things_;
};

}  // namespace vgpu::cudart::client
