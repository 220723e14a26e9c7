// The tiled matrix product of tests/kernels/vgpu/matmul.cu, in OpenCL C.
#define TILE_WIDTH 16

kernel void tiled(global const float* M, global const float* N, global float* P, int m, int k, int n) {
  local float ds_M[TILE_WIDTH][TILE_WIDTH];
  local float ds_N[TILE_WIDTH][TILE_WIDTH];
  const int tx = get_local_id(0);
  const int ty = get_local_id(1);
  const int row = get_group_id(1) * TILE_WIDTH + ty;
  const int col = get_group_id(0) * TILE_WIDTH + tx;
  float sum = 0;
  for (int p = 0; p < (k + TILE_WIDTH - 1) / TILE_WIDTH; ++p) {
    ds_M[ty][tx] = row < m && p * TILE_WIDTH + tx < k ? M[row * k + p * TILE_WIDTH + tx] : 0;
    ds_N[ty][tx] = p * TILE_WIDTH + ty < k && col < n ? N[(p * TILE_WIDTH + ty) * n + col] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE_WIDTH; ++i) sum += ds_M[ty][i] * ds_N[i][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && col < n) P[row * n + col] = sum;
}
