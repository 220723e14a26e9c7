// Tests mistakes that are visible in a file's text, and texts that are right.
#include "judge/visible_mistakes.hpp"

#include "catch.hpp"

namespace visible_mistakes_test {

using namespace grader;
using testing::contains;

namespace {

SourceText file(std::vector<std::string> lines) { return {"k.cu", std::move(lines)}; }

std::string cause(const SourceText& source) {
  std::vector<vgpu::LaunchRecord> launches(1);
  launches[0].kernel = "_Z4blurPf";
  const auto found = mistake_of_values(source, launches, "f");
  return found ? found->likely_cause : "";
}

/// A launch with these arguments, of a kernel with these parameters.
std::string of_launch(const std::string& parameters, const std::string& arguments) {
  return cause(file({"__global__ void blur(" + parameters + ") {", "}", "void f() {",
                     "  blur<<<dim3(2, 3), b>>>(" + arguments + ");", "}"}));
}

}  // namespace

TEST_CASE("arguments in another order than the kernel's parameters are named") {
  const char* const extents = "const float* in, float* out, int width, int height";
  CHECK_THAT(of_launch(extents, "d_in, d_out, height, width"),
             contains("the launch in line 4 passes `height` for the parameter `width` of `blur`, and `width` "
                      "for `height`"));
  CHECK_THAT(of_launch("float* p, int w, int h", "d_p, height, width"),
             contains("`height` for the parameter `w`"));
  CHECK_THAT(of_launch("const float* M, const float* N, int m, int k, int n", "d_M, d_N, m, n, k"),
             contains("passes `n` for the parameter `k`"));
  // One of the two has the other's name.
  CHECK_THAT(of_launch("float* r, const float* d, const float* t, int n, int nn", "rGPU, tGPU, pGPU, n, nn"),
             contains("passes `tGPU` for the parameter `d` of `blur`, and `pGPU` for `t`"));
  CHECK_THAT(of_launch("float* a[2], float* b = nullptr", "buffer.b, (float*)a[0]"),
             contains("passes `b`") || contains("passes `buffer.b`"));
}

TEST_CASE("a pointer and a number are not exchanged, whatever their names") {
  CHECK(of_launch("const float* A, const float* B, float* C, int M, int K, int N", "d_M, d_N, d_P, m, k, n")
            .empty());
}

TEST_CASE("mistakes in kernels that the run did not launch explain nothing") {
  const auto of = [](const std::string& kernel) {
    return cause(
        file({"__global__ void " + kernel + "(float* a) {", "  a[0] = __shfl_xor_sync(~0u, a[0], 1, 16);",
              "}", std::string("__global__ void ") + (kernel == "blur" ? "other" : "blur") + "(float* a) {",
              "  a[threadIdx.x] = 1;", "}", "void f(float* a) { blur<<<1, 32>>>(a); }"}));
  };
  CHECK_THAT(of("blur"), contains("the shuffle in line 2 has width 16"));
  CHECK(of("other").empty());
}

TEST_CASE("a sum that is overwritten in a loop is named, the search for the greatest is not") {
  const auto of = [](const std::vector<std::string>& body) {
    std::vector<std::string> lines{"__global__ void blur(float* a) {", "  float best = 0;",
                                   "  for (int i = 0; i < 8; ++i) {"};
    lines.insert(lines.end(), body.begin(), body.end());
    for (const char* line : {"  }", "  a[threadIdx.x] = best; }", "void f(float* a) { blur<<<1, 32>>>(a); }"})
      lines.emplace_back(line);
    return cause(file(lines));
  };
  CHECK_THAT(of({"    best = a[i];"}), contains("line 4 assigns each term to `best`"));
  CHECK(of({"    if (a[i] > c) {", "      c = a[i];", "      best = i;", "    }"}).empty());
}

TEST_CASE("one argument for two parameters is named if the function has a variable for the second") {
  const auto of = [](const std::string& call) {
    return cause(file({"__global__ void blur(int n, const float* x, float* y) { y[0] = x[0]; }", "void f() {",
                       "  float *d_x, *d_y;", "  blur<<<dim3(2, 3), b>>>(" + call + ");", "}"}));
  };
  CHECK_THAT(of("n, d_x, d_x"),
             contains("line 4 passes `d_x` for the parameter `x` of `blur`, and for `y` again"));
  CHECK_THAT(of("n, d_y, d_y"), contains("passes `d_y` for the parameter `y`"));
  CHECK(of("n, d_x, d_y").empty());
  // A kernel can work in place: no variable has the name of the other parameter.
  CHECK(cause(file({"__global__ void blur(const float* in, float* out) { out[0] = in[0]; }", "void f() {",
                    "  blur<<<dim3(2, 3), b>>>(in, in);", "}"}))
            .empty());
}

TEST_CASE("a block in the place of the grid is named") {
  const auto of = [](const std::string& configuration) {
    return cause(file({"__global__ void blur(float* p) { p[0] = 1; }", "void f() {",
                       "  blur<<<" + configuration + ">>>(p);", "}"}));
  };
  CHECK_THAT(of("block, grid"), contains("line 3 has `block` for the grid and `grid` for the block"));
  CHECK_THAT(of("dimBlock, dimGrid, bytes"), contains("`dimBlock` for the grid"));
  CHECK_THAT(of("kThreads, num_blocks"), contains("`kThreads` for the grid"));
  CHECK_THAT(of("threadsPerBlock, blocksPerGrid"), contains("`threadsPerBlock` for the grid"));
  for (const char* right :
       {"grid, block", "blocks, threads", "blocksPerGrid, threadsPerBlock", "blocks, block_size",
        "ceil_div(n, block), block", "a, b", "grid", "dim3(blocks, 2), threads"})
    CHECK(of(right).empty());
}

TEST_CASE("memory allocated for a parameter is named") {
  const auto of = [](const std::string& line) {
    const auto found = certain_mistake(
        file({"void f(const float* d_in, float* d_out, int n) {", "  float* own;", line, "}"}), {}, "f");
    return found ? found->likely_cause : "";
  };
  CHECK_THAT(of("  CHECK(cudaMalloc(&d_out, n * sizeof(float)));"),
             contains("line 3 allocates new memory for `d_out`"));
  CHECK_THAT(of("  cudaMalloc((void**)&d_out, 4);"), contains("for `d_out`"));
  CHECK(of("  cudaMalloc(&own, 4); k<<<1, 1>>>(d_in, d_out);").empty());
  CHECK(of("  cudaMemcpy(d_out, d_in, 4, kind);").empty());
}

TEST_CASE("a pointer that the function does not use is named") {
  const auto of = [](const std::string& line) {
    const auto found =
        ignored_parameter(file({"void f(const float* d_in, float* d_out, int n) {", line, "}"}), "f");
    return found ? found->likely_cause : "";
  };
  CHECK_THAT(of("  k<<<1, 1>>>(d_in, n);"), contains("`f` (line 1) does not use its parameter `d_out`"));
  CHECK(of("  k<<<1, 1>>>(d_in, d_out);").empty());
}

TEST_CASE("arguments in the order of the parameters, or with other names, are no mistake") {
  const char* const extents = "const float* in, float* out, int width, int height";
  CHECK(of_launch(extents, "d_in, d_out, width, height").empty());
  CHECK(of_launch(extents, "d_x, d_y, columns, rows").empty());
  CHECK(of_launch(extents, "d_out, d_tmp, w, h").find("width") == std::string::npos);
  CHECK(of_launch("float* r, int n, int nn", "rGPU, n, nn").empty());
  CHECK(of_launch("float* r, int n", "r, n - first").empty());
  CHECK(of_launch("float* r, int n", "r").empty());
  // The launch is in a function that is not called.
  std::vector<vgpu::LaunchRecord> launches(1);
  launches[0].kernel = "_Z5otherPf";
  CHECK_FALSE(mistake_of_indices(
      file({"__global__ void blur(int w, int h) {", "}", "void f() {", "  blur<<<1, 1>>>(h, w);", "}"}),
      launches, "f"));
}

TEST_CASE("arguments of the student's own functions are compared with their parameters, too") {
  const auto of_call = [](const std::string& call) {
    return cause(file({"void pad(const float* in, float* out, int n,", "         int nn) {", "}",
                       "void f(int n) {", "  pad(" + call + ");", "}"}));
  };
  CHECK_THAT(of_call("d_in, d_out, nn, n"),
             contains("the call in line 5 passes `nn` for the parameter `n` of `pad`"));
  CHECK(of_call("d_in, d_out, n, nn").empty());
  CHECK(of_call("d_in, d_out, n, 2 * n").empty());
  CHECK(of_call("d_a, d_b, count, padded").empty());
}

TEST_CASE("a launch of another function's kernel is named if no other line launches the kernel of its own") {
  const auto of_launch_in_g = [](const std::string& launch) {
    std::vector<vgpu::LaunchRecord> launches(1);
    launches[0].kernel = "_Z4blurPf";
    const auto found = mistake_of_indices(
        file({"__global__ void blur(float* p) {", "}", "void f(float* p) {", "  blur<<<1, 1>>>(p);", "}",
              "__global__ void sharpen(float* p) {", "}", "void g(float* p) {", launch, "}"}),
        launches, "g");
    return found ? found->likely_cause : "";
  };
  CHECK(of_launch_in_g("  blur<<<1, 1>>>(p);") ==
        "line 9 launches `blur`, which another function launches, too, and nothing launches `sharpen` (line "
        "6)");
  CHECK(of_launch_in_g("  blur<<<1, 1>>>(p); sharpen<<<1, 1>>>(p);").empty());
  CHECK(of_launch_in_g("  // blur<<<1, 1>>>(p);").empty());
}

TEST_CASE("a list of several lines is read to its end") {
  const SourceText source = file({"template <int W>", "__global__ void", "blur(float* p,  // (in, out)",
                                  "     int width, int height) {", "}", "void f() {",
                                  "  blur<16><<<g, b>>>(p,", "      height, width);", "}"});
  CHECK_THAT(cause(source), contains("line 7"));
}

TEST_CASE("threadIdx times blockDim of the same axis is no index") {
  CHECK_THAT(cause(file({"  int i = blockIdx.x + blockDim.x * threadIdx.x;"})),
             contains("line 1 multiplies threadIdx.x by blockDim.x"));
  CHECK_THAT(cause(file({"", "  int i = threadIdx.y*blockDim.y;"})), contains("line 2"));
  CHECK(cause(file({"  int i = threadIdx.x + blockDim.x * blockIdx.x, j = threadIdx.y * blockDim.x;"}))
            .empty());
  CHECK(cause(file({"// blockDim.x * threadIdx.x"})).empty());
}

TEST_CASE("a kernel that uses threadIdx.y needs blocks with rows") {
  const SourceText source = file({"__global__ void blur(float* p) {", "  int row = threadIdx.y;", "}"});
  const auto cause_with = [&](vgpu::Dim3 block) {
    std::vector<vgpu::LaunchRecord> launches(1);
    launches[0].kernel = "_Z4blurPf";
    launches[0].block = block;
    const auto found = mistake_of_indices(source, launches, "f");
    return found ? found->likely_cause : "";
  };
  CHECK_THAT(cause_with({256, 1, 1}), contains("`blur` uses threadIdx.y (line 2)") && contains("256 × 1"));
  CHECK(cause_with({16, 16, 1}).empty());
  CHECK(cause_with({1, 1, 1}).empty());
}

TEST_CASE("blocks along an axis that no index uses do the same work") {
  const auto cause_of = [](const char* index, vgpu::Dim3 grid) {
    const SourceText source =
        file({"__global__ void add(float* p) {", std::string("  int i = ") + index + ";", "}", "void f() {",
              "  add<<<dim3(1, 4), 256>>>(p);", "}"});
    std::vector<vgpu::LaunchRecord> launches(1);
    launches[0].kernel = "_Z3addPf";
    launches[0].block = {256, 1, 1};
    launches[0].grid = grid;
    const auto found = mistake_of_indices(source, launches, "f");
    return found ? found->likely_cause : "";
  };
  CHECK_THAT(cause_of("blockIdx.x", {1, 4, 1}), contains("line 5 has 4 blocks along y"));
  CHECK(cause_of("blockIdx.x", {4, 1, 1}).empty());
  CHECK(cause_of("blockIdx.y * 4 + blockIdx.x", {1, 4, 1}).empty());
  CHECK(cause_of("0", {1, 4, 1}).empty());
}

TEST_CASE("two arrays with extern __shared__ in one kernel are the same memory") {
  const SourceText both = file(
      {"__global__ void blur() {", "  extern __shared__ float A[];", "  extern __shared__ float B[];", "}"});
  CHECK_THAT(cause(both), contains("`A` and `B` (line 3) are the same memory"));
  CHECK_THAT(cause(file({"__global__ void blur() {", "  extern __shared__ float A[], B[];", "}"})),
             contains("`A` and `B` (line 2) are the same memory"));
  std::vector<vgpu::LaunchRecord> launches;
  CHECK_FALSE(mistake_of_indices(both, launches, "f"));
  CHECK(cause(file({"__global__ void blur() {", "  extern __shared__ float A[];", "}",
                    "__global__ void l() {", "  extern __shared__ float B[];", "}"}))
            .empty());
  CHECK(cause(file({"__global__ void blur() {", "  extern __shared__ float A[];", "  __shared__ float B[4];",
                    "}"}))
            .empty());
}

TEST_CASE("a tile that is multiplied by itself is named, other products are not") {
  const std::string tiles = "  __shared__ float Mds[4][4], Nds[4][4];";
  CHECK_THAT(cause(file({tiles, "  sum += Nds[ty][p[i]] * Nds[i][tx];"})),
             contains("line 2 multiplies elements of `Nds` by elements of the same array"));
  CHECK(cause(file({tiles, "  sum += Mds[ty][i] * Nds[i][tx];"})).empty());
  CHECK(cause(file({tiles, "  sum += x[i] * x[i];"})).empty());
}

TEST_CASE("of several launches of a kernel, one with flat blocks is enough") {
  const SourceText source = file({"__global__ void blur(int w) {", "  int y = threadIdx.y;", "}",
                                  "void f() {", "  blur<<<1, b>>>(w);", "}"});
  std::vector<vgpu::LaunchRecord> launches(3);
  for (auto& launch : launches) launch.kernel = "_Z4blurPf", launch.block = {16, 16, 1};
  CHECK_FALSE(mistake_of_indices(source, launches, "f"));
  launches[1].block = {256, 1, 1};
  CHECK(mistake_of_indices(source, launches, "f"));
}

TEST_CASE("a pointer that a kernel does not use is named") {
  const auto cause_of = [](const char* body) {
    return cause(
        file({"__global__ void blur(const float* d,", "                     const float* t, int n) {", body,
              "}", "void f() {", "  blur<<<1, b>>>(d, t, n);", "}"}));
  };
  CHECK_THAT(cause_of("  float x = d[0], y = d[1];"),
             contains("`blur` (line 1) does not use its parameter `t`"));
  CHECK(cause_of("  float x = d[0], y = t[1];").empty());  // `n` is no array
  CHECK(cause_of("  // TODO").empty());
  CHECK_THAT(cause_of("  float x = d[0], y = 0;  // t[1]"), contains("parameter `t`"));
}

TEST_CASE("many blocks of one thread are named if the kernel uses threadIdx.x") {
  const auto cause_of = [](const char* index, std::uint32_t blocks, std::uint32_t threads,
                           const char* launch = "") {
    std::vector<vgpu::LaunchRecord> launches(1);
    launches[0].kernel = "_Z4blurPf", launches[0].grid = {blocks, 1, 1}, launches[0].block = {threads, 1, 1};
    const SourceText source =
        file({"__global__ void blur(float* p) {", index, "}", "void f() {", launch, "}"});
    const auto found = mistake_of_indices(source, launches, "f");
    return found ? found->likely_cause : "";
  };
  CHECK_THAT(cause_of("  p[threadIdx.x] = 0;", 8, 1),
             contains("uses threadIdx.x (line 2), but is launched with 8 blocks of one thread"));
  CHECK(cause_of("  p[threadIdx.x] = 0;", 8, 32).empty());
  CHECK(cause_of("  p[threadIdx.x] = 0;", 1, 1).empty());
  CHECK(cause_of("  p[blockIdx.x] = 0;", 8, 1).empty());
  // A block whose size the caller chooses can have one thread.
  CHECK(cause_of("  p[threadIdx.x] = 0;", 8, 1, "  blur<<<grid, block>>>(p);").empty());
  CHECK_FALSE(cause_of("  p[threadIdx.x] = 0;", 8, 1, "  blur<<<grid>>>(p);").empty());
  CHECK_FALSE(cause_of("  p[threadIdx.x] = 0;", 8, 1, "  blur<<<grid, 1>>>(p);").empty());
}

// Without limits, each of these searches takes minutes.
TEST_CASE("a file that was written to make searches slow is searched in a short time") {
  std::vector<std::string> functions(60'000, "void g() {}");
  functions.insert(functions.end(), {"void f() {", "  h();", "}"});
  CHECK(cause(file(functions)).empty());
  std::string brackets;
  for (int i = 0; i < 400'000; ++i) brackets += "a[";
  CHECK(cause(file({"__shared__ float a[4];", brackets})).empty());
  std::vector<vgpu::LaunchRecord> launches(20'000);
  for (std::size_t i = 0; i < launches.size(); ++i) launches[i].kernel = "k" + std::to_string(i);
  CHECK_FALSE(mistake_of_indices(file(functions), launches, "f"));
}

TEST_CASE("a constant for the size of a block that the launch does not have is named") {
  const auto of_size = [](std::uint32_t threads, const std::string& more) {
    std::vector<vgpu::LaunchRecord> launches(1);
    launches[0].kernel = "_Z4blurPf";
    launches[0].grid = {4, 1, 1};
    launches[0].block = {threads, 1, 1};
    const auto found =
        mistake_of_indices(file({"constexpr int kThreads = 256;", "__global__ void blur(float* p) {",
                                 "  const int row = (blockIdx.x * kThreads + threadIdx.x) / 32;", more, "}"}),
                           launches, "f");
    return found ? found->likely_cause : "";
  };
  CHECK(of_size(64, "") ==
        "the launch has blocks of 64 threads, but line 3 multiplies blockIdx.x by `kThreads`, which is 256");
  CHECK(of_size(256, "").empty());
  CHECK(of_size(64, "  for (int i = 0; i < kThreads; i += 64) p[i] = 0;").empty());
}

TEST_CASE("a shuffle within parts of a warp is named, one of the whole warp is not") {
  const auto of_shuffle = [](const std::string& call) {
    return cause(file({"__global__ void blur(float* p) {", "  sum += " + call + ";", "}"}));
  };
  CHECK_THAT(of_shuffle("__shfl_down_sync(~0u, sum, distance, 16)"),
             contains("the shuffle in line 2 has width 16"));
  CHECK_THAT(of_shuffle("__shfl_xor_sync(mask(a, b), f(sum, 1), i, 8)"), contains("has width 8"));
  CHECK(of_shuffle("__shfl_down_sync(~0u, sum, distance)").empty());
  CHECK(of_shuffle("__shfl_down_sync(~0u, sum, distance, 32)").empty());
  CHECK(of_shuffle("__shfl_down_sync(~0u, sum, 16)").empty());
}

TEST_CASE("terms that are assigned to a sum, not added, are named") {
  const auto of = [](std::vector<std::string> body) {
    body.insert(body.begin(), "__global__ void blur(const float* x, float* y, int n) {");
    body.insert(body.end(), {"  y[0] = x[0] * n;", "}"});
    return cause(file(std::move(body)));
  };
  CHECK_THAT(of({"  float sum = 0.0f;", "  for (int i = 0; i < n; ++i) sum = x[i] * x[i];", "  y[0] = sum;"}),
             contains("line 3 assigns each term to `sum`, which begins at 0"));
  CHECK_THAT(of({"  int count = 0;", "  while (n > 0) {", "    count = x[n];", "  }"}),
             contains("line 4 assigns each term to `count`"));
  CHECK_THAT(of({"  float sum = x[0];", "  for (int d = 16; d > 0; d /= 2) {",
                 "    sum = __shfl_down_sync(0xffffffff, sum, d);", "  }"}),
             contains("line 4 replaces `sum` by another lane's value"));
  // Right: it is part of the new value, begins with another value, or is set outside a loop.
  CHECK(of({"  float sum = 0;", "  for (int i = 0; i < n; ++i) sum = sum + x[i];"}).empty());
  CHECK(of({"  float sum = 0;", "  for (int i = 0; i < n; ++i) sum = fmaf(x[i], x[i], sum);"}).empty());
  CHECK(of({"  float last = x[0];", "  for (int i = 0; i < n; ++i) last = x[i];"}).empty());
  CHECK(of({"  float sum = 0;", "  sum = x[0];", "  for (int i = 0; i < n; ++i) sum += x[i];"}).empty());
  CHECK(of({"  for (int i = 0; i < n; ++i) if (x[i] == 0) y[i] = 1;"}).empty());
  // A guarded load, an index, the greatest element so far.
  CHECK(of({"  for (int i = 0; i < n; ++i) {", "    float v = 0;", "    v = x[i];", "    y[i] = v;", "  }"})
            .empty());
  CHECK(of({"  float v = 0;", "  for (int i = 0; i < n; ++i) {", "    if (i < n)", "      v = x[i];", "  }"})
            .empty());
  CHECK(of({"  float v = 0;", "  for (int i = 0; i < n; ++i) {", "    v = x[i];", "    y[i] = v;", "  }"})
            .empty());
  CHECK(
      of({"  int best = 0;", "  for (int i = 0; i < n; ++i)", "    if (x[i] > x[best]) best = i;"}).empty());
}

TEST_CASE("blocks with rows of threads that do the same are named") {
  const auto of = [](const std::string& body, vgpu::Dim3 block) {
    std::vector<vgpu::LaunchRecord> launches(1);
    launches[0].kernel = "_Z4blurPf";
    launches[0].block = block;
    launches[0].grid = {2, 1, 1};
    const auto found = mistake_of_indices(file({"__global__ void blur(float* y, int n) {", body, "}",
                                                "void f() {", "  blur<<<g, b>>>(d_y, n);", "}"}),
                                          launches, "f");
    return found ? found->likely_cause : "";
  };
  const std::string copied = "int x = threadIdx.x, y = threadIdx.x;";
  CHECK_THAT(of(copied, {16, 8, 1}),
             contains("blocks of 16 × 8 threads, but `blur` reads threadIdx.x only") &&
                 contains("the 8 rows of threads all do the same"));
  CHECK(of(copied, {16, 1, 1}).empty());
  CHECK(of("int x = threadIdx.x, y = threadIdx.y;", {16, 8, 1}).empty());
  CHECK(of("dim3 t = threadIdx; int x = threadIdx.x;", {16, 8, 1}).empty());
  CHECK(of("int x = threadIdx.x + cg::this_thread_block().thread_rank();", {16, 8, 1}).empty());
}

}  // namespace visible_mistakes_test
