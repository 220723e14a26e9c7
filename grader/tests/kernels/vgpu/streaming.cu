// The simplest kernel that reads and writes all of an array: each element is accessed once.
// streaming.ptx is `nvcc -ptx -lineinfo -arch=compute_80 streaming.cu` with the file's path cut to its name.

extern "C" __global__ void stream(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}
