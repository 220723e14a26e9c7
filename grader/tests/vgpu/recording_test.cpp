// What a launch records for pictures: addresses of single executions with their cost, and the lanes of a
// warp.
#include <algorithm>

#include "vgpu/gpu.hpp"

namespace recording_test {

using test::Gpu;
using test::kernel_text;
using test::pack;
using vgpu::RecordedAccess;
using vgpu::RecordedSite;

namespace {

vgpu::DeviceOptions recorded(unsigned threads = 1) {
  vgpu::DeviceOptions options;
  options.cpu_threads = threads;
  options.checks = vgpu::Checks::all();
  options.records = true;
  return options;
}

constexpr const char* kRegisters = R"(
    .reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<8>;
    .shared .align 16 .b8 s[8448];
    ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
  )";

/// One warp runs `body`, with thread number × 4 in %r2 and a buffer of 64 KiB in %rd1.
vgpu::Recording one_warp(const std::string& body) {
  Gpu gpu(kernel_text(".param .u64 in", kRegisters + body + " ret;"), recorded());
  const auto record = gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(gpu.zeros<std::uint32_t>(16384)));
  REQUIRE(record.recording);
  return *record.recording;
}

/// Each lane loads the word at its number × stride.
RecordedSite loads_with_stride(unsigned stride) {
  const auto recording =
      one_warp("mul.lo.u32 %r3, %r2, " + std::to_string(stride) +
               "; cvt.u64.u32 %rd2, %r3; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r4, [%rd3];");
  REQUIRE(recording.sites.size() == 1);
  return recording.sites.front();
}

}  // namespace

TEST_CASE("the sectors of a load follow from its stride, and the ideal from the bytes that it uses") {
  for (const auto& [stride, sectors] :
       {std::pair<unsigned, unsigned>{0, 1}, {1, 4}, {2, 8}, {8, 32}, {100, 32}}) {
    INFO(stride);
    const RecordedSite site = loads_with_stride(stride);
    CHECK(site.first.cost == sectors);
    CHECK(site.first.ideal == (stride == 0 ? 1 : 4));
    CHECK(site.first == site.worst);
    CHECK(site.first.lanes == 0xFFFFFFFF);
    CHECK(site.first.addresses[31] - site.first.addresses[0] == 31 * 4 * stride);
    CHECK(site.instruction == "ld.global.u32");
    CHECK(site.space == vgpu::ptx::Space::global);
    CHECK(site.executions == 1);
    REQUIRE(site.memory);
    CHECK(site.memory->ordinal == 1);
    CHECK(site.variable.empty());
  }
}

TEST_CASE("the passes of a shared access are its bank conflicts and one") {
  for (const auto& [stride, passes] :
       {std::pair<unsigned, unsigned>{0, 1}, {1, 1}, {2, 2}, {4, 4}, {32, 32}, {33, 1}}) {
    INFO(stride);
    const auto recording =
        one_warp("mul.lo.u32 %r3, %r2, " + std::to_string(stride) + "; st.shared.u32 [%r3], %r1;");
    REQUIRE(recording.sites.size() == 1);
    const RecordedSite& site = recording.sites.front();
    CHECK(site.first.cost == passes);
    CHECK(site.first.ideal == 1);
    CHECK(site.variable == "s");
    CHECK(site.is_store);
  }
}

TEST_CASE("an access to a variable has its name, and accesses to two arrays have no memory in common") {
  Gpu gpu(kernel_text(".param .u64 in, .param .u64 other",
                      std::string(kRegisters) +
                          "ld.param.u64 %rd2, [other]; ld.global.u32 %r4, [table]; mov.u32 %r5, %ctaid.x; "
                          "setp.eq.u32 %p1, %r5, 1; selp.b64 %rd3, %rd1, %rd2, %p1; ld.global.u32 %r6, "
                          "[%rd3]; ret;",
                      ".global .align 4 .b8 table[64];\n"),
          recorded());
  const auto in = gpu.zeros<std::uint32_t>(16), other = gpu.zeros<std::uint32_t>(16);
  const auto parameters = pack(in, other);
  const auto one_block = gpu.run("k", {1, 1, 1}, {32, 1, 1}, parameters);
  REQUIRE(one_block.recording->sites.size() == 2);
  CHECK(one_block.recording->sites[0].variable == "table");
  CHECK(one_block.recording->sites[0].memory->size_bytes == 64);
  CHECK(one_block.recording->sites[1].memory->ordinal == 2);
  for (const unsigned blocks : {2U, 3U}) {
    const auto record = gpu.run("k", {blocks, 1, 1}, {32, 1, 1}, parameters);
    CHECK(record.recording->sites[0].variable == "table");
    CHECK_FALSE(record.recording->sites[1].memory);
  }
}

TEST_CASE("a guarded access records the lanes whose guard holds") {
  const auto recording = one_warp(
      "setp.lt.u32 %p1, %r1, 5; cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd1, %rd2; @%p1 ld.global.u32 %r4, "
      "[%rd3];");
  REQUIRE(recording.sites.size() == 1);
  CHECK(recording.sites.front().first.lanes == 0x1F);
  CHECK(recording.sites.front().first.cost == 1);
}

