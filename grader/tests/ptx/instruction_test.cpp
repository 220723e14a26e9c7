// Instructions and their operands, labels, scopes and source lines.

#include <bit>

#include "ptx/ptx_text.hpp"

using namespace vgpu::ptx;
using testing::kernel;
using testing::kernel_text;
using testing::parse_error;

namespace {

Instruction instruction(std::string_view text) {
  const Function function = kernel(text);
  REQUIRE(function.code.size() == 1);
  return function.code.front();
}

Operand second_operand(std::string_view text) {
  const Instruction result = instruction(text);
  REQUIRE(result.operands.size() == 2);
  return result.operands[1];
}

std::string register_name(const Function& function, const Operand& operand) {
  return function.registers.at(std::get<Register>(operand.value).index).name;
}

Immediate immediate(const std::string& spelling) {
  return std::get<Immediate>(second_operand("mov.b64 %rd1, " + spelling + ";").value);
}

const Vector& vector(const Operand& operand) { return std::get<Vector>(operand.value); }

}  // namespace

TEST_CASE("an instruction keeps its opcode, modifiers and lines") {
  const Function function = kernel(".loc 1 12 34\n  ld.global.L2::128B.nc.f32 %f1, [%rd1];");
  const Instruction& load = function.code.at(0);
  CHECK(load.opcode == Opcode::ld);
  CHECK(load.modifiers == std::vector<std::string>{"global", "L2::128B", "nc", "f32"});
  CHECK(load.spelled() == "ld.global.L2::128B.nc.f32");
  CHECK(load.ptx_line == 6);
  CHECK(load.source == SourceLine{1, 34, 12});
  CHECK_FALSE(load.guard);
  CHECK(function.source == SourceLine{1, 34, 12});
}

TEST_CASE(
    "inlined code of the user keeps its source line, inlined code of a library gets the line of the call") {
  const auto source = [](const std::string& file) {
    const std::string code =
        ".loc 2 7 1, function_name $L__info_string3+12, inlined_at 1 20 5\nret;\n"
        ".loc 1 8 99999\nret;\n"
        ".loc 2 7 1, function_name $L__info_string3+12, inlined_at 1 30 6\nret;\n"
        ".loc 3 9 1, function_name $L__info_string4, inlined_at 2 7 1\nret;";
    const auto parsed =
        vgpu::ptx::parse(testing::kernel_text(code) + "\n.file 1 \"/home/me/a.cu\"\n.file 2 \"" + file +
                         "\"\n.file 3 \"/usr/include/b.h\"\n");
    REQUIRE(parsed);
    std::vector<SourceLine> lines;
    for (const auto& one : parsed->functions.at(0).code) lines.push_back(one.source);
    return lines;
  };
  CHECK(source("/home/me/helper.cuh") ==
        std::vector<SourceLine>{{2, 1, 7}, {1, 65535, 8}, {2, 1, 7}, {2, 1, 7}});
  const std::vector<SourceLine> calls{{1, 5, 20}, {1, 65535, 8}, {1, 6, 30}, {1, 6, 30}};
  CHECK(source("/usr/local/cuda-13.0/include/sm_30_intrinsics.hpp") == calls);
  CHECK(source("/home/me/cuda/targets/x86_64-linux/include/sm_30_intrinsics.hpp") == calls);
  CHECK(source("/kit/include/lab/ceil_div.hpp") == calls);
}

TEST_CASE("library code inlined into two kernels gets the line of the call in each kernel") {
  // As in cuda::atomic's load(): one header calls another.
  const auto entry = [](const std::string& name, const std::string& line) {
    return ".entry " + name + "() {\n.loc 1 " + line +
           " 3\n.loc 2 90 13, function_name $L__info_string0, inlined_at 1 " + line +
           " 3\n.loc 2 305 3, function_name $L__info_string1, inlined_at 2 90 13\nret;\n}\n";
  };
  const Module module = testing::parsed(testing::module_text(
      entry("first", "10") + entry("second", "20") + ".file 1 \"a.cu\"\n.file 2 \"/usr/include/b.h\"\n"));
  CHECK(module.functions.at(0).code.at(0).source == SourceLine{1, 3, 10});
  CHECK(module.functions.at(1).code.at(0).source == SourceLine{1, 3, 20});
}

TEST_CASE("an unknown instruction parses") {
  CHECK(instruction("frobnicate.m16n8k16 %r1, {%r2, %r3}, [%rd1], 5;").operands.size() == 4);
}

