// Text outside bodies: header, variables with initialisers, functions and their parameters.

#include <bit>
#include <cstring>

#include "ptx/ptx_text.hpp"

using namespace vgpu::ptx;
using testing::module_text;
using testing::parse_error;
using testing::parsed;

namespace {

Variable variable(const std::string& text) { return parsed(module_text(text)).variables.at(0); }

template <class T>
T element(const Variable& variable, std::size_t index) {
  REQUIRE((index + 1) * sizeof(T) <= variable.initial.size());
  T value;
  std::memcpy(&value, variable.initial.data() + index * sizeof(T), sizeof value);
  return value;
}

std::string what(const std::string& text) { return parse_error(module_text(text)).what; }

}  // namespace

TEST_CASE("the header gives version, target and address size") {
  const Module module =
      parsed("// a comment\n\n.version 9.0\n.target sm_90a, debug\n.address_size 64\n/* end */");
  CHECK(module.version == "9.0");
  CHECK(module.target == "sm_90a");
  CHECK(parse_error(".target sm_80").what ==
        "expected .version, with which PTX text begins, found '.target'");
  CHECK(parse_error(".version 7.5 .entry").what == "expected .target after .version, found '.entry'");
  CHECK(parse_error(".version 7.5\n.target sm_80\n.address_size 32").what ==
        "the address size is 32 bits when it should be 64");
}

TEST_CASE("files are known by their numbers") {
  const Module module =
      parsed(module_text(".file 2 \"b.cu\"\n.file 1 \"a \\\"1\\\".cu\", 1700000000, 4321\n"));
  REQUIRE(module.files.size() == 3);
  CHECK(module.files[0].empty());
  CHECK(module.files[1] == "a \\\"1\\\".cu");
  CHECK(module.files[2] == "b.cu");
  CHECK(what(".file 70000 \"a.cu\"") == "the file number is 70000 when at most 65535 is allowed");
}

TEST_CASE("debug sections and pragmas are skipped") {
  CHECK(parsed(module_text(".section .debug_str {\n$L__info_string0:\n.b8 95,90, 78\n.b64 x+4\n}\n"
                           ".section .debug_loc { }\n.pragma \"nounroll\", \"other\";"))
            .variables.empty());
  const Module module =
      parsed(module_text(".entry k() {\n.reg .b32 %r<2>;\nmov.u32 %r1, 0;\nLOOP:\n.pragma "
                         "\"nounroll\";\nadd.s32 %r1, %r1, 1;\nret;\n}"));
  CHECK(module.functions.at(0).not_unrolled == std::vector<std::uint32_t>{1});
  CHECK(what("\n.section .debug_str {") == "the section '.debug_str' has no '}'");
}

TEST_CASE("variables have a space, a type, an alignment and a size") {
  const Variable plain = variable(".visible .global .align 16 .f32 a[10];");
  CHECK(plain.name == "a");
  CHECK(plain.space == Space::global);
  CHECK(plain.type == Type::f32);
  CHECK(plain.align == 16);
  CHECK(plain.size_bytes == 40);
  CHECK(plain.initial.empty());
  CHECK_FALSE(plain.is_extern);
  CHECK(variable(".const .f64 c;").space == Space::constant);
  CHECK(variable(".const .f64 c;").align == 8);
  CHECK(variable(".shared .b16 s[2][3];").size_bytes == 12);
  CHECK(variable(".global .v4 .f32 v[2];").size_bytes == 32);
  CHECK(variable(".global .attribute(.managed) .align 8 .b8 m[4];").align == 8);
  CHECK(parsed(module_text(".global .u32 a, b[2];")).variables.at(1).size_bytes == 8);
}

TEST_CASE("a dynamic shared array has no length") {
  const Variable dynamic = variable(".extern .shared .align 16 .b8 s[];");
  CHECK(dynamic.is_extern);
  CHECK(dynamic.size_bytes == 0);
  CHECK(what(".shared .b8 s[];") == "the array 's' has neither a length nor an initialiser");
}

