// Races of two streams on the same memory, and of host code that is too early: cases that must be reported
// and cases that must not.
#include "vgpu/cudart/device_side/stream_races.hpp"

#include <algorithm>
#include <array>

#include "catch.hpp"

namespace stream_races_test {

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

constexpr std::uint64_t kHost = std::uint64_t{1} << 40U;
constexpr std::uint64_t kEvent = 1;
constexpr auto kKernel = OperationKind::kernel;
constexpr auto kUp = OperationKind::copy_to_device;
constexpr auto kDown = OperationKind::copy_to_host;

MemoryAccess read(std::uint64_t start, std::uint64_t size) { return {start, size}; }
MemoryAccess write(std::uint64_t start, std::uint64_t size) { return {start, size, true}; }
MemoryAccess atomic(std::uint64_t start, std::uint64_t size) { return {start, size, true, true}; }

/// A device, 64 bytes of pinned memory with the values 0, 1, 2, …, and 64 bytes of device memory.
struct Scene {
  Device device{lecture_profile()};
  std::array<std::byte, 64> host{};
  DevicePtr buffer = *device.allocate(64);
  StreamRaces races{device, true};

  Scene() {
    REQUIRE(device.map_host(kHost, host));
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::byte>(i);
  }
  WorkMoment issue(OperationKind kind, StreamId stream, const std::vector<StreamAccess>& accesses) {
    StreamWork work{kind, stream, kind == kKernel ? "add" : ""};
    work.can_signal = kind == kKernel;
    const WorkMoment moment = races.order().issue(stream);
    races.add(work, moment, accesses);
    return moment;
  }
  void copy(OperationKind kind, StreamId stream) {
    const auto to = kind == kUp ? buffer : kHost, from = kind == kUp ? kHost : buffer;
    races.before_copy(to, from, 64);
    device.copy(to, from, 64);
    const WorkMoment moment = issue(kind, stream, {write(to, 64), read(from, 64)});
    races.after_copy({kind, stream, ""}, moment, kHost, 64);
  }
  void wait(StreamId stream) {
    races.order().finish_stream(stream);
    races.settle();
  }
  std::size_t found() { return races.take().size(); }
};

}  // namespace

TEST_CASE(
    "rows of a pitched copy race with work on their bytes, but not with work on the gaps between them") {
  StreamAccess rows(1000, 2 * 64 + 16, true);  // three rows of 16 bytes, 64 bytes apart
  rows.row_bytes = 16;
  rows.pitch = 64;
  CHECK(rows.rows() == 3);
  for (const std::uint64_t start : {1000, 1015, 1064, 1079, 1128, 1143})
    CHECK(overlap(rows, write(start, 1)));
  for (const std::uint64_t start : {999, 1016, 1063, 1080, 1127, 1144})
    CHECK_FALSE(overlap(rows, write(start, 1)));
  CHECK(overlap(rows, write(1016, 49)));
  CHECK_FALSE(overlap(rows, write(1016, 48)));
  StreamAccess others = rows;
  others.start += 16;
  CHECK_FALSE(overlap(rows, others));
  others.start -= 1;
  CHECK(overlap(rows, others));

  Scene scene;
  scene.issue(kKernel, 1, {read(1070, 4)});
  scene.issue(OperationKind::fill, 2, {rows});
  CHECK(scene.found() == 1);
  Scene apart;
  apart.issue(kKernel, 1, {read(1016, 48)});
  apart.issue(OperationKind::fill, 2, {rows});
  CHECK(apart.found() == 0);
}

TEST_CASE("a copy and a kernel of two streams race for a buffer") {
  Scene scene;
  scene.issue(kKernel, 1, {read(scene.buffer, 64)});
  scene.issue(kUp, 2, {write(scene.buffer + 60, 100)});
  const auto found = scene.races.take();
  REQUIRE(found.size() == 1);
  CHECK(found[0].earlier.kernel == "add");
  CHECK(found[0].earlier.stream == 1);
  CHECK(found[0].later.kind == kUp);
  CHECK_FALSE(found[0].earlier_writes);
  CHECK(found[0].later_writes);
  CHECK(found[0].address == scene.buffer + 60);
  CHECK(found[0].size_bytes == 4);
  CHECK(found[0].allocation == 1);
}

TEST_CASE("two pieces of work are one race, however much memory they share") {
  Scene scene;
  scene.issue(kKernel, 1, {read(scene.buffer, 64), write(scene.buffer, 64)});
  scene.issue(kUp, 2, {write(scene.buffer, 8), write(scene.buffer + 32, 8)});
  const auto found = scene.races.take();
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 1);
}

