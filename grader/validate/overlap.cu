// Vector addition in chunks: copies and kernels of different streams overlap, and the amount depends on the
// order of issue. Builds with nvcc only:
//
//   nvcc -O3 -arch=sm_90 -o overlap overlap.cu && ./overlap
//
// Columns: issue, streams, chunks, rounds, ms (between two events on the legacy default stream, which waits
// for all; median of the repeats).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

/// c = a + b; `rounds` - 1 further additions make the kernel as long as the copies.
__global__ void add(const float* a, const float* b, float* c, int n, int rounds) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  float sum = a[i] + b[i];
  for (int round = 1; round < rounds; ++round) sum = sum * 0.999F + b[i];
  c[i] = sum;
}

struct Vectors {
  float *a = nullptr, *b = nullptr, *c = nullptr;
};

class ChunkedAddition {
 public:
  ChunkedAddition(int n, int chunks, int rounds) : chunk_(n / chunks), chunks_(chunks), rounds_(rounds) {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
    for (float** array : {&host_.a, &host_.b, &host_.c})
      check(cudaMallocHost(reinterpret_cast<void**>(array), bytes), "cudaMallocHost");
    for (float** array : {&device_.a, &device_.b, &device_.c})
      check(cudaMalloc(reinterpret_cast<void**>(array), bytes), "cudaMalloc");
    for (int i = 0; i < n; ++i) host_.a[i] = host_.b[i] = static_cast<float>(i % 100);
  }
  ~ChunkedAddition() {
    for (float* array : {host_.a, host_.b, host_.c}) cudaFreeHost(array);
    for (float* array : {device_.a, device_.b, device_.c}) cudaFree(array);
  }
  ChunkedAddition(const ChunkedAddition&) = delete;
  ChunkedAddition& operator=(const ChunkedAddition&) = delete;

  void upload(int chunk, cudaStream_t stream) const {
    const int at = chunk * chunk_;
    cudaMemcpyAsync(device_.a + at, host_.a + at, bytes(), cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(device_.b + at, host_.b + at, bytes(), cudaMemcpyHostToDevice, stream);
  }
  void launch(int chunk, cudaStream_t stream) const {
    const int at = chunk * chunk_;
    const auto blocks = static_cast<unsigned>((chunk_ + 255) / 256);
    add<<<blocks, 256, 0, stream>>>(device_.a + at, device_.b + at, device_.c + at, chunk_, rounds_);
  }
  void download(int chunk, cudaStream_t stream) const {
    const int at = chunk * chunk_;
    cudaMemcpyAsync(host_.c + at, device_.c + at, bytes(), cudaMemcpyDeviceToHost, stream);
  }
  int chunks() const { return chunks_; }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(chunk_) * sizeof(float); }

  Vectors host_, device_;
  int chunk_, chunks_, rounds_;
};

/// Issues all work of a chunk, then all work of the next.
void depth_first(const ChunkedAddition& work, const std::vector<cudaStream_t>& streams) {
  for (int chunk = 0; chunk < work.chunks(); ++chunk) {
    const cudaStream_t stream = streams[static_cast<std::size_t>(chunk) % streams.size()];
    work.upload(chunk, stream);
    work.launch(chunk, stream);
    work.download(chunk, stream);
  }
}

/// For as many chunks as there are streams: all uploads, then all kernels, then all downloads.
void breadth_first(const ChunkedAddition& work, const std::vector<cudaStream_t>& streams) {
  const int width = static_cast<int>(streams.size());
  for (int first = 0; first < work.chunks(); first += width) {
    for (int i = 0; i < width && first + i < work.chunks(); ++i) work.upload(first + i, streams[i]);
    for (int i = 0; i < width && first + i < work.chunks(); ++i) work.launch(first + i, streams[i]);
    for (int i = 0; i < width && first + i < work.chunks(); ++i) work.download(first + i, streams[i]);
  }
}

template <class Issue>
double milliseconds(Issue issue) {
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  check(cudaEventCreate(&start), "cudaEventCreate");
  check(cudaEventCreate(&stop), "cudaEventCreate");
  check(cudaEventRecord(start), "cudaEventRecord");
  issue();
  check(cudaEventRecord(stop), "cudaEventRecord");
  check(cudaEventSynchronize(stop), "cudaEventSynchronize");
  float elapsed = 0.0F;
  check(cudaEventElapsedTime(&elapsed, start, stop), "cudaEventElapsedTime");
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return elapsed;
}

int argument(int argc, char** argv, int index, int otherwise) {
  return argc > index ? std::atoi(argv[index]) : otherwise;
}

}  // namespace

/// overlap [issue [streams [rounds [elements [chunks [repeats]]]]]]; issue is depth-first or breadth-first.
int main(int argc, char** argv) {
  const std::string issue = argc > 1 ? argv[1] : "depth-first";
  const int stream_count = argument(argc, argv, 2, 2);
  const int rounds = argument(argc, argv, 3, 64);
  const int n = argument(argc, argv, 4, 1 << 22);
  const int chunks = argument(argc, argv, 5, 4);
  const int repeats = argument(argc, argv, 6, 1);
  if (stream_count < 1 || n < 1 || chunks < 1 || repeats < 1 ||
      (issue != "depth-first" && issue != "breadth-first")) {
    std::fputs(
        "usage: overlap [depth-first|breadth-first [streams [rounds [elements [chunks [repeats]]]]]]\n",
        stderr);
    return 2;
  }
  const ChunkedAddition work(n, chunks, rounds);
  std::vector<cudaStream_t> streams(static_cast<std::size_t>(stream_count));
  for (cudaStream_t& stream : streams) check(cudaStreamCreate(&stream), "cudaStreamCreate");
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    times.push_back(milliseconds(
        [&] { issue == "depth-first" ? depth_first(work, streams) : breadth_first(work, streams); }));
  }
  std::sort(times.begin(), times.end());
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::printf("%s,%d,%d,%d,%.4f\n", issue.c_str(), stream_count, chunks, rounds, times[times.size() / 2]);
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
  return 0;
}
