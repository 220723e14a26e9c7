// Idea: no fixed turns: cudaEventQuery finds a set that is free, which takes the next segment; a list of
// jobs.

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/ceil_div.hpp"
#include "lab/check.hpp"
#include "lab/pinned_streams.hpp"

__global__ void add_kernel(const float* a, const float* b, float* c, int length, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  float sum = a[i];
  for (int round = 0; round < rounds; ++round) sum += b[i];
  c[i] = sum;
}

void must(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorName(error));
}

struct Job {
  int first, length;
};

class Worker {
 public:
  Worker(int segment, bool staged) : segment_(segment) {
    must(cudaStreamCreate(&stream_));
    must(cudaEventCreate(&done_));
    must(cudaMalloc(&device_, 3 * bytes(segment)));
    if (staged) must(cudaMallocHost(&host_, 3 * bytes(segment)));
  }
  ~Worker() {
    cudaStreamDestroy(stream_), cudaEventDestroy(done_), cudaFree(device_);
    if (host_ != nullptr) cudaFreeHost(host_);
  }
  Worker(const Worker&) = delete;

  // Free if it has no job or its job is done; the staged result is then moved to c.
  bool free(float* c) {
    if (!job_) return true;
    const cudaError_t state = cudaEventQuery(done_);
    if (state == cudaErrorNotReady) return false;
    must(state);
    if (host_ != nullptr) std::memcpy(c + job_->first, host_ + 2 * segment_, bytes(job_->length));
    job_.reset();
    return true;
  }
  void start(Job job, const float* a, const float* b, float* c, int rounds) {
    const auto [first, length] = job;
    a += first, b += first, c += first;
    if (host_ != nullptr) {
      a = static_cast<float*>(std::memcpy(host_, a, bytes(length)));
      b = static_cast<float*>(std::memcpy(host_ + segment_, b, bytes(length)));
      c = host_ + 2 * segment_;
    }
    must(cudaMemcpyAsync(device_, a, bytes(length), cudaMemcpyHostToDevice, stream_));
    must(cudaMemcpyAsync(device_ + segment_, b, bytes(length), cudaMemcpyHostToDevice, stream_));
    add_kernel<<<lab::ceil_div(length, 256), 256, 0, stream_>>>(device_, device_ + segment_,
                                                                device_ + 2 * segment_, length, rounds);
    must(cudaGetLastError());
    must(cudaMemcpyAsync(c, device_ + 2 * segment_, bytes(length), cudaMemcpyDeviceToHost, stream_));
    must(cudaEventRecord(done_, stream_));
    job_ = job;
  }

 private:
  static size_t bytes(int elements) { return elements * sizeof(float); }
  int segment_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t done_ = nullptr;
  float *device_ = nullptr, *host_ = nullptr;
  std::optional<Job> job_;
};

void work(int workers, bool staged, const float* a, const float* b, float* c, int n, int segment,
          int rounds) {
  std::list<Job> jobs;
  for (int first = 0; first < n; first += segment) jobs.push_back({first, std::min(segment, n - first)});
  std::list<Worker> team;
  for (int w = 0; w < workers; ++w) team.emplace_back(segment, staged);
  while (!jobs.empty())
    for (Worker& worker : team)
      if (!jobs.empty() && worker.free(c)) {
        worker.start(jobs.front(), a, b, c, rounds);
        jobs.pop_front();
      }
  for (Worker& worker : team)
    while (!worker.free(c)) {
    }
}

void add_staged(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  work(2, true, h_a, h_b, h_c, n, segment, rounds);
}

void add_streams(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  std::map<const float*, cudaError_t> registered;
  for (const float* array : {h_a, h_b, const_cast<const float*>(h_c)})
    must(registered[array] =
             cudaHostRegister(const_cast<float*>(array), n * sizeof(float), cudaHostRegisterDefault));
  cudaStream_t streams[2];
  float* buffers[2];
  for (int s = 0; s < 2; ++s) {
    must(cudaStreamCreateWithPriority(&streams[s], cudaStreamNonBlocking, 0));
    must(cudaMalloc(&buffers[s], 3 * segment * sizeof(float)));
  }
  // Steps of pairs: 0 and 1 copies in, 2 kernels, 3 copies back.
  for (int pair = 0; pair < n; pair += 2 * segment)
    for (int step = 0; step < 4; ++step)
      for (int s = 0; s < 2; ++s) {
        const int first = pair + s * segment, length = std::min(segment, n - first);
        if (length <= 0) break;
        float* d = buffers[s];
        switch (step) {
          case 0:
          case 1:
            must(cudaMemcpyAsync(d + step * segment, (step ? h_b : h_a) + first, length * sizeof(float),
                                 cudaMemcpyHostToDevice, streams[s]));
            break;
          case 2:
            add_kernel<<<lab::ceil_div(length, 512), 512, 0, streams[s]>>>(d, d + segment, d + 2 * segment,
                                                                           length, rounds);
            CUDA_CHECK(cudaGetLastError());
            break;
          default:
            must(cudaMemcpyAsync(h_c + first, d + 2 * segment, length * sizeof(float), cudaMemcpyDeviceToHost,
                                 streams[s]));
        }
      }
  for (int s = 0; s < 2; ++s) {
    while (cudaStreamQuery(streams[s]) == cudaErrorNotReady) {
    }
    must(cudaStreamDestroy(streams[s]));
    must(cudaFree(buffers[s]));
  }
  for (const auto& [array, error] : registered) must(cudaHostUnregister(const_cast<float*>(array)));
}

void device_facts(int* facts, int n) {
  const auto ask = [](cudaDeviceAttr attribute) {
    int value;
    must(cudaDeviceGetAttribute(&value, attribute, 0));
    return value;
  };
  cudaDeviceProp properties;
  must(cudaGetDeviceProperties(&properties, 0));
  facts[0] = ask(cudaDevAttrAsyncEngineCount);
  facts[1] = ask(cudaDevAttrGpuOverlap) != 0;
  facts[2] = facts[0] > 1;
  facts[3] = std::vector<float>::size_type(n) * 3 * sizeof(float) <= properties.totalGlobalMem;
}

void add_pipelined(const float* h_a, const float* h_b, float* h_c, int n, int segment, int rounds) {
  work(4, false, h_a, h_b, h_c, n, segment, rounds);
}
