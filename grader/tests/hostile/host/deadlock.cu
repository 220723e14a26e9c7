// Waits for a lock that it holds.
#include <mutex>

#include "lab/tiled_matmul.hpp"

void tiled_matmul(const float*, const float*, float*, int, int, int) {
  static std::mutex mutex;
  mutex.lock();
  mutex.lock();
}
void tiled_matmul_dynamic(const float*, const float*, float*, int, int, int) {}