TEST_CASE("guards name a predicate and can be negated") {
  const Function function = kernel("@%p3 ret;\n@!%p4 ret;");
  REQUIRE(function.code.at(0).guard);
  CHECK_FALSE(function.code[0].guard->negated);
  CHECK(function.registers.at(function.code[0].guard->predicate.index).name == "%p3");
  REQUIRE(function.code.at(1).guard);
  CHECK(function.code[1].guard->negated);
  CHECK_THAT(parse_error(kernel_text("@%r1 ret;")).what,
             testing::contains("guard '%r1' has type .b32 when it should be .pred"));
}

TEST_CASE("integers of every spelling have their value and type") {
  const auto [spelling, bits, type] = GENERATE(table<std::string, std::uint64_t, Type>({
      {"0", 0, Type::s64},
      {"42", 42, Type::s64},
      {"-42", ~std::uint64_t{41}, Type::s64},
      {"42U", 42, Type::u64},
      {"0x1F", 31, Type::s64},
      {"0X1fU", 31, Type::u64},
      {"017", 15, Type::s64},
      {"0b101", 5, Type::s64},
      {"-0x10", ~std::uint64_t{15}, Type::s64},
      {"9223372036854775807", 0x7fffffffffffffff, Type::s64},
      {"9223372036854775808", 0x8000000000000000, Type::u64},
      {"-9223372036854775808", 0x8000000000000000, Type::s64},
      {"0xFFFFFFFFFFFFFFFF", 0xffffffffffffffff, Type::u64},
      {"WARP_SZ", 32, Type::s64},
  }));
  CAPTURE(spelling);
  CHECK(immediate(spelling).bits == bits);
  CHECK(immediate(spelling).type == type);
}

TEST_CASE("floating-point numbers of every spelling have their bits and type") {
  const auto [spelling, bits, type] = GENERATE(table<std::string, std::uint64_t, Type>({
      {"0f3F800000", 0x3f800000, Type::f32},
      {"0FbF800000", 0xbf800000, Type::f32},
      {"-0f3F800000", 0xbf800000, Type::f32},
      {"0d3FF0000000000000", 0x3ff0000000000000, Type::f64},
      {"1.5", std::bit_cast<std::uint64_t>(1.5), Type::f64},
      {"-2.5", std::bit_cast<std::uint64_t>(-2.5), Type::f64},
      {"1e10", std::bit_cast<std::uint64_t>(1e10), Type::f64},
      {"1.25E-3", std::bit_cast<std::uint64_t>(1.25e-3), Type::f64},
  }));
  CAPTURE(spelling);
  CHECK(immediate(spelling).bits == bits);
  CHECK(immediate(spelling).type == type);
}

TEST_CASE("malformed numbers are refused with their spelling") {
  const std::string spelling =
      GENERATE("08", "12q", "0x", "0xG", "0b2", "0f3F80", "0d3FF0", "0fGGGGGGGG", "1e", "-",
               "18446744073709551616", "-9223372036854775809", "1.5.5", "0f3F8000000");
  CAPTURE(spelling);
  const ParseError error = parse_error(kernel_text("\n\nmov.b64 %rd1, " + spelling + ";"));
  CHECK(error.ptx_line == 7);
  CHECK_FALSE(error.what.empty());
}

TEST_CASE("special registers have a name and an optional component") {
  const auto tid = std::get<SpecialRegister>(second_operand("mov.u32 %r1, %tid.x;").value);
  CHECK(tid.name == "tid");
  CHECK(tid.component == 'x');
  const auto lane = std::get<SpecialRegister>(second_operand("mov.u32 %r1, %laneid;").value);
  CHECK(lane.name == "laneid");
  CHECK(lane.component == 0);
  CHECK(std::get<SpecialRegister>(second_operand("mov.u32 %r1, %envreg2;").value).name == "envreg2");
  CHECK_THAT(parse_error(kernel_text("mov.u32 %r1, %tid.q;")).what,
             testing::contains("expected .x, .y, .z or .w"));
  CHECK_THAT(parse_error(kernel_text("mov.u32 %r1, %nothing;")).what,
             testing::contains("register '%nothing' is not declared"));
}

