// Truncated, damaged and adversarial text: each gives a result or an error with a line.

#include <algorithm>

#include "ptx/ptx_text.hpp"
#include "vgpu/ptx/control_flow.hpp"

using namespace vgpu::ptx;
using testing::kernel_text;
using testing::parse_error;

namespace {

// Every form in a few lines.
constexpr std::string_view kEveryForm = R"(// comment
.version 7.5
.target sm_80, debug
.address_size 64
.file 1 "a.cu", 1, 2
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) ;
.global .align 8 .u64 table[2] = {generic(table)+8, -3};
.const .f32 rows[2][2] = {{0f3F800000, 1.5e3}, {0d3FF0000000000000}};
.extern .shared .align 16 .b8 s[];
.visible .entry k(.param .u64 .ptr .align 4 p0, .param .align 8 .b8 p1[12])
.maxntid 16, 16, 1
.pragma "nounroll";
{
	.reg .pred %p<3>;
	.reg .b32 %r<5>, one; /* two
	lines */
	.loc 1 5 3, function_name $L__info_string0, inlined_at 1 2 1
$top:
	@!%p1 bra $end;
	setp.lt.and.s32 %p1|%p2, %r1, 0x1F, !%p2;
	ld.global.v2.b32 {%r1, _}, [s+-4];
	list: .branchtargets $top, $end;
	brx.idx %tid.x, list;
	{
	.param .b32 param0;
	proto: .callprototype (.param .b32 _) _ (.param .b32 _) ;
	call.uni (param0), vprintf, (param0, 017);
	}
	bra.uni $top;
$end:
	ret;
}
.section .debug_str { .b8 1,2 }
)";

void parse_and_analyse(std::string_view text) {
  const auto module = parse(text);
  if (!module) {
    const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    CAPTURE(text);
    CAPTURE(module.error().what);
    CHECK(module.error().ptx_line >= 1);
    CHECK(module.error().ptx_line <= lines);
    CHECK_FALSE(module.error().what.empty());
    return;
  }
  for (const Function& function : module->functions) {
    const auto flow = analyse(function);
    if (!flow) CHECK_FALSE(flow.error().what.empty());
  }
}

std::string repeated(std::string_view part, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += part;
  return result;
}

}  // namespace

TEST_CASE("text truncated at any byte gives an error with a line, or parses") {
  CHECK(testing::parsed(kEveryForm).functions.size() == 2);
  for (std::size_t size = 0; size < kEveryForm.size(); ++size) {
    const std::string copy(
        kEveryForm.substr(0, size));  // a copy, so that a sanitizer detects reads after its end
    parse_and_analyse(copy);
  }
}

TEST_CASE("text with any byte replaced or removed gives an error with a line, or parses") {
  for (const char c : std::string_view(";}{[,.@%0\"\n\0\xff-", 14)) {
    for (std::size_t i = 0; i < kEveryForm.size(); ++i) {
      std::string text(kEveryForm);
      text[i] = c;
      parse_and_analyse(text);
      text.erase(i, 1);
      parse_and_analyse(text);
    }
  }
}

TEST_CASE("errors report what was expected and what was found") {
  CHECK(parse_error(kernel_text("ret\n}")).what == "expected an operand, found '}'");
  CHECK(parse_error(kernel_text("mov.b32 %r1, %r2\nret;")).what ==
        "expected ',' or ';' after operand, found 'ret'");
  CHECK(parse_error(kernel_text("mov.b32 %r1,;")).what == "expected an operand, found ';'");
  CHECK(parse_error(kernel_text("ld.b32 %r1, [%rd1;")).what == "expected ']' after an address, found ';'");
  CHECK(parse_error(kernel_text("mov.b64 %rd1, {%r1, };")).what == "expected an operand, found '}'");
  CHECK(parse_error(kernel_text("5;")).what ==
        "expected an instruction, a label, a directive or '}', found '5'");
  CHECK(parse_error(kernel_text("mov.b32 %r1, #;")).what == "unexpected character '#'");
  CHECK(parse_error(kernel_text("mov.b32 %r1, \x01;")).what == "unexpected byte 0x01");
  CHECK(parse_error(kernel_text(".reg .b32 a;\n.reg .b32 a;")).what ==
        "'a' is declared twice in the same scope");
  const ParseError open = parse_error(".version 7.5\n.target sm_80\n.entry f()\n{\nret;\n");
  CHECK(open.what ==
        "expected '}' for the '{' in line 4 that opens the body of 'f', found the end of the text");
  CHECK(open.ptx_line == 6);
}

TEST_CASE("errors about long names stay short") {
  CHECK(parse_error(kernel_text("bra " + repeated("x", 100'000) + ";")).what.size() < 120);
  CHECK(parse_error(kernel_text(std::string(".").append(100'000, 'x') + ";")).what.size() < 120);
  CHECK(parse_error(kernel_text("mov.b64 %rd1, " + repeated("9", 100'000) + ";")).what.size() < 120);
}

TEST_CASE("nesting is bounded") {
  const ParseError error = parse_error(kernel_text(repeated("{", 100'000)));
  CHECK(error.what == "more than 64 nested scopes");
  CHECK(error.ptx_line == 5);
  parse_and_analyse(testing::module_text(".global .u32 x[1] = " + repeated("{", 100'000)));
  parse_and_analyse(kernel_text("mov.b32 " + repeated("{", 100'000)));
  parse_and_analyse(kernel_text("mov.b32 %r1, " + repeated("-", 100'000) + "1;"));
  parse_and_analyse(kernel_text("mov.b32 %r1, 1" + repeated(".1", 100'000) + ";"));
  parse_and_analyse(testing::module_text(".global .u32 x" + repeated("[1]", 100'000) + ";"));
}

TEST_CASE("text larger than the limit is refused before it is read") {
  CHECK_THAT(parse_error(std::string(kMaxTextBytes + 1, ' ')).what,
             testing::contains("at most 33554432 are read"));
}

// With quadratic time each text would take minutes; with linear time it takes well under a second.
TEST_CASE("adversarial text is not parsed slower than other text") {
  constexpr std::size_t kTimes = 50'000;
  std::string labels, registers, lists;
  for (std::size_t i = 0; i < kTimes; ++i) {
    labels += "{ @%p1 bra L; L: }";
    registers += ".reg .b32 a" + std::to_string(i) + ";";
    lists += "brx.idx %r1, list;";
  }
  parse_and_analyse(kernel_text(labels));
  parse_and_analyse(kernel_text(registers));
  parse_and_analyse(kernel_text("L: foo L" + repeated(", L", kTimes) + ";"));
  parse_and_analyse(kernel_text("L: list: .branchtargets L" + repeated(", L", kTimes) + ";" + lists));
  parse_and_analyse(kernel_text(repeated("@%p1 bra L;", kTimes) + "L: @%p2 bra L;"));
  parse_and_analyse(testing::module_text(repeated("/*", kTimes)));
}
