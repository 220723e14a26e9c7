// mma.sync: every shape and type against plain sums of products, the bits of an H200, and refused forms.

#include <cmath>

#include "vgpu/tensor_cases.hpp"

namespace mma_test {

using namespace vgpu;
using namespace test::tensor;
using test::Gpu;
using test::kernel_text;
using test::pack;

namespace {

/// "{%x0, %x1, …}"
std::string vector_text(const std::string& prefix, std::size_t count) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + prefix + std::to_string(i);
  return text + "}";
}

/// The numbers of 4- or 8-byte registers of d, a, b and c.
struct Registers {
  std::size_t d, a, b, c;
  bool are_wide = false;
};

/// A kernel that fills the registers of a, b and c from memory, runs `instruction` and stores d's.
std::string text(const std::string& instruction, const Registers& count) {
  const std::string type = count.are_wide ? "b64" : "b32", bytes = count.are_wide ? "8" : "4";
  std::string body = ".reg .b32 %lane; .reg .b64 %p<9>; .reg .pred %q;\nmov.u32 %lane, %laneid;\n";
  const auto each = [&](const std::string& name, std::size_t registers, bool is_loaded) {
    body += ".reg ." + type + " %" + name + "<" + std::to_string(registers) + ">;\n" + "ld.param.u64 %p1, [" +
            name + "]; mad.wide.u32 %p1, %lane, " + bytes + ", %p1;\n";
    for (std::size_t i = 0; i < registers; ++i) {
      const std::string place = "[%p1+" + std::to_string(i * 32 * (count.are_wide ? 8 : 4)) + "]";
      const std::string one = "%" + name + std::to_string(i);
      body += is_loaded ? "ld.global." + type + " " + one + ", " + place + ";\n"
                        : "st.global." + type + " " + place + ", " + one + ";\n";
    }
  };
  each("a", count.a, true);
  each("b", count.b, true);
  each("c", count.c, true);
  body += ".reg ." + type + " %d<" + std::to_string(count.d) + ">;\n" + ".loc 1 7 1\n" + instruction + " " +
          vector_text("d", count.d) + ", " + vector_text("a", count.a) + ", " + vector_text("b", count.b) +
          ", " + vector_text("c", count.c) + ";\n";
  body += "ld.param.u64 %p2, [d]; mad.wide.u32 %p2, %lane, " + bytes + ", %p2;\n";
  for (std::size_t i = 0; i < count.d; ++i)
    body += "st.global." + type + " [%p2+" + std::to_string(i * 32 * (count.are_wide ? 8 : 4)) + "], %d" +
            std::to_string(i) + ";\n";
  return kernel_text(".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d", body + "ret;");
}

/// One instruction on a device.
struct Mma {
  Mma(const std::string& front, const MmaShape& its_shape, const std::string& back, int factors, int addends,
      int results)
      : shape(its_shape),
        factor_bytes(factors),
        addend_bytes(addends),
        result_bytes(results),
        gpu(text("mma.sync.aligned." + its_shape.text() + ".row.col" + front + back, counts())) {}

  Registers counts() const {
    const auto registers = [](int elements, int bytes) {
      return static_cast<std::size_t>(elements * bytes / (32 * (bytes == 8 ? 8 : 4)));
    };
    return {registers(shape.m * shape.n, result_bytes), registers(shape.m * shape.k, factor_bytes),
            registers(shape.k * shape.n, factor_bytes), registers(shape.m * shape.n, addend_bytes),
            factor_bytes == 8};
  }

  BitMatrix run(const BitMatrix& a, const BitMatrix& b, const BitMatrix& c) {
    const auto d_a = gpu.upload(registers_of(a, shape, factor_bytes, place_in_a));
    const auto d_b = gpu.upload(registers_of(b, shape, factor_bytes, place_in_b));
    const auto d_c = gpu.upload(registers_of(c, shape, addend_bytes, place_in_c));
    const std::size_t bytes = c.bits.size() * static_cast<std::size_t>(result_bytes);
    const auto d_d = gpu.zeros<std::byte>(bytes);
    record = gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(d_a, d_b, d_c, d_d));
    const auto result = gpu.download<std::byte>(d_d, bytes);
    for (const auto address : {d_a, d_b, d_c, d_d}) REQUIRE(gpu.device.free(address));
    return matrix_of(result, shape.m, shape.n, shape, result_bytes, place_in_c);
  }

