#include "similarity/plain_cpp.hpp"

#include <algorithm>

#include "catch.hpp"

using grader::similarity::plain_cpp;
using namespace std::string_literals;

TEST_CASE("a launch becomes a call of a call") {
  CHECK(plain_cpp("k<<<g, b>>>(x);") == "k(  g, b)  (x);");
  CHECK(plain_cpp("k<float><<<dim3(n, 1), 32, 0, s>>>(x, y);") ==
        "k<float>(  dim3(n, 1), 32, 0, s)  (x, y);");
  CHECK(plain_cpp("a<<<1, 2>>>();\nb<<<3,\n 4>>>();") == "a(  1, 2)  ();\nb(  3,\n 4)  ();");
}

TEST_CASE("specifiers that no C++ grammar knows become blanks") {
  CHECK(plain_cpp("void f(const float* __restrict__ x)") == "void f(const float*              x)");
  CHECK(plain_cpp("void __launch_bounds__((256), 2) f()") == "void                             f()");
  CHECK(plain_cpp("struct __align__(\n16) S;") == "struct           \n    S;");
  CHECK(plain_cpp("__global__ void f()") == "__global__ void f()");
}

TEST_CASE("text that only looks like CUDA's syntax is not changed") {
  for (const char* text : {"// k<<<g, b>>>(x);", "\"k<<<g, b>>>(x)\"", "/* __restrict__ */", "R\"(<<< >>>)\"",
                           "vector<vector<vector<int>>> v;", "a >> b >> c", "x<<<y", "__launch_bounds__",
                           "__launch_bounds__(1", "__align__)"})
    CHECK(plain_cpp(text) == text);
}

TEST_CASE("any bytes keep their length and their lines") {
  const std::string odd("k<<<\0\xff\n>>>(\r\n\"\n__align__((("s);
  const std::string plain = plain_cpp(odd);
  CHECK(plain.size() == odd.size());
  CHECK(std::count(plain.begin(), plain.end(), '\n') == std::count(odd.begin(), odd.end(), '\n'));
}
