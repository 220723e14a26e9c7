// threadIdx, blockIdx, blockDim, gridDim and warpSize come with cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
