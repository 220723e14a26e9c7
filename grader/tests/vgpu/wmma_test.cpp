// wmma.load, wmma.mma and wmma.store: every type, shape, layout and state space against plain products of
// matrices in memory; counters, faults and checks.

#include "vgpu/checks.hpp"
#include "vgpu/tensor_cases.hpp"

namespace wmma_test {

using namespace vgpu;
using namespace test::tensor;
using test::Gpu;
using test::kernel_text;
using test::pack;

namespace {

enum class Layout { row, column };

/// A matrix in memory.
struct Stored {
  BitMatrix matrix;
  int element_bytes;
  Layout layout;
  int stride;  ///< elements from line to line

  int lines() const { return layout == Layout::row ? matrix.rows : matrix.columns; }
  std::size_t bytes() const {
    const std::size_t all =
        static_cast<std::size_t>(lines()) * static_cast<std::size_t>(stride * element_bytes);
    return (all + 127) / 128 * 128;
  }
  std::size_t offset(int row, int column) const {
    const int line = layout == Layout::row ? row : column, in_line = layout == Layout::row ? column : row;
    return static_cast<std::size_t>(line) * static_cast<std::size_t>(stride * element_bytes) +
           static_cast<std::size_t>(in_line) * static_cast<std::size_t>(element_bytes);
  }
  std::vector<std::byte> memory() const {
    std::vector<std::byte> all(bytes(), std::byte{0xAB});
    for (int row = 0; row < matrix.rows; ++row) {
      for (int column = 0; column < matrix.columns; ++column) {
        const std::uint64_t bits = matrix.at(row, column);
        std::memcpy(all.data() + offset(row, column), &bits, element_bytes);
      }
    }
    return all;
  }
  void take(const std::vector<std::byte>& all) {
    for (int row = 0; row < matrix.rows; ++row) {
      for (int column = 0; column < matrix.columns; ++column) {
        matrix.at(row, column) = 0;
        std::memcpy(&matrix.at(row, column), all.data() + offset(row, column), element_bytes);
      }
    }
  }
};

const char* name_of(Layout layout) { return layout == Layout::row ? "row" : "col"; }

/// "{%a0, %a1, …}" with its declaration.
struct Vector {
  /// Fragments of f16 have 8 registers always.
  Vector(const std::string& prefix, const Stored& stored, bool is_of_f16) {
    const int register_bytes = stored.element_bytes == 8 ? 8 : 4;
    const int bytes = stored.matrix.rows * stored.matrix.columns / 32 * stored.element_bytes;
    const int count = is_of_f16 ? 8 : bytes / register_bytes;
    declaration =
        ".reg .b" + std::to_string(8 * register_bytes) + " %" + prefix + "<" + std::to_string(count) + ">;\n";
    for (int i = 0; i < count; ++i) text += (i == 0 ? "{%" : ", %") + prefix + std::to_string(i);
    text += "}";
  }
  std::string declaration, text;
};

struct Types {
  std::string factor, addend, result, all;  ///< `all` as wmma.mma spells them
};

/// D = A · B + C in memory of `space`: "", ".global" or ".shared".
struct Wmma {
  MmaShape shape;
  Types types;
  Stored a, b, c, d;
  std::string space;
  LaunchRecord record;

  void run() {
    Gpu gpu(text());
    const auto d_a = gpu.upload(a.memory()), d_b = gpu.upload(b.memory()), d_c = gpu.upload(c.memory()),
               d_d = gpu.upload(d.memory());
    record = gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(d_a, d_b, d_c, d_d));
    d.take(gpu.download<std::byte>(d_d, d.bytes()));
  }

