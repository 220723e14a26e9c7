// Host assembly in a local struct of a function for both sides.
#include "lab/tiled_matmul.hpp"

template <class T>
__host__ __device__ void both() {
  struct Local {
    static void hidden() {
      long result = 39;
      asm volatile("syscall" : "+a"(result)::"rcx", "r11", "memory");
    }
  };
  Local::hidden();
}
void tiled_matmul(const float*, const float*, float*, int, int, int) { both<int>(); }
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
