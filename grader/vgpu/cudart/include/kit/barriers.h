// Barriers and fences. clang (14 to the present) assumes that the intrinsics of barriers and fences access
// none of the program's variables. So it moves loads of scalar __shared__ variables across them. An empty asm
// with a memory clobber on both sides prevents this. These are macros, so that a barrier keeps its source
// line in the program.
#pragma once

#pragma GCC system_header

#define KIT_FENCED(statement)      \
  __extension__({                  \
    asm volatile("" ::: "memory"); \
    statement;                     \
    asm volatile("" ::: "memory"); \
  })
#define KIT_FENCED_VALUE(expression)      \
  __extension__({                         \
    asm volatile("" ::: "memory");        \
    const auto kit_value_ = (expression); \
    asm volatile("" ::: "memory");        \
    kit_value_;                           \
  })

#define __syncthreads() KIT_FENCED(__syncthreads())
#define __syncthreads_and(predicate) KIT_FENCED_VALUE(__syncthreads_and(predicate))
#define __syncthreads_or(predicate) KIT_FENCED_VALUE(__syncthreads_or(predicate))
#define __syncthreads_count(predicate) KIT_FENCED_VALUE(__syncthreads_count(predicate))
#define __syncwarp(...) KIT_FENCED(__syncwarp(__VA_ARGS__))
#define __threadfence_block() KIT_FENCED(__threadfence_block())
#define __threadfence() KIT_FENCED(__threadfence())
#define __threadfence_system() KIT_FENCED(__threadfence_system())