TEST_CASE("the same two kinds of work are one race with a count") {
  Scene scene;
  for (int i = 0; i < 5; ++i) {
    scene.issue(kKernel, 1, {write(scene.buffer, 64)});
    scene.issue(kUp, 2, {write(scene.buffer, 64)});
  }
  const auto found = scene.races.take();
  REQUIRE(found.size() == 2);  // copy after kernel, kernel after copy
  CHECK(found[0].count == 5);
  CHECK(found[1].count == 4);
}

TEST_CASE("readers, atomics, neighbours and work of one stream do not race") {
  Scene scene;
  scene.issue(kKernel, 1, {read(scene.buffer, 64)});
  scene.issue(kKernel, 2, {read(scene.buffer, 64)});
  scene.issue(kKernel, 1, {write(scene.buffer, 64)});
  CHECK(scene.found() == 1);  // with stream 2's read
  Scene other;
  other.issue(kKernel, 1, {atomic(other.buffer, 4), write(other.buffer + 4, 4)});
  other.issue(kKernel, 2, {atomic(other.buffer, 4), write(other.buffer + 8, 4)});
  CHECK(other.found() == 0);
}

TEST_CASE("events, the default stream and waits of the host order work") {
  const auto races_after = [](auto between) {
    Scene scene;
    scene.issue(kKernel, 1, {write(scene.buffer, 64)});
    between(scene);
    scene.issue(kDown, 2, {read(scene.buffer, 64)});
    return scene.found() != 0;
  };
  CHECK(races_after([](Scene&) {}));
  CHECK(races_after([](Scene& scene) { scene.wait(2); }));
  CHECK_FALSE(races_after([](Scene& scene) { scene.wait(1); }));
  CHECK_FALSE(races_after([](Scene& scene) { scene.races.settle_all(); }));
  CHECK_FALSE(races_after([](Scene& scene) { scene.issue(kKernel, kLegacyStream, {}); }));
  CHECK_FALSE(races_after([](Scene& scene) {
    scene.races.order().record_event(kEvent, 1);
    scene.races.order().wait_for_event(kEvent, 2);
  }));
}

TEST_CASE("the result of a copy to the host arrives when the program has waited for it, not before") {
  Scene scene;
  const auto bytes = scene.host;
  REQUIRE(scene.device.write(scene.buffer, bytes));
  scene.host.fill(std::byte{1});
  scene.copy(kDown, 1);
  CHECK(std::count(scene.host.begin(), scene.host.end(), std::byte{0xFF}) == 64);
  scene.wait(2);
  CHECK(scene.host != bytes);
  scene.wait(1);
  CHECK(scene.host == bytes);
  CHECK(scene.found() == 0);
}

TEST_CASE("copies, kernels and host functions after a copy to the host use its result") {
  const auto finds = [](auto use) {
    Scene scene;
    const auto bytes = scene.host;
    REQUIRE(scene.device.write(scene.buffer, bytes));
    scene.host.fill(std::byte{1});
    scene.copy(kDown, 1);
    use(scene);
    return scene.host == bytes;
  };
  CHECK(finds([](Scene& scene) { scene.copy(kUp, 1); }));
  CHECK(finds([](Scene& scene) { scene.races.before_launch(); }));
  CHECK(finds([](Scene& scene) {
    scene.races.order().issue(1);
    scene.races.before_host_function(1);
  }));
  CHECK_FALSE(finds([](Scene& scene) {
    scene.races.order().issue(2);
    scene.races.before_host_function(2);
  }));
  CHECK_FALSE(finds([](Scene& scene) {
    scene.races.before_launch();
    scene.races.after_launch();
  }));
}

TEST_CASE("host code that changes the source of a copy before it has waited is reported") {
  Scene scene;
  scene.copy(kUp, 1);
  scene.host[5] = std::byte{99};
  scene.wait(1);
  const auto found = scene.races.take();
  REQUIRE(found.size() == 1);
  CHECK(found[0].by_host);
  CHECK(found[0].earlier.stream == 1);
  CHECK(found[0].size_bytes == 64);
}

TEST_CASE("host code that waits first, or a copy in the stream, may change the source") {
  Scene scene;
  scene.copy(kUp, 1);
  scene.wait(1);
  scene.host[5] = std::byte{99};
  scene.wait(1);
  scene.copy(kUp, 1);
  REQUIRE(scene.device.fill(scene.buffer, std::byte{3}, 64));
  scene.copy(kDown, 1);  // into the source, after the copy from it
  scene.wait(1);
  CHECK(scene.host[5] == std::byte{3});
  CHECK(scene.found() == 0);
}

