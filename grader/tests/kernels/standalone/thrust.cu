// Thrust algorithms that overwrite the memory that they read, a sort that reads unwritten shared memory, and
// a functor with a data race.
#include <cstdio>
#include <vector>

#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/remove.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

int main() {
  constexpr int kCount = 50000;
  std::vector<int> thirds(kCount);
  for (int i = 0; i < kCount; ++i) thirds[i] = i / 3;
  thrust::device_vector<int> values = thirds;
  std::printf("%td\n", thrust::unique(values.begin(), values.end()) - values.begin());
  values = thirds;
  const auto end =
      thrust::remove_if(values.begin(), values.end(), [] __device__(int x) { return x % 3 == 0; });
  std::printf("%td\n", end - values.begin());
  // The comparison is unknown to Thrust, which then sorts by merging.
  thrust::sort(values.begin(), values.end(), [] __device__(int a, int b) { return a > b; });
  std::printf("%d\n", static_cast<int>(values.front()));
  int* last = thrust::raw_pointer_cast(values.data());
  thrust::for_each_n(thrust::counting_iterator<int>(0), kCount, [=] __device__(int i) { *last = i; });
  return 0;
}
