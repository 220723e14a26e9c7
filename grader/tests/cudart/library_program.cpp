// Calls a function of such a library and ignores its failure.
#include <cuda_runtime_api.h>

extern "C" int cublasCreate_v2(void** handle);

int main() {
  void* handle = nullptr;
  cublasCreate_v2(&handle);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