TEST_CASE("writes of a kernel to host memory are not reported as host code") {
  Scene scene;
  scene.copy(kUp, 1);
  scene.races.before_launch();
  scene.host[5] = std::byte{99};
  scene.races.after_launch();
  scene.wait(1);
  CHECK(scene.found() == 0);
}

TEST_CASE("memory of the host is in use until the program knows that the work has ended") {
  Scene scene;
  scene.issue(kKernel, 1,
              {read(kHost, 16), write(scene.buffer, 64), write(kHost + 16, 4), atomic(kHost + 20, 4)});
  CHECK(scene.races.unfinished_on_host() == std::vector{read(kHost, 16), write(kHost + 16, 4)});
  scene.wait(2);
  CHECK(scene.races.unfinished_on_host().size() == 2);
  scene.wait(1);
  CHECK(scene.races.unfinished_on_host().empty());
}

TEST_CASE("host code may poll what a kernel changes by atomics only if the kernel can signal the host") {
  Scene scene;
  StreamWork work{kKernel, 1};
  const auto in_use = [&](bool can_signal) {
    work.can_signal = can_signal;
    scene.races.add(work, scene.races.order().issue(1), {atomic(kHost, 4)});
    const bool is_any = !scene.races.unfinished_on_host().empty();
    scene.wait(1);
    return is_any;
  };
  CHECK_FALSE(in_use(true));
  CHECK(in_use(false));
}

TEST_CASE("a host function after the work can notify the program of its end") {
  Scene scene;
  scene.issue(kKernel, 1, {write(kHost, 16)});
  scene.issue(kKernel, 2, {write(kHost + 32, 16)});
  scene.races.order().issue(2);
  scene.races.before_host_function(2);
  CHECK(scene.races.unfinished_on_host() == std::vector{write(kHost, 16)});
}

TEST_CASE(
    "accesses of host code to memory in use are reported with their place, and two reads are not a race") {
  Scene scene;
  scene.issue(kKernel, 1, {read(kHost, 16), write(kHost + 16, 4)});
  CHECK_FALSE(scene.races.note_host({kHost + 3, false}));
  CHECK_FALSE(scene.races.note_host({kHost + 20, true}));
  CHECK(scene.races.note_host({kHost + 3, true, false, MemoryKind::managed, {"a.cu", 7, ""}}));
  CHECK(scene.races.note_host({kHost + 19, false, false, MemoryKind::managed, {"a.cu", 8, ""}}));
  CHECK(scene.races.note_host({kHost + 18, false, false, MemoryKind::managed, {"a.cu", 8, ""}}));
  const auto found = scene.races.take();
  REQUIRE(found.size() == 2);
  CHECK(found[0].by_host);
  CHECK(found[0].place.line == 7);
  CHECK(found[0].earlier.kernel == "add");
  CHECK((found[0].later_writes && !found[0].earlier_writes));
  CHECK((found[1].earlier_writes && !found[1].later_writes));
  CHECK(found[1].count == 2);
  CHECK(found[1].size_bytes == 4);
  CHECK(found[1].memory == MemoryKind::managed);
}

TEST_CASE("memory whose registration ends while work uses it is reported, and the copy arrives") {
  const StreamWork end{.call = MemoryCall::unregister};
  Scene scene;
  const auto bytes = scene.host;
  REQUIRE(scene.device.write(scene.buffer, bytes));
  scene.copy(kDown, 1);
  scene.races.release(end, kHost + 64, 64);
  CHECK(scene.host != bytes);
  scene.races.release(end, kHost + 32, 64);
  CHECK(scene.host == bytes);
  const auto found = scene.races.take();
  REQUIRE(found.size() == 1);
  CHECK(found[0].earlier.kind == kDown);
  CHECK(found[0].earlier_writes);
  CHECK(found[0].later.call == MemoryCall::unregister);
  CHECK(found[0].memory == MemoryKind::registered);
  CHECK(found[0].size_bytes == 32);

  // The end of a registration is not a wait, and after a wait it is right.
  scene.issue(kKernel, 2, {write(scene.buffer, 4)});
  CHECK(scene.found() == 1);
  scene.wait(1);
  scene.races.release(end, kHost, 64);
  CHECK(scene.found() == 0);
}

TEST_CASE("a changed source of a copy is reported once: with the place of the write if it is known") {
  Scene scene;
  scene.copy(kUp, 1);
  CHECK(scene.races.note_host({kHost + 5, true, false, MemoryKind::pinned, {"a.cu", 3, ""}}));
  scene.host[5] = std::byte{99};
  scene.wait(1);
  const auto found = scene.races.take();
  REQUIRE(found.size() == 1);
  CHECK(found[0].place.line == 3);
}

}  // namespace stream_races_test
