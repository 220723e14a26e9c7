#include "judge/source_hints.hpp"

#include "catch.hpp"
#include "judge/code_text.hpp"
#include "judge/declarations.hpp"
#include "judge/function_lines.hpp"
#include "workloads/memory_types/workload.hpp"

namespace source_hints_test {

namespace {

using grader::first_use;
using grader::guard_of;
using grader::return_before_barrier;
using grader::SourceText;

const SourceText kSource{"k.cu",
                         {"int ceil(int n) { return n; }",             // 1
                          "__global__ void first(float* a, int n) {",  // 2
                          "  // return before the barrier",            // 3
                          "  if (n < 0) return;",                      // 4
                          "  tile[0] = a[0];",                         // 5
                          "  __syncthreads();",                        // 6
                          "  a[0] = tile[0];  // __activemask()",      // 7
                          "}",                                         // 8
                          "__global__ void second(float* a) {",        // 9
                          "  tile[0] = a[0];",                         // 10
                          "  __syncthreads();",                        // 11
                          "  if (a == nullptr) return;",               // 12
                          "  const bool returned = tile[0] > 0;",      // 13
                          "  a[0] = __activemask();"}};                // 14

}  // namespace

TEST_CASE("a return before the barrier that precedes a line is found, also from the barrier's line") {
  CHECK(return_before_barrier(kSource, "/box/k.cu", 7) == 4U);
  CHECK(return_before_barrier(kSource, "/box/k.cu", 6) == 4U);
}

TEST_CASE(
    "functions end with their bodies: in one line, with indented braces, around functions in functions") {
  const SourceText source{"k.cu",
                          {"__global__ void first(const float* a, float* b);",                          // 1
                           "__global__ void first(const float* a, float* b) {",                         // 2
                           "  const auto add = [] __device__(int i) { return i + 1; };",                // 3
                           "  short i = add(2);",                                                       // 4
                           "  b[i] = a[i]; }",                                                          // 5
                           "void f(float* a) { first<<<1, 32, 4 * sizeof(float)>>>(a, a); short s; }",  // 6
                           "__device__ float table[2] = {1, 2};",                                       // 7
                           "void g() { short t; }",                                                     // 8
                           "__global__ void next(float* c = {}) {",                                     // 9
                           "  c[threadIdx.y] = sizeof(float);",                                         // 10
                           "}"}};                                                                       // 11
  CHECK(grader::definition_of(source, "first") == 2U);
  CHECK(grader::occurrences_in(source, "first", "b") == 2);
  CHECK_FALSE(grader::use_in(source, "first", "sizeof"));
  CHECK(grader::use_in(source, "f", "sizeof") == 6U);
  CHECK(grader::use_in(source, "next", "sizeof") == 10U);
  CHECK(grader::launch_of(source, "first", "f") == 6U);
  CHECK(grader::integer_of_16_bits(source, "k.cu", 5) == 4U);
  CHECK_FALSE(grader::integer_of_16_bits(source, "k.cu", 6));
  CHECK_FALSE(grader::integer_of_16_bits(source, "k.cu", 8));
  CHECK_FALSE(grader::integer_of_16_bits(source, "k.cu", 10));
}

TEST_CASE("returns after the barrier, in other functions and in comments are not found") {
  CHECK_FALSE(return_before_barrier(kSource, "/box/k.cu", 13));
  CHECK_FALSE(return_before_barrier(kSource, "/box/k.cu", 5));  // no barrier precedes it
  CHECK_FALSE(return_before_barrier(kSource, "/box/k.cu", 0));
  CHECK_FALSE(return_before_barrier(kSource, "/box/k.cu", 15));
  CHECK_FALSE(return_before_barrier({}, "", 1));
  CHECK_FALSE(return_before_barrier({"k.cu", {"if (n < 0) return;", "__syncthreads();"}}, "/box/k.cu", 2));
  CHECK_FALSE(return_before_barrier(kSource, "/usr/include/other.cuh", 7));
}

TEST_CASE("a return in the kernel before it calls the function with the barrier is found") {
  const SourceText source{"k.cu",
                          {"__device__ float sum(float value) {",       // 1
                           "  tile[0] = value;",                        // 2
                           "  __syncthreads();",                        // 3
                           "  return tile[0];",                         // 4
                           "}",                                         // 5
                           "__global__ void early(float* a, int n) {",  // 6
                           "  if (n < 0) return;",                      // 7
                           "  const float all = sum(a[0]);",            // 8
                           "}",                                         // 9
                           "__global__ void late(float* a, int n) {",   // 10
                           "  const float all = sum(a[0]);",            // 11
                           "  if (n < 0) return;",                      // 12
                           "}"}};                                       // 13
  CHECK(return_before_barrier(source, "/box/k.cu", 4, "early") == 7U);
  CHECK_FALSE(return_before_barrier(source, "/box/k.cu", 4, "late"));
  CHECK_FALSE(return_before_barrier(source, "/box/k.cu", 4, "other"));
  CHECK_FALSE(return_before_barrier(source, "/box/k.cu", 4));
  CHECK_FALSE(return_before_barrier(source, "/box/k.cu", 2, "early"));  // no barrier precedes it
}

// The student's file can contain #line, and an access can be in a line of a header.
TEST_CASE("lines that the file does not have contain no guard") {
  const SourceText source{
      "k.cu", {"__global__ void k(float* p, int m, int n) {", "  if (m < 3 && n < 3)", "    p[9] = 0;", "}"}};
  CHECK(guard_of(source, "/box/k.cu", 3) == 2U);
  CHECK_FALSE(guard_of(source, "/box/other.hpp", 3));
  for (const std::uint32_t line : {0U, 5U, 6U, 500'000U, 4'000'000'000U}) {
    CHECK_FALSE(guard_of(source, "/box/k.cu", line));
    CHECK_FALSE(guard_of(source, "/box/other.hpp", line));
    CHECK_FALSE(guard_of({}, "/box/k.cu", line));
  }
}

TEST_CASE("a conditional expression guards its load") {
  const auto guard = [](std::vector<std::string> lines, std::uint32_t line) {
    lines.insert(lines.begin(), "__global__ void k(float* p) {");
    lines.push_back("}");
    return guard_of({"k.cu", lines}, "/box/k.cu", line).value_or(0);
  };
  CHECK(guard({"  t[y] = (row < m && i < k) ? M[row * n + i] : 0;"}, 2) == 2);
  CHECK(guard({"  t[y] = row < m ? M[row * n + i] : 0;"}, 2) == 0);
}

TEST_CASE("an identifier is found in code, not in comments or in longer names") {
  CHECK(first_use(kSource, "__activemask") == 14U);
  CHECK(first_use(kSource, "tile") == 5U);
  CHECK_FALSE(first_use(kSource, "til"));
}

TEST_CASE("a launch is found by its kernel, and among several by the function that contains it") {
  const SourceText one{
      "k.cu", {"__global__ void k(int n);", "void f() {", "  k  <<<1, 1>>>(n);  // k<<<2, 2>>>", "}"}};
  CHECK(grader::launch_of(one, "k", "other") == 3U);
  CHECK_FALSE(grader::launch_of(one, "kk", "f"));
  const SourceText two{
      "k.cu",
      {"template <int T>", "__global__ void k(int n);", "void f() {", "  k<4><<<1, 1>>>(n);", "}",
       "void g(int n) {", "  if (n < 1) k<4>(n);", "  k<8><<<n, 1>>>(n);", "}", "void h() {", "}"}};
  CHECK(grader::launch_of(two, "k", "f") == 4U);
  CHECK(grader::launch_of(two, "k", "g") == 8U);
  CHECK_FALSE(grader::launch_of(two, "k", "h"));
  CHECK_FALSE(grader::launch_of(two, "k", "missing"));
}

TEST_CASE("a call is found by the beginning of its name, and among several by the function") {
  const SourceText source{"k.cu",
                          {"void f() {", "  cudaStreamCreateWithFlags(&s, 0);", "}", "void g() {",
                           "  cudaStreamCreate(&s);", "  cudaEventCreate(&e);", "}"}};
  CHECK(grader::only_call(source, "cudaStreamCreate", "g") == 5U);
  CHECK(grader::only_call(source, "cudaEventCreate", "f") == 6U);
  CHECK_FALSE(grader::only_call(source, "cudaStreamCreate", "h"));
}

TEST_CASE("an identifier has an only use if one line of code contains it") {
  CHECK(grader::only_use(kSource, "__activemask") == 14U);
  CHECK_FALSE(grader::only_use(kSource, "__syncthreads"));
}

TEST_CASE("the pointer that a call allocates is found by its address") {
  const SourceText source{
      "k.cu",
      {"CHECK(cudaMallocHost(&slot.h_a, bytes));", "cudaHostAlloc(reinterpret_cast<void**>(&h[2]), n, 0);",
       "cudaMallocManaged((void**)&m, a & b);", "cudaMallocHost(pointers, a & b);",
       "// cudaMallocHost(&a, n)", "cudaMalloc(&a, n);"}};
  CHECK(grader::pointer_allocated_in(source, 1) == "slot.h_a");
  CHECK(grader::pointer_allocated_in(source, 2) == "h[2]");
  CHECK(grader::pointer_allocated_in(source, 3) == "m");
  for (const std::uint32_t line : {0U, 4U, 5U, 6U, 7U})
    CHECK_FALSE(grader::pointer_allocated_in(source, line));
}

TEST_CASE("barriers for a part of a warp are found in the function that contains a line") {
  const auto part = [](const char* line, std::uint32_t at = 2) {
    return grader::sync_of_part({"k.cu",
                                 {"__global__ void k() {", "  int lane;", line, "}", "__device__ void f() {",
                                  "}", "constexpr unsigned kAll = 0xFFFFFFFF;"}},
                                "/box/k.cu", at);
  };
  for (const char* line : {"__syncwarp(mask);", "auto t = cg::tiled_partition<16>(b);",
                           "cg::thread_block_tile<8, B> t;", "cg::coalesced_threads().sync();"})
    CHECK(part(line) == 3U);
  for (const char* line : {"__syncwarp( );", "__syncwarp();  // (mask)", "cg::tiled_partition<32>(b);",
                           "__syncwarp(0xffffffffu);", "__syncwarp(~0u);", "__syncwarp(kAll);",
                           "cg::tiled_partition<kWidth>(b);", "syncs(mask);", "tiled_partition"})
    CHECK_FALSE(part(line));
  for (const std::uint32_t outside : {0U, 5U, 7U}) CHECK_FALSE(part("__syncwarp(mask);", outside));
}

TEST_CASE("an atomic operation orders blocks if its result is compared") {
  const auto order = [](const char* line, const char* next = "") {
    return grader::block_order({"k.cu",
                                {"__global__ void k(int* count) {", line, next, "  lock(m);", "}",
                                 "__device__ void other() { while (atomicCAS(&m, 0, 1)) {} }"}},
                               "/box/k.cu", 1);
  };
  for (const char* line : {"if (atomicAdd(&done, f(1)) == n) {", "last = atomicInc(&done, n) != n;"}) {
    REQUIRE(order(line));
    CHECK((order(line)->line == 2 && !order(line)->is_lock && !order(line)->has_fence));
    CHECK(order(line, "__threadfence();")->has_fence);
  }
  CHECK(order("while (atomicExch(&m, 1)) {}")->is_lock);
  CHECK(order("while (!gate.compare_exchange_weak(a, b, cuda::memory_order_relaxed)) {}")->is_relaxed);
  for (const char* line :
       {"if (i == 0) atomicAdd(count, 1);", "atomicAdd(count, in[i] == 6);", "mine = atomicAdd(&next, 1);",
        "if (gate.fetch_add(1) == n)", "offload(1) == 2", "// atomicAdd(&done, 1) == n"})
    CHECK_FALSE(order(line));
  const grader::SourceText called{"k.cu",
                                  {"__device__ void lock(int* m) { while (atomicCAS(m, 0, 1) != 0) {} }",
                                   "__global__ void k() {", "  lock(m);", "}"}};
  CHECK(grader::block_order(called, "k.cu", 3)->line == 1);
  // Each of the functions could be called in each line: a search for all of them takes minutes.
  grader::SourceText large{"k.cu", std::vector<std::string>(40'000, "__device__ void unused() {}")};
  large.lines.emplace_back("__global__ void k() {");
  large.lines.resize(80'000, "  x = 1;");
  large.lines.emplace_back("}");
  CHECK_FALSE(grader::block_order(large, "k.cu", 50'000));
}

TEST_CASE("integers of 16 bits are found in the function that contains a line") {
  const SourceText source{
      "k.cu", {"__global__ void k() {", "  int shorter;", "  std::uint16_t i;", "}", "__device__ f() {"}};
  CHECK(grader::integer_of_16_bits(source, "k.cu", 2) == 3U);
  CHECK_FALSE(grader::integer_of_16_bits(source, "k.cu", 5));
  CHECK_FALSE(grader::integer_of_16_bits(source, "other.cuh", 2));
}

TEST_CASE("the length of a row is found in declarations with constants, and only if it is the same in all") {
  using grader::row_length;
  const SourceText source{
      "k.cu",
      {"constexpr int kWidth = 16;  // a tile", "#define PITCH 33",
       "  __shared__ float plain[8], M_tile[kWidth][kWidth + 1], N_tile[kWidth][kWidth];",
       "  __shared__ int banks[32][PITCH];", "  __shared__ float cube[2][3][4];",
       "  __shared__ float N_tile[32][16];", "  __shared__ float any[T][T];", "  __shared__ float two[8][8];",
       "  __shared__ float two[8][9];", "  float local[4][4];", "  __shared__ float broken[4][4"}};
  CHECK(row_length(source, "M_tile") == 17U);
  CHECK(grader::extents_of(source, "M_tile") == 2U);
  const SourceText others{"k.cu",
                          {"__shared__ int count;", "__shared__ float a[3], b[2][TW];",
                           "extern __shared__ float c[];", "__shared__ float d[2];", "__shared__ float d;"}};
  CHECK(grader::extents_of(others, "count") == 0U);
  CHECK(grader::extents_of(others, "a") == 1U);
  CHECK(grader::extents_of(others, "b") == 2U);
  for (const char* none : {"c", "d", "e"}) CHECK_FALSE(grader::extents_of(others, none));
  CHECK(row_length(source, "banks") == 33U);
  const SourceText computed{
      "k.cu",
      {"constexpr int kRows = 4;", "constexpr int kTile = 2 * (kRows + 1) + 2 * lab::kMaxRadius / 4 - 1;",
       "constexpr int kLoop = kLoop + 1;", "__shared__ float tile[kRows][kTile];",
       "__shared__ float other[kRows][kLoop];"}};
  CHECK(row_length(computed, "tile") == 13U);
  CHECK_FALSE(row_length(computed, "other"));
  CHECK(row_length(source, "N_tile") == 16U);
  for (const char* none : {"plain", "cube", "any", "two", "local", "broken", "tile", "absent"})
    CHECK_FALSE(row_length(source, none));
  CHECK_FALSE(row_length({"k.cu", {"__shared__ float a[2][0]; __shared__ float a[2][];"}}, "a"));
}

TEST_CASE("the constants of the labs' headers have the values that they have there") {
  const SourceText none{"k.cu", {}};
  CHECK(grader::constant(none, "lab::kMaxRadius") == std::uint64_t{grader::memory_types::kMaxRadius});
  CHECK(grader::constant(none, "lab::kLevels") == std::uint64_t{grader::memory_types::kLevels});
}

TEST_CASE("a barrier of the warp between two lines is found") {
  const std::vector<std::string> lines{"__global__ void k(float* p) {",
                                       "  __syncwarp();",
                                       "  t[i] = 1;",
                                       "  __syncwarp();",
                                       "  s += t[j];",
                                       "}"};
  const auto between = [&](std::uint32_t one, std::uint32_t other) {
    return warp_barrier_between({"k.cu", lines}, "/box/k.cu", one, other).value_or(0);
  };
  CHECK(between(3, 5) == 4);
  CHECK(between(5, 3) == 4);
  CHECK(between(5, 5) == 0);
  CHECK(between(3, 9) == 4);
  CHECK(between(9, 9) == 0);
}

TEST_CASE("a barrier under a condition is found where one is expected") {
  const auto line_of = [](std::vector<std::string> lines, std::uint32_t earlier, std::uint32_t later) {
    lines.insert(lines.begin(), "__global__ void k(float* p) {");
    lines.push_back("}");
    return barrier_in_condition({"k.cu", lines}, "/box/k.cu", earlier, later).value_or(0);
  };
  CHECK(line_of({"  t[i] = 1;", "  if (row < m) __syncthreads();", "  s += t[j];"}, 2, 4) == 3);
  CHECK(line_of({"  t[i] = 1;", "  if (row < m)", "    __syncthreads();", "  s += t[j];"}, 2, 5) == 4);
  CHECK(line_of(
            {"  t[i] = 1;", "  if (row < m) {", "    x = 1;", "    __syncthreads();", "  }", "  s += t[j];"},
            2, 7) == 5);
  // The store of the next iteration needs a barrier after the read.
  const std::vector<std::string> loop{"  for (;;) {",
                                      "    t[i] = 1;",
                                      "    __syncthreads();",
                                      "    s += t[j];",
                                      "    if (p + 1 < n) __syncthreads();",
                                      "  }"};
  CHECK(line_of(loop, 5, 3) == 6);
  CHECK(line_of(loop, 3, 5) == 6);  // a warp that is ahead stores for the next iteration
  CHECK(line_of({"  t[i] = 1;", "  if (row < m) x = 1;", "  __syncthreads();", "  s += t[j];"}, 2, 5) == 0);
  CHECK(line_of({"  if (row < m) {", "    t[i] = 1;", "  }", "  __syncthreads();", "  s += t[j];"}, 3, 6) ==
        0);
  // All threads pass a constant condition.
  CHECK(line_of({"  t[i] = 1;", "  if (kThreads >= 64 && 2 < 3) __syncthreads();", "  s += t[j];",
                 "constexpr int kThreads = 128;"},
                2, 4) == 0);
  CHECK(line_of({"  t[i] = 1;", "  if constexpr (kWidth >= 64) {", "    __syncthreads();", "  }",
                 "  s += t[j];", "template <int kWidth, class T>"},
                2, 6) == 0);
}

TEST_CASE("the innermost loop around a line is found, with and without braces") {
  const SourceText source{"k.cu",
                          {
                              "__global__ void k(int* a, int n) {",
                              "  for (int i = 0; i < n; ++i) a[i] = 0;",
                              "  a[0] = 1;",
                              "  while (n > 0) {",
                              "    if (a[0] > 0) {",
                              "      a[1] = 2;",
                              "    }",
                              "    for (int j = 0; j < n; ++j)",
                              "      a[j] += 1;",
                              "    a[2] = 3;",
                              "  }",
                              "  a[3] = 4;",
                              "}",
                          }};
  const auto loop = [&](std::uint32_t line) { return grader::loop_around(source, "/src/k.cu", line); };
  CHECK(loop(2) == 2);
  CHECK_FALSE(loop(3));
  CHECK(loop(6) == 4);
  CHECK(loop(9) == 8);
  CHECK(loop(10) == 4);
  CHECK_FALSE(loop(12));
  CHECK_FALSE(grader::loop_around(source, "/src/other.cu", 6));
}

TEST_CASE("a line that changes an element by a value from elsewhere") {
  using grader::changes_element;
  for (const char* code :
       {"if (i < n && image[i] > t) ++count;", "count++;", "count += 1;", "  count -= x[i];"})
    CHECK(changes_element(code, "count"));
  CHECK(changes_element("if (x[i] < n) bins[level] += 1;", "bins"));
  CHECK_FALSE(changes_element("tile[t] += tile[t + stride];", "tile"));
  CHECK_FALSE(changes_element("sum += count;", "count"));
  CHECK_FALSE(changes_element("count = x[i];", "count"));
  CHECK_FALSE(changes_element("++count;", ""));
}

TEST_CASE("a condition that lets too few threads return is found") {
  const auto of = [](const std::string& condition) {
    const grader::SourceText source{
        "k.cu",
        {"__global__ void k(float* p, int m, int n) {", "  " + condition, "  p[row * n + col] = 1;", "}"}};
    return grader::loose_return(source, "/box/k.cu", 3);
  };
  CHECK(of("if (row > m || col > n) return;")->line == 2);
  CHECK_FALSE(of("if (row > m || col > n) return;")->is_conjunction);
  CHECK(of("if (row >= m && col >= n) return;")->is_conjunction);
  CHECK_FALSE(of("if (row >= m || col >= n) return;"));
  CHECK_FALSE(of("if (row < m && col < n) p[0] = 0;"));
}

TEST_CASE("the barrier that separates the steps of a loop is found") {
  const grader::SourceText source{"k.cu",
                                  {"__global__ void k(float* p, int n) {",             // 1
                                   "  for (int s = n; s > 0; s /= 2) {",               // 2
                                   "    if (t < s) p[t] += p[t + s - 1];",             // 3
                                   "    __syncthreads();",                             // 4
                                   "  }",                                              // 5
                                   "  for (int i = 0; i < n; ++i) p[t] += p[t + 1];",  // 6
                                   "  __syncthreads();",                               // 7
                                   "}"}};
  CHECK(grader::barrier_in_loop(source, "/box/k.cu", 3) == 4U);
  CHECK_FALSE(grader::barrier_in_loop(source, "/box/k.cu", 6));
  CHECK_FALSE(grader::barrier_in_loop(source, "/box/k.cu", 7));
}

}  // namespace source_hints_test
