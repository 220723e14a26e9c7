// Start and stop of an external profiler. They have no effect: the virtual GPU counts every launch.
#pragma once

#include "driver_types.h"

extern "C" {
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
}
