// Copies and fills of rows and slices, in every direction.

#include <array>
#include <cstring>
#include <numeric>

#include "cudart/client_program.hpp"
#include "driver_functions.h"
#include "vgpu/cudart/client/core/api.hpp"

namespace copies_test {

using Program = testing::ClientProgram;
using testing::device_memory;

namespace {

constexpr std::size_t kWidth = 6, kHeight = 5, kDepth = 3;
using Volume = std::array<unsigned char, kWidth * kHeight * kDepth>;

Volume numbers() {
  Volume volume;
  std::iota(volume.begin(), volume.end(), static_cast<unsigned char>(1));
  return volume;
}

cudaPitchedPtr host_view(Volume& volume) {
  return make_cudaPitchedPtr(volume.data(), kWidth, kWidth, kHeight);
}

}  // namespace

TEST_CASE("pitched memory is copied to the device and back by rows") {
  Program program;
  Volume sent = numbers(), back{};
  void* pitched = nullptr;
  size_t pitch = 0;
  REQUIRE(cudaMallocPitch(&pitched, &pitch, kWidth, kHeight) == cudaSuccess);
  CHECK(pitch >= kWidth);
  CHECK(pitch % 512 == 0);
  CHECK(cudaMemset2D(pitched, pitch, 9, kWidth, kHeight) == cudaSuccess);
  CHECK(cudaMemcpy2D(pitched, pitch, sent.data(), kWidth, 2, kHeight, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy2D(back.data(), kWidth, pitched, pitch, kWidth, kHeight, cudaMemcpyDefault) == cudaSuccess);
  CHECK(back[0] == sent[0]);
  CHECK(back[kWidth + 1] == sent[kWidth + 1]);
  CHECK(back[kWidth + 2] == 9);
  CHECK(cudaMemcpy2DAsync(pitched, pitch, sent.data(), 3, kWidth, kHeight, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidPitchValue);
  CHECK(cudaMemcpy2D(pitched, pitch, sent.data(), kWidth, kWidth, kHeight + 1, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
  CHECK(cudaMemset2D(pitched, 4, 0, kWidth, kHeight) == cudaErrorInvalidValue);
}

TEST_CASE("3D copies copy a box between any positions") {
  Program program;
  Volume sent = numbers(), back{};
  cudaPitchedPtr first{}, second{};
  const cudaExtent whole = make_cudaExtent(kWidth, kHeight, kDepth);
  REQUIRE(cudaMalloc3D(&first, whole) == cudaSuccess);
  REQUIRE(cudaMalloc3D(&second, whole) == cudaSuccess);
  CHECK(cudaMemset3D(second, 7, whole) == cudaSuccess);

  cudaMemcpy3DParms up{};
  up.srcPtr = host_view(sent);
  up.dstPtr = first;
  up.extent = whole;
  up.kind = cudaMemcpyHostToDevice;
  REQUIRE(cudaMemcpy3D(&up) == cudaSuccess);
  cudaMemcpy3DParms across{};
  across.srcPtr = first;
  across.srcPos = make_cudaPos(1, 1, 1);
  across.dstPtr = second;
  across.extent = make_cudaExtent(2, 3, 2);
  across.kind = cudaMemcpyDeviceToDevice;
  REQUIRE(cudaMemcpy3DAsync(&across, nullptr) == cudaSuccess);
  cudaMemcpy3DParms down{};
  down.srcPtr = second;
  down.dstPtr = host_view(back);
  down.extent = whole;
  down.kind = cudaMemcpyDeviceToHost;
  REQUIRE(cudaMemcpy3D(&down) == cudaSuccess);
  CHECK(back[0] == sent[kWidth * kHeight + kWidth + 1]);
  CHECK(back[2] == 7);
  CHECK(back[kWidth * kHeight + kWidth * 2 + 1] == sent[kWidth * kHeight * 2 + kWidth * 3 + 2]);
  CHECK(back[kWidth * 3] == 7);

  down.extent.depth = kDepth + 1;
  CHECK(cudaMemcpy3D(&down) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy3D(nullptr) == cudaErrorInvalidValue);
}

TEST_CASE("rows that are longer than a piece, and many rows, arrive completely") {
  Program program;
  const std::size_t width = vgpu::cudart::kMaxCopyPieceBytes + 777, height = 3, host_pitch = width + 5;
  std::vector<unsigned char> sent(host_pitch * height), back(sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<unsigned char>(i * 31 + i / 4099);
  void* memory = nullptr;
  size_t pitch = 0;
  REQUIRE(cudaMallocPitch(&memory, &pitch, width, height) == cudaSuccess);
  const auto there_and_back = [&](std::size_t row_bytes, std::size_t rows, std::size_t from_pitch) {
    std::fill(back.begin(), back.end(), static_cast<unsigned char>(0));
    REQUIRE(cudaMemcpy2D(memory, row_bytes + 1, sent.data(), from_pitch, row_bytes, rows,
                         cudaMemcpyHostToDevice) == cudaSuccess);
    REQUIRE(cudaMemcpy2D(back.data(), from_pitch, memory, row_bytes + 1, row_bytes, rows,
                         cudaMemcpyDeviceToHost) == cudaSuccess);
    bool same = true;
    for (std::size_t row = 0; row < rows; ++row)
      same = same && std::memcmp(&sent[row * from_pitch], &back[row * from_pitch], row_bytes) == 0;
    return same;
  };
  CHECK(there_and_back(width, height, host_pitch));
  CHECK(there_and_back(100, 20000, 101));
}

TEST_CASE("peer copies need device 0 on both sides") {
  Program program;
  void* one = testing::device_memory(8);
  void* other = testing::device_memory(8);
  CHECK(cudaMemset(one, 5, 8) == cudaSuccess);
  CHECK(cudaMemcpyPeer(other, 0, one, 0, 8) == cudaSuccess);
  char back[8] = {};
  CHECK(cudaMemcpy(back, other, 8, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(back[7] == 5);
  CHECK(cudaMemcpyPeer(other, 1, one, 0, 8) == cudaErrorInvalidDevice);
  int can = -1;
  CHECK(cudaDeviceCanAccessPeer(&can, 0, 0) == cudaSuccess);
  CHECK(can == 0);
}

TEST_CASE("copies that treat an array as one line continue in its next row") {
  Program program;
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t array = nullptr;
  REQUIRE(cudaMallocArray(&array, &floats, 5, 4) == cudaSuccess);
  std::vector<float> in(20, 1), other(12, 2), out(20), part(7);
  CHECK(cudaMemcpyToArray(array, 0, 0, in.data(), 80, cudaMemcpyHostToDevice) == cudaSuccess);
  // The rest of the first row, and two more rows.
  CHECK(cudaMemcpyToArray(array, 12, 0, other.data(), 48, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpyFromArray(out.data(), array, 0, 0, 80, cudaMemcpyDeviceToHost) == cudaSuccess);
  std::copy(other.begin(), other.end(), in.begin() + 3);
  CHECK(out == in);
  CHECK(cudaMemcpyFromArrayAsync(part.data(), array, 8, 2, 28, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(part == std::vector<float>(in.begin() + 12, in.begin() + 19));
  CHECK(cudaMemcpyToArray(array, 0, 3, in.data(), 80, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyToArray(array, 2, 0, in.data(), 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
}

TEST_CASE("boxes are copied within device 0, and to no other device") {
  Program program;
  const std::vector<int> numbers{1, 2, 3, 4};
  std::vector<int> back(4);
  void *from = testing::device_memory(16), *to = testing::device_memory(16);
  REQUIRE(cudaMemcpy(from, numbers.data(), 16, cudaMemcpyHostToDevice) == cudaSuccess);
  cudaMemcpy3DPeerParms copy{};
  copy.srcPtr = {from, 8, 8, 2};
  copy.dstPtr = {to, 8, 8, 2};
  copy.extent = {8, 2, 1};
  CHECK(cudaMemcpy3DPeer(&copy) == cudaSuccess);
  REQUIRE(cudaMemcpy(back.data(), to, 16, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(back == numbers);
  copy.dstDevice = 1;
  CHECK(cudaMemcpy3DPeerAsync(&copy) == cudaErrorInvalidDevice);
}

TEST_CASE("copies within the device and fills are counted, take time and move whole sectors") {
  Program program;
  auto* from = static_cast<char*>(device_memory(4096));
  auto* to = static_cast<char*>(device_memory(4096));
  CHECK(cudaMemset(from, 1, 4096) == cudaSuccess);
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  for (int i = 0; i < 2; ++i) CHECK(cudaEventRecord(event, nullptr) == cudaSuccess);
  CHECK(cudaMemcpy(to, from, 1024, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(cudaMemcpy2DAsync(to, 64, from, 4, 4, 32, cudaMemcpyDeviceToDevice, nullptr) == cudaSuccess);
  Volume host{};
  CHECK(cudaMemcpy(from, host.data(), host.size(), cudaMemcpyHostToDevice) == cudaSuccess);  // not counted
  auto report = program.report();
  const vgpu::cudart::DeviceCopies copies = report.device_copies;
  CHECK(report.copies_before_events.fills == 1);
  CHECK(report.copies_before_events.copies == 0);
  report.device_copies -= report.copies_before_events;
  CHECK(report.device_copies.dram_write_bytes == 1024 + 32 * 32);
  CHECK(copies.fills == 1);
  CHECK(copies.filled_bytes == 4096);
  CHECK(copies.copies == 2);
  CHECK(copies.copied_bytes == 1024 + 128);
  CHECK(copies.small_pieces == 0);
  CHECK(copies.dram_read_bytes == 1024 + 128);
  CHECK(copies.dram_write_bytes == 4096 + 1024 + 32 * 32);
  const double dram_bytes_per_s = vgpu::lecture_profile().dram_bytes_per_s;
  CHECK(copies.seconds == Approx((4096 + 2 * 1024 + 128 + 32 * 32) / dram_bytes_per_s));
  CHECK(report.timeline[4].end_s - report.timeline[4].start_s == Approx((128 + 32 * 32) / dram_bytes_per_s));
}

TEST_CASE("the copies and fills of a graph count whenever it is launched") {
  Program program;
  void* from = device_memory(1024);
  void* to = device_memory(1024);
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  cudaMemsetParams fill{};
  fill.dst = from;
  fill.elementSize = 4;
  fill.width = 256;
  fill.height = 1;
  REQUIRE(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill) == cudaSuccess);
  REQUIRE(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, to, from, 16, cudaMemcpyDeviceToDevice) ==
          cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  const auto copies = program.report().device_copies;
  CHECK(copies.fills == 2);
  CHECK(copies.filled_bytes == 2048);
  CHECK(copies.copies == 2);
  CHECK(copies.small_pieces == 1);  // between the same places
}

}  // namespace copies_test
