// mma.sync and wmma.mma (PTX ISA 9.7.14): D = A · B + C, of matrices whose fragments the lanes of a warp hold
// (matrix_fragments.hpp). Rounding: tensor_arithmetic.hpp. Shapes and types are those of sm_80 to sm_90
// except mma.m8n8k4 of f16, integers of fewer than 8 bits, and fp8.
#include <initializer_list>

#include "vgpu/analysis/matrix_fragments.hpp"
#include "vgpu/flow/warp_groups.hpp"
#include "vgpu/handlers/form_tables.hpp"
#include "vgpu/handlers/tensor_arithmetic.hpp"

namespace vgpu::exec::VGPU_ISA {
namespace {

/// Form::option: .satfinite
constexpr std::uint8_t kSaturates = 1;

template <int kBytes>
using Unsigned =
    std::conditional_t<kBytes == 1, std::uint8_t,
                       std::conditional_t<kBytes == 2, std::uint16_t,
                                          std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>>;

/// The place in the matrix of every element of a fragment, by register, lane and element of the register.
template <Fragment kFragment>
constexpr auto places_of() {
  std::array<Place, static_cast<std::size_t>(kFragment.rows() * kFragment.columns())> places{};
  std::size_t next = 0;
  for (int number = 0; number < kFragment.registers(); ++number) {
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      for (int i = 0; i < kFragment.elements(); ++i) places[next++] = kFragment.place(number, lane, i);
    }
  }
  return places;
}

/// Calls visit(place, element) for the elements of an operand in the registers listed in `vectors`.
template <Fragment kFragment, class Visit>
void for_elements(Warp& warp, const std::uint32_t* vectors, Visit visit) {
  static constexpr auto kPlaces = places_of<kFragment>();
  constexpr std::size_t kOfRegister = kPlaces.size() / static_cast<std::size_t>(kFragment.registers());
  for (std::size_t number = 0; number < kPlaces.size() / kOfRegister; ++number) {
    auto* elements = vector_at<Unsigned<kFragment.element_bytes>>(warp, vectors[number]);
    for (std::size_t i = 0; i < kOfRegister; ++i) visit(kPlaces[number * kOfRegister + i], elements[i]);
  }
}

template <class Arithmetic, MatrixShape kShape>
const Decoded* multiply(Warp& warp, const Decoded& d) {
  if (warp.mask != kFullMask) [[unlikely]]
    return raise_part_of_warp(warp, d);
  constexpr Fragment kA{MatrixUse::a, kShape, Arithmetic::kFactorBytes};
  constexpr Fragment kB{MatrixUse::b, kShape, Arithmetic::kFactorBytes};
  constexpr Fragment kC{MatrixUse::accumulator, kShape, Arithmetic::kAddendBytes};
  constexpr Fragment kD{MatrixUse::accumulator, kShape, Arithmetic::kResultBytes};
  // All operands are read before D is written: D can use the registers of A, B or C.
  std::array<typename Arithmetic::template Row<kShape.k>, kShape.m> rows;
  std::array<typename Arithmetic::template Column<kShape.k>, kShape.n> columns;
  std::array<std::array<Unsigned<kC.register_bytes()>, kShape.n>, kShape.m> sums;
  const std::uint32_t* vectors = warp.core->program().list_of(d).data();
  for_elements<kA>(warp, vectors + d.a, [&](Place at, auto x) { rows[at.row].set(at.column, x); });
  for_elements<kB>(warp, vectors + d.b, [&](Place at, auto x) { columns[at.column].set(at.row, x); });
  for_elements<kC>(warp, vectors + d.c, [&](Place at, auto x) { sums[at.row][at.column] = x; });
  const bool saturates = d.option == kSaturates;
  for (std::size_t m = 0; m < kShape.m; ++m) {
    for (std::size_t n = 0; n < kShape.n; ++n)
      sums[m][n] = Arithmetic::template element<kShape.k>(rows[m], columns[n], sums[m][n], saturates);
  }
  for_elements<kD>(warp, vectors, [&](Place at, auto& x) {
    x = static_cast<std::remove_reference_t<decltype(x)>>(sums[at.row][at.column]);
  });
  return &d + 1;
}

constexpr Lane lane_of_bytes(int bytes) { return bytes == 8 ? Lane::b64 : Lane::b32; }

template <class Arithmetic, MatrixShape kShape>
Form product_form(std::uint8_t option = 0) {
  constexpr Fragment kA{MatrixUse::a, kShape, Arithmetic::kFactorBytes};
  constexpr Fragment kB{MatrixUse::b, kShape, Arithmetic::kFactorBytes};
  constexpr Fragment kC{MatrixUse::accumulator, kShape, Arithmetic::kAddendBytes};
  constexpr Fragment kD{MatrixUse::accumulator, kShape, Arithmetic::kResultBytes};
  Form form{.handler = multiply<Arithmetic, kShape>,
            .counted_as = InstructionClass::tensor,
            .shape = Shape::matrix_product,
            .option = option};
  std::size_t next = 0;
  for (const Fragment& fragment : {kD, kA, kB, kC}) {
    form.operands[next] = lane_of_bytes(fragment.register_bytes());
    form.registers[next++] = static_cast<std::uint8_t>(fragment.registers());
  }
  return form;
}

// ---- mma.sync, by its types

std::string mma(std::string_view shape, std::string_view types) {
  return joined({"mma.sync.", shape, ".row.col.", types});
}

template <class F, class C, class D>
void add_mma_of_halves(FormTable& t, std::string_view types) {
  t[mma("m16n8k8", types)] = product_form<FloatArithmetic<F, C, D>, MatrixShape{16, 8, 8}>();
  t[mma("m16n8k16", types)] = product_form<FloatArithmetic<F, C, D>, MatrixShape{16, 8, 16}>();
}

template <class A, class B>
void add_mma_of_bytes(FormTable& t, std::string_view types) {
  using Arithmetic = IntegerArithmetic<A, B>;
  for (const std::uint8_t option : {std::uint8_t{0}, kSaturates}) {
    const std::string all = joined({option == kSaturates ? "satfinite.s32." : "s32.", types, ".s32"});
    t[mma("m8n8k16", all)] = product_form<Arithmetic, MatrixShape{8, 8, 16}>(option);
    t[mma("m16n8k16", all)] = product_form<Arithmetic, MatrixShape{16, 8, 16}>(option);
    t[mma("m16n8k32", all)] = product_form<Arithmetic, MatrixShape{16, 8, 32}>(option);
  }
}

void add_mma(FormTable& t) {
  add_mma_of_halves<Half, SingleAccumulator, SingleAccumulator>(t, "f32.f16.f16.f32");
  add_mma_of_halves<Half, HalfAccumulator, HalfAccumulator>(t, "f16.f16.f16.f16");
  add_mma_of_halves<Bfloat, SingleAccumulator, SingleAccumulator>(t, "f32.bf16.bf16.f32");
  using Tf32Arithmetic = FloatArithmetic<Tf32, SingleAccumulator, SingleAccumulator>;
  t[mma("m16n8k4", "f32.tf32.tf32.f32")] = product_form<Tf32Arithmetic, MatrixShape{16, 8, 4}>();
  t[mma("m16n8k8", "f32.tf32.tf32.f32")] = product_form<Tf32Arithmetic, MatrixShape{16, 8, 8}>();
  add_mma_of_bytes<std::int8_t, std::int8_t>(t, "s8.s8");
  add_mma_of_bytes<std::int8_t, std::uint8_t>(t, "s8.u8");
  add_mma_of_bytes<std::uint8_t, std::int8_t>(t, "u8.s8");
  add_mma_of_bytes<std::uint8_t, std::uint8_t>(t, "u8.u8");
  const std::string_view doubles = "f64.f64.f64.f64";
  t[mma("m8n8k4", doubles)] = product_form<DoubleArithmetic, MatrixShape{8, 8, 4}>();
  t[mma("m16n8k4", doubles)] = product_form<DoubleArithmetic, MatrixShape{16, 8, 4}>();
  t[mma("m16n8k8", doubles)] = product_form<DoubleArithmetic, MatrixShape{16, 8, 8}>();
  t[mma("m16n8k16", doubles)] = product_form<DoubleArithmetic, MatrixShape{16, 8, 16}>();
}

// ---- wmma.mma: the layouts describe how the fragments were loaded; fragments are the same for all layouts

void add_wmma_form(FormTable& t, std::string_view shape_and_types, const Form& form) {
  for (const char* layouts : {"row.row.", "row.col.", "col.row.", "col.col."})
    t[{"wmma.mma.sync.", layouts, shape_and_types}] = form;
}

template <class Arithmetic>
void add_wmma_of_16(FormTable& t, std::string_view types, std::uint8_t option = 0) {
  // A fragment of halves has 8 registers in all shapes; the first ones hold it, the others are copies.
  add_wmma_form(t, joined({"m16n16k16.", types}), product_form<Arithmetic, MatrixShape{16, 16, 16}>(option));
  add_wmma_form(t, joined({"m32n8k16.", types}), product_form<Arithmetic, MatrixShape{32, 8, 16}>(option));
  add_wmma_form(t, joined({"m8n32k16.", types}), product_form<Arithmetic, MatrixShape{8, 32, 16}>(option));
}

template <class T>
void add_wmma_of_bytes(FormTable& t, std::string_view types) {
  add_wmma_of_16<IntegerArithmetic<T, T>>(t, types);
  add_wmma_of_16<IntegerArithmetic<T, T>>(t, joined({types, ".satfinite"}), kSaturates);
}

void add_wmma(FormTable& t) {
  add_wmma_of_16<FloatArithmetic<Half, SingleAccumulator, SingleAccumulator>>(t, "f32.f32");
  add_wmma_of_16<FloatArithmetic<Half, HalfAccumulator, SingleAccumulator>>(t, "f32.f16");
  add_wmma_of_16<FloatArithmetic<Half, SingleAccumulator, HalfAccumulator>>(t, "f16.f32");
  add_wmma_of_16<FloatArithmetic<Half, HalfAccumulator, HalfAccumulator>>(t, "f16.f16");
  add_wmma_of_16<FloatArithmetic<Bfloat, SingleAccumulator, SingleAccumulator>>(t, "f32.bf16.bf16.f32");
  add_wmma_of_bytes<std::int8_t>(t, "s32.s8.s8.s32");
  add_wmma_of_bytes<std::uint8_t>(t, "s32.u8.u8.s32");
  using Tf32Arithmetic = FloatArithmetic<Tf32, SingleAccumulator, SingleAccumulator>;
  add_wmma_form(t, "m16n16k8.f32.tf32.tf32.f32", product_form<Tf32Arithmetic, MatrixShape{16, 16, 8}>());
  const Form doubles = product_form<DoubleArithmetic, MatrixShape{8, 8, 4}>();
  for (const char* rounding : {"", ".rn"})
    add_wmma_form(t, joined({"m8n8k4.f64.f64.f64.f64", rounding}), doubles);
}

}  // namespace

void add_tensor_forms(FormTable& t) {
  add_mma(t);
  add_wmma(t);
}

}  // namespace vgpu::exec::VGPU_ISA
