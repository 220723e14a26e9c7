// The kernels of an introductory, a technique and a performance course, on inputs that are the same
// everywhere, so that two engines can be compared bit for bit. Built by `nvcc course.cu` for a real GPU or
// for the virtual one.
//
//   course RESULTS   runs every kernel at sizes that are not multiples of a block; writes outputs to RESULTS
//
// Kernels print to standard output. No kernel has data races. Results do not depend on the order of float
// atomics, unless an output has a bound that allows it.

#include "approximate.cuh"
#include "images.cuh"
#include "irregular.cuh"
#include "language.cuh"
#include "matrices.cuh"
#include "reductions.cuh"
#include "vectors.cuh"

extern "C" int run(const char* path) {
  course::Results results(path);
  if (!results.opened()) return std::perror(path), 2;
  course::run_vectors(results);
  course::run_matrices(results);
  course::run_reductions(results);
  course::run_images(results);
  course::run_irregular(results);
  course::run_language(results);
  course::run_approximate(results);
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s RESULTS\n", argv[0]), 2;
  return run(argv[1]);
}
