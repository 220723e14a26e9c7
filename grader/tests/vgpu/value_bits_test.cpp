// The undefined bits of results: checked against all values that the undefined bits of the operands can have.
#include "vgpu/check/value_bits.hpp"

#include <functional>
#include <random>

#include "catch.hpp"

namespace value_bits_test {

using vgpu::exec::FlowStep;
using vgpu::exec::PartlyDefined;
using vgpu::exec::StepOperands;
using Bits = vgpu::exec::FlowStep::Bits;
using Operation = std::function<std::uint64_t(const std::array<std::uint64_t, 4>&)>;

namespace {

std::uint64_t field(std::uint64_t start, std::uint64_t length) {
  return start >= 32 ? 0 : ((std::uint64_t{1} << std::min<std::uint64_t>(length, 32)) - 1) << start;
}

struct Case {
  Bits bits;
  bool is_signed = false;
  Operation operation;
};

const std::vector<Case>& cases() {
  using Values = std::array<std::uint64_t, 4>;
  static const std::vector<Case> all{
      {Bits::move, false, [](const Values& v) { return v[0]; }},
      {Bits::conjunction, false, [](const Values& v) { return v[0] & v[1]; }},
      {Bits::disjunction, false, [](const Values& v) { return v[0] | v[1]; }},
      {Bits::bit_by_bit, false, [](const Values& v) { return v[0] ^ v[1] ^ v[2]; }},
      {Bits::upwards, false, [](const Values& v) { return v[0] * 5 + v[1] - v[2]; }},
      {Bits::left, false, [](const Values& v) { return v[1] >= 32 ? 0 : v[0] << v[1]; }},
      {Bits::right, false, [](const Values& v) { return v[1] >= 32 ? 0 : v[0] >> v[1]; }},
      {Bits::right, true,
       [](const Values& v) {
         const auto value = static_cast<std::int32_t>(v[0]);
         return static_cast<std::uint64_t>(value >> std::min<std::uint64_t>(v[1], 31));
       }},
      {Bits::extract, false, [](const Values& v) { return (v[0] & field(v[1], v[2])) >> v[1]; }},
      {Bits::insert, false,
       [](const Values& v) { return (v[1] & ~field(v[2], v[3])) | (v[0] << v[2] & field(v[2], v[3])); }},
  };
  return all;
}

}  // namespace

TEST_CASE("a bit that is not marked is the same for all values of the undefined bits") {
  std::mt19937 random(2);
  for (const Case& one : cases()) {
    for (int round = 0; round < 2000; ++round) {
      INFO(static_cast<int>(one.bits) << " round " << round);
      StepOperands operands;
      for (auto& operand : operands) operand = {random(), random() & random() & random()};
      // Amounts, positions and lengths are defined; mostly, they are small.
      const std::size_t first_amount = one.bits == Bits::insert ? 2 : 1;
      const bool has_amounts = one.bits == Bits::left || one.bits == Bits::right ||
                               one.bits == Bits::extract || one.bits == Bits::insert;
      for (std::size_t i = first_amount; has_amounts && i < 4; ++i) operands[i] = {random() % 32, 0};
      const FlowStep step{.bits = one.bits, .bytes = 4, .is_signed = one.is_signed};
      const std::uint64_t undefined = undefined_bits(step, operands);
      std::array<std::uint64_t, 4> values{}, others{};
      for (std::size_t i = 0; i < 4; ++i) {
        values[i] = operands[i].value;
        others[i] = operands[i].value ^ (random() & operands[i].undefined);
      }
      const std::uint64_t difference = (one.operation(values) ^ one.operation(others)) & 0xFFFFFFFFU;
      REQUIRE((difference & ~undefined) == 0);
    }
  }
}

TEST_CASE("bits that cannot matter are not marked") {
  const auto undefined = [](Bits bits, StepOperands operands, std::uint8_t from_bytes = 4,
                            bool is_signed = false) {
    FlowStep step{.bits = bits, .bytes = 4, .from_bytes = from_bytes, .is_signed = is_signed};
    return undefined_bits(step, operands);
  };
  constexpr PartlyDefined kUpperByte{0, 0xFF000000}, kSign{0, 0x8000}, kDefined{};
  CHECK(undefined(Bits::conjunction, StepOperands{kUpperByte, PartlyDefined{0x00FFFFFF, 0}}) == 0);
  CHECK(undefined(Bits::disjunction, StepOperands{kUpperByte, PartlyDefined{0xFF000000, 0}}) == 0);
  CHECK(undefined(Bits::upwards, StepOperands{kUpperByte, PartlyDefined{7, 0}}) == 0xFF000000);
  CHECK(undefined(Bits::left, StepOperands{kUpperByte, PartlyDefined{8, 0}}) == 0);
  CHECK(undefined(Bits::right, StepOperands{kUpperByte, PartlyDefined{24, 0}}) == 0xFF);
  CHECK(undefined(Bits::right, StepOperands{kUpperByte, PartlyDefined{24, 0}}, 4, true) == 0xFFFFFFFF);
  CHECK(undefined(Bits::convert, StepOperands{kUpperByte}, 2) == 0);
  CHECK(undefined(Bits::convert, StepOperands{kSign}, 2, true) == 0xFFFF8000);
  CHECK(undefined(Bits::permute, StepOperands{kUpperByte, kDefined, PartlyDefined{0x0210, 0}}) == 0);
  CHECK(undefined(Bits::permute, StepOperands{kUpperByte, kDefined, PartlyDefined{0x3210, 0}}) == 0xFF000000);
  CHECK(undefined(Bits::permute, StepOperands{kUpperByte, kDefined, PartlyDefined{0xB000, 0}}) == 0xFF000000);
  CHECK(undefined(Bits::extract, StepOperands{kUpperByte, PartlyDefined{8, 0}, PartlyDefined{8, 0}}) == 0);
  CHECK(undefined(Bits::insert,
                  StepOperands{kDefined, kUpperByte, PartlyDefined{24, 0}, PartlyDefined{8, 0}}) == 0);
  CHECK(undefined(Bits::any, StepOperands{kUpperByte}) == ~std::uint64_t{0});
}

}  // namespace value_bits_test