TEST_CASE("addresses have a register, a symbol or nothing as base, and an offset in bytes") {
  const auto address = [](const std::string& text) {
    return std::get<Address>(second_operand("ld.b32 %r1, " + text + ";").value);
  };
  const auto offset = [&](const std::string& text) { return address(text).offset; };
  CHECK(std::holds_alternative<Register>(address("[%rd1]").base));
  CHECK(offset("[%rd1]") == 0);
  CHECK(offset("[%rd1+4]") == 4);
  CHECK(offset("[%rd1+-4]") == -4);
  CHECK(offset("[%rd1-4]") == -4);
  CHECK(offset("[ %rd1 + 0x10 ]") == 16);
  CHECK(std::get<Symbol>(address("[in+8]").base).name == "in");
  CHECK(offset("[in+8]") == 8);
  CHECK(std::holds_alternative<std::monostate>(address("[256]").base));
  CHECK(offset("[256]") == 256);
  CHECK_THAT(parse_error(kernel_text("ld.b32 %r1, [%tid.x];")).what,
             testing::contains("in '[ ]', found '%tid'"));
  CHECK_THAT(parse_error(kernel_text("ld.b32 %r1, [!%p1];")).what, testing::contains("in '[ ]', found '!'"));
}

TEST_CASE("an address with coordinates is a vector of the address and what follows it") {
  const Operand operand = second_operand("tex.2d.f32 %r1, [%rd1, {%f1, %f2}];");
  REQUIRE(vector(operand).elements.size() == 2);
  CHECK(std::holds_alternative<Address>(vector(operand).elements[0].value));
  CHECK(vector(vector(operand).elements[1]).elements.size() == 2);
}

TEST_CASE("vectors contain registers, numbers and the sink") {
  const Operand operand = second_operand("st.global.v4.b32 [%rd1], {%r1, 7, _, -0f3F800000};");
  REQUIRE(vector(operand).elements.size() == 4);
  CHECK(std::holds_alternative<Register>(vector(operand).elements[0].value));
  CHECK(std::holds_alternative<Immediate>(vector(operand).elements[1].value));
  CHECK(std::holds_alternative<std::monostate>(vector(operand).elements[2].value));
}

TEST_CASE("destinations can be pairs, sources can be negated, and a sink is an operand") {
  const Function function = kernel("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;\nelect.sync _|%p4, -1;");
  const auto& compare = function.code.at(0).operands;
  REQUIRE(compare.at(0).second);
  CHECK(function.registers.at(compare[0].second->index).name == "%p2");
  CHECK(compare.at(3).negated);
  CHECK(register_name(function, compare[3]) == "%p3");
  CHECK(std::holds_alternative<std::monostate>(function.code.at(1).operands.at(0).value));
  CHECK(function.code[1].operands[0].second);
  CHECK_FALSE(kernel("setp.eq.s32 %p1|_, %r1, 0;").code.at(0).operands.at(0).second);
}

TEST_CASE("a call always has its lists, even if the text omits them") {
  const std::string text =
      GENERATE("call f;", "call.uni f, ();", "call (), f, ();", "call (r), f;", "call f, (r, 5);",
               "call (r),\nf,\n(r\n)\n;", "call (r), %rd1, (r), proto;");
  CAPTURE(text);
  const Function function =
      testing::parsed(testing::module_text(".func f;.entry k(){.reg .b64 %rd<2>;.param .b32 r;proto: "
                                           ".callprototype (.param .b32 _) _ (.param .b32 _);\n" +
                                           text + "}"))
          .functions.at(1);
  const auto& operands = function.code.at(0).operands;
  REQUIRE(operands.size() >= 3);
  CHECK(std::holds_alternative<Vector>(operands[0].value));
  CHECK((std::holds_alternative<Symbol>(operands[1].value) ||
         std::holds_alternative<Register>(operands[1].value)));
  CHECK(std::holds_alternative<Vector>(operands[2].value));
  CHECK(vector(operands[0]).elements.size() == (text.find("(r),") == 5 ? 1 : 0));
  CHECK((operands.size() == 4) == (text.find("proto") != std::string::npos));
}

TEST_CASE("a call without a callee, or with too many parts, is refused") {
  CHECK_THAT(parse_error(kernel_text("call;")).what,
             testing::contains("a call needs the name of a function"));
  CHECK_THAT(parse_error(kernel_text("call (in), (in);")).what, testing::contains("a call needs the name"));
  CHECK_THAT(parse_error(kernel_text("call kernel, (in), kernel, kernel;")).what,
             testing::contains("a call has 5 parts when it should have at most 4"));
}

TEST_CASE("only mentioned registers exist, in the order of first mention") {
  const Function function =
      testing::parsed(
          testing::module_text(".entry k(){.reg .b32 %r<4000000000>;.reg .pred found, %p<2>;\n"
                               "mov.b32 %r3999999999, %r5;@found ret;mov.b32 %r5, %r3999999999;}"))
          .functions.at(0);
  REQUIRE(function.registers.size() == 3);
  CHECK(function.registers[0].name == "found");
  CHECK(function.registers[0].type == Type::pred);
  CHECK(function.registers[1].name == "%r3999999999");
  CHECK(function.registers[2].name == "%r5");
  CHECK(std::get<Register>(function.code.at(2).operands.at(1).value).index == 1);
}