 private:
  /// Word after word, one per lane; `to` and `from` are 64-bit registers of addresses.
  static std::string copy(const std::string& load, const std::string& from, const std::string& store,
                          const std::string& to, std::size_t bytes) {
    std::string all;
    for (std::size_t at = 0; at < bytes; at += 128) {
      const std::string offset = "+" + std::to_string(at) + "];\n";
      all += load + " %word, [" + from + offset;
      all.insert(all.size(), store + " [" + to + "+" + std::to_string(at) + "], %word;\n");
    }
    return all;
  }
  std::string text() const {
    const bool is_shared = space == ".shared";
    std::string body = ".reg .b32 %lane, %word; .reg .b64 %skew, %pa, %pb, %pc, %pd, %qa, %qb, %qc, %qd;\n";
    body += "mov.u32 %lane, %laneid; mul.wide.u32 %skew, %lane, 4;\n";
    const auto add = [&](const std::string& name, const Stored& stored, bool is_input) {
      body += "ld.param.u64 %p" + name + ", [" + name + "];\n";
      if (!is_shared) return;
      body += ".shared .align 32 .b8 s" + name + "[" + std::to_string(stored.bytes()) + "];\nmov.u64 %q" +
              name + ", s" + name + "; add.u64 %q" + name + ", %q" + name + ", %skew; add.u64 %p" + name +
              ", %p" + name + ", %skew;\n";
      body += copy("ld.global.b32", "%p" + name, "st.shared.b32", "%q" + name, stored.bytes());
      if (is_input) body += "mov.u64 %p" + name + ", s" + name + ";\n";
    };
    add("a", a, true);
    add("b", b, true);
    add("c", c, true);
    add("d", d, false);
    if (is_shared) body += "bar.sync 0;\n";
    const bool is_of_f16 = types.factor == "f16";
    const Vector va("a", a, is_of_f16), vb("b", b, is_of_f16), vc("c", c, false), vd("d", d, false);
    const std::string shape_text = shape.text();
    const auto load = [&](const char* use, const Stored& stored, const Vector& vector,
                          const std::string& type) {
      return std::string("wmma.load.") + use + ".sync.aligned." + name_of(stored.layout) + "." + shape_text +
             space + "." + type + " " + vector.text + ", [%p" + use + "], " + std::to_string(stored.stride) +
             ";\n";
    };
    body += va.declaration + vb.declaration + vc.declaration + vd.declaration + ".loc 1 5 1\n" +
            load("a", a, va, types.factor) + ".loc 1 6 1\n" + load("b", b, vb, types.factor) +
            ".loc 1 7 1\n" + load("c", c, vc, types.addend);
    body += std::string(".loc 1 8 1\nwmma.mma.sync.aligned.") + name_of(a.layout) + "." + name_of(b.layout) +
            "." + shape_text + types.all + " " + vd.text + ", " + va.text + ", " + vb.text + ", " + vc.text +
            ";\n";
    body += std::string(".loc 1 9 1\nwmma.store.d.sync.aligned.") + name_of(d.layout) + "." + shape_text +
            space + "." + types.result + " [" + (is_shared ? "sd" : "%pd") + "], " + vd.text + ", " +
            std::to_string(d.stride) + ";\n";
    if (is_shared) body += "bar.sync 0;\n" + copy("ld.shared.b32", "%qd", "st.global.b32", "%pd", d.bytes());
    return kernel_text(".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d", body + "ret;");
  }
};

/// Lines of whole multiples of 16 bytes, one more than the matrix needs.
Stored stored(int rows, int columns, int bytes, Layout layout) {
  const int line = layout == Layout::row ? columns : rows;
  const int step = std::max(16 / bytes, 1);
  return {BitMatrix(rows, columns), bytes, layout, (line + step - 1) / step * step + step};
}

Wmma wmma(MmaShape shape, const Types& types, int factor_bytes, int addend_bytes, int result_bytes,
          const std::string& space, unsigned layouts) {
  const auto layout = [&](unsigned bit) { return (layouts >> bit & 1U) != 0 ? Layout::column : Layout::row; };
  return {shape,
          types,
          stored(shape.m, shape.k, factor_bytes, layout(0)),
          stored(shape.k, shape.n, factor_bytes, layout(1)),
          stored(shape.m, shape.n, addend_bytes, layout(2)),
          stored(shape.m, shape.n, result_bytes, layout(3)),
          space,
          {}};
}

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
  FloatFormat factor, addend, result;
};

std::string types_of(const FloatCase& c) {
  const std::string d = std::string(".") + c.result.name, f = std::string(".") + c.factor.name;
  return c.factor.name == std::string("f16") ? d + "." + c.addend.name : d + f + f + "." + c.addend.name;
}

