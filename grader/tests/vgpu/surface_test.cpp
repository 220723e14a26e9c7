// suld and sust as instructions: sizes, boundary modes, lanes, guards, checks, and forms that are refused.
// The places of accesses are tested in tests/texture.

#include <array>

#include "vgpu/checks.hpp"
#include "vgpu/texture/texture.hpp"

namespace surface_test {

using namespace vgpu;
using test::Gpu;
using test::kernel_text;
using test::pack;
using texture::ObjectKind;
using texture::TextureObject;

namespace {

/// A kernel of (surface, out) that runs `body` with the thread's number in %r1, the surface in %rd1, and the
/// address of its word of `out` in %rd2.
std::string text(const std::string& body) {
  return kernel_text(".param .u64 surface, .param .u64 out",
                     ".reg .b16 %rs<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<3>;"
                     "mov.u32 %r10, %tid.x; mov.u32 %r11, %ctaid.x; mov.u32 %r12, %ntid.x;"
                     "mad.lo.u32 %r1, %r11, %r12, %r10;"
                     "ld.param.u64 %rd1, [surface]; ld.param.u64 %rd4, [out];"
                     "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd2, %rd4, %rd3;\n" +
                         body + "\nret;");
}

constexpr std::uint32_t kPitch = 64;  // bytes
constexpr std::uint32_t kRows = 3, kSlices = 2;

/// 12 words in a row, as an array of surfaces has them.
TextureObject description(DevicePtr texels, std::uint8_t dimensions, std::uint32_t layers = 0) {
  TextureObject object{mark_of(ObjectKind::surface), {}};
  object.texture.address = texels;
  object.texture.pitch = kPitch;
  object.texture.extent = {12, dimensions > 1 ? kRows : 1, dimensions > 2 ? kSlices : 1};
  object.texture.dimensions = dimensions;
  object.texture.layers = layers;
  return object;
}

struct Surface {
  DevicePtr texels = 0, handle = 0;
};

Surface surface_of(Gpu& gpu, std::uint8_t dimensions, std::uint32_t layers = 0) {
  std::vector<std::uint8_t> bytes(std::size_t{kPitch} * kRows * kSlices);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  const DevicePtr texels = gpu.upload(bytes);
  return {texels, gpu.upload(std::vector<TextureObject>{description(texels, dimensions, layers)})};
}

/// What each of so many threads leaves in `out`.
std::vector<std::uint32_t> run(Gpu& gpu, DevicePtr surface, std::uint32_t threads) {
  const auto out = gpu.zeros<std::uint32_t>(threads);
  gpu.run("k", {1, 1, 1}, {threads, 1, 1}, pack(surface, out));
  return gpu.download<std::uint32_t>(out, threads);
}

Fault fault(Gpu& gpu, FaultKind kind, DevicePtr surface, std::uint32_t threads = 4) {
  const auto out = gpu.zeros<std::uint32_t>(threads);
  return gpu.fault(kind, "k", {1, 1, 1}, {threads, 1, 1}, pack(surface, out));
}

/// One 32-bit word by one thread, which is 77 if nothing is loaded.
std::uint32_t loaded(const std::string& instruction, std::uint8_t dimensions, std::uint32_t layers = 0) {
  Gpu gpu(text("mov.u32 %r4, 77; " + instruction + " st.global.u32 [%rd2], %r4;"));
  return run(gpu, surface_of(gpu, dimensions, layers).handle, 1)[0];
}

/// The word that begins with this byte of surface_of().
std::uint32_t word(std::uint32_t first) {
  first %= 256;
  return first | (first + 1) << 8U | (first + 2) << 16U | (first + 3) << 24U;
}

const std::string kWordOfThread = "shl.b32 %r2, %r1, 2; ";  // x of the thread's word

}  // namespace

TEST_CASE("a surface is read at its coordinates") {
  CHECK(loaded("suld.b.1d.b32.trap {%r4}, [%rd1, {8}];", 1) == word(8));
  CHECK(loaded("suld.b.1d.b32.trap %r4, [%rd1, 8];", 1) == word(8));
  CHECK(loaded("suld.b.2d.b32.trap {%r4}, [%rd1, {44, 2}];", 2) == word(2 * kPitch + 44));
  CHECK(loaded("suld.b.3d.b32.trap {%r4}, [%rd1, {4, 1, 1, 99}];", 3) == word(4 * kPitch + 4));
  CHECK(loaded("suld.b.a1d.b32.trap {%r4}, [%rd1, {3, 12}];", 1, 4) == word(3 * kPitch + 12));
  CHECK(loaded("suld.b.a2d.b32.trap {%r4}, [%rd1, {1, 12, 0, 99}];", 2, 2) == word(3 * kPitch + 12));
}

TEST_CASE("outside, mode zero reads 0 and mode clamp reads the nearest element") {
  CHECK(loaded("suld.b.1d.b32.zero {%r4}, [%rd1, {48}];", 1) == 0);
  CHECK(loaded("suld.b.1d.b32.zero {%r4}, [%rd1, {-4}];", 1) == 0);
  CHECK(loaded("suld.b.2d.b32.zero {%r4}, [%rd1, {0, 3}];", 2) == 0);
  CHECK(loaded("suld.b.a1d.b32.zero {%r4}, [%rd1, {4, 0}];", 1, 4) == 0);
  CHECK(loaded("suld.b.1d.b32.zero {%r4}, [%rd1, {44}];", 1) == word(44));
  CHECK(loaded("suld.b.1d.b32.clamp {%r4}, [%rd1, {48}];", 1) == word(44));
  CHECK(loaded("suld.b.2d.b32.clamp {%r4}, [%rd1, {-1, 7}];", 2) == word(2 * kPitch));
  CHECK(loaded("suld.b.a1d.b32.clamp {%r4}, [%rd1, {9, 4}];", 1, 4) == word(3 * kPitch + 4));
}

TEST_CASE("elements of all sizes are loaded and stored") {
  struct Size {
    const char* form;    // follows "suld.b.1d"
    const char* values;  // registers
    std::uint32_t bytes;
  };
  const auto size =
      GENERATE(Size{".b8", "{%rs1}", 1}, Size{".b16", "{%rs1}", 2}, Size{".b32", "{%r5}", 4},
               Size{".b64", "{%rd5}", 8}, Size{".v2.b8", "{%rs1, %rs2}", 2},
               Size{".v2.b16", "{%rs1, %rs2}", 4}, Size{".v2.b32", "{%r5, %r6}", 8},
               Size{".v2.b64", "{%rd5, %rd6}", 16}, Size{".v4.b8", "{%rs1, %rs2, %rs3, %rs4}", 4},
               Size{".v4.b16", "{%rs1, %rs2, %rs3, %rs4}", 8}, Size{".v4.b32", "{%r5, %r6, %r7, %r8}", 16});
  INFO(size.form);
  const std::string form = size.form, values = size.values;
  Gpu gpu(text("suld.b.2d" + form + ".trap " + values + ", [%rd1, {16, 1}];" +  //
               "sust.b.2d" + form + ".trap [%rd1, {32, 2}], " + values + ";"));
  const Surface surface = surface_of(gpu, 2);
  run(gpu, surface.handle, 1);
  const auto bytes = gpu.download<std::uint8_t>(surface.texels, std::size_t{kPitch} * kRows);
  for (std::uint32_t i = 0; i < bytes.size(); ++i) {
    const std::uint32_t copied = i - (2 * kPitch + 32);
    CHECK(bytes[i] == (copied < size.bytes ? kPitch + 16 + copied : i));
  }
}

TEST_CASE("the upper bits of narrow elements are zero, and unused elements are skipped") {
  CHECK(loaded("suld.b.1d.b8.trap {%rs1}, [%rd1, {5}]; cvt.u32.u16 %r4, %rs1;", 1) == 5);
  CHECK(loaded("suld.b.1d.v4.b8.trap {_, _, %rs1, _}, [%rd1, {8}]; cvt.u32.u16 %r4, %rs1;", 1) == 10);
}

TEST_CASE("outside, mode zero stores nothing and mode clamp stores to the nearest element") {
  Gpu gpu(
      text("sust.b.1d.b32.zero [%rd1, {48}], 1; sust.b.1d.b32.zero [%rd1, {-4}], 2;"
           "sust.b.1d.b32.clamp [%rd1, {1000}], 3;"));
  const Surface surface = surface_of(gpu, 1);
  run(gpu, surface.handle, 1);
  const auto words = gpu.download<std::uint32_t>(surface.texels, kPitch / 4);
  for (std::uint32_t i = 0; i < words.size(); ++i) CHECK(words[i] == (i == 11 ? 3 : word(4 * i)));
}

TEST_CASE("each lane accesses its own position in a surface, and lanes outside do not affect others") {
  Gpu gpu(text(kWordOfThread + "suld.b.1d.b32.zero {%r4}, [%rd1, {%r2}]; st.global.u32 [%rd2], %r4;"));
  const auto out = run(gpu, surface_of(gpu, 1).handle, 32);
  for (std::uint32_t i = 0; i < 32; ++i) CHECK(out[i] == (i < 12 ? word(4 * i) : 0));
}

TEST_CASE("the result of a surface access can overwrite a coordinate") {
  Gpu gpu(text(kWordOfThread + "suld.b.1d.b32.trap {%r2}, [%rd1, {%r2}]; st.global.u32 [%rd2], %r2;"));
  CHECK(run(gpu, surface_of(gpu, 1).handle, 2) == std::vector<std::uint32_t>{word(0), word(4)});
}

TEST_CASE("lanes whose guard is false access no surface, whatever their coordinates are") {
  Gpu gpu(
      text("setp.lt.u32 %p1, %r1, 2; mul.lo.u32 %r2, %r1, 4; mov.u32 %r4, 77;"
           "@!%p1 mov.u32 %r2, -1;"
           "@%p1 suld.b.1d.b32.trap {%r4}, [%rd1, {%r2}]; @%p1 sust.b.1d.b32.trap [%rd1, {%r2}], {%r1};"
           "st.global.u32 [%rd2], %r4;"));
  const Surface surface = surface_of(gpu, 1);
  CHECK(run(gpu, surface.handle, 4) == std::vector<std::uint32_t>{word(0), word(4), 77, 77});
  CHECK(gpu.download<std::uint32_t>(surface.texels, 3) == std::vector<std::uint32_t>{0, 1, word(8)});
}

TEST_CASE("a block reads its own writes, alone and in a wave") {
  constexpr std::uint32_t kBlocks = 3, kThreads = 4;
  for (const unsigned cpu_threads : {1U, 3U}) {
    Gpu gpu(text(kWordOfThread +
                 "sust.b.1d.b32.trap [%rd1, {%r2}], {%r1}; suld.b.1d.b32.trap {%r4}, [%rd1, {%r2}];"
                 "st.global.u32 [%rd2], %r4;"),
            {.cpu_threads = cpu_threads, .checks = test::kAllChecks});
    const Surface surface = surface_of(gpu, 1);
    const auto out = gpu.zeros<std::uint32_t>(kBlocks * kThreads);
    gpu.run("k", {kBlocks, 1, 1}, {kThreads, 1, 1}, pack(surface.handle, out));
    const auto read = gpu.download<std::uint32_t>(out, kBlocks * kThreads);
    for (std::uint32_t i = 0; i < read.size(); ++i) CHECK(read[i] == i);
    CHECK(gpu.download<std::uint32_t>(surface.texels, read.size()) == read);
  }
}

TEST_CASE("a surface access is one memory instruction, and no traffic with global memory") {
  Gpu gpu(text(kWordOfThread +
               "suld.b.1d.b32.trap {%r4}, [%rd1, {%r2}]; sust.b.1d.b32.trap [%rd1, {%r2}], {%r4};"));
  const Surface surface = surface_of(gpu, 1);
  const auto record = gpu.run("k", {1, 1, 1}, {4, 1, 1}, pack(surface.handle, DevicePtr{0}));
  const auto& counters = record.counters;
  CHECK(counters.warp_instructions_by_class[static_cast<std::size_t>(InstructionClass::memory)] == 2);
  CHECK(counters.global_loads.requests == 0);
  CHECK(counters.global_stores.requests == 0);
}

// ---- faults

TEST_CASE("an access outside is a fault of the first such lane") {
  Gpu gpu(text(kWordOfThread + "\n.loc 1 7 1\nsust.b.1d.b32.trap [%rd1, {%r2}], {%r1};"));
  const Fault found = fault(gpu, FaultKind::out_of_bounds, surface_of(gpu, 1).handle, 16);
  CHECK(found.thread == Dim3{12, 0, 0});
  CHECK(found.count == 4);
  CHECK(found.is_store);
  CHECK(found.space == ptx::Space::surface);
  CHECK(found.source.line == 7);
  CHECK(found.instruction == "sust.b.1d.b32.trap");
  CHECK(found.access_bytes == 4);
  CHECK(found.detail == "x is bytes 48 to 51, but a row has bytes 0 to 47");
}

TEST_CASE("rows, slices and layers have their limits, too") {
  const auto detail = [](const std::string& instruction, std::uint8_t dimensions, std::uint32_t layers) {
    Gpu gpu(text(instruction));
    return fault(gpu, FaultKind::out_of_bounds, surface_of(gpu, dimensions, layers).handle).detail;
  };
  CHECK(detail("suld.b.2d.b32.trap {%r4}, [%rd1, {0, 3}];", 2, 0) == "y is 3, but the valid range is 0 to 2");
  CHECK(detail("suld.b.3d.b32.trap {%r4}, [%rd1, {0, 0, -1, 0}];", 3, 0) ==
        "z is -1, but the valid range is 0 to 1");
  CHECK(detail("suld.b.a1d.b32.trap {%r4}, [%rd1, {4, 0}];", 1, 4) ==
        "the layer is 4, but the valid range is 0 to 3");
}

TEST_CASE("an x that is not a multiple of the access's size is a fault in every boundary mode") {
  for (const char* mode : {"trap", "clamp", "zero"}) {
    Gpu gpu(text(std::string("suld.b.1d.b32.") + mode + " {%r4}, [%rd1, {%r1}];"));
    const Fault found = fault(gpu, FaultKind::misaligned, surface_of(gpu, 1).handle);
    CHECK(found.thread == Dim3{1, 0, 0});
    CHECK(found.count == 3);
    CHECK(found.detail == "x is byte 1");
  }
}

TEST_CASE("a handle must belong to a surface of the access's kind") {
  const std::string load = "suld.b.1d.b32.trap {%r4}, [%rd1, {0}];";
  const auto detail = [&](const TextureObject& object) {
    Gpu gpu(text(load));
    return fault(gpu, FaultKind::invalid_surface, gpu.upload(std::vector{object})).detail;
  };
  constexpr DevicePtr kAnywhere = std::uint64_t{1} << 40U;
  CHECK(detail(description(kAnywhere, 2)) == "it is a 2D surface, which a 1D access cannot use");
  CHECK(detail(description(kAnywhere, 1, 2)) == "it is a 1D layered surface, which a 1D access cannot use");
  TextureObject object = description(kAnywhere, 1);
  object.mark = mark_of(ObjectKind::texture);
  CHECK(detail(object) == "it is a texture object");
  object.mark = 7;
  CHECK(detail(object) == "there is no surface object there");
  object.mark = mark_of(ObjectKind::surface);
  object.texture.channels = 3;
  CHECK(detail(object) == "there is no surface object there");
}

TEST_CASE("a destroyed surface and a freed array are distinguished") {
  const std::string store = "sust.b.1d.b32.trap [%rd1, {0}], {%r1};";
  Gpu destroyed(text(store)), freed(text(store));
  const Surface gone = surface_of(destroyed, 1), without_array = surface_of(freed, 1);
  REQUIRE(destroyed.device.free(gone.handle));
  REQUIRE(freed.device.free(without_array.texels));
  CHECK(fault(destroyed, FaultKind::invalid_surface, gone.handle).detail == "it was destroyed");
  CHECK(fault(freed, FaultKind::use_after_free, without_array.handle).is_store);
}

// ---- checks

TEST_CASE("blocks that write the same element of a surface race") {
  const std::string store = "sust.b.1d.b32.trap [%rd1, {%r10}], {%r1};";
  Gpu gpu(text("shl.b32 %r10, %r10, 2; " + store), {.checks = test::kAllChecks});
  const Surface surface = surface_of(gpu, 1);
  const auto record = gpu.launch("k", {2, 1, 1}, {4, 1, 1}, pack(surface.handle, DevicePtr{0}));
  REQUIRE(record.error == LaunchError::none);
  REQUIRE(record.findings.size() == 1);
  CHECK(record.findings[0].kind == FaultKind::global_race);
  CHECK(record.findings[0].instruction == "sust.b.1d.b32.trap");
  REQUIRE(record.findings[0].other);
  CHECK(record.findings[0].other->block != record.findings[0].block);
}

TEST_CASE("threads of a block race at a surface without a barrier, and do not race with one") {
  const auto kinds = [](const std::string& between) {
    Gpu gpu(text(kWordOfThread +
                 "cvt.u16.u32 %rs1, %r1; add.u16 %rs2, %rs1, 1; sust.b.1d.v2.b16.trap [%rd1, {%r2}], {%rs1, "
                 "%rs2}; " +
                 between + "xor.b32 %r2, %r2, 128; suld.b.1d.b32.zero {%r4}, [%rd1, {%r2}];"),
            {.checks = test::kAllChecks});
    std::vector<std::uint8_t> bytes(64 * 4);
    TextureObject object = description(gpu.upload(bytes), 1);
    object.texture.extent[0] = 64;
    object.texture.pitch = bytes.size();
    const auto record =
        gpu.launch("k", {1, 1, 1}, {64, 1, 1}, pack(gpu.upload(std::vector{object}), DevicePtr{0}));
    return test::kinds_of(record.findings);
  };
  CHECK(kinds("") == std::set{FaultKind::global_race});
  CHECK(kinds("bar.sync 0; ").empty());
}

TEST_CASE("a read of an unwritten array is found") {
  const auto findings = [](const std::string& body) {
    Gpu gpu(text(body), {.checks = test::kAllChecks});
    const auto texels = gpu.device.allocate(kPitch);
    REQUIRE(texels);
    const auto handle = gpu.upload(std::vector{description(*texels, 1)});
    return gpu.launch("k", {1, 1, 1}, {4, 1, 1}, pack(handle, DevicePtr{0})).findings;
  };
  const std::string load = "suld.b.1d.b32.zero {%r4}, [%rd1, {%r2}];";
  const auto unwritten = findings(kWordOfThread + load);
  REQUIRE(unwritten.size() == 1);
  CHECK(unwritten[0].kind == FaultKind::uninitialised_read);
  CHECK(unwritten[0].count == 4);
  CHECK(findings(kWordOfThread + "sust.b.1d.b32.trap [%rd1, {%r2}], {%r1}; " + load).empty());
  CHECK(findings("mov.u32 %r2, 48; " + load).empty());  // outside: nothing is read
}

TEST_CASE("surface instructions of other kinds are refused by name") {
  for (const char* form :
       {"sust.p.1d.b32.trap [%rd1, {%r1}], {%r1};", "sured.b.add.1d.u32.trap [%rd1, {%r1}], %r1;",
        "suld.b.1d.v4.b64.trap {%rd3, %rd3, %rd3, %rd3}, [%rd1, {%r1}];",
        "suld.b.2d.b32.trap {%r4}, [%rd1, {%r1}];", "suld.b.1d.v2.b32.trap {%r4}, [%rd1, {%r1}];",
        "suld.b.1d.b64.trap {%r4}, [%rd1, {%r1}];"}) {
    INFO(form);
    Gpu gpu(text(form));
    const Fault found = fault(gpu, FaultKind::unsupported, 0);
    CHECK(found.detail.starts_with(std::string(form).substr(0, std::string(form).find(' '))));
  }
}

}  // namespace surface_test
