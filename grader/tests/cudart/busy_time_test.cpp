// The time that a device was busy, which a program's time limit excuses.
#include "vgpu/cudart/device_side/busy_time.hpp"

#include <thread>

#include "catch.hpp"

namespace busy_time_test {

using vgpu::cudart::BusyTime;

TEST_CASE("unfinished work counts, and only that of the first commands") {
  BusyTime busy;
  busy.begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK(busy.so_far() >= std::chrono::milliseconds(2));
  for (std::uint64_t i = 0; i < BusyTime::kMostCommands; ++i) {
    busy.end();
    busy.begin();
  }
  const auto counted = busy.so_far();
  CHECK(counted >= std::chrono::milliseconds(2));
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(busy.so_far() == counted);
  busy.end();
  CHECK(busy.so_far() == counted);
}

}  // namespace busy_time_test