  MmaShape shape;
  int factor_bytes, addend_bytes, result_bytes;
  Gpu gpu;
  LaunchRecord record;
};

void check_equal(const BitMatrix& is, const BitMatrix& should) {
  int wrong = 0;
  for (int row = 0; row < is.rows; ++row) {
    for (int column = 0; column < is.columns; ++column) {
      if (is.at(row, column) == should.at(row, column) || ++wrong > 3) continue;
      FAIL_CHECK("element (" << row << ", " << column << ") is " << std::hex << is.at(row, column)
                             << " when it should be " << should.at(row, column));
    }
  }
  CHECK(wrong == 0);
}

struct FloatCase {
  MmaShape shape;
  FloatFormat factor, addend;
};

std::string types_of(const FloatCase& c) {
  return std::string(".") + c.addend.name + "." + c.factor.name + "." + c.factor.name + "." + c.addend.name;
}

}  // namespace

TEST_CASE("mma multiplies floats like an H200, in every shape") {
  const auto c = GENERATE(FloatCase{{16, 8, 8}, kF16, kF32}, FloatCase{{16, 8, 16}, kF16, kF32},
                          FloatCase{{16, 8, 8}, kF16, kF16}, FloatCase{{16, 8, 16}, kF16, kF16},
                          FloatCase{{16, 8, 8}, kBf16, kF32}, FloatCase{{16, 8, 16}, kBf16, kF32},
                          FloatCase{{16, 8, 4}, kTf32, kF32}, FloatCase{{16, 8, 8}, kTf32, kF32});
  INFO(c.shape.text() << types_of(c));
  Mma mma(types_of(c), c.shape, "", c.factor.bytes, c.addend.bytes, c.addend.bytes);
  RandomBits random(7);
  for (int round = 0; round < 24; ++round) {
    // Of any size, of similar sizes, and with infinities and NaN.
    const bool is_near_one = round % 3 == 1, with_special = round % 3 == 2;
    INFO("round " << round);
    const BitMatrix a = random.matrix(c.shape.m, c.shape.k, c.factor, is_near_one, with_special);
    const BitMatrix b = random.matrix(c.shape.k, c.shape.n, c.factor, is_near_one, with_special);
    const BitMatrix added = random.matrix(c.shape.m, c.shape.n, c.addend, is_near_one, with_special);
    check_equal(mma.run(a, b, added), float_product(a, b, added, c.factor, c.addend, c.addend));
  }
}

namespace {

/// Products in row 0 and column 0, and the addends.
struct Special {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> factors;
  std::uint32_t c, f32;
};

std::uint64_t first_element(Mma& mma, const Special& special, std::uint64_t c) {
  BitMatrix a(16, 16), b(16, 8), added(16, 8);
  for (std::size_t k = 0; k < special.factors.size(); ++k) {
    a.at(0, static_cast<int>(k)) = special.factors[k].first;
    b.at(static_cast<int>(k), 0) = special.factors[k].second;
  }
  added.at(0, 0) = c;
  return mma.run(a, b, added).at(0, 0);
}

constexpr std::uint32_t kNaN = 0x7FFFFFFF, kInfinity = 0x7F800000;

/// 2^exponent as bf16.
constexpr std::uint32_t power(int exponent) { return static_cast<std::uint32_t>(exponent + 127) << 7U; }
constexpr std::uint32_t kOne = power(0), kMinus = 0x8000;

}  // namespace

