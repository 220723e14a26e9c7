// Common code of the labs' programs. Each lab's file in this folder is linked once with the lab's solution
// and once with its baseline, whose functions have the same names:
//
//   lab_02_solution                         calls every function, so that a profiler can watch its kernels
//   lab_02_solution times NAME [option…]    times the lab's functions, as CSV (kernel_timer.cuh); NAME is
//                                           "solution" or "baseline"
#pragma once

#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_runtime.h>

#include "validate/kernel_timer.cuh"

namespace validate {

/// Floats from 0 to 1, integers from 0 to 7 in runs of four.
template <class T>
std::vector<T> values(std::size_t count) {
  constexpr int kPeriod = 31;
  constexpr int kSteps = std::is_floating_point_v<T> ? kPeriod : 4;
  std::vector<T> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<T>(i % kPeriod) / kSteps;
  return made;
}

/// An array in device memory, initialised with values().
template <class T>
class Array {
 public:
  explicit Array(std::size_t count) : elements_(device_array<T>(count)) {
    check(cudaMemcpy(elements_, values<T>(count).data(), count * sizeof(T), cudaMemcpyHostToDevice),
          "upload");
  }
  ~Array() { cudaFree(elements_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  operator T*() const { return elements_; }

 private:
  T* elements_ = nullptr;
};

/// The body of main(). `call_all` calls each function with sizes that are not multiples of a block;
/// `time_all` adds rows to the table, with kernels named NAME or NAME_function.
inline int run_lab(int argc, char** argv, void (*call_all)(),
                   void (*time_all)(Table& table, const std::string& name)) {
  const bool is_timed = argc > 1 && std::strcmp(argv[1], "times") == 0;
  if (is_timed && argc < 3) return std::fprintf(stderr, "usage: %s times NAME [option…]\n", argv[0]), 2;
  if (is_timed) {
    Table table(parse(argc - 2, argv + 2));
    time_all(table, argv[2]);
  } else {
    call_all();
  }
  check(cudaDeviceSynchronize(), "the end");
  return 0;
}

}  // namespace validate
