// Calls that cannot be inlined, as nvcc compiles them: virtual functions, a table of functions, recursion, a
// structure passed by value. calls.ptx is made by: nvcc -arch=sm_80 -ptx calls.cu
struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Triangle : Shape {
  float base, height;
  __device__ Triangle(float b, float h) : base(b), height(h) {}
  __device__ float area() const override { return base * height / 2; }
};

extern "C" __global__ void areas(float* out) {
  const int i = threadIdx.x;
  Shape* shape = i % 3 == 0 ? static_cast<Shape*>(new Square(i)) : new Triangle(i, 4);
  out[i] = shape->area();
  delete shape;
}

__device__ float add_one(float x) { return x + 1; }
__device__ float twice(float x) { return x * 2; }
__device__ float negated(float x) { return -x; }
using Function = float (*)(float);
__device__ Function functions[] = {add_one, twice, negated};

extern "C" __global__ void apply(float* data, int count) {
  const int i = threadIdx.x;
  for (int step = 0; step < count; ++step) data[i] = functions[(i + step) % 3](data[i]);
}

__device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
extern "C" __global__ void ackermanns(int* out) {
  out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x / 3);
}

struct State {
  int values[6];
  double total;
};
__device__ __noinline__ State advanced(State state, int steps) {
  state.values[steps % 6] += steps;
  state.total *= 2;
  return steps > 0 ? advanced(state, steps - 1) : state;
}
extern "C" __global__ void states(State* all) {
  all[threadIdx.x] = advanced(all[threadIdx.x], threadIdx.x % 7);
}

/// Quicksort with an array on the stack; each thread sorts its own eight numbers.
__device__ void sort(int* first, int* last) {
  if (last - first < 2) return;
  const int pivot = *first;
  int* middle = first;
  for (int* p = first + 1; p < last; ++p) {
    if (*p >= pivot) continue;
    ++middle;
    const int held = *p;
    *p = *middle;
    *middle = held;
  }
  *first = *middle;
  *middle = pivot;
  sort(first, middle);
  sort(middle + 1, last);
}
extern "C" __global__ void sorted(int* data) {
  int mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = data[threadIdx.x * 8 + i];
  sort(mine, mine + 8);
  for (int i = 0; i < 8; ++i) data[threadIdx.x * 8 + i] = mine[i];
}
