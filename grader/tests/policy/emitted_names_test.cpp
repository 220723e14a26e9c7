// C++ text as nvcc passes it to g++. The runner's tests cover real compilers.
#include "policy/emitted_names.hpp"

#include <string>

#include "catch.hpp"

namespace emitted_names_test {
namespace {

using grader::policy::find_bad_name;

bool is_found(const std::string& text) { return find_bad_name(text, "lab.cu").has_value(); }

}  // namespace

TEST_CASE("names with line feeds, quotes or semicolons are found in attributes and asm declarations") {
  for (const char* text : {
           R"(__attribute((section("foo\n\tmfence"))) void g();)",
           R"(__attribute__((unused, __section__("a" "b;mfence"))) int v;)",
           R"([[gnu::section("x\x0ay")]] int v = 3;)",
           R"([[using gnu : unused, section("x\012y")]] int v = 3;)",
           "[[gnu::section(R\"d(x\ny)d\")]] int v = 3;",
           R"(static int f() __attribute((weakref("a\n#")));)",
           R"(__attribute((symver("a@V\"\n"))) int f() { return 1; })",
           R"(int h() __asm__("lab\n\tmfence\nlab2");)",
           R"(int h asm ( u8"lab" "\u000a" );)",
           "#if 0\n{ }\n#endif\nint h() asm(\"a\\n\");",
           "int n = 1'000; char c = '\"'; int h() asm(\"a\\n\"); char d = '\"';",
       })
    CHECK(is_found(text));
}

TEST_CASE("names, messages, operands, strings elsewhere and device code pass") {
  for (
      const char* text : {
          R"(extern int fscanf(void *s) __asm__("" "__isoc99_fscanf");)",
          R"(__attribute((section(".data.rel.ro"))) int v; __attribute((visibility("hidden"))) int w;)",
          R"([[deprecated("use \"g\"; it is faster\n")]] int f(); __attribute((__warning__("a;b"))) int g();)",
          R"(int f() { asm volatile("" : : : "memory"); __asm__("\n" : "+r"(x)); return a[b["c\n"]]; })",
          R"t(const char *text = "a;\n"; const char *other = "__attribute((section(\"x\n\")))";)t",
          "#if 0\n# 3\n{ __asm__(\"membar.cta;\\n\"); }\n#if 0\n#endif\n{ asm(\"a;\"); }\n#endif\nint f();",
          "// asm(\"a;\")\n/* asm(\"a;\") */ int f();",
          R"(void section(const char *); void f() { section("title\n"); })",
          "",
          "[[gnu::section(\"",
          "asm(",
          "R\"",
      })
    CHECK_FALSE(is_found(text));
}

TEST_CASE("the line is that of the submission") {
  const auto in = [](const std::string& file) {
    return find_bad_name("# 7 \"" + file + "\"\nint a;\n\nint h() asm(\"a\\nb\");\n", "lab.cu");
  };
  CHECK(in("/src/lab.cu")->line == 9);
  CHECK(in("lab.cu")->line == 9);
  CHECK(in("/src/other_lab.cu")->line == 0);
  CHECK(in("lab.cu")->text == "a\\nb");
}

}  // namespace emitted_names_test
