// Slips that are visible in the text, and the errors that they explain.
#include "judge/slips.hpp"

#include "catch.hpp"
#include "judge/declaration_slips.hpp"
#include "judge/index_slips.hpp"
#include "judge/loop_slips.hpp"
#include "judge/statement_slips.hpp"

namespace slips_test {

using grader::SourceText;
using testing::contains;
using Lines = std::vector<std::string>;

TEST_CASE("a semicolon before the body of a loop or a condition is found") {
  for (const Lines& lines :
       {Lines{"  for (int i = 0; i < n; ++i);", "    sum += a[i];"},
        Lines{"  for (int i = 0; i < f(n); ++i) ;  // comment", "  {", "  }"},
        Lines{"  if (i < n);", "    y[i] = 1;"}, Lines{"  if (i < n); y[i] = 1;"},
        Lines{"  for (; i < n; ++i); sum += a[i];"}, Lines{"  for (; i < n; i += 2); s += i;"},
        Lines{"  if (i >= n); return;"}, Lines{"  if (i < n);", "", "  { y[i] = 1; }"},
        Lines{"  while (i < n);", "  { y[i] = 1; }"},
        Lines{"  for (int i = 0; i < n; ++i)", "    ;", "  {", "    y[i] = 1;"}}) {
    INFO(lines.front());
    const auto slip = grader::empty_statement(SourceText{"k.cu", lines});
    REQUIRE(slip);
    CHECK_THAT(slip->likely_cause, contains("line 1") || contains("line 2"));
    CHECK_THAT(slip->next_step, contains("remove the semicolon"));
  }
}

TEST_CASE("empty statements that are meant are no slips") {
  for (const Lines& lines :
       {Lines{"  for (int i = 0; i < n; ++i) sum += a[i];"}, Lines{"  while (*flag == 0);", "  x = 1;"},
        Lines{"  while (*flag == 0);", "    x = 1;"}, Lines{"  do {", "  } while (i < n);", "  {", "  }"},
        Lines{"  for (s = 1; 2 * s < n; s *= 2);", "  x = s;"}, Lines{"  if (i < n) ;", "  else y[i] = 1;"},
        Lines{"  for (; s < n; s *= 2); x = 1;"}, Lines{"  // for (;;);", "    x = 1;"},
        Lines{"  for (s = 1; 2 * s < n; s *= 2);", "}"}, Lines{"  for (int i = 0"},
        Lines{"  if_(x);", "    y;"}}) {
    INFO(lines.front());
    CHECK_FALSE(grader::empty_statement(SourceText{"k.cu", lines}));
  }
}

TEST_CASE("blocks that are multiplied by the number of blocks are found") {
  const auto cause = [](const Lines& lines) {
    const auto slip = grader::grid_for_block(SourceText{"k.cu", lines});
    return slip ? slip->likely_cause : "";
  };
  CHECK_THAT(cause({"", "  int i = blockIdx.x * gridDim.x + threadIdx.x;"}),
             contains("line 2 multiplies blockIdx.x by gridDim.x"));
  CHECK_THAT(cause({"  int r = threadIdx.y + gridDim.y*blockIdx.y;"}), contains("blockIdx.y by gridDim.y"));
  CHECK_THAT(cause({"  unsigned i = blockIdx.x;", "  i *= gridDim.x;"}), contains("line 2 multiplies"));
  for (const Lines& meant : {Lines{"  int b = blockIdx.y * gridDim.x + blockIdx.x;"},
                             Lines{"  for (i = first; i < n; i += blockDim.x * gridDim.x)"},
                             Lines{"  int n = rows;", "  n *= gridDim.x;"}, Lines{"  x = gridDim."},
                             Lines{"  // blockIdx.x * gridDim.x"}, Lines{"  *= gridDim.x"}})
    CHECK(cause(meant).empty());
}

TEST_CASE("conditions that assign, and comparisons in a chain, are found") {
  const auto cause = [](const std::string& line) {
    const auto slip = grader::slip_in_conditions(SourceText{"k.cu", {line}});
    return slip ? slip->likely_cause + " / " + slip->next_step : "";
  };
  CHECK_THAT(cause("  if (i = n) return;"), contains("`i = n` in line 1 assigns"));
  CHECK_THAT(cause("  if (i < n && done[t] = 1) return;"), contains("`done[t] = 1` in line 1 assigns"));
  CHECK_THAT(cause("  while (left = 0) {"), contains("write == to compare"));
  CHECK_THAT(cause("  for (int i = 0; i = n; ++i)"), contains("`i = n` in line 1 assigns"));
  CHECK_THAT(cause("  if (0 <= y < height) return;"), contains("the result of `0 <= y`, which is 0 or 1"));
  CHECK_THAT(cause("  if (0 <= y < height) return;"),
             contains("write two comparisons: 0 <= y && y < height"));
  CHECK_THAT(cause("  if (a && (0 < x) && 0 < x + 1 <= n)"), contains("0 < x + 1 && x + 1 <= n"));
  for (const char* meant :
       {"  if (i == n) return;", "  if (i <= n && j >= m) return;", "  if (const int x = f(i)) return;",
        "  while ((i = next(i)) < n) {", "  if (a[i = 2] < n)", "  if (max<int>(i, j) < n)",
        "  if (p->n < q->n)", "  if (1 << n < 1 >> m)", "  if (f(a < b, c < d))", "  if (i != n)",
        "  if (std::is_same<int, float>::value)", "  for (int i = 0; i < n; i += 1)",
        "  if (x <= y || y <= z)", "  for (const auto& x : all) {", "  if (a < b ? c : d)",
        "  if constexpr (N < 3)"}) {
    INFO(meant);
    CHECK(cause(meant).empty());
  }
}

TEST_CASE("a guard that lets a thread pass if one of two extents holds is found") {
  const auto cause = [](const std::string& line) {
    const auto slip = grader::either_extent(SourceText{"k.cu", {line}});
    return slip ? slip->likely_cause + " / " + slip->next_step : "";
  };
  CHECK_THAT(cause("  if (row < m || column + 1 < n) out[i] = x;"),
             contains("`||` in line 1 lets a thread pass"));
  CHECK_THAT(cause("  if (y >= 0 && y < h && x >= 0 || x < w) { sum += x; }"), contains("write && between"));
  CHECK_THAT(cause("  tile[t] = (row < m || M_col < k) ? M[i] : 0;"),
             contains("`||` in line 1 lets a thread"));
  CHECK_THAT(cause("  const float x = row < m || M_col < k ? M[i] : 0;"), contains("write && between"));
  CHECK(cause("  tile[t] = (row < m && M_col < k) ? M[i] : 0;").empty());
  CHECK(cause("  tile[t] = (row >= m || M_col >= k) ? 0 : M[i];").empty());
  for (const char* meant : {"  if (x <= y || y <= z) y = 0;", "  if (x < w || y < h) return;",
                            "  if (x < w || y < h) { continue; }", "  if (x < 0 || x >= w) y = 0;",
                            "  if (tx < r || ty < r) load(tx);", "  if (x < w && y < h) y = 0;",
                            "  if (threadIdx.x < r || threadIdx.y < r) load();"}) {
    INFO(meant);
    CHECK(cause(meant).empty());
  }
}

TEST_CASE("a function with a type and no return statement is found") {
  const auto cause = [](const Lines& lines) {
    const auto slip = grader::missing_return(SourceText{"k.cu", lines});
    return slip ? slip->likely_cause : "";
  };
  CHECK_THAT(cause({"#include <x>", "__device__ float f(float x)", "{", "  x += 1;", "}"}),
             contains("the function `f`, line 2, returns no value"));
  CHECK_THAT(cause({"template <class T>", "static int f(T x) {", "  if (x) { g(x); }", "}"}),
             contains("`f`"));
  CHECK_THAT(cause({"void g() {}", "bool f() {", "  const bool safe = true;", "}"}), contains("`f`, line 2"));
  for (const Lines& meant :
       {Lines{"__global__ void k(int n) {", "  if (n) { f(n); }", "}"}, Lines{"void f() {}"},
        Lines{"void CALLBACK f() { g(1); }"}, Lines{"int f() { return 1; }"},
        Lines{"struct S {", "  S(int n) { f(n); }", "  ~S() { f(1); }", "};"},
        Lines{"const auto f = [](int x) { g(x); };"}, Lines{"int main() { f(); }"},
        Lines{"void g() { for (int i = 0; i < n; ++i) { f(i); } while (true) { f(1); } if (a) {} else if (b) "
              "{} }"},
        Lines{"__device__ void f(float& x) { x = 1; }"}, Lines{"int f() { throw 1; }"},
        Lines{"S::S(int n) : a(n) { f(n); }"},
        Lines{"static __device__ void f() { switch (n) { default: g(); } }"},
        Lines{"#define CALL(x) { f(x); }"}, Lines{"__device__ __forceinline__ void f() { g(); }"}}) {
    INFO(meant.front());
    CHECK(cause(meant) == "");
  }
}

TEST_CASE("dropped results, swapped masks and fills of bytes are found") {
  const auto cause = [](auto find, const std::string& line) {
    const auto slip = find(SourceText{"k.cu", {"void f() {", line, "}"}});
    return slip ? slip->likely_cause + " / " + slip->next_step : "";
  };
  CHECK_THAT(cause(grader::dropped_result, "  fminf(least[a][b], x + y);"),
             contains("the result of fminf in line 2 is not used"));
  CHECK_THAT(cause(grader::dropped_result, "  if (a) std::max(x, 1);"), contains("the result of max"));
  for (const char* used : {"  x = fminf(x, y);", "  return max(x, y);", "  f(min(a, b));", "  x += fabsf(y);",
                           "  int min(int a, int b);", "  least = a + fminf(x, y);"})
    CHECK(cause(grader::dropped_result, used).empty());

  CHECK_THAT(cause(grader::mask_not_first, "  v += __shfl_down_sync(v, kAllLanes, 1);"),
             contains("pass the mask first: __shfl_down_sync(kAllLanes, v, …)"));
  CHECK_THAT(cause(grader::mask_not_first, "  v = __any_sync(v > 0, 0xffffffff);"),
             contains("the wrong order"));
  for (const char* right : {"  v += __shfl_down_sync(kAllLanes, v, 1);", "  v = __ballot_sync(mask, x);",
                            "  v = __shfl_sync(0xffffffffu, mask, 0);", "  v = __shfl_sync(lanes, v, 0);"})
    CHECK(cause(grader::mask_not_first, right).empty());

  CHECK_THAT(cause(grader::fill_of_bytes, "  CHECK(cudaMemsetAsync(d_count, 1, sizeof(int)));"),
             contains("sets each byte to 1, not each element"));
  for (const char* right : {"  cudaMemset(d_count, 0, sizeof(int));", "  cudaMemset(d_x, 0xff, bytes);",
                            "  cudaMemset(d_x, value, bytes);"})
    CHECK(cause(grader::fill_of_bytes, right).empty());
}

TEST_CASE("a loop over all elements that leaves out the number of blocks or of threads is found") {
  const std::string own = "blockIdx.x * blockDim.x + threadIdx.x";
  for (const auto& [lines, missing] : std::initializer_list<std::pair<Lines, std::string>>{
           {{"for (int i = " + own + "; i < n; i += blockDim.x) {"}, "gridDim.x"},
           {{"for (int i = " + own + "; i < n; i += gridDim.x) {"}, "blockDim.x"},
           {{"int i = threadIdx.x + blockDim.x * blockIdx.x;", "for (; i < n; i += blockDim.x)"},
            "gridDim.x"},
           {{"const int first = " + own + ", step = (blockDim.x);",
             "for (int i = first; i < n; i += step) y[i] = 1;"},
            "gridDim.x"}}) {
    INFO(lines.back());
    const auto slip = grader::step_of_a_part(SourceText{"k.cu", lines});
    REQUIRE(slip);
    CHECK_THAT(slip->likely_cause, contains("leaves out " + missing));
  }
  for (const Lines& lines :
       {Lines{"for (int i = " + own + "; i < n; i += gridDim.x * blockDim.x)"},
        Lines{"for (int i = threadIdx.x; i < n; i += blockDim.x)"},
        Lines{"const int end = (blockIdx.x + 1) * part;",
              "for (int i = blockIdx.x * blockDim.x * 4 + threadIdx.x; i < end; i += blockDim.x)"},
        Lines{"for (int i = blockIdx.x * part + threadIdx.x; i < n; i += blockDim.x)"},
        Lines{"for (float x : values)"}, Lines{"for (;;)"}}) {
    INFO(lines.back());
    CHECK_FALSE(grader::step_of_a_part(SourceText{"k.cu", lines}));
  }
}

TEST_CASE("a loop that ends in its own line, and whose variable is used after it") {
  CHECK(grader::empty_statement(SourceText{"k.cu", {"for (i = 0; i < n; ++i); sum += tile[i];"}}));
  CHECK_FALSE(grader::empty_statement(SourceText{"k.cu", {"for (i = 0; x[i] < n; ++i); y = 1;"}}));
}

TEST_CASE("a loop of the whole grid that begins at the same element in every block") {
  const auto is_found = [](const char* start, const char* step) {
    return grader::start_without_block(
               SourceText{
                   "k.cu",
                   {"const int threads = gridDim.x * blockDim.x, tx = threadIdx.x;",
                    std::string("for (int i = ") + start + "; i < n; i += " + step + ") sum += x[i];"}})
        .has_value();
  };
  CHECK(is_found("threadIdx.x", "blockDim.x * gridDim.x"));
  CHECK(is_found("threadIdx.x", "threads"));
  CHECK_FALSE(is_found("threadIdx.x", "blockDim.x"));
  CHECK_FALSE(is_found("blockIdx.x * blockDim.x + threadIdx.x", "threads"));
}

TEST_CASE("commas without dim3") {
  for (const char* line :
       {"const dim3 grid = (ceil_div(n, 16), ceil_div(m, 16));", "kernel<<<(a, b), block>>>(x);"})
    CHECK_THAT(grader::comma_without_dim3(SourceText{"k.cu", {"", line}})->likely_cause,
               contains("(x, y) in line 2 is a comma expression"));
  for (const char* line : {"const dim3 grid = (ceil_div(n, 16) + 1);", "const dim3 grid(a, b);",
                           "kernel<<<(n + 255) / 256, 256>>>(x);", "kernel<<<(ceil_div(n, 4)), 256>>>(x);",
                           "const dim3 grid = dim3(a, b);"})
    CHECK_FALSE(grader::comma_without_dim3(SourceText{"k.cu", {line}}));
}

TEST_CASE("a tile that is an array of each thread") {
  Lines lines{"__global__ void k(float* x) {", "  float tile[16][17];", "  tile[ty][tx] = x[0];",
              "  __syncthreads();", "}"};
  CHECK_THAT(grader::tile_without_shared(SourceText{"k.cu", lines})->likely_cause,
             contains("`tile` in line 2 is declared without __shared__"));
  for (const auto& [line, text] : {std::pair{1, "  __shared__ float tile[16][17];"},
                                   {2, "  tile[0][1] = x[0];"},
                                   {3, ""},
                                   {0, "void k(float* x) {"}}) {
    Lines other = lines;
    other[static_cast<std::size_t>(line)] = text;
    INFO(text);
    CHECK_FALSE(grader::tile_without_shared(SourceText{"k.cu", other}));
  }
}

TEST_CASE("a store to constant memory") {
  const auto stores = [](const char* line) {
    return grader::store_to_constant(SourceText{"k.cu", {"__constant__ float weights[9];", line}})
        .has_value();
  };
  CHECK(stores("weights[0] = 1;"));
  CHECK(stores("  weights[row * 3 + column] += value;"));
  CHECK_FALSE(stores("sum = weights[0] * x;"));
  CHECK_FALSE(stores("if (weights[0] == 1) y = 2;"));
  CHECK_FALSE(stores("cudaMemcpyToSymbol(weights, h_weights, n);"));
}

TEST_CASE("a loop that runs to the extent itself") {
  const auto is_found = [](const char* line) {
    return grader::loop_to_the_extent(SourceText{"k.cu", {line, "}"}}, 2).has_value();
  };
  CHECK(is_found("for (int k = 0; k <= n; ++k) sum += x[k];"));
  const SourceText later{"k.cu", {"sum += x[n];", "for (int k = 0; k <= n; ++k)"}};
  CHECK_FALSE(grader::loop_to_the_extent(later, 1).has_value());
  for (const char* meant :
       {"for (int k = 0; k < n; ++k)", "for (int k = 1; k <= n; ++k)", "for (int k = 0; k <= n - 1; ++k)",
        "for (int y = -r; y <= r; ++y)", "for (int k = 0; k <= 9; ++k)"}) {
    INFO(meant);
    CHECK_FALSE(is_found(meant));
  }
}

TEST_CASE("a sign after the equals sign") {
  const auto is_found = [](const char* line) {
    return grader::sign_after_equals(SourceText{"k.cu", {line}}).has_value();
  };
  CHECK(is_found("sum =+ x[i];"));
  CHECK(is_found("sum =+x[i];"));
  CHECK_FALSE(is_found("sum += x[i];"));
  CHECK_FALSE(is_found("if (a ==+b) return;"));
  CHECK_FALSE(is_found("a =++b;"));
}

TEST_CASE("a static variable in a kernel") {
  const auto is_found = [](const std::string& line) {
    return grader::static_in_kernel(SourceText{"k.cu", {"__global__ void k(float* x) {", line, "}"}})
        .has_value();
  };
  CHECK(is_found("  static float tile[16][17];"));
  CHECK(is_found("  static int count = 0;"));
  CHECK_FALSE(is_found("  static constexpr int kWidth = 16;"));
  CHECK_FALSE(is_found("  static __shared__ float tile[16];"));
  CHECK_FALSE(is_found("  float a = static_cast<float>(b);"));
  CHECK_FALSE(grader::static_in_kernel(SourceText{"k.cu", {"void f() {", "  static int n;", "}"}}));
}

TEST_CASE("a pointer in the place of an array in shared memory") {
  const auto is_found = [](const char* line) {
    return grader::pointer_in_shared_memory(SourceText{"k.cu", {line}}).has_value();
  };
  CHECK(is_found("extern __shared__ float* tiles;"));
  CHECK(is_found("extern __shared__ float *tiles;"));
  CHECK_FALSE(is_found("extern __shared__ float tiles[];"));
  CHECK_FALSE(is_found("extern float* tiles;"));
  CHECK(is_found("__shared__ float* tiles;"));
  CHECK_FALSE(is_found("__shared__ float* tiles; if (t == 0) tiles = p;"));
  CHECK_FALSE(is_found("__shared__ float tile[16]; float* p;"));
  CHECK_FALSE(is_found("__shared__ float sum; *p = 3;"));
}

TEST_CASE("slips replace the advice of errors that they explain") {
  const SourceText source{"k.cu",
                          {"for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x)"}};
  for (const auto& [code, is_named] : {std::pair{"WG-R04", true}, {"WG-V08", false}, {"WG-S27", false}}) {
    grader::CaseVerdict verdict;
    verdict.verdict = grader::Verdict::wrong_answer;
    verdict.diagnostics = {grader::diagnose(code, "what", "try")};
    grader::name_slips(verdict, source);
    CHECK((verdict.diagnostics[0].next_step != "try") == is_named);
  }
  grader::CaseVerdict right;
  right.verdict = grader::Verdict::accepted;
  right.diagnostics = {grader::diagnose("WG-R04", "a warning", "try")};
  grader::name_slips(right, source);
  CHECK(right.diagnostics[0].next_step == "try");
}

TEST_CASE("a variable that hides another one is found") {
  const Lines hidden{"void f() {",
                     "  float sum = 0;",
                     "  for (int i = 0; i < n; ++i) {",
                     "    float sum = 0;",
                     "    sum += a[i];",
                     "  }",
                     "  *out = sum;",
                     "}"};
  const auto slip = grader::hidden_variable(SourceText{"k.cu", hidden});
  REQUIRE(slip);
  CHECK_THAT(slip->likely_cause, contains("line 4 declares a second `sum`, which hides that of line 2"));
  for (const Lines& lines :
       {Lines{"void f() {", "  { float sum = 0; }", "  { float sum = 1; }", "}"},
        Lines{"void f() {", "  float sum = 0;", "}", "void g() {", "  float sum = 0;", "}"},
        Lines{"void f() {", "  int i = 0;", "  for (int i = 0; i < n; ++i) { x += i; }", "}"},
        Lines{"float sum = 0;", "void f() {", "  float sum = 0;", "}"},
        Lines{"void f() {", "  float sum = 0;", "  { float other = sum; sum == other; }", "}"}}) {
    INFO(lines.front());
    CHECK_FALSE(grader::hidden_variable(SourceText{"k.cu", lines}));
  }
}

TEST_CASE("a value that a shuffle replaces is found") {
  const auto found = [](const std::string& line) {
    return grader::replaced_by_shuffle(SourceText{"k.cu", {"{", line}}).has_value();
  };
  CHECK(found("  value = __shfl_down_sync(0xffffffff, value, offset);"));
  CHECK(found("  sum = __shfl_xor_sync(kAllLanes, sum, 16);"));
  CHECK_FALSE(found("  value += __shfl_down_sync(0xffffffff, value, offset);"));
  CHECK_FALSE(found("  other = __shfl_down_sync(0xffffffff, value, offset);"));
  CHECK_FALSE(found("  value = __shfl_down_sync(0xffffffff, value, offset) + value;"));
  CHECK_FALSE(found("  value = fmaxf(value, __shfl_down_sync(0xffffffff, value, offset));"));
}

TEST_CASE("loops without a first value, launches without threads and old warp functions are found") {
  using Search = std::optional<grader::Advice> (*)(const SourceText&);
  const auto found = [](Search search, const std::string& line) {
    return search(SourceText{"k.cu", {line}}).has_value();
  };
  CHECK(found(grader::counter_without_value, "for (int k; k < n; ++k) s += a[k];"));
  CHECK_FALSE(found(grader::counter_without_value, "for (int k = 0; k < n; ++k) s += a[k];"));
  CHECK_FALSE(found(grader::counter_without_value, "for (; k < n; ++k) s += a[k];"));
  CHECK_FALSE(found(grader::counter_without_value, "for (int x : values) s += x;"));
  CHECK(
      found(grader::unsigned_below_0, "for (unsigned y = row - radius; y <= row + radius; ++y) s += a[y];"));
  CHECK(found(grader::unsigned_below_0, "for (size_t x = i - 1; x < i + 2; x += 1) s += a[x];"));
  CHECK(found(grader::unsigned_below_0, "for (unsigned int k = n - 1; k >= 0; --k) s += a[k];"));
  CHECK(found(grader::unsigned_below_0, "const uint32_t last = n - 1 - i; if (last >= 0) s += a[last];"));
  CHECK_FALSE(
      found(grader::unsigned_below_0, "for (int y = row - radius; y <= row + radius; ++y) s += a[y];"));
  CHECK_FALSE(found(grader::unsigned_below_0, "for (unsigned k = n - 1; k < n; --k) s += a[k];"));
  CHECK_FALSE(found(grader::unsigned_below_0, "const unsigned mask = 1; int i = 2; if (i >= 0) s += a[i];"));
  CHECK_FALSE(found(grader::unsigned_below_0, "unsigned k = 0; if (k >= 01) s += a[k];"));
  CHECK_FALSE(
      found(grader::unsigned_below_0, "void f(unsigned i) {\n}\nvoid g(int i) { if (i >= 0) s += a[i];\n}"));
  CHECK(found(grader::missing_return, "__device__ float twice(float x) { float y = 2 * x; }"));
  CHECK_FALSE(found(grader::missing_return, "else if constexpr (kWide) { y = 2 * x; }"));
  CHECK_FALSE(found(grader::missing_return, "void twice() noexcept(true) { y = 2 * x; }"));
  CHECK(found(grader::lane_of_quotient, "const int lane = t / kWarpLanes;"));
  CHECK(found(grader::lane_of_quotient, "int lane = threadIdx.x / 32, warp = threadIdx.x % 32;"));
  CHECK_FALSE(found(grader::lane_of_quotient, "const int lane = threadIdx.x % 32;"));
  CHECK_FALSE(found(grader::lane_of_quotient, "const int lane = (t / 2) % kWarpLanes;"));
  CHECK_FALSE(found(grader::lane_of_quotient, "if (lane == t / 32) return;"));
  CHECK(found(grader::launch_without_threads, "kernel<<<blocks_for(n, 256)>>>(n);"));
  CHECK_FALSE(found(grader::launch_without_threads, "kernel<<<blocks_for(n, 256), 256>>>(n);"));
  CHECK(found(grader::old_warp_function, "int votes = __ballot(x);"));
  CHECK_FALSE(found(grader::old_warp_function, "int votes = __ballot_sync(kAll, x);"));
}

TEST_CASE("slips explain what the compiler says about another line") {
  const auto advice = [](const std::string& what, const Lines& lines, int line = 2) {
    std::vector<grader::Diagnostic> errors{grader::diagnose("WG-C01", what, "try")};
    errors[0].where = {{"k.cu", line}};
    grader::name_compile_slips(errors, SourceText{"k.cu", lines});
    return errors[0].likely_cause;
  };
  CHECK_THAT(
      advice("unterminated argument list invoking macro \"CUDA_CHECK\"",
             {"CUDA_CHECK(cudaGetLastError());", "CUDA_CHECK(cudaFree(d_x);", "CUDA_CHECK(cudaFree(d_y));"}),
      contains("of CUDA_CHECK in line 2 are not closed"));
  CHECK_THAT(advice("unterminated function-like macro invocation", {"CUDA_CHECK(cudaFree(d_x);"}),
             contains("of CUDA_CHECK in line 1 are not closed"));
  CHECK_THAT(advice("identifier \"i\" is undefined", {"for (int i = 0; i < n; ++i);", "  sum += a[i];"}),
             contains("the semicolon after `for (…)` in line 1"));
  CHECK(advice("identifier \"i\" is undefined", {"for (int k = 0; k < n; ++k)", "  sum += a[i];"}).empty());
  CHECK_THAT(advice("qualified name is not allowed",
                    {"int x;", "dim3 grid = lab::ceil_div(n, 16), lab::ceil_div(m, 16);"}),
             contains("begins another variable"));
  CHECK_THAT(advice("expression must be a modifiable lvalue", {"int x;", "if (i = n) y[i] = 0;"}),
             contains("assigns, and does not compare"));
  CHECK(advice("qualified name is not allowed", {"int x;", "dim3 grid = lab::ceil_div(n, 16);"}).empty());
}

}  // namespace slips_test
