// A table of objects that belong to the device, such as arrays. A reset of the device removes its objects.
// Hold the runtime's mutex to access a table.
#pragma once

#include <map>

#include "vgpu/cudart/client/core/runtime.hpp"

namespace vgpu::cudart::client {

template <class Handle, class Thing>
class DeviceTable {
 public:
  /// Returns nullptr if the object does not exist (any more).
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