// Bits: whether A, B, C and D are stored by columns.
constexpr unsigned kRowCol = 0b0010, kAllLayouts = 16;

}  // namespace

TEST_CASE("wmma of floats multiplies matrices in memory, in every shape and layout") {
  const auto c =
      GENERATE(FloatCase{kF16, kF32, kF32}, FloatCase{kF16, kF16, kF32}, FloatCase{kF16, kF32, kF16},
               FloatCase{kF16, kF16, kF16}, FloatCase{kBf16, kF32, kF32}, FloatCase{kTf32, kF32, kF32});
  const bool is_tf32 = c.factor.bytes == 4;
  RandomBits random(3);
  for (const MmaShape shape :
       {MmaShape{16, 16, is_tf32 ? 8 : 16}, MmaShape{32, 8, 16}, MmaShape{8, 32, 16}}) {
    if (is_tf32 && shape.k != 8) continue;
    for (unsigned layouts = 0; layouts < kAllLayouts; ++layouts) {
      INFO(shape.text() << types_of(c) << " layouts " << layouts);
      Wmma one = wmma(shape, {c.factor.name, c.addend.name, c.result.name, types_of(c)}, c.factor.bytes,
                      c.addend.bytes, c.result.bytes, ".global", layouts);
      one.a.matrix = random.matrix(shape.m, shape.k, c.factor, true, false);
      one.b.matrix = random.matrix(shape.k, shape.n, c.factor, true, false);
      one.c.matrix = random.matrix(shape.m, shape.n, c.addend, true, false);
      one.run();
      check_equal(one.d.matrix,
                  float_product(one.a.matrix, one.b.matrix, one.c.matrix, c.factor, c.addend, c.result));
    }
  }
}

TEST_CASE("wmma reaches memory by generic, global and shared addresses") {
  const auto space = GENERATE("", ".global", ".shared");
  const unsigned layouts = GENERATE(kRowCol, 0b1101U);
  RandomBits random(4);
  Wmma one = wmma({16, 16, 16}, {"f16", "f32", "f32", ".f32.f32"}, 2, 4, 4, space, layouts);
  one.a.matrix = random.matrix(16, 16, kF16, true, false);
  one.b.matrix = random.matrix(16, 16, kF16, true, false);
  one.c.matrix = random.matrix(16, 16, kF32, true, false);
  one.run();
  check_equal(one.d.matrix, float_product(one.a.matrix, one.b.matrix, one.c.matrix, kF16, kF32, kF32));
}

TEST_CASE("wmma of bytes is exact, and saturates with .satfinite") {
  const std::string type = GENERATE("s8", "u8");
  const bool saturates = GENERATE(false, true);
  RandomBits random(6);
  const auto value = [&](std::uint64_t bits) {
    return type == "s8" ? std::int64_t{static_cast<std::int8_t>(bits)} : static_cast<std::int64_t>(bits);
  };
  for (const MmaShape shape : {MmaShape{16, 16, 16}, MmaShape{32, 8, 16}, MmaShape{8, 32, 16}}) {
    for (unsigned layouts = 0; layouts < kAllLayouts; layouts += 3) {
      INFO(shape.text() << type << " layouts " << layouts);
      const std::string all = ".s32." + type + "." + type + ".s32" + (saturates ? ".satfinite" : "");
      Wmma one = wmma(shape, {type, "s32", "s32", all}, 1, 4, 4, ".global", layouts);
      for (auto& bits : one.a.matrix.bits) bits = random.word() & 0xFFU;
      for (auto& bits : one.b.matrix.bits) bits = random.word() & 0xFFU;
      for (auto& bits : one.c.matrix.bits) bits = 0x7FFFFF00U + (random.word() & 0xFFU);
      one.run();
      BitMatrix should = one.c.matrix;
      for (int row = 0; row < shape.m; ++row) {
        for (int column = 0; column < shape.n; ++column) {
          std::int64_t sum = static_cast<std::int32_t>(should.at(row, column));
          for (int k = 0; k < shape.k; ++k)
            sum += value(one.a.matrix.at(row, k)) * value(one.b.matrix.at(k, column));
          if (saturates) sum = std::min<std::int64_t>(sum, INT32_MAX);
          should.at(row, column) = static_cast<std::uint32_t>(sum);
        }
      }
      check_equal(one.d.matrix, should);
    }
  }
}