TEST_CASE("mma of f16 gives the bits of an H200 for special values") {
  Mma mma(".f32.f16.f16.f32", {16, 8, 16}, "", 2, 4, 4);
  const auto special = GENERATE(
      Special{{{0x7C00, 0x3C00}}, 0, kInfinity}, Special{{{0x7C00, 0}}, 0, kNaN},
      Special{{{0x7C00, 0x3C00}, {0xFC00, 0x3C00}}, 0, kNaN}, Special{{{0x7D01, 0x3C00}}, 0, kNaN},
      Special{{}, 0x7FC12345, kNaN}, Special{{}, 0x7F812345, kNaN}, Special{{}, 0xFFC12345, kNaN},
      Special{{}, kInfinity, kInfinity}, Special{{{0x7C00, 0x3C00}}, 0xFF800000, kNaN},
      Special{{}, 0x80000000, 0}, Special{{{0x8000, 0x3C00}}, 0x80000000, 0},
      Special{{{0x3C00, 0x3C00}, {0xBC00, 0x3C00}}, 0x80000000, 0}, Special{{}, 0x00000123, 0x00000123},
      Special{{{1, 1}}, 0, 0x27800000}, Special{{{1, 1}, {0x3C00, 0x3C00}}, 0, 0x3F800000},
      Special{{{1, 1}}, 0x00000123, 0x27800000},
      // 1 and eight times 2^-26, which is cut off each time; 1 and four times 2^-25, which is not.
      Special{{{0x3C00, 0x3C00},
               {0x0800, 0x0800},
               {0x0800, 0x0800},
               {0x0800, 0x0800},
               {0x0800, 0x0800},
               {0x0800, 0x0800},
               {0x0800, 0x0800},
               {0x0800, 0x0800},
               {0x0800, 0x0800}},
              0,
              0x3F800000},
      Special{{{0x3C00, 0x3C00}, {0x0800, 0x0C00}, {0x0800, 0x0C00}, {0x0800, 0x0C00}, {0x0800, 0x0C00}},
              0,
              0x3F800001});
  INFO(std::hex << special.f32 << " " << special.c << " " << special.factors.size());
  CHECK(first_element(mma, special, special.c) == special.f32);
}

TEST_CASE("mma of bf16 gives the bits of an H200 where exponents are extreme") {
  Mma mma(".f32.bf16.bf16.f32", {16, 8, 16}, "", 2, 4, 4);
  const auto special = GENERATE(
      Special{{{power(-100), power(-40)}}, 0, 0x00000200},
      Special{{{power(-100), power(-49)}}, 0, 0x00000001}, Special{{{power(-100), power(-50)}}, 0, 0},
      Special{{{power(-100) + 0x40, power(-49)}}, 0, 1}, Special{{{0x0008, kOne}}, 0, 0x00080000},
      Special{{{0x0008, power(10)}}, 0, 0x03800000}, Special{{{power(100), power(100)}}, 0, kInfinity},
      Special{{{power(100), power(100)}, {power(100) | kMinus, power(100)}}, 0, 0},
      Special{{{power(127), power(1)}}, 0xFF000000, 0x7F000000},
      Special{{{power(127), kOne}, {power(127), kOne}, {power(127) | kMinus, kOne}}, 0, 0x7F000000},
      Special{{{power(127) + 0x40, kOne}}, 0x7F000000, kInfinity});
  INFO(std::hex << special.f32);
  CHECK(first_element(mma, special, special.c) == special.f32);
}

TEST_CASE("mma with f16 accumulators rounds once, to the nearest") {
  Mma mma(".f16.f16.f16.f16", {16, 8, 16}, "", 2, 2, 2);
  const auto [special, f16] =
      GENERATE(std::pair{Special{{{0x7C00, 0x3C00}}, 0, 0}, 0x7C00U},
               std::pair{Special{{}, 0x7D01, 0}, 0x7FFFU}, std::pair{Special{{}, 0x8000, 0}, 0U},
               // 2049 is between 2048 and 2050, 2051 between 2050 and 2052: rounded to even.
               std::pair{Special{{{0x3C00, 0x3C00}}, 0x6800, 0}, 0x6800U},
               std::pair{Special{{{0x3C00, 0x3C00}}, 0x6801, 0}, 0x6802U},
               // 1 + 1: both in one rounding.
               std::pair{Special{{{0x3C00, 0x3C00}, {0x3C00, 0x3C00}}, 0x6800, 0}, 0x6801U},
               std::pair{Special{{{0x7BFF, 0x3C00}}, 0x7BFF, 0}, 0x7C00U});
  CHECK(first_element(mma, special, special.c) == f16);
}

TEST_CASE("mma of tf32 ignores the lower 13 bits") {
  Mma mma(".f32.tf32.tf32.f32", {16, 8, 8}, "", 4, 4, 4);
  BitMatrix a(16, 8), b(8, 8), c(16, 8);
  a.at(0, 0) = 0x3F801FFF;
  b.at(0, 0) = 0x40001FFF;
  CHECK(mma.run(a, b, c).at(0, 0) == 0x40000000);
}

