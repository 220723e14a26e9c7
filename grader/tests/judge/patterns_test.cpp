// Tests of the patterns that need no knowledge of a lab, each with outputs that must and must not match it.
#include "judge/patterns.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "judge/values_fixture.hpp"
#include "vgpu/state/unwritten.hpp"

namespace patterns_test {

namespace {

using grader::Array;
using grader::diagnose_values;
using grader::Diagnostic;
using grader::Expectation;
using grader::Hypothesis;
using grader::OutputPair;
using grader::Shape;
using testing::contains;
using values_fixture::code;
using values_fixture::diagnosis;
using values_fixture::expectation;
using values_fixture::output;

const float kPoison = std::bit_cast<float>(~std::uint32_t{0});

TEST_CASE("a count of 0 is blamed on a condition, a sum of 0 also on its type") {
  const Expectation expected = expectation({8});
  const auto cause = [&](grader::harness::Element element) {
    OutputPair zeros{output(expected, [](std::size_t, double) { return 0.0; }), expected, std::nullopt};
    zeros.element = element;
    return diagnose_values(zeros, {})->likely_cause;
  };
  CHECK_THAT(cause(grader::harness::Element::i32), contains("a condition is never true"));
  CHECK_THAT(cause(grader::harness::Element::f32), contains("a variable of type int"));
}

TEST_CASE("counts of which only the first bytes are copied are named") {
  Expectation expected = expectation({8});
  for (std::size_t i = 0; i < 8; ++i) expected.values[i] = static_cast<double>(1000 + 4 * i);
  const auto cause = [&](std::uint32_t rest, std::uint32_t copied, grader::harness::Element element) {
    const auto partly = [&](std::size_t, double right) {
      return static_cast<double>(
          static_cast<std::int32_t>((rest & ~copied) | (static_cast<std::uint32_t>(right) & copied)));
    };
    OutputPair pair{output(expected, partly), expected, std::nullopt};
    pair.element = element;
    return diagnose_values(pair, {})->likely_cause;
  };
  using Element = grader::harness::Element;
  const char* const text = "of the 4 bytes of each element are copied";
  CHECK_THAT(cause(0xFEFEFEFE, 0xFF, Element::i32), contains("the first 1 " + std::string(text)));
  CHECK_THAT(cause(0xFEFEFEFE, 0xFFFF, Element::i32), contains("the first 2 " + std::string(text)));
  CHECK_THAT(cause(0xFEFEFEFE, 0xFF, Element::f32), !contains(text));
  CHECK_THAT(cause(0x00110000, 0xFF, Element::i32), !contains(text));
}

TEST_CASE("a triangle with the values of the other one is named") {
  Expectation expected = expectation({5, 5});
  for (std::size_t i = 0; i < 25; ++i) expected.values[i] = static_cast<double>(100 + 3 * i);
  const auto what = [&](auto is_replaced) {
    const auto values = [&](std::size_t i, double right) {
      const std::size_t row = i / 5, column = i % 5;
      return is_replaced(row, column) ? expected.values[column * 5 + row] : right;
    };
    return diagnose_values({output(expected, values), expected, std::nullopt}, {})->what;
  };
  CHECK_THAT(what([](std::size_t row, std::size_t column) { return row > column; }),
             contains("elements below the diagonal"));
  CHECK_THAT(what([](std::size_t row, std::size_t column) { return row < column; }),
             contains("elements above the diagonal"));
  CHECK_THAT(what([](std::size_t, std::size_t) { return true; }), contains("is transposed"));
  CHECK_THAT(what([](std::size_t row, std::size_t column) { return row != column && row + column != 3; }),
             !contains("the diagonal"));
}

TEST_CASE("a result that is a copy of an input is named") {
  const Expectation expected = expectation({4, 4});
  std::vector<grader::harness::Input> inputs(1);
  inputs[0].name = "d";
  inputs[0].shape = {4, 4};
  for (int i = 0; i < 16; ++i) inputs[0].values.push_back(static_cast<float>(100 + i * i));
  const auto what = [&](const Array& actual) {
    OutputPair pair{actual, expected, std::nullopt};
    pair.inputs = inputs;
    return diagnose_values(pair, {})->what;
  };
  Array copy = inputs[0];
  CHECK_THAT(what(copy), contains("has the values of `d`"));
  copy.values[5] = 0;
  CHECK_THAT(what(copy), !contains("has the values of"));
}

TEST_CASE("counts that are the bits of floats are named") {
  Expectation expected = expectation({8});
  for (std::size_t i = 0; i < 8; ++i) expected.values[i] = 1700 + static_cast<double>(i);
  const auto what = [&](grader::harness::Element element, double more) {
    const auto bits = [=](std::size_t, double v) {
      return static_cast<double>(std::bit_cast<std::int32_t>(static_cast<float>(v + more)));
    };
    OutputPair pair{output(expected, bits), expected, std::nullopt};
    pair.element = element;
    return diagnose_values(pair, {})->what;
  };
  CHECK_THAT(what(grader::harness::Element::i32, 0),
             contains("contains the bits of floats") && contains("of 1700.0"));
  CHECK_THAT(what(grader::harness::Element::i32, 1), !contains("bits"));
  CHECK_THAT(what(grader::harness::Element::f32, 0), !contains("bits"));
}

TEST_CASE("NaN next to infinite results can be an infinite input times 0") {
  Expectation expected = expectation({8});
  expected.values[0] = std::numeric_limits<double>::infinity();
  const Array nan = output(expected, [](std::size_t i, double value) { return i > 3 ? NAN : value; });
  CHECK_THAT(diagnose_values({nan, expected, std::nullopt}, {})->likely_cause,
             contains("an infinite input that does not belong to it is multiplied by 0"));
  expected.values[0] = 0;
  CHECK_THAT(diagnose_values({nan, expected, std::nullopt}, {})->likely_cause, !contains("infinite input"));
}

TEST_CASE("finite values in place of infinities and NaN only are named so") {
  Expectation expected = expectation({4, 4});
  const double infinity = std::numeric_limits<double>::infinity();
  expected.values[3] = infinity;
  expected.values[7] = std::numeric_limits<double>::quiet_NaN();
  const auto cause = [&](float in_place_of_both, float of_another) {
    Array actual = output(expected, [](auto, double value) { return value; });
    actual.values[3] = actual.values[7] = in_place_of_both;
    actual.values[9] = of_another;
    return diagnose_values({actual, expected, std::nullopt}, {})->likely_cause;
  };
  const auto right = static_cast<float>(expected.values[9]);
  CHECK_THAT(cause(3e38F, right), contains("only infinite results, or NaN, are wrong"));
  CHECK_THAT(cause(3e38F, right + 5), !contains("only infinite results"));
}

TEST_CASE("values within their tolerance are right") {
  CHECK(code({20, 20}, [](auto, double v) { return v; }) == "none");
  CHECK(code({20, 20}, [](auto i, double v) { return v + (i % 2 == 0 ? 9e-5 : -9e-5); }) == "none");
}

TEST_CASE("a wrong value is quoted with its expected value") {
  const auto found = diagnosis({20, 20}, [](auto i, double v) { return i == 47 ? 3.5 : v; });
  CHECK(found->code == "WG-V01");
  CHECK(found->what == "1 of 400 elements of `P` is wrong");
  CHECK_THAT(found->first, contains("P[2][7] is 3.5 when it should be -7.68255 (off by 11, allowed 0.0001)"));
  CHECK(found->count == 1);
}

TEST_CASE("an error and its limit are printed with as many digits as distinguish them") {
  const auto found = diagnosis({20, 20}, [](auto i, double v) { return i == 0 ? v + 1.002e-4 : v; });
  CHECK_THAT(found->first, contains("(off by 0.0001") && contains(", allowed 0.0001)") &&
                               !contains("(off by 0.0001, allowed 0.0001)"));
}

TEST_CASE("remaining poison is reported as unwritten, with the region if one matches") {
  const auto all = diagnosis({20, 20}, [](auto, double) { return kPoison; });
  CHECK(all->code == "WG-V02");
  CHECK(all->what == "all 400 elements of `P` were never written");
  CHECK(all->first == "P[0][0] was not written; it should be 8.41471");
  const auto edge = diagnosis({20, 20}, [](auto i, double v) { return i % 20 >= 16 ? kPoison : v; });
  CHECK(edge->what == "80 of 400 elements of `P` were never written: the last 4 columns (from column 16 on)");
  CHECK(edge->count == 80);
  CHECK(code({20, 20}, [](auto i, double v) { return i == 5 ? kPoison : v + 1; }) == "WG-V02");
}

TEST_CASE("poison that was stored is reported as not finite, not as unwritten") {
  const auto poison = [](auto, double) { return kPoison; };
  CHECK(diagnosis({20, 20}, poison, {}, grader::Supply{1600})->code == "WG-V03");
  CHECK(diagnosis({20, 20}, poison, {}, grader::Supply{1599})->code == "WG-V02");
}

TEST_CASE("elements that no block stores, while others are stored several times, lack blockIdx") {
  const auto beyond_first_block = [](auto i, double v) { return i >= 100 ? kPoison : v; };
  const auto repeated = diagnosis({400}, beyond_first_block, {}, grader::Supply{400, true});
  CHECK(repeated->code == "WG-V02");
  CHECK_THAT(repeated->likely_cause, contains("lacks blockIdx"));
  const auto once = diagnosis({400}, beyond_first_block, {}, grader::Supply{400, false});
  CHECK_THAT(once->likely_cause, contains("the grid is too small"));
}

TEST_CASE("an index that wraps around at 65,536 is in a variable of 16 bits") {
  const auto missing_from = [](std::size_t first) {
    return diagnosis(
               {70000}, [=](auto i, double v) { return i >= first ? kPoison : v; }, {},
               grader::Supply{4 * first, true})
        ->likely_cause;
  };
  CHECK_THAT(missing_from(65536), contains("a variable of 16 bits"));
  CHECK_THAT(missing_from(65537), !contains("16 bits"));
}

TEST_CASE("elements that are wrong from number 32,768 or 65,536 on have an index of 16 bits") {
  const auto wrong_from = [](std::size_t first) {
    return diagnosis({70000}, [=](auto i, double v) { return i >= first ? v + 1 + std::cos(i) : v; })
        ->likely_cause;
  };
  for (const std::size_t first : {32768U, 65536U})
    CHECK_THAT(wrong_from(first), contains("a variable of 16 bits"));
  for (const std::size_t first : {0U, 32767U, 65537U}) CHECK_THAT(wrong_from(first), !contains("16 bits"));
}

/// The last 5 of 20 elements in host memory hold `rest`.
std::optional<Diagnostic> host_diagnosis(float rest, std::optional<grader::Supply> supply) {
  const Expectation expected = expectation({20});
  const Array actual = output(expected, [&](auto i, double v) { return i < 15 ? v : rest; });
  return diagnose_values({actual, expected, supply, grader::harness::Place::host}, {});
}

TEST_CASE("poison in host memory was not copied back if fewer bytes arrived than the output has") {
  const auto found = host_diagnosis(kPoison, grader::Supply{80, false, 60});
  REQUIRE(found);
  CHECK(found->code == "WG-V02");
  CHECK_THAT(found->what, contains("5 of 20"));
  CHECK_THAT(found->likely_cause, contains("60 of 80 bytes came back"));
}

TEST_CASE("a copy of as many bytes as a segment has elements is named") {
  const Expectation expected = expectation({20});
  const auto cause = [&](std::size_t of_last) {
    const Array actual = output(expected, [&](std::size_t i, double value) {
      return i % 8 < (i < 16 ? 2 : of_last) ? value : static_cast<double>(kPoison);
    });
    grader::Supply supply{80, false, 80};
    supply.piece = {"segment", 8};
    return diagnose_values({actual, expected, supply, grader::harness::Place::host}, {})->likely_cause;
  };
  CHECK_THAT(cause(1), contains("of each segment, only the first quarter") && contains("must be in bytes"));
  CHECK_THAT(cause(2), !contains("quarter"));
}

TEST_CASE("words of new memory that were copied back come from a buffer that no kernel stored to") {
  const auto cause = [](float rest) {
    return host_diagnosis(rest, grader::Supply{80, false, 80})->likely_cause;
  };
  CHECK_THAT(cause(std::bit_cast<float>(vgpu::kUnwrittenWords[2])),
             contains("a buffer that no kernel stored"));
  CHECK_THAT(cause(kPoison), !contains("a buffer that no kernel stored"));
}

TEST_CASE("words of new memory that the last launch left out are explained by its grid") {
  grader::Supply supply{80, false, 80};
  supply.last_launch = {.grid = {1, 1, 1}, .block = {15, 1, 1}, .stored_words = 15};
  const float unwritten = std::bit_cast<float>(vgpu::kUnwrittenWords[2]);
  const auto cause = [&](float rest) { return host_diagnosis(rest, supply)->likely_cause; };
  CHECK_THAT(cause(unwritten), contains("its 1 block along x covers 15 of 20 elements"));
  CHECK_THAT(cause(kPoison), !contains("covers"));
  supply.last_launch->stored_words = 20;
  CHECK_THAT(cause(unwritten), contains("a buffer that no kernel stored"));
}

TEST_CASE("elements that the last launch left as the buffer held them are explained by its grid") {
  grader::Supply supply{80, false, 80};
  supply.last_launch = {.grid = {1, 1, 1}, .block = {15, 1, 1}, .stored_words = 15};
  const auto left = host_diagnosis(0.25F, supply);  // the last 5 of 20 elements
  REQUIRE(left);
  CHECK(left->code == "WG-V02");
  CHECK_THAT(left->what, contains("not stored by the last kernel"));
  CHECK_THAT(left->likely_cause, contains("its 1 block along x covers 15 of 20 elements"));
  supply.last_launch->stored_words = 20;
  CHECK(host_diagnosis(0.25F, supply)->code != "WG-V02");
}

TEST_CASE("one wrong element of two that the host computes is not blamed on a launch") {
  const Expectation expected = expectation({2});
  const Array actual =
      output(expected, [](std::size_t i, double right) { return i == 0 ? right + 7 : right; });
  grader::Supply supply{80, false, 80};
  supply.last_launch = {.grid = {1, 1, 1}, .block = {15, 1, 1}, .stored_words = 1};
  CHECK(diagnose_values({actual, expected, supply, grader::harness::Place::host}, {})->code != "WG-V02");
}

TEST_CASE("an element of an array in place that no thread stores is explained by the guard") {
  const Expectation expected = expectation({20});
  const Array actual = output(expected, [&](auto i, double v) { return i < 19 ? v : 0.25F; });
  grader::Supply supply{76, false};
  supply.launch = supply.last_launch = {.grid = {2, 1, 1}, .block = {10, 1, 1}, .stored_words = 19};
  const auto found = diagnose_values({actual, expected, supply}, {});
  CHECK(found->code == "WG-V05");
  CHECK_THAT(found->likely_cause, contains("a guard stops threads from element 19 onwards"));
}

TEST_CASE("poison in host memory was not stored by kernels if everything was copied back") {
  const auto found = host_diagnosis(kPoison, grader::Supply{60, false, 80});
  REQUIRE(found);
  CHECK(found->code == "WG-V02");
  CHECK_THAT(found->likely_cause, contains("the grid is too small"));
}

TEST_CASE("what remains of the last piece, for which no kernel is launched, is named by its divisor") {
  grader::Supply supply{60, false, 80};
  supply.piece = {"segment", 15};
  const auto cause = [&] { return host_diagnosis(kPoison, supply)->likely_cause; };
  CHECK_THAT(cause(), contains("the last n % segment elements: no kernel is launched"));
  supply.piece->elements = 8;  // the missing elements begin within a piece
  CHECK_THAT(cause(), !contains("segment"));
}

TEST_CASE("wrong values without a pattern are explained if kernels did not load all inputs") {
  const Expectation expected = expectation({20});
  const Array wrong = output(expected, [](auto i, double v) { return v + static_cast<double>(i % 7) * 10; });
  grader::Supply supply{80};
  supply.input_bytes = 400;
  const auto cause = [&](std::uint64_t requested) {
    supply.requested_bytes = requested;
    return diagnose_values({wrong, expected, supply}, {})->likely_cause;
  };
  CHECK_THAT(cause(396), contains("load only 396 bytes, but the inputs have 400"));
  CHECK_THAT(cause(400), contains("no known pattern"));
  CHECK_THAT(cause(0), contains("no known pattern"));
  supply.bytes_per_element = 1;
  CHECK_THAT(cause(100), contains("read only 1 of the 4 bytes of each element"));
  CHECK_THAT(cause(400), contains("no known pattern"));
}

TEST_CASE("poison in host memory stays there if everything came back to another buffer") {
  const auto found = host_diagnosis(kPoison, grader::Supply{80, false, 80});
  REQUIRE(found);
  CHECK(found->code == "WG-V02");
  CHECK_THAT(found->likely_cause, contains("from the buffer that received them"));
}

TEST_CASE("poison in host memory is explained by a host function in the wrong stream, or before the copy") {
  grader::Supply supply{80, false, 80};
  for (const auto& [kind, cause] : {std::pair{grader::EarlyHostFunction::other_stream, "before they arrive"},
                                    {grader::EarlyHostFunction::before_copy, "issued before the copy"}}) {
    supply.early_host_function = kind;
    const auto found = host_diagnosis(kPoison, supply);
    REQUIRE(found);
    CHECK(found->code == "WG-V02");
    CHECK_THAT(found->likely_cause, contains("cudaLaunchHostFunc") && contains(cause));
  }
}

TEST_CASE("guesses begin with hypotheses that fit, end without one, and name those that do not fit") {
  using grader::Hypothesis;
  const auto constant = [](std::string cause, double value) {
    Hypothesis one{"WG-V08", "pattern", std::move(cause), "try", "P", [value](std::size_t) { return value; }};
    return one;
  };
  const grader::Expectation expected{"P", {8}, std::vector<double>(8, 3), std::vector<double>(8, 0.1)};
  const Array actual{"P", {8}, std::vector<float>(8, 5)};
  auto unknown = constant("unknown", 5);
  unknown.values = [](std::size_t) { return std::nan(""); };
  const auto found = grader::guess_causes(
      {actual, expected}, {constant("four", 4), constant("five", 5), constant("again", 5), unknown});
  REQUIRE(found);
  REQUIRE(found->guesses.size() == 3);
  CHECK(found->guesses[0].cause == "five");
  CHECK(found->guesses[0].diagnostic.likely_cause == "five");
  CHECK(found->guesses[1].cause == "again");
  CHECK(found->guesses[2].cause.empty());
  CHECK(found->excluded == std::vector<std::string>{"four"});
}

TEST_CASE("poison in host memory that kernels need not fill can also be a mistake of host code") {
  for (const auto& supply : {std::optional<grader::Supply>{}, std::optional(grader::Supply{0})}) {
    const auto found = host_diagnosis(kPoison, supply);
    REQUIRE(found);
    CHECK(found->code == "WG-V02");
    CHECK_THAT(found->likely_cause, contains("host code does not set them"));
  }
}

TEST_CASE("other values in host memory are not a result if the result was not copied back") {
  const auto nothing = [](auto, double) { return 0.0; };
  const Expectation expected = expectation({20});
  const Array zeros = output(expected, nothing);
  const auto code_of = [&](std::uint64_t fetched) {
    const OutputPair pair{zeros, expected, grader::Supply{80, false, fetched},
                          grader::harness::Place::pinned};
    return diagnose_values(pair, {})->code;
  };
  CHECK(code_of(0) == "WG-V02");
  CHECK(code_of(80) == "WG-V07");
  // A missing tail is reported as such.
  const Array tail = output(expected, [](auto i, double v) { return i < 16 ? v : 0.0; });
  const OutputPair pair{tail, expected, grader::Supply{80, false, 64}, grader::harness::Place::pinned};
  CHECK(diagnose_values(pair, {})->code == "WG-V05");
}

TEST_CASE("a missing barrier is suspected only where no check would have found it") {
  const auto off = [](auto i, double v) { return i % 3 == 0 ? v + 1 : v; };
  CHECK_THAT(diagnosis({20, 20}, off)->likely_cause, contains("barrier"));
  CHECK_THAT(diagnosis({20, 20}, off, {}, grader::Supply{1600})->likely_cause, !contains("barrier"));
  CHECK_THAT(host_diagnosis(5, std::nullopt)->likely_cause, !contains("barrier"));
}

TEST_CASE("a mistake that gives infinity or nothing but zeros is named before these patterns") {
  const Expectation expected = expectation({20});
  for (const float value : {std::numeric_limits<float>::infinity(), 0.0F}) {
    const Array actual = output(expected, [value](auto, double) { return value; });
    const grader::Hypothesis mistake{
        "WG-V08", "a mistake",   "",
        "",       expected.name, [value](std::size_t) { return static_cast<double>(value); }};
    const auto found = diagnose_values({actual, expected, std::nullopt}, {mistake});
    REQUIRE(found);
    CHECK(found->code == "WG-V08");
  }
}

TEST_CASE("infinities must match exactly, and are valid where they are expected") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Expectation expected{"R", {3}, {1, kInfinity, -kInfinity}, {0, 0, 0}, {}};
  const auto code_of = [&](std::vector<float> values) {
    const auto found = diagnose_values({Array{"R", {3}, std::move(values)}, expected, std::nullopt}, {});
    return found ? found->code : "none";
  };
  const auto infinity = static_cast<float>(kInfinity);
  CHECK(code_of({1, infinity, -infinity}) == "none");
  CHECK(code_of({1, infinity, infinity}) == "WG-V01");
  CHECK(code_of({1, 3e38F, -infinity}) == "WG-V01");
  CHECK(code_of({std::nextafter(1.0F, 2.0F), infinity, -infinity}) == "WG-V06");
  CHECK(code_of({infinity, infinity, -infinity}) == "WG-V01");
  CHECK(code_of({std::nanf(""), infinity, -infinity}) == "WG-V03");
}

TEST_CASE("NaN and infinity are distinguished from wrong numbers") {
  const auto nan = diagnosis({20, 20}, [](auto i, double v) { return i < 3 ? std::nan("") : v; });
  CHECK(nan->code == "WG-V03");
  CHECK(nan->count == 3);
  CHECK(nan->first == "P[0][0] is NaN when it should be 8.41471");
  CHECK(code({20, 20}, [](auto i, double v) {
          return i == 3 ? -std::numeric_limits<double>::infinity() : v;
        }) == "WG-V03");
  CHECK(code({20, 20}, [](auto, double v) { return v + 1e30; }) != "WG-V03");
  const auto spoiled = diagnosis({20, 20}, [](auto i, double v) { return i < 3 ? -1.7e38 : v; });
  CHECK(spoiled->code == "WG-V03");
  CHECK(spoiled->what == "3 of 400 elements of `P` are not finite, or far too large");
  const auto one = diagnosis({1, 1}, [](auto, double) { return std::numeric_limits<double>::infinity(); });
  CHECK(one->what == "the only element of `P` is not finite (NaN or infinity)");
  CHECK(one->first == "P[0][0] is infinity when it should be 8.41471");
}

TEST_CASE("only an output of nothing but zeros is all zero") {
  CHECK(code({20, 20}, [](auto, double) { return -0.0; }) == "WG-V07");
  CHECK(code({20, 20}, [](auto i, double) { return i == 399 ? 1e-30 : 0.0; }) != "WG-V07");
  CHECK(code({20, 20}, [](auto i, double v) { return i < 300 ? 0.0 : v; }) == "WG-V01");
}

TEST_CASE("swapped rows and columns are found in square and other shapes") {
  for (const Shape& shape : {Shape{20, 20}, Shape{7, 31}}) {
    const Expectation expected = expectation(shape);
    const std::size_t rows = shape[0], columns = shape[1];
    const auto swapped = [&](auto i, double) { return expected.values[i % rows * columns + i / rows]; };
    CHECK(code(shape, swapped) == "WG-V04");
    const auto almost = [&](auto i, double) { return swapped(i, 0) + (i == 33 ? 1 : 0); };
    CHECK(code(shape, almost) == "WG-V01");
  }
  CHECK(code({1, 31}, [](auto i, double v) { return v + static_cast<double>(i); }) == "WG-V01");
}

TEST_CASE("elements with values of unwritten memory that a kernel has stored are computed") {
  grader::CaseRun run;
  grader::harness::Job job;
  job.outputs = {{"P", {20, 20}}};
  const grader::SourceText source{"a.cu", {"out[i] = sum;"}};
  run.stored_by.emplace_back(400, vgpu::StoreLine{1});
  run.session.store_lines = {{"a.cu", 1}};
  const Expectation expected = expectation({20, 20});
  const Array actual = output(expected, [](auto i, double v) { return i % 20 == 3 ? double{kPoison} : v; });
  const auto code_with = [&](std::uint64_t stored_bytes) {
    const grader::StoredLines lines(run, job, 0, source);
    grader::Supply supply;
    supply.stored_bytes = stored_bytes;
    return diagnose_values({actual, expected, supply, grader::harness::Place::device, std::nullopt, &lines},
                           {})
        ->code;
  };
  CHECK(code_with(1520) == "WG-V03");
  run.stored_by[0].assign(400, 0);
  CHECK(code_with(1520) == "WG-V02");
}

TEST_CASE("a constant factor is found, and named") {
  const auto twice = diagnosis({20, 20}, [](auto, double v) { return 2 * v; });
  CHECK(twice->code == "WG-V08");
  CHECK(twice->what == "every element of `P` is 2 times what it should be");
  CHECK_THAT(diagnosis({20, 20}, [](auto, double v) { return v / 25; })->what,
             testing::contains("every element of `P` is 1/25 of what it should be"));
  CHECK_THAT(diagnosis({20, 20}, [](auto, double v) { return 32 * v; })->likely_cause,
             testing::contains("each of the 32 lanes of a warp"));
  CHECK(code({20, 20}, [](auto, double v) { return -v; }) == "WG-V08");
  CHECK(code({20, 20}, [](auto i, double v) { return (i == 7 ? 2.1 : 2) * v; }) == "WG-V01");
  CHECK(code({1, 1}, [](auto, double v) { return 2 * v; }) == "WG-V01");
  CHECK(code({20, 20}, [](auto, double v) { return 1e-9 * v; }) != "WG-V08");    // less than the tolerances
  CHECK(code({20, 20}, [](auto, double v) { return 1.0001 * v; }) != "WG-V08");  // printed, it would be 1
}

TEST_CASE("a whole number added to every element is named, unless a factor explains it as well") {
  const auto more = diagnosis({20, 20}, [](auto, double v) { return v + 16; });
  CHECK(more->what == "every element of `P` is 16 too large");
  CHECK(diagnosis({20, 20}, [](auto, double v) { return v - 1; })->what ==
        "every element of `P` is 1 too small");
  // Only some elements, or a number with a fraction.
  CHECK(diagnosis({20, 20}, [](auto i, double v) { return i < 100 ? v : v + 16; })->what.find("16 too") ==
        std::string::npos);
  CHECK(diagnosis({20, 20}, [](auto, double v) { return v + 0.5; })->what.find("too large") ==
        std::string::npos);
}

TEST_CASE("whole numbers where fractions are expected are named") {
  const auto cut = diagnosis({20, 20}, [](auto, double v) { return std::trunc(v) + 3; });
  REQUIRE(cut);
  CHECK_THAT(cut->what, contains("are whole numbers where fractions are expected"));
  CHECK(diagnosis({20, 20}, [](auto i, double v) {
          return i == 5 ? v + 0.25 : std::trunc(v) + 3;
        })->what.find("whole numbers") == std::string::npos);
}

TEST_CASE("errors of the size of half precision look like rounding") {
  // Magnitudes are 100, so half precision explains errors up to 0.15.
  CHECK(code({20, 20}, [](auto i, double v) { return v + 0.1 * std::cos(static_cast<double>(7 * i)); }) ==
        "WG-V06");
  CHECK(code({20, 20}, [](auto i, double v) { return v + 0.4 * std::cos(static_cast<double>(7 * i)); }) ==
        "WG-V01");
  CHECK(code({20, 20}, [](auto i, double v) { return v + (i == 11 ? 0.1 : 0); }) == "WG-V01");
}

TEST_CASE("values whose first five digits are right lack precision, or one small term") {
  const auto with = [](double error, double expected) {
    const Expectation exact{"sum", {1}, {expected}, {0}, {}};
    const auto found =
        diagnose_values({Array{"sum", {1}, {static_cast<float>(expected + error)}}, exact, std::nullopt}, {});
    return found ? found->code : "none";
  };
  CHECK(with(3e-7, 0.25) == "WG-V06");
  CHECK(with(-20, 4e6) == "WG-V06");
  CHECK(with(3e-5, 0.25) == "WG-V01");
  CHECK(with(3e-7, std::numeric_limits<double>::infinity()) == "none");
  CHECK(with(-std::numeric_limits<double>::infinity(), 1) != "WG-V06");
}

TEST_CASE("subnormal numbers that became 0 are named, other zeros are not") {
  Expectation tiny = expectation({40});
  for (double& value : tiny.values) value = static_cast<float>(value * 1e-39);
  tiny.tolerances.assign(tiny.values.size(), 0);
  const auto with = [&](auto change) { return *diagnose_values({output(tiny, change), tiny}, {}); };
  const Diagnostic flushed = with([](auto i, double v) { return i % 3 == 0 ? 0 : v; });
  CHECK(flushed.code == "WG-V06");
  CHECK_THAT(flushed.likely_cause, contains("subnormal numbers"));
  CHECK(with([](auto i, double v) { return i == 4 ? 1 : v; }).code == "WG-V01");
  CHECK(code({40}, [](auto i, double v) { return i % 3 == 0 ? 0 : v; }) == "WG-V01");
  // Any mistake with small results fits, too.
  const Hypothesis truncated{"WG-V08", "a mistake", "", "", "P", [](std::size_t) { return 0.0; }};
  CHECK(diagnose_values({output(tiny, [](auto, double) { return 0; }), tiny}, {truncated})->code == "WG-V06");
}

TEST_CASE("where a given kernel's roundings are required, others are named as such") {
  Expectation exact = expectation({40});
  exact.tolerances.assign(exact.values.size(), 0);
  exact.roundings.assign(exact.values.size(), 1e-4);
  for (double& value : exact.values) value = static_cast<float>(value);
  const auto off_by = [&](double error) {
    return *diagnose_values({output(exact, [=](auto, double v) { return v + error; }), exact}, {});
  };
  CHECK_THAT(off_by(5e-5).what, contains("rounded in another way than by the given kernel"));
  CHECK_THAT(off_by(1e-2).likely_cause, contains("less precision than float"));
}

TEST_CASE("the last elements of a vector are explained by the grid, if it is too small for them") {
  const auto last = [](auto i, double v) { return i >= 256 ? v + 3 : v; };
  grader::Supply supply;
  supply.launch = {{1, 1, 1}, {256, 1, 1}};
  const auto small = diagnosis({300}, last, {}, supply);
  CHECK(small->code == "WG-V05");
  CHECK_THAT(small->likely_cause, contains("the grid is too small"));
  supply.launch = {{2, 1, 1}, {256, 1, 1}};
  CHECK_THAT(diagnosis({300}, last, {}, supply)->likely_cause, contains("a guard"));
}

TEST_CASE("only the edge is reported as wrong if all elements before it are right") {
  const auto edge =
      diagnosis({20, 20}, [](auto i, double v) { return i / 20 >= 16 ? v + 3 + std::cos(i) : v; });
  CHECK(edge->code == "WG-V05");
  CHECK(edge->what == "only the last 4 rows (from row 16 on) of `P` are wrong");
  const auto one = diagnosis({257}, [](auto i, double v) { return i == 256 ? v + 1 : v; });
  CHECK(one->what == "only the last element (element 256) of `P` is wrong");
  CHECK(code({20, 20}, [](auto i, double v) { return i / 20 >= 16 || i == 0 ? v + 3 + std::cos(i) : v; }) ==
        "WG-V01");
}

Hypothesis hypothesis(std::function<double(std::size_t)> values) {
  return {"WG-V09", "a test's mistake", "cause", "remedy", "P", std::move(values)};
}

TEST_CASE("an output of one element is sufficient evidence, one wrong element among many is not") {
  const auto one_more = [](auto, double v) { return v + 5; };
  const auto mistake = [](const Shape& shape) {
    return hypothesis([expected = expectation(shape)](std::size_t i) { return expected.values[i] + 5; });
  };
  CHECK(diagnosis({1}, one_more, {mistake({1})})->code == "WG-V09");
  CHECK(diagnosis({1}, [](auto, double v) { return v + 6; }, {mistake({1})})->code == "WG-V01");
  const Expectation many = expectation({400});
  const auto last = [&](std::size_t i) { return many.values[i] + (i == 399 ? 5 : 0); };
  CHECK(diagnosis({400}, [&](auto i, double) { return last(i); }, {hypothesis(last)})->code == "WG-V01");
}

TEST_CASE("a match within a large tolerance is chance for one element, not for several") {
  const auto with = [](std::uint32_t elements, double value) {
    Expectation loose = expectation({elements});
    loose.tolerances.assign(elements, 100);
    const Array actual = output(loose, [](auto i, double v) { return v + 1000 + std::sin(i); });
    const auto mistake = hypothesis([=](std::size_t i) { return loose.values[i] + value; });
    return diagnose_values({actual, loose, std::nullopt}, {mistake})->code;
  };
  CHECK(with(1, 1000.5) == "WG-V09");
  CHECK(with(1, 950) != "WG-V09");
  CHECK(with(4, 950) == "WG-V09");
}

TEST_CASE("numbers that are small next to the tolerance match no hypothesis but themselves") {
  const auto with = [](double actual, double value) {
    const Expectation large{"P", {1}, {1e24}, {1e18}, {}};
    return diagnose_values({Array{"P", {1}, {static_cast<float>(actual)}}, large},
                           {hypothesis([=](std::size_t) { return value; })})
        ->code;
  };
  CHECK(with(4e-15, 1e3) != "WG-V09");
  CHECK(with(1e3, 1e3) == "WG-V09");
  CHECK(with(1e22, 1e22) == "WG-V09");
}

TEST_CASE("only the first warp of each block stores: the lane, or the warp's number, is wrong") {
  grader::Supply supply{16};
  supply.launch = {.grid = {4, 1, 1}, .block = {128, 1, 1}, .stores_singly = true};
  const auto cause = [&] {
    return diagnosis(
               {16}, [](auto i, double v) { return i % 4 == 0 ? v : double{kPoison}; }, {}, supply)
        ->likely_cause;
  };
  CHECK_THAT(cause(), contains("of the 4 warps of a block only the first one stores"));
  supply.launch->block.x = 64;
  CHECK_THAT(cause(), !contains("warps"));
}

TEST_CASE("a hypothesis must match every element and differ from the expected values") {
  const Expectation expected = expectation({20, 20});
  const auto mistaken = [&](std::size_t i) {
    return expected.values[i] + (i % 3 == 0 ? 5 + std::cos(i) : 0);
  };
  const auto with = [&](auto change, const Hypothesis& one) {
    return diagnosis({20, 20}, change, {one})->code;
  };
  const auto mistake = [&](auto i, double) { return mistaken(i); };
  CHECK(diagnosis({20, 20}, mistake, {hypothesis(mistaken)})->what == "`P` is wrong: a test's mistake");
  CHECK(with([&](auto i, double) { return mistaken(i) + (i == 200 ? 1 : 0); }, hypothesis(mistaken)) ==
        "WG-V01");
  CHECK(with([](auto i, double v) { return i < 300 ? v : v + 1 + std::cos(i); },
             hypothesis([&](std::size_t i) { return expected.values[i]; })) == "WG-V01");
  Hypothesis elsewhere = hypothesis(mistaken);
  elsewhere.output = std::string("Q");
  CHECK(with(mistake, elsewhere) == "WG-V01");
}

TEST_CASE("a hypothesis can leave elements undefined, but not most of them") {
  const Expectation expected = expectation({20, 20});
  const auto wrong = [](auto i, double v) { return v + 5 + std::cos(i); };
  const auto open_from = [&](std::size_t first) {
    return hypothesis(
        [&, first](std::size_t i) { return i < first ? wrong(i, expected.values[i]) : std::nan(""); });
  };
  CHECK(diagnosis({20, 20}, wrong, {open_from(300)})->code == "WG-V09");
  CHECK(diagnosis({20, 20}, wrong, {open_from(100)})->code == "WG-V01");
}

TEST_CASE("elements are named by their indices") {
  CHECK(grader::element_name("P", {17, 65}, 66) == "P[1][1]");
  CHECK(grader::element_name("x", {10}, 9) == "x[9]");
  CHECK(grader::element_name("t", {2, 3, 4}, 23) == "t[1][2][3]");
}

TEST_CASE("a mistake at one value needs only one wrong element, others need several") {
  const auto one_wrong = [](std::size_t i, double v) { return i == 3 ? 99 : v; };
  Hypothesis edge{"WG-V08", "the fourth is 99", "cause", "next", "P", {}};
  edge.values = [](std::size_t i) { return i == 3 ? 99 : std::sin(static_cast<double>(i) + 1) * 10; };
  CHECK(diagnosis({20}, one_wrong, {edge})->code == "WG-V01");
  edge.evidence = 1;
  CHECK(diagnosis({20}, one_wrong, {edge})->code == "WG-V08");
}

TEST_CASE("a mistake with a number of the program's choice is named with the number") {
  const auto limited = [](double limit) { return [limit](auto, double v) { return std::min(v, limit); }; };
  Hypothesis limit{"WG-V09", "no element is above {number}", "it is {number}, {number}", "not {number}", "P",
                   {}};
  limit.values_with = [](std::size_t i, double number) {
    return std::min(std::sin(static_cast<double>(i) + 1) * 10, number);
  };
  const auto found = diagnosis({20, 20}, limited(2.5), {limit});
  CHECK(found->code == "WG-V09");
  CHECK(found->what == "`P` is wrong: no element is above 2.5");
  CHECK(found->likely_cause == "it is 2.5, 2.5");
  CHECK(found->next_step == "not 2.5");
  const auto other = [](std::size_t i, double v) { return i % 7 == 0 ? v + 1 : std::min(v, 2.5); };
  CHECK(diagnosis({20, 20}, other, {limit})->code == "WG-V01");
}

TEST_CASE("a hint from other sources is given only if no pattern fits") {
  const Expectation expected = expectation({20, 20});
  const auto found = [&](auto change) {
    return *diagnose_values({output(expected, change), expected, std::nullopt, grader::harness::Place::device,
                             grader::Hint{"hint"}},
                            {});
  };
  CHECK(found([](std::size_t i, double v) { return v + static_cast<double>(i % 3); }).likely_cause == "hint");
  CHECK(found([](auto, double) { return 0; }).likely_cause != "hint");
}

}  // namespace

}  // namespace patterns_test