TEST_CASE("wmma of doubles is a chain of fused multiply-adds") {
  const unsigned layouts = GENERATE(range(0U, kAllLayouts));
  const std::string rounding = GENERATE("", ".rn");
  Wmma one =
      wmma({8, 8, 4}, {"f64", "f64", "f64", ".f64.f64.f64.f64" + rounding}, 8, 8, 8, ".global", layouts);
  std::mt19937_64 random(9);
  for (BitMatrix* matrix : {&one.a.matrix, &one.b.matrix, &one.c.matrix}) {
    for (auto& bits : matrix->bits)
      bits = std::bit_cast<std::uint64_t>(std::ldexp(static_cast<double>(random()) - 0x1p63, -63));
  }
  one.run();
  BitMatrix should = one.c.matrix;
  const auto value = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      double sum = value(should.at(row, column));
      for (int k = 0; k < 4; ++k)
        sum = std::fma(value(one.a.matrix.at(row, k)), value(one.b.matrix.at(k, column)), sum);
      should.at(row, column) = std::bit_cast<std::uint64_t>(sum);
    }
  }
  check_equal(one.d.matrix, should);
}

namespace {

/// A kernel of (base, stride) that runs `body` with lane and base in %lane and %p, the stride in %s.
std::string small_text(const std::string& body) {
  return kernel_text(
      ".param .u64 base, .param .u32 stride",
      ".reg .b32 %r<9>, %lane, %s; .reg .b64 %p, %q; .reg .pred %c; .reg .f32 %f<8>;"
      ".shared .align 32 .b8 tile[1024];\n"
      "mov.u32 %lane, %laneid; ld.param.u64 %p, [base]; ld.param.u32 %s, [stride];\n.loc 1 5 1\n" +
          body + "\nret;");
}

const std::string kLoadA =
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%p], %s;";
const std::string kStoreD =
    "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%p], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %s;";

Fault fault(const std::string& body, FaultKind kind, std::uint32_t stride = 16, std::size_t bytes = 2048,
            std::uint32_t threads = 32, std::uint32_t skew = 0) {
  Gpu gpu(small_text(body));
  const auto base = gpu.zeros<std::byte>(bytes);
  Fault found = gpu.fault(kind, "k", {1, 1, 1}, {threads, 1, 1}, pack(vgpu::DevicePtr{base + skew}, stride));
  CHECK(found.source.line == 5);
  return found;
}

LaunchRecord run(const std::string& body, std::uint32_t stride) {
  Gpu gpu(small_text(body));
  const auto base = gpu.zeros<std::byte>(std::size_t{64} * stride);
  return gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(base, stride));
}

}  // namespace

TEST_CASE("wmma.load without a stride takes lines without gaps") {
  Gpu gpu(small_text(
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%p];"
      "mad.wide.u32 %q, %lane, 4, %p; st.global.u32 [%q+512], %r1;"));
  std::vector<std::uint16_t> halves(512);
  for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<std::uint16_t>(i);
  const auto base = gpu.upload(halves);
  gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(base, 0U));
  // Register 1 holds row 8 + lane / 4, columns 2 (lane % 4) and the next.
  const auto words = gpu.download<std::uint32_t>(base + 512, 32);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t first = 16 * (8 + lane / 4) + 2 * (lane % 4);
    CHECK(words[lane] == (first | (first + 1) << 16U));
  }
}

TEST_CASE("the surplus registers of a fragment of halves repeat the others") {
  Gpu gpu(small_text(kLoadA + "sub.u32 %r0, %r0, %r4; sub.u32 %r3, %r3, %r7; or.b32 %r0, %r0, %r3;"
                              "mad.wide.u32 %q, %lane, 4, %p; st.global.u32 [%q], %r0;"));
  std::vector<std::uint32_t> words(128);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i + 1);
  const auto base = gpu.upload(words);
  gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(base, 16U));
  CHECK(gpu.download<std::uint32_t>(base, 32) == std::vector<std::uint32_t>(32));
}

