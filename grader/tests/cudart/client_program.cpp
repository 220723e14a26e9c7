#include "cudart/client_program.hpp"

#include <mutex>
#include <utility>

namespace testing {
namespace {

constexpr const char* kPtx = R"(.version 7.5
.target sm_80
.address_size 64
.global .align 4 .b8 table[16];
.visible .entry store_index(.param .u64 out)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r1;
  ret;
}
.visible .entry add_one(.param .u64 values)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [values];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  add.s32 %r3, %r2, 1;
  st.global.u32 [%rd3], %r3;
  ret;
}
.visible .entry in_pairs()
.explicitcluster
.reqnctapercluster 2, 1, 1
{
  ret;
}
.visible .entry give_up()
{
  trap;
  ret;
}
)";

/// The runtime's own thread, which runs host functions, can be waiting for the program to be idle.
void connect(std::unique_ptr<vgpu::cudart::Transport> transport) {
  auto& runtime = vgpu::cudart::client::Runtime::instance();
  const std::lock_guard lock(runtime.mutex());
  runtime.connect(std::move(transport));
}

}  // namespace

ClientProgram::ClientProgram(vgpu::Profile profile) : device(std::move(profile)) {
  wrapper.data = kPtx;
  connect(std::make_unique<vgpu::cudart::InProcessTransport>(session));
  code = __cudaRegisterFatBinary(&wrapper);
  for (auto [stub, name] : {std::pair{&store_index, "store_index"},
                            {&give_up, "give_up"},
                            {&add_one, "add_one"},
                            {&in_pairs, "in_pairs"},
                            {&missing, "missing"}}) {
    __cudaRegisterFunction(code, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  }
  __cudaRegisterVar(code, &table, nullptr, "table", 0, 16, 0, 0);
}

ClientProgram::~ClientProgram() {
  __cudaUnregisterFatBinary(code);
  connect(nullptr);
}

cudaError_t ClientProgram::launch_store(void* out, unsigned threads, cudaStream_t stream) {
  void* arguments[] = {&out};
  return cudaLaunchKernel(&store_index, dim3(1), dim3(threads), arguments, 0, stream);
}

cudaError_t ClientProgram::launch_add_one(void* values, unsigned threads, cudaStream_t stream) {
  void* arguments[] = {&values};
  return cudaLaunchKernel(&add_one, dim3(1), dim3(threads), arguments, 0, stream);
}

}  // namespace testing