TEST_CASE("initialisers are stored as the type stores them") {
  CHECK(element<float>(variable(".global .f32 f = 0f3FC00000;"), 0) == 1.5F);
  CHECK(element<float>(variable(".global .f32 f = -1.5;"), 0) == -1.5F);
  CHECK(element<double>(variable(".global .f64 d = 0d3FF8000000000000;"), 0) == 1.5);
  CHECK(element<double>(variable(".global .f64 d = 0f3FC00000;"), 0) == 1.5);
  CHECK(element<std::int16_t>(variable(".global .s16 i[3] = {1, -2};"), 1) == -2);
  CHECK(element<std::uint8_t>(variable(".global .b8 b[4] = {0x7f, 255};"), 1) == 255);
}

TEST_CASE("there can be fewer initialisers than elements, and they give an open array its length") {
  const Variable some = variable(".global .b8 b[1000000000] = {1, 2};");
  CHECK(some.size_bytes == 1'000'000'000);
  CHECK(some.initial.size() == 2);
  CHECK(variable(".global .u32 a[] = {1, 2, 3};").size_bytes == 12);
  CHECK(variable(".global .u32 a[][2] = {{1, 2}, {3}, {4, 5}};").size_bytes == 24);
  CHECK(what(".global .u32 a[2] = {1, 2, 3};") ==
        "more initialisers than the 2 elements that they initialise");
}

TEST_CASE("nested initialisers fill rows") {
  const Variable rows = variable(".global .u32 a[3][2] = {{1}, {3, 4}, {5}};");
  CHECK(element<std::uint32_t>(rows, 0) == 1);
  CHECK(element<std::uint32_t>(rows, 1) == 0);
  CHECK(element<std::uint32_t>(rows, 3) == 4);
  CHECK(element<std::uint32_t>(rows, 4) == 5);
  CHECK(element<std::uint32_t>(variable(".global .v2 .u32 a[2] = {{1, 2}, {3, 4}};"), 2) == 3);
  CHECK(element<std::uint32_t>(variable(".global .u32 a[2][2] = {1, 2, 3};"), 2) == 3);
  CHECK(what(".global .u32 a[2][2] = {{1, 2, 3}};") ==
        "more initialisers than the 2 elements that they initialise");
}

TEST_CASE("addresses of symbols become relocations") {
  const Module module = parsed(module_text(
      ".global .u32 x[4];.global .u64 p[5] = {5, x, x+4, generic(x), generic(x)+8};.global .u64 q = x-4;"));
  const Variable& pointers = module.variables.at(1);
  CHECK(pointers.initial.size() == 40);
  CHECK(element<std::uint64_t>(pointers, 0) == 5);
  REQUIRE(pointers.relocations.size() == 4);
  CHECK(pointers.relocations[1].offset == 16);
  CHECK(pointers.relocations[1].symbol == "x");
  CHECK(pointers.relocations[1].addend == 4);
  CHECK_FALSE(pointers.relocations[1].generic);
  CHECK(pointers.relocations[3].generic);
  CHECK(pointers.relocations[3].addend == 8);
  CHECK(module.variables.at(2).relocations.at(0).addend == -4);
  CHECK(what(".global .u64 p = nothing;") == "'nothing' is not declared");
  CHECK_THAT(what(".global .u32 x;.global .u32 p = x;"),
             testing::contains("the address of 'x' needs 8 bytes"));
  CHECK_THAT(what(".global .u32 x;.global .b8 p[8] = {0xFF(x)};"), testing::contains("0xFF(…)"));
}

TEST_CASE("an extern variable and its definition are one") {
  const Module module =
      parsed(module_text(".extern .global .u32 x;.visible .global .u32 x = 3;.extern .global .u32 x;"));
  REQUIRE(module.variables.size() == 1);
  CHECK_FALSE(module.variables[0].is_extern);
  CHECK(element<std::uint32_t>(module.variables[0], 0) == 3);
  CHECK(what(".global .u32 x;\n.global .u32 x;") == "variable 'x' is defined twice");
  CHECK(what(".global .u32 x;\n.func x;") == "'x' is already the name of a variable");
  CHECK(what(".func x;\n.global .u32 x;") == "'x' is already the name of a function");
}

TEST_CASE("impossible sizes and alignments are refused") {
  CHECK_THAT(what(".global .u32 x[99999999999999999];"),
             testing::contains("the array length is 99999999999999999"));
  CHECK_THAT(what(".global .u32 x[1000000][1000000][1000000];"), testing::contains("is larger than"));
  CHECK_THAT(what(".global .u32 x[][2000000][1000000] = {1};"), testing::contains("the array is too large"));
  CHECK(what(".global .u32 x[0];") == "an array length is 0");
  CHECK_THAT(what(".global .u32 x[2][];"), testing::contains("expected the array length, found ']'"));
  CHECK(what(".global .align 3 .u32 x;") == "the alignment is 3 when it should be a power of two");
  CHECK(what(".global .align 0 .u32 x;") == "the alignment is 0 when it should be a power of two");
  CHECK_THAT(what(".global .pred p;"), testing::contains("cannot have type .pred"));
  CHECK_THAT(what(".global .texref t;"), testing::contains("found '.texref', which is not supported"));
  CHECK_THAT(what(".global .b8 x[9][1000000000] = {{1},{1},{1}};"),
             testing::contains("the initialisers take more than"));
}

TEST_CASE("kernels have parameters and limits") {
  const Function kernel = parsed(module_text(R"(
    .visible .entry k(.param .u64 .ptr .global .align 4 k_param_0, .param .align 8 .b8 k_param_1[12],
                      .param .f32 k_param_2)
    .maxntid 16, 16, 2
    .minnctapersm 2
    .maxnreg 64 { ret; })"))
                              .functions.at(0);
  CHECK(kernel.is_entry);
  CHECK_FALSE(kernel.is_extern);
  CHECK(kernel.max_threads == 512);
  REQUIRE(kernel.parameters.size() == 3);
  CHECK(kernel.parameters[0].space == Space::param);
  CHECK(kernel.parameters[0].align == 8);
  CHECK(kernel.parameters[1].size_bytes == 12);
  CHECK(kernel.parameters[1].align == 8);
  CHECK(kernel.parameters[2].type == Type::f32);
  CHECK(parsed(module_text(".entry k .reqntid 32 {}")).functions.at(0).max_threads == 32);
  CHECK(kernel.cluster_blocks == 1);
  CHECK(parsed(module_text(".entry k .explicitcluster .reqnctapercluster 2, 4, 1 {}"))
            .functions.at(0)
            .cluster_blocks == 8);
  CHECK_THAT(what(".entry k .maxntid 4000000000, 4000000000 {}"),
             testing::contains("'.maxntid' gives more than"));
  CHECK_THAT(what(".entry k .frobnicate {}"), testing::contains("directive '.frobnicate' is not supported"));
}

TEST_CASE("functions have returns, prototypes merge with bodies") {
  const Module module = parsed(module_text(R"(
    .extern .func (.param .b32 func_retval0) vprintf (.param .b64 a, .param .b64 b) ;
    .func (.param .align 16 .b8 r[32]) f (.param .b32 a, .param .b32 a2) .noreturn;
    .visible .func (.param .align 16 .b8 r[32]) f (.param .b32 a, .param .b32 a2) { ret; }
    .func (.param .align 16 .b8 r[32]) f (.param .b32 _, .param .b32 _);)"));
  REQUIRE(module.functions.size() == 2);
  CHECK(module.functions[0].is_extern);
  CHECK_FALSE(module.functions[0].is_entry);
  CHECK(module.functions[0].parameters.size() == 2);
  CHECK_FALSE(module.functions[1].is_extern);
  CHECK(module.functions[1].returns.at(0).size_bytes == 32);
  CHECK(module.functions[1].parameters.at(0).name == "a");
  CHECK(what(".func f {}\n.func f {}") == "function 'f' is defined twice");
  CHECK_THAT(what(".func f (.reg .u32 a) {}"),
             testing::contains("expected .param (others are not supported), found '.reg'"));
}

TEST_CASE("errors name unknown directives") {
  CHECK(what(".alias f, g;") == "directive '.alias' is not supported outside a function");
  CHECK(parse_error(module_text("\nadd.u32 a, b, c;")).ptx_line == 5);
}
