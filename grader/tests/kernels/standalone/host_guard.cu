// Host code that does or does not wait before it uses memory that it shares with the device. Each case is a
// separate function; the test finds the lines by their comments.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void twice(int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 2;
}

__global__ void sum(const int* values, int n, int* result) {
  int total = 0;
  for (int i = 0; i < n; ++i) total += values[i];
  *result = total;
}

__global__ void raise_flag(volatile int* flag) { *flag = 1; }

template <class T>
T* managed(int n) {
  T* memory = nullptr;
  cudaMallocManaged(&memory, n * sizeof(T));
  std::memset(memory, 0, n * sizeof(T));
  return memory;
}

int* pinned(int n) {
  int* memory = nullptr;
  cudaMallocHost(reinterpret_cast<void**>(&memory), n * sizeof(int));
  for (int i = 0; i < n; ++i) memory[i] = i;
  return memory;
}

int* on_device(int n) {
  int* memory = nullptr;
  cudaMalloc(&memory, n * sizeof(int));
  cudaMemset(memory, 0, n * sizeof(int));
  return memory;
}

constexpr int kMany = 4096;

// Cases that use memory too early.

int read_managed() {
  int* values = managed<int>(kMany);
  twice<<<kMany / 256, 256>>>(values, kMany);
  return values[5];  // early: read_managed
}

int read_result() {  // a result of a few bytes
  int* values = managed<int>(kMany);
  int* result = managed<int>(1);
  sum<<<1, 1>>>(values, kMany, result);
  return *result;  // early: read_result
}

int write_managed() {
  int* values = managed<int>(kMany);
  int* result = managed<int>(1);
  sum<<<1, 1>>>(values, kMany, result);
  const int first = values[0];  // the kernel only reads, too
  values[0] = 1;                // early: write_managed
  return first;
}

int read_copy() {
  int* back = pinned(kMany);
  cudaMemcpyAsync(back, on_device(kMany), kMany * sizeof(int), cudaMemcpyDeviceToHost);
  int total = 0;
  for (int i = 0; i < kMany; ++i) total += back[i];  // early: read_copy
  return total;
}

int refill() {
  int* values = pinned(kMany);
  cudaMemcpyAsync(on_device(kMany), values, kMany * sizeof(int), cudaMemcpyHostToDevice);
  std::memset(values, 0, kMany * sizeof(int));  // early: refill
  cudaDeviceSynchronize();
  return 0;
}

int mapped() {
  int* values = pinned(kMany);
  twice<<<kMany / 256, 256>>>(values, kMany);
  return values[1] - 2;  // early: mapped
}

int wrong_stream() {
  cudaStream_t streams[2];
  for (auto& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  int* values = managed<int>(kMany);
  twice<<<kMany / 256, 256, 0, streams[0]>>>(values, kMany);
  cudaStreamSynchronize(streams[1]);
  return values[0];  // early: wrong_stream
}

int in_a_loop() {
  int* values = managed<int>(kMany);
  for (int i = 0; i < 10; ++i) {
    twice<<<kMany / 256, 256>>>(values, kMany);
    if (values[i] != 0) return 1;  // early: in_a_loop
  }
  return 0;
}

__managed__ int total_of_all;

int read_variable() {
  int* values = managed<int>(kMany);
  sum<<<1, 1>>>(values, kMany, &total_of_all);
  return total_of_all;  // early: read_variable
}

__managed__ int limit = 3;

__global__ void below(int* count) { *count = limit - 3; }

int write_variable() {
  int* count = managed<int>(1);
  below<<<1, 1>>>(count);
  const int now = limit - 3;  // the kernel only reads, too
  limit = 4;                  // early: write_variable
  cudaDeviceSynchronize();
  return *count + now;
}

int two_streams() {
  cudaStream_t streams[2];
  for (auto& stream : streams) cudaStreamCreate(&stream);
  int* values = on_device(kMany);
  twice<<<kMany / 256, 256, 0, streams[0]>>>(values, kMany);  // earlier: two_streams
  twice<<<kMany / 256, 256, 0, streams[1]>>>(values, kMany);  // early: two_streams
  cudaDeviceSynchronize();
  return 0;
}

int free_async() {
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  int* values = on_device(kMany);
  twice<<<kMany / 256, 256>>>(values, kMany);
  cudaFreeAsync(values, other);  // early: free_async
  return 0;
}

int unregister() {
  static int values[kMany];
  cudaHostRegister(values, sizeof values, cudaHostRegisterDefault);
  cudaMemcpyAsync(values, on_device(kMany), sizeof values, cudaMemcpyDeviceToHost);
  cudaHostUnregister(values);  // early: unregister
  return values[0];
}

// Cases that do not use memory too early.

int variables() {
  limit = 3;
  below<<<1, 1>>>(&total_of_all);
  cudaDeviceSynchronize();
  limit = 5;
  return total_of_all;
}

int wait_for_all() {
  int* values = managed<int>(kMany);
  twice<<<kMany / 256, 256>>>(values, kMany);
  cudaDeviceSynchronize();
  values[7] = 1;
  return values[5];
}

int wait_for_event() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t done;
  cudaEventCreate(&done);
  int* values = pinned(kMany);
  int* device = on_device(kMany);
  cudaMemcpyAsync(device, values, kMany * sizeof(int), cudaMemcpyHostToDevice, stream);
  twice<<<kMany / 256, 256, 0, stream>>>(device, kMany);
  cudaMemcpyAsync(values, device, kMany * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaEventRecord(done, stream);
  while (cudaEventQuery(done) == cudaErrorNotReady) continue;
  return values[3] - 6;
}

int blocking_copy() {  // in the default stream, which waits for earlier work
  int* values = managed<int>(kMany);
  int* device = on_device(1);
  twice<<<kMany / 256, 256>>>(values, kMany);
  int got = 1;
  cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost);
  return values[0] + got;
}