TEST_CASE("mma of doubles is a chain of fused multiply-adds in the order of k") {
  const auto shape = GENERATE(MmaShape{8, 8, 4}, MmaShape{16, 8, 4}, MmaShape{16, 8, 8}, MmaShape{16, 8, 16});
  INFO(shape.text());
  Mma mma(".f64.f64.f64.f64", shape, "", 8, 8, 8);
  std::mt19937_64 random(5);
  const auto fill = [&](BitMatrix matrix) {
    for (auto& bits : matrix.bits)
      bits = std::bit_cast<std::uint64_t>(std::ldexp(static_cast<double>(random()) - 0x1p63, -63));
    return matrix;
  };
  const BitMatrix a = fill({shape.m, shape.k}), b = fill({shape.k, shape.n}), c = fill({shape.m, shape.n});
  BitMatrix should = c;
  for (int row = 0; row < shape.m; ++row) {
    for (int column = 0; column < shape.n; ++column) {
      for (int k = 0; k < shape.k; ++k) {
        const auto value = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
        should.at(row, column) = std::bit_cast<std::uint64_t>(
            std::fma(value(a.at(row, k)), value(b.at(k, column)), value(should.at(row, column))));
      }
    }
  }
  check_equal(mma.run(a, b, c), should);
}

TEST_CASE("mma of bytes is exact, and wraps or saturates") {
  const auto shape = GENERATE(MmaShape{8, 8, 16}, MmaShape{16, 8, 16}, MmaShape{16, 8, 32});
  const auto [a_type, b_type] =
      GENERATE(std::pair{"s8", "s8"}, std::pair{"s8", "u8"}, std::pair{"u8", "s8"}, std::pair{"u8", "u8"});
  const bool saturates = GENERATE(false, true);
  const std::string types =
      std::string(saturates ? ".satfinite" : "") + ".s32." + a_type + "." + b_type + ".s32";
  INFO(shape.text() << types);
  Mma mma(types, shape, "", 1, 4, 4);
  RandomBits random(11);
  BitMatrix a(shape.m, shape.k), b(shape.k, shape.n), c(shape.m, shape.n);
  for (auto& bits : a.bits) bits = random.word() & 0xFF;
  for (auto& bits : b.bits) bits = random.word() & 0xFF;
  // Near the ends, so that a sum may pass them.
  for (auto& bits : c.bits)
    bits = (random.word() % 2 == 0 ? 0x7FFFFFFFU : 0x80000000U) ^ (random.word() & 0x7FFU);
  const auto value = [](std::uint64_t bits, const std::string& type) {
    return type == "s8" ? int{static_cast<std::int8_t>(bits)} : static_cast<int>(bits);
  };
  BitMatrix should = c;
  int beyond = 0;
  for (int row = 0; row < shape.m; ++row) {
    for (int column = 0; column < shape.n; ++column) {
      std::int64_t sum = static_cast<std::int32_t>(c.at(row, column));
      for (int k = 0; k < shape.k; ++k)
        sum += std::int64_t{value(a.at(row, k), a_type)} * value(b.at(k, column), b_type);
      beyond += sum > INT32_MAX || sum < INT32_MIN ? 1 : 0;
      if (saturates) sum = std::max<std::int64_t>(std::min<std::int64_t>(sum, INT32_MAX), INT32_MIN);
      should.at(row, column) = static_cast<std::uint32_t>(sum);
    }
  }
  REQUIRE(beyond > 0);
  check_equal(mma.run(a, b, c), should);
}

TEST_CASE("mma can overwrite its operands and accepts constants in place of registers") {
  // B is 1 everywhere, C is 2: each element of D is the sum of a row of A and 2.
  Gpu gpu(kernel_text(".param .u64 out",
                      ".reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .f32 %f<9>;"
                      "mov.u32 %r1, 0x3C003C00; mov.u32 %r2, 0x3C003C00; mov.f32 %f1, 0f40000000;"
                      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, "
                      "{0x3C003C00}, {%f1, %f1, %f1, %f1};"
                      "ld.param.u64 %rd1, [out]; mov.u32 %r3, %laneid; mad.wide.u32 %rd1, %r3, 4, %rd1;"
                      "add.f32 %f5, %f1, %f4; st.global.f32 [%rd1], %f5; ret;"));
  const auto out = gpu.zeros<float>(32);
  gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(out));
  CHECK(gpu.download<float>(out, 32) == std::vector<float>(32, 20.0F));
}

