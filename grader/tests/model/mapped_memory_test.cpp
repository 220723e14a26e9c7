#include "vgpu/model/mapped_memory.hpp"

#include "catch.hpp"

using vgpu::MappedMemory;

namespace {

constexpr std::uint64_t kBlock = 2048;

MappedMemory memory_of_blocks() {
  vgpu::Profile profile = vgpu::lecture_profile();
  profile.memory_block_bytes = kBlock;
  profile.map_s = 30;
  profile.unmap_s = 26;
  return MappedMemory(profile);
}

}  // namespace

TEST_CASE("small allocations share a block, which is unmapped when the last allocation is freed") {
  MappedMemory memory = memory_of_blocks();
  CHECK(memory.allocate_s(0x1000, kBlock / 2) == 30);
  CHECK(memory.allocate_s(0x2000, kBlock / 2) == 0);
  CHECK(memory.allocate_s(0x3000, 1) == 30);
  CHECK(memory.free_s(0x1000) == 0);
  CHECK(memory.allocate_s(0x4000, kBlock / 2) == 0);  // in the same block as 0x2000
  CHECK(memory.free_s(0x2000) == 0);
  CHECK(memory.free_s(0x4000) == 26);
  CHECK(memory.free_s(0x3000) == 26);
  CHECK(memory.allocate_s(0x1000, 1) == 30);
}

TEST_CASE("an allocation of more than half a block has a mapping of its own") {
  MappedMemory memory = memory_of_blocks();
  CHECK(memory.allocate_s(0x1000, kBlock / 2 + 1) == 30);
  CHECK(memory.allocate_s(0x2000, 1) == 30);
  CHECK(memory.allocate_s(0x9000, 100 * kBlock) == 30);
  CHECK(memory.free_s(0x9000) == 26);
  CHECK(memory.free_s(0x1000) == 26);
}

TEST_CASE("freeing an unknown address takes no time, and nothing takes time without blocks") {
  MappedMemory memory = memory_of_blocks();
  CHECK(memory.allocate_s(0x1000, 8) == 30);
  CHECK(memory.free_s(0x5000) == 0);
  CHECK(memory.free_s(0x1000) == 26);
  CHECK(memory.free_s(0x1000) == 0);

  MappedMemory none(vgpu::lecture_profile());
  CHECK(none.allocate_s(0x1000, 1 << 30) == 0);
  CHECK(none.free_s(0x1000) == 0);
}