int notified_by_host_function() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* values = managed<int>(kMany);
  static volatile bool is_done = false;
  twice<<<kMany / 256, 256, 0, stream>>>(values, kMany);
  cudaLaunchHostFunc(
      stream, [](void*) { is_done = true; }, nullptr);
  while (!is_done) continue;
  return values[0];
}

int watch_flag() {
  int* flag = pinned(1);
  *flag = 0;
  raise_flag<<<1, 1>>>(flag);
  while (*static_cast<volatile int*>(flag) == 0) continue;
  return 0;
}

int set_managed() {  // cudaMemset() of memory that the host can access waits
  int* values = managed<int>(kMany);
  cudaMemset(values, 0, kMany * sizeof(int));
  return values[0];
}

int other_part() {  // a system call fills one half while the other is copied
  int* values = pinned(2 * kMany + 100);
  cudaMemcpyAsync(on_device(kMany + 100), values, (kMany + 100) * sizeof(int), cudaMemcpyHostToDevice);
  int ends[2];
  if (pipe(ends) != 0) return 1;
  char text[400] = {};
  if (write(ends[1], text, sizeof text) != sizeof text) return 2;
  if (read(ends[0], values + kMany + 100, sizeof text) != sizeof text) return 3;
  values[kMany + 300] = values[kMany + 100];
  cudaDeviceSynchronize();
  return 0;
}

int neighbour() {  // another member of what the kernel writes to
  struct Both {
    int result, mine;
  };
  Both* both = managed<Both>(1);
  int* values = managed<int>(kMany);
  sum<<<1, 1>>>(values, kMany, &both->result);
  both->mine = 3;
  cudaDeviceSynchronize();
  return both->mine - 3 + both->result;
}

int child() {  // a child process has copies of the memory, but not of the device
  int* values = managed<int>(kMany);
  twice<<<kMany / 256, 256>>>(values, kMany);
  const pid_t other = fork();
  if (other == 0) _exit(values[0]);
  int status = 1;
  waitpid(other, &status, 0);
  cudaDeviceSynchronize();
  return status;
}

int own_handler() {
  std::signal(SIGSEGV, [](int) { _exit(4); });
  int* values = managed<int>(kMany);
  twice<<<kMany / 256, 256>>>(values, kMany);
  return values[0];
}

int threads() {  // each waits only for its own stream and uses its own memory
  int* parts[3];
  for (auto& part : parts) part = managed<int>(kMany);
  std::thread others[3];
  for (int t = 0; t < 3; ++t) {
    others[t] = std::thread([part = parts[t]] {
      cudaStream_t stream;
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
      for (int round = 0; round < 20; ++round) {
        twice<<<kMany / 256, 256, 0, stream>>>(part, kMany);
        cudaStreamSynchronize(stream);
        for (int i = 0; i < kMany; ++i) part[i] += 1;
      }
    });
  }
  for (auto& other : others) other.join();
  return parts[0][9] == parts[2][9] ? 0 : 1;
}

int main(int, char** arguments) {
  const struct {
    const char* name;
    int (*run)();
  } cases[] = {{"read_managed", read_managed},
               {"read_result", read_result},
               {"write_managed", write_managed},
               {"read_copy", read_copy},
               {"refill", refill},
               {"mapped", mapped},
               {"wrong_stream", wrong_stream},
               {"in_a_loop", in_a_loop},
               {"read_variable", read_variable},
               {"write_variable", write_variable},
               {"two_streams", two_streams},
               {"free_async", free_async},
               {"unregister", unregister},
               {"variables", variables},
               {"wait_for_all", wait_for_all},
               {"wait_for_event", wait_for_event},
               {"blocking_copy", blocking_copy},
               {"notified_by_host_function", notified_by_host_function},
               {"watch_flag", watch_flag},
               {"set_managed", set_managed},
               {"other_part", other_part},
               {"neighbour", neighbour},
               {"child", child},
               {"own_handler", own_handler},
               {"threads", threads}};
  for (const auto& one : cases) {
    if (std::strcmp(one.name, arguments[1]) != 0) continue;
    const int wrong = one.run();
    cudaDeviceSynchronize();
    cudaDeviceReset();  // frees all
    std::printf("%d\n", wrong);
    return 0;
  }
  return 2;
}
