#include "mutants/mutants.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"

namespace mutants_test {

using namespace grader::mutants;

namespace {

using Texts = std::set<std::string>;

/// What the rule makes of the changed lines of `source`.
Texts after(const std::string& rule, const std::string& source) {
  Texts texts;
  for (const Mutant& one : mutants_of(source))
    if (one.rule == rule) texts.insert(change_of(source, one).after);
  return texts;
}

/// A kernel with `body`, which begins on line 2.
std::string kernel(const std::string& body, const std::string& parameters = "int n") {
  return "__global__ void k(" + parameters + ") {\n" + body + "\n}\n";
}

}  // namespace

TEST_CASE("a guard is moved by one in both directions") {
  CHECK(after("boundary", kernel("if (i < n) f();")) == Texts{"if (i <= n) f();"});
  CHECK(after("boundary", kernel("if (i >= n) return;")) == Texts{"if (i > n) return;"});
  CHECK(after("shifted-guard", kernel("if (i < n) f();")) == Texts{"if (i + 1 < n) f();"});
  CHECK(after("shifted-guard", kernel("if (i >= n) return;")) == Texts{"if (i - 1 >= n) return;"});
}

TEST_CASE("brackets of templates and launches are not comparisons") {
  CHECK(
      after("boundary", "void f(int n) {\nk<Sum><<<n, static_cast<int>(b)>>>(reinterpret_cast<T*>(p));\n}\n")
          .empty());
}

TEST_CASE("each side of a guard is left out, and the whole guard") {
  const std::string source = kernel("if (row < m && col < n) P[row * n + col] = s;", "int m, int n");
  CHECK(after("half-guard", source) ==
        Texts{"if (row < m) P[row * n + col] = s;", "if (col < n) P[row * n + col] = s;"});
  CHECK(after("no-guard", source) == Texts{"if (true) P[row * n + col] = s;"});
  // Within the brackets around it, and not beyond.
  CHECK(after("half-guard", kernel("x = (a || f(b, c)) ? 1 : 0;")) ==
        Texts{"x = (a) ? 1 : 0;", "x = (f(b, c)) ? 1 : 0;"});
}

TEST_CASE("a barrier is dropped, and moved by one statement with its loop or condition") {
  const std::string source = kernel("a = b;\n__syncthreads();\nfor (int i = 0; i < 4; ++i) c += d[i];");
  CHECK(after("no-barrier", source) == Texts{";"});
  CHECK(after("moved-barrier", source) ==
        Texts{"__syncthreads(); a = b;", "for (int i = 0; i < 4; ++i) c += d[i]; __syncthreads();"});
}

TEST_CASE("a barrier does not leave its block") {
  CHECK(after("moved-barrier", kernel("{\n__syncthreads();\n}")).empty());
  CHECK(after("moved-barrier", kernel("if (a) b();\nelse c();\n__syncthreads();\n")).empty());
}

TEST_CASE("types of extents and indices become narrow, but not those of a thread's own place") {
  CHECK(after("narrow-type", kernel("f();")) == Texts{"__global__ void k(unsigned short n) {"});
  CHECK(after("narrow-type", kernel("const int i = blockIdx.x * 8 + threadIdx.x;", "float* p")) ==
        Texts{"const short i = blockIdx.x * 8 + threadIdx.x;"});
  CHECK(after("narrow-type",
              kernel("const int t = threadIdx.x;\nfor (int i = 0; i < kTile; ++i) f();", "float* p"))
            .empty());
  CHECK(after("narrow-type", "void f(int n) {\nconst int blocks = g(n);\n}\n") ==
        Texts{"const signed char blocks = g(n);"});
}

TEST_CASE("kernels get sizes that they do not exceed, and grids are cut or rounded down") {
  CHECK(after("fixed-size", kernel("f();", "const float* p, int m, unsigned n")) ==
        Texts{"if (m > 256) m = 256; f();", "if (n > 256) n = 256; f();"});
  const std::string launch = "void f(int n) {\nk<<<lab::ceil_div(n, 256), 256>>>(n);\n}\n";
  CHECK(after("rounded-down", launch) == Texts{"k<<<((n) / (256)), 256>>>(n);"});
  CHECK(after("fixed-blocks", launch) ==
        Texts{"k<<<(lab::ceil_div(n, 256) < 96 ? lab::ceil_div(n, 256) : 96), 256>>>(n);"});
}

TEST_CASE("waits, copies, lengths and streams are changed") {
  const auto host = [](const std::string& call) { return "void f(int n) {\nCUDA_CHECK(" + call + ");\n}\n"; };
  CHECK(after("no-wait", host("cudaStreamSynchronize(s)")) == Texts{";"});
  CHECK(after("wrong-stream", host("cudaStreamSynchronize(s)")) ==
        Texts{"CUDA_CHECK(cudaStreamSynchronize(0));"});
  CHECK(after("no-call", host("cudaFree(p)")) == Texts{";"});
  CHECK(after("no-call", host("cudaMalloc(&p, n)")).empty());
  CHECK(after("copy-length", host("cudaMemcpy(a, b, n * sizeof(float), d)")) ==
        Texts{"CUDA_CHECK(cudaMemcpy(a, b, n, d));",
              "CUDA_CHECK(cudaMemcpy(a, b, n * sizeof(float) / 2, d));"});
  CHECK(after("wrong-stream", "void f(int n) {\nk<<<n, 1, 0, s>>>(n);\n}\n") ==
        Texts{"k<<<n, 1, 0, 0>>>(n);"});
  CHECK(after("wrong-stream", "void f(int n) {\nk<<<n, 1>>>(n);\n}\n").empty());
}

TEST_CASE("initial values become other values, infinity also large ones") {
  CHECK(after("initial-value", kernel("float s = 0.0f;")) == Texts{"float s = 1.0f;"});
  CHECK(after("initial-value", kernel("float s = -INFINITY;")) ==
        Texts{"float s = -0.0f;", "float s = -1e9f;", "float s = -3.402823466e+38f;"});
}

TEST_CASE("a line gets one slip, unless slips are disabled") {
  const std::string source = kernel("P[row * n + col] = a[row + 1] * b[col - 2];", "int m, int n");
  const auto on_line_2 = [&](Slips slips) {
    const auto all = mutants_of(source, slips);
    return std::count_if(all.begin(), all.end(),
                         [](const Mutant& one) { return one.line == 2 && one.rule != "fixed-size"; });
  };
  CHECK(on_line_2(Slips::one_per_line) == 1);
  CHECK(on_line_2(Slips::none) == 0);
  // Its choice does not depend on other lines.
  const auto slip = [](const std::string& text) {
    for (const Mutant& one : mutants_of(text))
      if (one.rule != "fixed-size" && one.rule != "narrow-type") return change_of(text, one).after;
    return std::string();
  };
  CHECK(slip(source) == slip("// A comment.\n" + source));
  CHECK_FALSE(slip(source).empty());
}

TEST_CASE("comments, strings and directives stay as they are") {
  const std::string source =
      "// i < n\n#define LIMIT (i < 8)\n#pragma unroll 4\nconst char* text = \"a < b\";\n";
  CHECK(mutants_of(source).empty());
  CHECK(mutants_of("").empty());
}

TEST_CASE("mutants have different names and texts, and none is the source") {
  const std::string source = kernel(
      "const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;\n"
      "if (row < m && col < n) P[row * n + col] = 0.0f;",
      "float* P, int m, int n");
  const auto all = mutants_of(source);
  Texts names, texts = {source};
  for (const Mutant& one : all) {
    CHECK(names.insert(one.name()).second);
    CHECK(texts.insert(mutated(source, one)).second);
  }
  CHECK(all.size() > 15);
  CHECK(std::is_sorted(all.begin(), all.end(), [](const Mutant& a, const Mutant& b) { return a.at < b.at; }));
}

TEST_CASE("unfinished code gives mutants or none, and no crash") {
  for (const char* text :
       {"(", ")", "}{", "if (", "dim3 (", "<<<", "a < ", "sizeof(", "[", "__syncthreads", "ceil_div("})
    for (const std::string& source : {std::string(text), kernel(text), kernel(std::string("x = 1; ") + text)})
      for (const Mutant& one : mutants_of(source)) CHECK(mutated(source, one) != source);
}

}  // namespace mutants_test
