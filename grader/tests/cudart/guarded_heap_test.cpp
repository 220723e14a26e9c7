// Tests malloc and new of submissions: reads and writes past the end of a block.
#include <csetjmp>
#include <csignal>
#include <cstring>

#include "cudart/client_program.hpp"
#include "vgpu/cudart/client/memory/host_room.hpp"

extern "C" {
void* __wrap_malloc(std::size_t);
void* __wrap_calloc(std::size_t, std::size_t);
void* __wrap_realloc(void*, std::size_t);
void __wrap_free(void*);
void* __wrap__Znwm(std::size_t);
void __wrap__ZdlPvm(void*, std::size_t);
}

namespace guarded_heap_test {
namespace {

sigjmp_buf after_fault;
void leave(int) { siglongjmp(after_fault, 1); }

bool can_read(const volatile char* at) {
  struct sigaction action {
  }, before{};
  action.sa_handler = leave;
  ::sigaction(SIGSEGV, &action, &before);
  const bool is_open = sigsetjmp(after_fault, 1) == 0;
  if (is_open) static_cast<void>(*at);
  ::sigaction(SIGSEGV, &before, nullptr);
  return is_open;
}

}  // namespace

TEST_CASE("a block of malloc or new ends at closed memory and begins after some") {
  for (const std::size_t size :
       {std::size_t{256}, std::size_t{1000}, std::size_t{4096}, std::size_t{100'000}}) {
    INFO(size);
    auto* const block = static_cast<char*>(__wrap_malloc(size));
    REQUIRE(block != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(block) % 16 == 0);
    CHECK(can_read(block + size - 1));
    CHECK_FALSE(can_read(block + (size + 15) / 16 * 16));
    CHECK_FALSE(can_read(block - 4096));
    CHECK(block[0] == 0x7F);  // no value
    __wrap_free(block);
    CHECK_FALSE(can_read(block));
  }
}

TEST_CASE("small blocks and those of the C library are freed as usual") {
  __wrap_free(nullptr);
  __wrap_free(std::malloc(300));
  __wrap_free(__wrap_malloc(8));
  __wrap__ZdlPvm(__wrap__Znwm(8), 8);
  __wrap__ZdlPvm(__wrap__Znwm(800), 800);
  CHECK(__wrap_calloc(std::size_t{1} << 40U, std::size_t{1} << 40U) == nullptr);
}

TEST_CASE("calloc sets zeros, and realloc keeps what fits") {
  auto* block = static_cast<char*>(__wrap_calloc(100, 4));
  CHECK(block[0] == 0);
  CHECK(block[399] == 0);
  std::memset(block, 5, 400);
  block = static_cast<char*>(__wrap_realloc(block, 5000));
  CHECK(block[399] == 5);
  CHECK_FALSE(can_read(block + 5008));
  block = static_cast<char*>(__wrap_realloc(block, 300));
  CHECK(block[299] == 5);
  CHECK(__wrap_realloc(block, 0) == nullptr);
}

TEST_CASE("more blocks than can be closed are the C library's") {
  std::vector<void*> blocks;
  for (int i = 0; i < 1500; ++i) blocks.push_back(__wrap_malloc(256));
  for (void* const block : blocks) std::memset(block, 1, 256);
  for (void* const block : blocks) __wrap_free(block);
  CHECK_FALSE(vgpu::cudart::client::has_overrun_block());
}

TEST_CASE("a copy is held against the size of a block, and an address past its end finds it") {
  testing::ClientProgram program;
  void* const memory = testing::device_memory(4096);
  auto* const block = static_cast<char*>(__wrap_malloc(400));
  CHECK(cudaMemcpy(block, memory, 400, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaMemcpy(block, memory, 404, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(block + 404, memory, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  const auto failures = program.report().failures;
  REQUIRE(failures.size() == 2);
  CHECK(failures[0].detail ==
        "404 bytes, but the destination has room for 400 up to the end of its host array");
  CHECK(failures[1].detail ==
        "the destination begins 4 bytes after the end of memory from malloc or new, which has 400 bytes");
  __wrap_free(block);
}

TEST_CASE("pinned memory next to an address is found") {
  testing::ClientProgram program;
  void* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 4096) == cudaSuccess);
  const auto near = vgpu::cudart::client::array_next_to(reinterpret_cast<std::uintptr_t>(pinned) + 4100);
  REQUIRE(near);
  CHECK(near->name.empty());
  CHECK(std::string(near->kind) == "pinned memory");
  CHECK(near->offset == 4100);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
}

// Last: the process remembers that it has written past an end.
TEST_CASE("writes just past the end of memory are noticed") {
  testing::ClientProgram program;
  CHECK(warpgradeOverrunMemory() == nullptr);
  void* memory = nullptr;
  REQUIRE(cudaMallocHost(&memory, 100) == cudaSuccess);
  auto* const pinned = static_cast<char*>(memory);
  CHECK(pinned[100] == 0x7F);
  pinned[101] = 0;
  CHECK(std::string(warpgradeOverrunMemory()) == "pinned memory");
  pinned[101] = 0x7F;
  CHECK(warpgradeOverrunMemory() == nullptr);
  auto* const block = static_cast<char*>(__wrap_malloc(300));
  block[300] = 0;
  CHECK(std::string(warpgradeOverrunMemory()) == "memory from malloc or new");
  block[300] = 0x7F;
  CHECK(warpgradeOverrunMemory() == nullptr);
  block[303] = 0;
  __wrap_free(block);
  CHECK(std::string(warpgradeOverrunMemory()) == "memory from malloc or new");
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
}

}  // namespace guarded_heap_test
