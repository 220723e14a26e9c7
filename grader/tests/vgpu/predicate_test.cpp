// Comparisons, predicate logic and selections.
#include <cmath>

#include "vgpu/evaluate.hpp"

namespace predicate_test {

using test::rows_of;
using test::tricky_floats;
using test::tricky_integers;

namespace {

/// 1 where setp of the form holds, else 0.
template <class T>
std::vector<std::uint32_t> compared(const std::string& form, const std::vector<std::tuple<T, T>>& rows) {
  // The evaluation kernel gives "form %d, %in0, %in1"; a comparison goes to a predicate first.
  std::string text = test::evaluation_kernel<std::uint32_t, T, T>("FORM");
  const std::string before = "FORM %d, %in0, %in1;";
  text.replace(text.find(before), before.size(), form + " %p1, %in0, %in1; selp.u32 %d, 1, 0, %p1;");
  test::Gpu gpu(text);
  const auto out = gpu.zeros<std::uint32_t>(rows.size());
  std::vector<T> a, b;
  for (const auto& [x, y] : rows) {
    a.push_back(x);
    b.push_back(y);
  }
  const auto count = static_cast<std::uint32_t>(rows.size());
  gpu.run("k", {(count + 63) / 64, 1, 1}, {64, 1, 1}, test::pack(out, count, gpu.upload(a), gpu.upload(b)));
  return gpu.download<std::uint32_t>(out, rows.size());
}

template <class T, class Holds>
void check_comparison(const std::string& form, const std::vector<T>& values, Holds holds) {
  const auto rows = rows_of(values, values);
  const auto results = compared<T>(form, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [a, b] = rows[i];
    INFO(form << " of " << a << " and " << b);
    if (results[i] != (holds(a, b) ? 1U : 0U)) FAIL_CHECK("gives " << results[i]);
  }
}

template <class T>
void check_integers(const std::string& type) {
  const auto values = tricky_integers<T>();
  check_comparison<T>("setp.eq." + type, values, [](T a, T b) { return a == b; });
  check_comparison<T>("setp.ne." + type, values, [](T a, T b) { return a != b; });
  check_comparison<T>("setp.lt." + type, values, [](T a, T b) { return a < b; });
  check_comparison<T>("setp.le." + type, values, [](T a, T b) { return a <= b; });
  check_comparison<T>("setp.gt." + type, values, [](T a, T b) { return a > b; });
  check_comparison<T>("setp.ge." + type, values, [](T a, T b) { return a >= b; });
}

template <class T>
void check_floats(const std::string& type) {
  const auto values = tricky_floats<T>();
  const auto unordered = [](T a, T b) { return std::isnan(a) || std::isnan(b); };
  check_comparison<T>("setp.eq." + type, values, [](T a, T b) { return a == b; });
  check_comparison<T>("setp.ne." + type, values, [&](T a, T b) { return !unordered(a, b) && a != b; });
  check_comparison<T>("setp.lt." + type, values, [](T a, T b) { return a < b; });
  check_comparison<T>("setp.le." + type, values, [](T a, T b) { return a <= b; });
  check_comparison<T>("setp.gt." + type, values, [](T a, T b) { return a > b; });
  check_comparison<T>("setp.ge." + type, values, [](T a, T b) { return a >= b; });
  check_comparison<T>("setp.equ." + type, values, [&](T a, T b) { return unordered(a, b) || a == b; });
  check_comparison<T>("setp.neu." + type, values, [&](T a, T b) { return unordered(a, b) || a != b; });
  check_comparison<T>("setp.ltu." + type, values, [&](T a, T b) { return unordered(a, b) || a < b; });
  check_comparison<T>("setp.leu." + type, values, [&](T a, T b) { return unordered(a, b) || a <= b; });
  check_comparison<T>("setp.gtu." + type, values, [&](T a, T b) { return unordered(a, b) || a > b; });
  check_comparison<T>("setp.geu." + type, values, [&](T a, T b) { return unordered(a, b) || a >= b; });
  check_comparison<T>("setp.num." + type, values, [&](T a, T b) { return !unordered(a, b); });
  check_comparison<T>("setp.nan." + type, values, unordered);
}

/// Runs `body`, which leaves a value in %r9, in one thread with u32 parameters a, b and c in %r1, %r2 and
/// %r3.
std::uint32_t value_of(const std::string& body, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  test::Gpu gpu(test::kernel_text(".param .u64 out, .param .u32 a, .param .u32 b, .param .u32 c",
                                  ".reg .pred %p<9>; .reg .b32 %r<10>; .reg .f32 %f<4>; .reg .b64 %rd<3>;\n"
                                  "ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; ld.param.u32 %r3, [c];\n" +
                                      body + "\nld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r9; ret;"));
  const auto out = gpu.zeros<std::uint32_t>(1);
  gpu.run("k", {1, 1, 1}, {1, 1, 1}, test::pack(out, a, b, c));
  return gpu.download<std::uint32_t>(out, 1)[0];
}

}  // namespace

TEST_CASE("integer comparisons hold for signed and unsigned numbers of all widths") {
  check_integers<std::uint16_t>("u16");
  check_integers<std::uint32_t>("u32");
  check_integers<std::uint64_t>("u64");
  check_integers<std::int16_t>("s16");
  check_integers<std::int32_t>("s32");
  check_integers<std::int64_t>("s64");
}

TEST_CASE("ordered and unordered comparisons differ for NaN") {
  check_floats<float>("f32");
  check_floats<double>("f64");
}

TEST_CASE("a comparison combines with a third predicate and gives its opposite too") {
  const std::string body = R"(
    setp.ne.u32 %p3, %r3, 0;
    setp.lt.COMBINE.u32 %p1|%p2, %r1, %r2, NEGATION%p3;
    selp.u32 %r4, 1, 0, %p1;
    selp.u32 %r5, 2, 0, %p2;
    or.b32 %r9, %r4, %r5;)";
  for (const bool less : {false, true}) {
    for (const bool third : {false, true}) {
      for (const bool negated : {false, true}) {
        const auto run = [&](const std::string& combine) {
          std::string text = body;
          text.replace(text.find("COMBINE"), 7, combine);
          text.replace(text.find("NEGATION"), 8, std::string(negated ? 1 : 0, '!'));
          return value_of(text, less ? 1 : 2, 2, third ? 1 : 0);
        };
        const bool c = third != negated;
        const auto both = [](bool p, bool q) { return (p ? 1U : 0U) | (q ? 2U : 0U); };
        CHECK(run("and") == both(less && c, !less && c));
        CHECK(run("or") == both(less || c, !less || c));
        CHECK(run("xor") == both(less != c, less == c));
      }
    }
  }
}

