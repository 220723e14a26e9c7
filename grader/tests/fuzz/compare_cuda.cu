// Runs the fuzzer's kernels on a GPU, real or virtual, and prints differences from the reference.
// Built by gpu.sh, which also generates kernels.cuh. Exit status: 0 no differences, 1 some, 2 the GPU failed.

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "kernels.cuh"
#include "program.hpp"

using namespace fuzz;

namespace {

std::vector<Bits> flat(const std::vector<Record>& records) {
  std::vector<Bits> all;
  for (const Record& record : records) all.insert(all.end(), record.begin(), record.end());
  return all;
}

std::vector<Record> run(Kernel kernel, const Program& program, const std::vector<Record>& inputs) {
  const std::vector<Bits> in = flat(inputs);
  std::vector<Bits> out(kThreads * program.output_slots());
  Bits *d_in = nullptr, *d_out = nullptr;
  cudaMalloc(&d_in, in.size() * kSlot);
  cudaMalloc(&d_out, out.size() * kSlot);
  cudaMemcpy(d_in, in.data(), in.size() * kSlot, cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, out.size() * kSlot);
  kernel<<<1, kThreads>>>(d_in, d_out);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    std::printf("the GPU failed: %s\n", cudaGetErrorString(error));
    std::exit(2);
  }
  cudaMemcpy(out.data(), d_out, out.size() * kSlot, cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  std::vector<Record> outputs;
  for (auto at = out.begin(); at != out.end(); at += program.output_slots()) {
    outputs.emplace_back(at, at + program.output_slots());
  }
  return outputs;
}

}  // namespace

int main() {
  int different = 0;
  const auto sheets = all_sheets();
  for (std::size_t i = 0; i < sheets.size(); ++i) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const auto inputs = sheet_inputs(sheets[i], seed);
      const auto outputs = run(sheet_kernels[i], sheets[i].program, inputs);
      for (const auto& line : differences(sheets[i], inputs, outputs, interpret(sheets[i].program, inputs))) {
        std::printf("%s\n", line.c_str());
        ++different;
      }
    }
  }
  std::size_t index = 0;
  for (const Kernel kernel : random_kernels) {
    const std::uint64_t seed = kFirstSeed + index++;
    const Program program = random_program(seed);
    const auto inputs = random_inputs(program, seed);
    const auto difference =
        first_difference(program, run(kernel, program, inputs), interpret(program, inputs));
    if (difference.empty()) continue;
    std::printf("random kernel %llu: %s\n", static_cast<unsigned long long>(seed), difference.c_str());
    ++different;
  }
  std::printf("%zu forms and %zu random kernels: %d differences\n", forms().size(), index, different);
  return different == 0 ? 0 : 1;
}
