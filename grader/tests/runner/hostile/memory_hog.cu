// Allocates memory without limit and writes to it.
#include <cstdlib>
#include <cstring>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  constexpr std::size_t kPiece = std::size_t{16} << 20U;
  static void* volatile kept;  // volatile: otherwise compilers remove the unused memory
  for (;;) {
    kept = std::malloc(kPiece);
    std::memset(kept, 1, kPiece);
  }
}