TEST_CASE(
    "the worst execution is that with the largest cost beyond the ideal, the first one in block order") {
  // The blocks' strides are 1, 2, 4, 4.
  const std::string body = std::string(kRegisters) +
                           "mov.u32 %r5, %ctaid.x; min.u32 %r5, %r5, 2; shl.b32 %r3, %r2, %r5; cvt.u64.u32 "
                           "%rd2, %r3; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r4, [%rd3]; ret;";
  for (const unsigned threads : {1U, 3U}) {
    Gpu gpu(kernel_text(".param .u64 in", body), recorded(threads));
    const auto record = gpu.run("k", {4, 1, 1}, {64, 1, 1}, pack(gpu.zeros<std::uint32_t>(4096)));
    REQUIRE(record.recording->sites.size() == 1);
    const RecordedSite& site = record.recording->sites.front();
    CHECK(site.executions == 8);
    CHECK(site.cost == 2 * (4 + 8 + 16 + 16));
    CHECK(site.ideal == 8 * 4);
    CHECK((site.first.block.x == 0 && site.first.warp == 0 && site.first.cost == 4));
    CHECK((site.worst.block.x == 2 && site.worst.warp == 0 && site.worst.cost == 16));
  }
}

TEST_CASE("the steps of a warp show who executes and who waits at each side of a branch") {
  const auto recording = one_warp(R"(
    .loc 1 10 1
    setp.lt.u32 %p1, %r1, 8;
    @%p1 bra LOW;
    .loc 1 11 1
    add.u32 %r3, %r1, 1; add.u32 %r3, %r3, 1;
    bra DONE;
    LOW:
    .loc 1 12 1
    add.u32 %r3, %r1, 2;
    DONE:
    .loc 1 13 1
    st.shared.u32 [%r2], %r3;)");
  const auto on_line = [&](std::uint32_t line) {
    return *std::find_if(recording.path.steps.begin(), recording.path.steps.end(),
                         [&](const auto& step) { return step.line == line; });
  };
  CHECK(on_line(10).active == 0xFFFFFFFF);
  CHECK(on_line(11).active == 0xFFFFFF00);
  CHECK(on_line(11).instructions == 3);
  CHECK(on_line(12).active == 0xFF);
  CHECK(on_line(12).live == 0xFFFFFFFF);
  CHECK(on_line(13).active == 0xFFFFFFFF);
  CHECK(recording.path.waiting == 3 * 8 + 24);
}

TEST_CASE("the steps are of the warp whose lanes wait most, and lanes that ended do not wait") {
  // In block 1, the lanes from 16 on of warp 1 end early; in block 2, warp 0 diverges.
  const std::string body = std::string(kRegisters) + R"(
    mov.u32 %r5, %ctaid.x;
    setp.eq.u32 %p1, %r5, 1; setp.ge.and.u32 %p2, %r1, 48, %p1;
    @%p2 ret;
    setp.eq.u32 %p1, %r5, 2; setp.lt.and.u32 %p2, %r1, 4, %p1;
    @%p2 bra FEW;
    add.u32 %r3, %r1, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1;
    add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, 1;
    bra DONE;
    FEW: mul.lo.u32 %r3, %r1, 3;
    DONE: st.shared.u32 [%r2], %r3; ret;)";
  Gpu gpu(kernel_text(".param .u64 in", body), recorded(2));
  const auto record = gpu.run("k", {3, 1, 1}, {64, 1, 1}, pack(gpu.zeros<std::uint32_t>(64)));
  const vgpu::RecordedPath& path = record.recording->path;
  CHECK((path.block.x == 2 && path.warp == 0));
  CHECK(path.waiting == 9 * 4 + 28);
}

TEST_CASE("results and counters are the same with and without a recording, and so are cheap launches") {
  const auto multiply = [](const vgpu::DeviceOptions& options) {
    Gpu gpu(test::kernel_file("matmul.ptx"), options);
    const auto m = gpu.upload(std::vector<float>(33 * 33, 2.0F));
    const auto product = gpu.zeros<float>(33 * 33);
    auto record = gpu.run("tiled", {3, 3, 1}, {16, 16, 1}, pack(m, m, product, 33, 33, 33));
    return std::pair{record, gpu.download<float>(product, 33 * 33)};
  };
  vgpu::DeviceOptions checked;
  checked.checks = vgpu::Checks::all();
  const auto [plain, plain_values] = multiply(checked);
  const auto [one, one_values] = multiply(recorded(1));
  const auto [three, three_values] = multiply(recorded(3));
  CHECK_FALSE(plain.recording);
  CHECK(plain.counters == one.counters);
  CHECK(plain.lines == one.lines);
  CHECK(plain_values == one_values);
  CHECK(one_values == three_values);
  REQUIRE((one.recording && three.recording));
  CHECK(*one.recording == *three.recording);
  std::uint64_t requests = 0, sectors = 0;
  for (const RecordedSite& site : one.recording->sites)
    if (site.space == vgpu::ptx::Space::global && !site.is_store) {
      requests += site.executions;
      sectors += site.cost;
    }
  CHECK(requests == one.counters.global_loads.requests);
  CHECK(sectors == one.counters.global_loads.sectors);
}

TEST_CASE("the PTX of the kernel is listed with its source lines") {
  const auto recording = one_warp(".loc 1 7 1\n st.shared.u32 [%r2], %r1;");
  const auto store = std::find_if(recording.ptx.begin(), recording.ptx.end(),
                                  [](const auto& one) { return one.text.find("st.shared") == 0; });
  REQUIRE(store != recording.ptx.end());
  CHECK(store->line == 7);
  CHECK(store->file == "test.cu");
}

}  // namespace recording_test
