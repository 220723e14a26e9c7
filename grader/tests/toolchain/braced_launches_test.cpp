#include "toolchain/braced_launches.hpp"

#include "catch.hpp"

namespace braced_launches_test {

using grader::with_typed_launches;

TEST_CASE("arguments of launches in braces get their types") {
  CHECK(with_typed_launches("k<<<{2, 2}, {32}>>>(p);") == "k<<<dim3{2, 2}, dim3{32}>>>(p);");
  CHECK(with_typed_launches("k<<<\n  {g(1, 2)}, /* , */ 32, {}, {}>>>(p);") ==
        "k<<<\n  dim3{g(1, 2)}, /* , */ 32, size_t{}, cudaStream_t{}>>>(p);");
  CHECK(with_typed_launches("k<<<f({1}, {2}), {a[i], 1}>>>({3}); m<<<{1}, 1>>>();") ==
        "k<<<f({1}, {2}), dim3{a[i], 1}>>>({3}); m<<<dim3{1}, 1>>>();");
  CHECK(with_typed_launches("#define RUN(k) k<<<{1}, {1}>>>()\n") ==
        "#define RUN(k) k<<<dim3{1}, dim3{1}>>>()\n");
}

TEST_CASE("other code does not change") {
  for (const char* source :
       {"", "int x[] = {1, {2}};", "k<<<dim3{2, 2}, n>>>({1}, {2});", "// k<<<{1}, {1}>>>();\n",
        "/* k<<<{1}, {1}>>>(); */", "const char* s = \"\\\"k<<<{1}, {1}>>>();\";",
        "auto s = R\"x(k<<<{1}, {1}>>>(\")\")x\";", "int n = 1'000, m = 2'0; char c = '\"', d = '\\'';",
        "k<<<1, 1>>>(); f({1}, {2});", "k<<<1", "std::vector<std::vector<std::vector<int>>> v{{}, {}};"})
    CHECK(with_typed_launches(source) == source);
}

TEST_CASE("separators and quotes before a launch do not hide it") {
  CHECK(with_typed_launches("n = 1'000; c = '\\''; k<<<{1}, n>>>();") ==
        "n = 1'000; c = '\\''; k<<<dim3{1}, n>>>();");
}

}  // namespace braced_launches_test