TEST_CASE("wmma.load and wmma.store count their accesses on their line") {
  SECTION("four words per lane, of rows of 32 bytes") {
    const LaunchRecord record = run(kLoadA, 16);
    CHECK(record.counters.global_loads.requests == 4);
    // 8 rows of 16 bytes, each in a sector of its own.
    CHECK(record.counters.global_loads.sectors == 32);
    CHECK(record.counters.global_loads.requested_bytes == 512);
    REQUIRE(record.lines.size() >= 1);
    const auto line = std::find_if(record.lines.begin(), record.lines.end(), [](const LineCounters& one) {
      return one.counters.global_loads.requests != 0;
    });
    REQUIRE(line != record.lines.end());
    CHECK(line->line == 5);
    CHECK(line->counters.global_loads.requests == 4);
    CHECK(record.counters.warp_instructions_by_class[static_cast<std::size_t>(InstructionClass::memory)] ==
          1);
  }
  SECTION("pairs of floats") {
    const Counters counters = run(kStoreD, 16).counters;
    CHECK(counters.global_stores.requests == 4);
    CHECK(counters.global_stores.requested_bytes == 1024);
    CHECK(counters.global_stores.sectors == 32);
  }
  SECTION("single floats where the layout separates them") {
    std::string by_columns = kStoreD;
    by_columns.replace(by_columns.find(".row"), 4, ".col");
    CHECK(run(by_columns, 16).counters.global_stores.requests == 8);
  }
  SECTION("words of transposed blocks") {
    std::string by_columns = kLoadA;
    by_columns.replace(by_columns.find(".row"), 4, ".col");
    CHECK(run(by_columns, 16).counters.global_loads.requests == 4);
  }
  SECTION("bytes one by one") {
    const Counters counters =
        run("wmma.load.a.sync.aligned.col.m16n16k16.global.s8 {%r0, %r1}, [%p], %s;", 16).counters;
    CHECK(counters.global_loads.requests == 8);
    CHECK(counters.global_loads.requested_bytes == 256);
  }
  SECTION("bank conflicts") {
    const std::string store =
        "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [tile], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, "
        "%f7}, 16;";
    const Counters counters = run(store, 16).counters;
    CHECK(counters.shared_stores.requests == 4);
    // 4 rows of 32 bytes at a time, 64 bytes apart: two in the same banks.
    CHECK(counters.shared_stores.wavefronts == 16);
    CHECK(counters.shared_stores.bank_conflicts == 8);
  }
}

TEST_CASE("wmma finds accesses outside memory, freed memory and lines that are not aligned") {
  SECTION("a row too many") {
    const Fault found = fault(kLoadA, FaultKind::out_of_bounds, 24, 15 * 48);
    CHECK(found.space == ptx::Space::global);
    CHECK(found.access_bytes == 4);
  }
  SECTION("a store") { CHECK(fault(kStoreD, FaultKind::out_of_bounds, 16, 1020).is_store); }
  SECTION("a stride of 12 halves") {
    const Fault found = fault(kLoadA, FaultKind::misaligned, 12);
    CHECK(found.access_bytes == 16);
    CHECK(found.address % 16 == 8);
  }
  SECTION("an address of 8 bytes") { CHECK(fault(kStoreD, FaultKind::misaligned, 16, 2048, 32, 8).is_store); }
  SECTION("shared memory") {
    const Fault found = fault(
        "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, "
        "[tile+32], 16;",
        FaultKind::out_of_bounds);
    CHECK(found.space == ptx::Space::shared);
  }
  SECTION("freed") {
    Gpu gpu(small_text(kLoadA));
    const auto base = gpu.zeros<std::byte>(2048);
    REQUIRE(gpu.device.free(base));
    gpu.fault(FaultKind::use_after_free, "k", {1, 1, 1}, {32, 1, 1}, pack(base, 16U));
  }
}

