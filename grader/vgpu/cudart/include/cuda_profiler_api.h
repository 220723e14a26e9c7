// Marks for an external profiler; the virtual GPU counts every launch anyway.
#pragma once

#include "driver_types.h"

extern "C" {
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
}
