// Evaluates one PTX instruction on the virtual GPU for many operands, one thread each, so that tests can
// compare every form with host arithmetic.
#pragma once

#include <bit>
#include <tuple>

#include "vgpu/gpu.hpp"

namespace test {

template <class T>
std::string register_type() {
  if constexpr (std::is_same_v<T, float>) return ".f32";
  if constexpr (std::is_same_v<T, double>) return ".f64";
  return std::string(".b") + std::to_string(std::max<std::size_t>(sizeof(T), 2) * 8);
}

template <class T>
std::string memory_type() {
  if constexpr (std::is_floating_point_v<T>) return register_type<T>();
  return std::string(std::is_signed_v<T> ? ".s" : ".u") + std::to_string(sizeof(T) * 8);
}

/// The kernel that computes `d = form(a, b, …)` for each thread below %r1 and stores it.
template <class R, class... A>
std::string evaluation_kernel(const std::string& form) {
  std::string declarations =
      ".reg .pred %p1; .reg .b32 %r<6>; .reg .b64 %rd<10>; .reg " + register_type<R>() + " %d;\n";
  std::string parameters = ".param .u64 out, .param .u32 count";
  std::string loads;
  std::string operands = "%d";
  int index = 0;
  const auto add_input = [&]<class T>() {
    const std::string name = std::to_string(index++);
    declarations += ".reg " + register_type<T>() + " %in" + name + ";\n";
    parameters += ", .param .u64 in" + name;
    loads += "ld.param.u64 %rd1, [in" + name + "];\nmad.wide.u32 %rd1, %r1, " + std::to_string(sizeof(T)) +
             ", %rd1;\nld.global" + memory_type<T>() + " %in" + name + ", [%rd1];\n";
    operands += ", %in" + name;
  };
  (add_input.template operator()<A>(), ...);
  return kernel_text(parameters, declarations + R"(
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r1, %r2, %r3, %r4;
    ld.param.u32 %r5, [count];
    setp.ge.u32 %p1, %r1, %r5;
    @%p1 ret;
)" + loads + form + " " + operands + ";\nld.param.u64 %rd2, [out];\nmad.wide.u32 %rd2, %r1, " +
                                     std::to_string(sizeof(R)) + ", %rd2;\nst.global" + memory_type<R>() +
                                     " [%rd2], %d;\nret;\n");
}

/// form(a, b, …) for every row.
template <class R, class... A>
std::vector<R> evaluate(const std::string& form, const std::vector<std::tuple<A...>>& rows) {
  Gpu gpu(evaluation_kernel<R, A...>(form));
  const auto out = gpu.zeros<R>(rows.size());
  const auto count = static_cast<std::uint32_t>(rows.size());
  const auto launch = [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto column = [&]<std::size_t K>() {
      std::vector<std::tuple_element_t<K, std::tuple<A...>>> values;
      for (const auto& row : rows) values.push_back(std::get<K>(row));
      return gpu.upload(values);
    };
    gpu.run("k", {(count + 127) / 128, 1, 1}, {128, 1, 1},
            pack(out, count, column.template operator()<I>()...));
  };
  launch(std::index_sequence_for<A...>{});
  return gpu.download<R>(out, rows.size());
}

/// Every combination of the values.
template <class A>
std::vector<std::tuple<A>> rows_of(const std::vector<A>& a) {
  std::vector<std::tuple<A>> rows;
  for (const A& x : a) rows.emplace_back(x);
  return rows;
}
template <class A, class B>
std::vector<std::tuple<A, B>> rows_of(const std::vector<A>& a, const std::vector<B>& b) {
  std::vector<std::tuple<A, B>> rows;
  for (const A& x : a) {
    for (const B& y : b) rows.emplace_back(x, y);
  }
  return rows;
}
template <class A, class B, class C>
std::vector<std::tuple<A, B, C>> rows_of(const std::vector<A>& a, const std::vector<B>& b,
                                         const std::vector<C>& c) {
  std::vector<std::tuple<A, B, C>> rows;
  for (const auto& [x, y] : rows_of(a, b)) {
    for (const C& z : c) rows.emplace_back(x, y, z);
  }
  return rows;
}

/// The bits of a value, for comparing -0 and NaN; all NaNs have the same bits.
template <class T>
auto comparable(T value) {
  if constexpr (std::is_same_v<T, float>)
    return value != value ? 0x7FFFFFFFU : std::bit_cast<std::uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return value != value ? ~0ULL >> 1U : std::bit_cast<std::uint64_t>(value);
  else
    return static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value);
}

/// Requires that the form computes what `expected` does, for all rows.
template <class R, class... A, class Expected>
void check_form(const std::string& form, const std::vector<std::tuple<A...>>& rows, Expected expected) {
  const auto results = evaluate<R, A...>(form, rows);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const R wanted = std::apply(expected, rows[i]);
    if (comparable(results[i]) == comparable(wanted)) continue;
    if (++wrong > 3) continue;  // a few are enough to see why
    std::apply(
        [&](const auto&... operands) {
          std::string shown;
          ((shown += std::string(" ") + std::to_string(operands)), ...);
          FAIL_CHECK(form << " of" << shown << " is " << +results[i] << " when it should be " << +wanted);
        },
        rows[i]);
  }
  CHECK(wrong == 0);
}

/// Values at which integer arithmetic goes wrong.
template <class T>
std::vector<T> tricky_integers() {
  using L = std::numeric_limits<T>;
  return {0,
          1,
          2,
          3,
          7,
          31,
          32,
          33,
          100,
          L::max(),
          L::max() - 1,
          L::max() / 2,
          L::max() / 2 + 1,
          L::min(),
          L::min() + 1,
          static_cast<T>(-1),
          static_cast<T>(-2),
          static_cast<T>(-7),
          static_cast<T>(0x5A5A5A5A5A5A5A5A)};
}

/// Values at which floating-point arithmetic goes wrong.
template <class T>
std::vector<T> tricky_floats() {
  using L = std::numeric_limits<T>;
  return {0,
          -T{0},
          1,
          -1,
          T(0.5),
          T(1.5),
          T(2.5),
          T(-2.5),
          T(1) / 3,
          T(1e10),
          T(-1e10),
          T(3.0e9),
          T(-3.0e9),
          L::max(),
          L::lowest(),
          L::min(),
          -L::min(),
          L::denorm_min(),
          -L::denorm_min(),
          L::min() / 2,
          L::infinity(),
          -L::infinity(),
          L::quiet_NaN(),
          1 + L::epsilon(),
          T(16777217),
          T(123.456)};
}

}  // namespace test