TEST_CASE("predicates are combined and negated") {
  const std::string inputs = "setp.ne.u32 %p1, %r1, 0; setp.ne.u32 %p2, %r2, 0;\n";
  for (std::uint32_t a = 0; a < 2; ++a) {
    for (std::uint32_t b = 0; b < 2; ++b) {
      const auto run = [&](const std::string& form) {
        return value_of(inputs + form + " selp.u32 %r9, 1, 0, %p3;", a, b, 0);
      };
      CHECK(run("and.pred %p3, %p1, %p2;") == (a & b));
      CHECK(run("or.pred %p3, %p1, %p2;") == (a | b));
      CHECK(run("xor.pred %p3, %p1, %p2;") == (a ^ b));
      CHECK(run("not.pred %p3, %p1;") == 1 - a);
      CHECK(run("mov.pred %p3, %p2;") == b);
      CHECK(run("mov.pred %p3, 1;") == 1U);
      CHECK(run("mov.pred %p3, 0;") == 0U);
    }
  }
}

TEST_CASE("set writes all ones, slct selects by sign, testp classifies") {
  CHECK(value_of("set.lt.u32.s32 %r9, %r1, %r2;", 0xFFFFFFFF, 1, 0) == 0xFFFFFFFF);
  CHECK(value_of("set.lt.u32.u32 %r9, %r1, %r2;", 0xFFFFFFFF, 1, 0) == 0);
  CHECK(value_of("slct.u32.s32 %r9, %r1, %r2, %r3;", 5, 6, 0) == 5);
  CHECK(value_of("slct.u32.s32 %r9, %r1, %r2, %r3;", 5, 6, 0x80000000) == 6);
  const auto is = [](const std::string& kind, std::uint32_t bits) {
    return value_of("mov.b32 %f1, %r1; testp." + kind + ".f32 %p1, %f1; selp.u32 %r9, 1, 0, %p1;", bits, 0,
                    0) == 1;
  };
  constexpr std::uint32_t kNan = 0x7FC00000, kInfinity = 0xFF800000, kSubnormal = 1, kOne = 0x3F800000;
  CHECK((is("notanumber", kNan) && !is("notanumber", kOne)));
  CHECK((is("infinite", kInfinity) && !is("infinite", kNan)));
  CHECK((is("finite", kOne) && !is("finite", kInfinity) && !is("finite", kNan)));
  CHECK((is("subnormal", kSubnormal) && !is("subnormal", kOne)));
  CHECK((is("normal", kOne) && !is("normal", kSubnormal) && !is("normal", 0)));
  CHECK((is("number", kInfinity) && !is("number", kNan)));
}

}  // namespace predicate_test
