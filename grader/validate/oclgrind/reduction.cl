// The tree reduction of tests/kernels/vgpu/reduction.cu, in OpenCL C.
#define BLOCK 256

kernel void tree(global const float* in, global float* out, int n) {
  local float partial[BLOCK];
  const uint t = get_local_id(0);
  const uint i = get_group_id(0) * BLOCK + t;
  partial[t] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint stride = BLOCK / 2; stride > 0; stride /= 2) {
    if (t < stride) partial[t] += partial[t + stride];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = partial[0];
}
