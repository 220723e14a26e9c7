// cuda_runtime.h defines threadIdx, blockIdx, blockDim, gridDim and warpSize.
#pragma once

#include "cuda_runtime.h"
