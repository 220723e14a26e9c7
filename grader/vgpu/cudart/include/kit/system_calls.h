// The system calls of every CUDA device (PTX Writer's Guide to Interoperability, "System Calls").
#pragma once

extern "C" {
__device__ int vprintf(const char* format, const char* arguments);
__device__ int printf(const char* format, ...);  // clang packs the arguments and calls vprintf
__device__ void __assertfail(const char* message, const char* file, unsigned line, const char* function,
                             size_t char_size);

// The function that the C library's assert() calls.
__device__ static inline void __assert_fail(const char* message, const char* file, unsigned line,
                                            const char* function) {
  __assertfail(message, file, line, function, sizeof(char));
}
}