TEST_CASE("numbers outside a register range are not declared") {
  const std::string name = GENERATE("%r9", "%r01", "%r", "%r99999999999999999999");
  CHECK_THAT(parse_error(kernel_text("mov.b32 " + name + ", 0;")).what,
             testing::contains("register '" + name + "' is not declared"));
}

TEST_CASE("names in nested scopes are kept apart") {
  const Function function = kernel(R"(
    { .reg .b32 t; .param .b32 param0; st.param.b32 [param0+0], %r1; mov.b32 t, %r1; }
    { .reg .f32 t; .param .b32 param0; st.param.b32 [param0+0], %r1; mov.f32 t, %f1;
      { .reg .b32 %r<2>; mov.b32 %r1, 5; } })");
  REQUIRE(function.variables.size() == 2);
  CHECK(function.variables[0].name == "param0");
  CHECK(function.variables[1].name == "param0#2");
  const auto base = [&](std::size_t i) {
    return std::get<Symbol>(std::get<Address>(function.code.at(i).operands.at(0).value).base).name;
  };
  CHECK(base(0) == "param0");
  CHECK(base(2) == "param0#2");
  const auto destination = [&](std::size_t i) {
    return std::get<Register>(function.code.at(i).operands.at(0).value);
  };
  CHECK(function.registers.at(destination(1).index).type == Type::b32);
  CHECK(function.registers.at(destination(3).index).type == Type::f32);
  CHECK_FALSE(destination(4) == std::get<Register>(function.code.at(0).operands.at(1).value));
}

TEST_CASE("labels can precede or follow their use, and be repeated in scopes") {
  const Function function = kernel(R"(
    TOP: bra END;
    { @%p1 bra DONE; add.s32 %r1, %r1, 1; DONE: }
    { @%p1 bra DONE; DONE: bra TOP; }
    END:)");
  const auto target = [&](std::size_t i) {
    const std::string name = std::get<Symbol>(function.code.at(i).operands.at(0).value).name;
    for (const Label& label : function.labels) {
      if (label.name == name) return static_cast<int>(label.target);
    }
    return -1;
  };
  REQUIRE(function.labels.size() == 4);
  CHECK(target(0) == 5);
  CHECK(target(1) == 3);
  CHECK(target(3) == 4);
  CHECK(target(4) == 0);
}

TEST_CASE("lists of branch targets keep their labels, renamed where the labels are") {
  const Function function = kernel(R"(
    { A: ret; }
    { list: .branchtargets A, B; brx.idx %r1, list; A: ret; B: ret; })");
  REQUIRE(function.branch_targets.size() == 1);
  CHECK(function.branch_targets[0].name == "list");
  CHECK(function.branch_targets[0].labels == std::vector<std::string>{"A#2", "B"});
  CHECK(std::get<Symbol>(function.code.at(1).operands.at(1).value).name == "list");
}

TEST_CASE("a branch finds a label with the name of a variable") {
  const Function function =
      testing::parsed(testing::module_text(
                          ".global .u32 here;.entry k(){.reg .u64 a;mov.u64 a, here;bra here;here: ret;}"))
          .functions.at(0);
  CHECK(std::get<Symbol>(function.code.at(0).operands.at(1).value).name == "here");
  CHECK(std::get<Symbol>(function.code.at(1).operands.at(0).value).name == function.labels.at(0).name);
  CHECK(function.labels.at(0).name == "here#1");
}

TEST_CASE("undeclared names are refused in the line that uses them") {
  const std::string text =
      GENERATE("\nbra nowhere;", "\nmov.u64 %rd1, nowhere;", "\nld.b32 %r1, [nowhere+4];",
               "\ncall nowhere, (in);", "\nlist: .branchtargets nowhere;", "{ nowhere: }\nbra nowhere;");
  CAPTURE(text);
  const ParseError error = parse_error(kernel_text(text));
  CHECK(error.ptx_line == 6);
  CHECK(error.what == "'nowhere' is not declared");
}

TEST_CASE("errors name what is not supported in a function") {
  CHECK(parse_error(kernel_text(".frobnicate 5;")).what ==
        "directive '.frobnicate' is not supported in a function");
  CHECK_THAT(parse_error(kernel_text(".reg .b128 big;")).what,
             testing::contains("found '.b128', which is not supported"));
  // The kernel that uses it cannot run; others can.
  CHECK(std::get<Symbol>(second_operand("mov.b32 %r1, %r2.b0;").value).name == "%r2.b0");
}