TEST_CASE("all lanes pass wmma the same address and stride") {
  SECTION("address") {
    const Fault found = fault("mad.wide.u32 %p, %lane, 32, %p; " + kLoadA, FaultKind::not_uniform);
    CHECK_THAT(found.detail, Catch::Matchers::StartsWith("lane 1 gives the address 0x"));
    CHECK(found.thread == Dim3{1, 0, 0});
  }
  SECTION("stride") {
    const Fault found =
        fault("setp.eq.u32 %c, %lane, 7; selp.b32 %s, 32, %s, %c; " + kStoreD, FaultKind::not_uniform);
    CHECK(found.detail == "lane 7 gives the stride 0x20, and lane 0 gives 0x10");
  }
}

TEST_CASE("wmma requires a whole warp") {
  const auto instruction = GENERATE(kLoadA, kStoreD);
  CHECK(fault(instruction, FaultKind::missing_lanes, 16, 2048, 31).detail ==
        "all 32 lanes of a warp must take part; lane 31 is missing");
  fault("setp.gt.u32 %c, %lane, 3; @%c " + instruction, FaultKind::missing_lanes);
}

TEST_CASE("the checks include the loads and stores of wmma") {
  SECTION("two warps store to one address") {
    Gpu gpu(small_text("mov.u32 %r0, %tid.x; cvt.rn.f32.u32 %f0, %r0; " + kStoreD),
            {.cpu_threads = 1, .checks = test::kAllChecks});
    const auto base = gpu.zeros<std::byte>(2048);
    const LaunchRecord record = gpu.launch("k", {1, 1, 1}, {64, 1, 1}, pack(base, 16U));
    CHECK(test::kinds_of(record.findings).contains(FaultKind::global_race));
  }
  SECTION("the loaded memory is unwritten") {
    Gpu gpu(small_text(kLoadA), {.cpu_threads = 1, .checks = test::kAllChecks});
    const auto base = gpu.device.allocate(2048);
    REQUIRE(base);
    const LaunchRecord record = gpu.launch("k", {1, 1, 1}, {32, 1, 1}, pack(*base, 16U));
    REQUIRE(test::kinds_of(record.findings) == std::set{FaultKind::uninitialised_read});
    CHECK(record.findings[0].source.line == 5);
  }
  SECTION("a warp alone stores, and loads after a barrier, in order") {
    std::string values;
    for (int i = 0; i < 8; ++i) values += "mov.f32 %f" + std::to_string(i) + ", 0f00000000; ";
    Gpu gpu(small_text(
                values +
                "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [tile], {%f0, %f1, %f2, %f3, %f4, %f5, "
                "%f6, %f7}, 16; bar.sync 0; wmma.load.c.sync.aligned.col.m16n16k16.shared.f32 {%f0, %f1, "
                "%f2, %f3, %f4, %f5, %f6, %f7}, [tile], 16;"),
            {.cpu_threads = 1, .checks = test::kAllChecks});
    const auto base = gpu.zeros<std::byte>(16);
    CHECK(gpu.launch("k", {1, 1, 1}, {32, 1, 1}, pack(base, 16U)).findings.empty());
  }
}

TEST_CASE("forms of wmma that do not exist are refused by name") {
  const auto form = GENERATE(
      "wmma.load.a.sync.aligned.row.m8n8k32.global.s4 {%r0}, [%p], %s;",
      "wmma.load.a.sync.aligned.row.m8n8k128.global.b1 {%r0}, [%p], %s;",
      "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {%r0, %r1}, {%r2}, {%r3}, {%r0, %r1};",
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f32 {%r0}, [%p], %s;", "wgmma.fence.sync.aligned ;",
      "tcgen05.wait::ld.sync.aligned ;",
      "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0 {%f0, %f1, %f2, "
      "%f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3}, {%r6}, {0, 0}, {%r7}, {0, 0};",
      "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, "
      "{%r2, %r3}, {%f0, %f1, %f2, %f3}, %r4, 0;");
  const std::string text = form;
  const Fault found = fault(form, FaultKind::unsupported);
  CHECK_THAT(found.detail, Catch::Matchers::StartsWith(text.substr(0, text.find(' '))));
}

}  // namespace wmma_test
