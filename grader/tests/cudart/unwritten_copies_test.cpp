// Copies of unwritten device memory to the host: those that are recorded and those that are not.
#include "vgpu/cudart/device_side/unwritten_copies.hpp"

#include "catch.hpp"

namespace unwritten_copies_test {

using namespace vgpu;
using namespace vgpu::cudart;

namespace {

constexpr std::uint64_t kSize = 4096;

struct Scene {
  Device device;
  DevicePtr buffer;
  UnwrittenCopies copies;

  explicit Scene(bool is_checked = true)
      : device(lecture_profile(), [&] {
          DeviceOptions options;
          options.checks.uninitialised = is_checked;
          return options;
        }()) {
    buffer = *device.allocate(kSize);
  }
  void write(std::uint64_t offset, std::uint64_t size) {
    REQUIRE(device.fill(buffer + offset, std::byte{1}, size));
  }
  void copy(std::uint64_t offset, std::uint64_t size, Issue issue = {}) {
    copies.note(device, issue, {buffer + offset, size, size}, {size, 1, 1});
  }
  std::size_t found() const { return copies.found().size(); }
};

}  // namespace

TEST_CASE("a copy of bytes that were never written is recorded, also if they are only a part") {
  Scene scene;
  scene.write(0, 2048);
  scene.copy(1024, 2048);
  REQUIRE(scene.found() == 1);
  const UnwrittenCopy& copy = scene.copies.found()[0];
  CHECK(copy.allocation.ordinal == 1);
  CHECK(copy.first_byte == 2048);
  CHECK(copy.bytes == 1024);
  CHECK(copy.copied_bytes == 2048);
  CHECK(copy.count == 1);
}

TEST_CASE("a copy of written bytes is not recorded, nor is any copy without the check") {
  Scene scene;
  scene.write(0, 2048);
  scene.copy(0, 2048);
  scene.copy(512, 4);
  scene.copy(2048, 0);
  CHECK(scene.found() == 0);
  Scene unchecked(false);
  unchecked.copy(0, kSize);
  CHECK(unchecked.found() == 0);
}

TEST_CASE("short gaps between written bytes can be padding, but not a copy without any written byte") {
  Scene scene;
  for (std::uint64_t at = 0; at < kSize; at += 16) scene.write(at, 9);  // { double; char; }
  scene.copy(0, kSize);
  CHECK(scene.found() == 0);
  scene.copy(12, 4);
  CHECK(scene.found() == 1);
  Scene other;
  other.write(0, 4);
  other.write(20, 4);
  other.copy(0, 24);
  REQUIRE(other.found() == 1);
  CHECK(other.copies.found()[0].bytes == 16);
}

TEST_CASE("only the rows of a pitched copy count") {
  Scene scene;
  for (std::uint64_t row = 0; row < 4; ++row) scene.write(row * 512, 100);
  scene.copies.note(scene.device, {}, {scene.buffer, 512, 2048}, {100, 4, 1});
  CHECK(scene.found() == 0);
  scene.copies.note(scene.device, {}, {scene.buffer, 512, 2048}, {200, 4, 1});
  REQUIRE(scene.found() == 1);
  CHECK(scene.copies.found()[0].first_byte == 100);
  CHECK(scene.copies.found()[0].bytes == 4 * 100);
}

TEST_CASE("copies by one call are one record, and so are the pieces of a copy") {
  Scene scene;
  const Issue here{.site = {1}}, there{.site = {2}};
  scene.copy(0, 64, here);
  scene.copy(0, 64, here);
  scene.copy(0, 64, there);
  Issue piece = there;
  piece.continues = true;
  scene.copy(64, 64, piece);
  REQUIRE(scene.found() == 2);
  CHECK(scene.copies.found()[0].count == 2);
  CHECK(scene.copies.found()[1].count == 1);
  CHECK(scene.copies.found()[1].bytes == 128);
  for (std::uint64_t number = 3; number < 100; ++number) scene.copy(0, 64, {.site = {number}});
  CHECK(scene.found() == UnwrittenCopies::kMost);
}

}  // namespace unwritten_copies_test
