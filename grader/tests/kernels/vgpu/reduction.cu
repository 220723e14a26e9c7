// The tree reduction of the lectures: each block of 256 threads adds its elements in shared memory.
// reduction.ptx is `nvcc -ptx -lineinfo -arch=compute_80 reduction.cu` with the file's path cut to its name.
#define BLOCK 256

extern "C" __global__ void tree(const float* in, float* out, int n) {
  __shared__ float partial[BLOCK];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * BLOCK + t;
  partial[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
    if (t < stride) partial[t] += partial[t + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}