TEST_CASE("mma requires a whole warp") {
  const Registers count{4, 2, 1, 4};
  const std::string instruction = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32";
  const auto fault_of = [&](Gpu& gpu, std::uint32_t threads) {
    const auto memory = gpu.zeros<std::byte>(4096);
    const Fault fault = gpu.fault(FaultKind::missing_lanes, "k", {1, 1, 1}, {threads, 1, 1},
                                  pack(memory, memory, memory, memory));
    CHECK(fault.source.line == 7);
    CHECK(fault.instruction == instruction);
    return fault.detail;
  };
  SECTION("lanes that do not take part") {
    Gpu gpu(text(instruction, count));
    CHECK(fault_of(gpu, 20) == "all 32 lanes of a warp must take part; lanes 20 to 31 are missing");
  }
  SECTION("lanes on another path") {
    Gpu gpu(text("setp.ne.u32 %q, %lane, 3;\n@%q " + instruction, count));
    CHECK(fault_of(gpu, 32) == "all 32 lanes of a warp must take part; lane 3 is missing");
  }
}

TEST_CASE("mma is skipped if its guard is false for every lane") {
  Gpu gpu(
      text("setp.eq.u32 %q, %lane, 99;\n@%q mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", {4, 2, 1, 4}));
  const auto memory = gpu.zeros<std::byte>(4096);
  gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(memory, memory, memory, memory));
}

TEST_CASE("mma counts as a tensor instruction with 2 m n k operations, and bytes as none") {
  const auto [shape, types, bytes, flops] =
      GENERATE(std::tuple{MmaShape{16, 8, 16}, ".f32.f16.f16.f32", 2, 4096U},
               std::tuple{MmaShape{16, 8, 8}, ".f32.bf16.bf16.f32", 2, 2048U},
               std::tuple{MmaShape{16, 8, 8}, ".f32.tf32.tf32.f32", 4, 2048U},
               std::tuple{MmaShape{8, 8, 4}, ".f64.f64.f64.f64", 8, 512U},
               std::tuple{MmaShape{16, 8, 32}, ".s32.s8.s8.s32", 1, 0U});
  INFO(types);
  const int wide = bytes == 8 ? 8 : 4;
  Mma mma(types, shape, "", bytes, wide, wide);
  mma.run({shape.m, shape.k}, {shape.k, shape.n}, {shape.m, shape.n});
  const Counters& counters = mma.record.counters;
  CHECK(counters.flops == flops);
  CHECK(counters.warp_instructions_by_class[static_cast<std::size_t>(InstructionClass::tensor)] == 1);
  CHECK(counters.thread_instructions_by_class[static_cast<std::size_t>(InstructionClass::tensor)] == 32);
}

TEST_CASE("forms of mma that do not exist are refused by name") {
  const auto [instruction, count] =
      GENERATE(std::pair{"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16", Registers{4, 2, 2, 4}},
               std::pair{"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", Registers{4, 4, 2, 4}},
               std::pair{"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", Registers{2, 1, 1, 2}},
               std::pair{"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", Registers{4, 4, 2, 4}},
               std::pair{"mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32", Registers{4, 4, 2, 4}});
  INFO(instruction);
  Gpu gpu(text(instruction, count));
  const auto memory = gpu.zeros<std::byte>(4096);
  const Fault fault =
      gpu.fault(FaultKind::unsupported, "k", {1, 1, 1}, {32, 1, 1}, pack(memory, memory, memory, memory));
  CHECK_THAT(fault.detail, Catch::Matchers::StartsWith(instruction));
  CHECK(fault.source.line == 7);
}

TEST_CASE("an operand of mma with too few registers is refused") {
  Gpu gpu(text("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", {4, 2, 2, 4}));
  const auto memory = gpu.zeros<std::byte>(4096);
  const Fault fault =
      gpu.fault(FaultKind::unsupported, "k", {1, 1, 1}, {32, 1, 1}, pack(memory, memory, memory, memory));
  CHECK_THAT(fault.detail, Catch::Matchers::EndsWith("with 2 registers instead of 4"));
}

}  // namespace mma_test
