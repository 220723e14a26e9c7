// tex as an instruction: lanes, guards, unused results, and refused forms. What a fetch
// gives is tested in tests/texture.

#include "vgpu/texture/texture.hpp"

#include "vgpu/gpu.hpp"

namespace texture_test {

using namespace vgpu;
using test::Gpu;
using test::kernel_text;
using test::pack;
using texture::Texture;
using texture::TextureObject;

namespace {

/// out[lane] = what `fetch` leaves in %r4, which is 77 before; %r1 is the lane, %rd3 the lane's handle.
std::string text(const std::string& fetch) {
  return kernel_text(".param .u64 out, .param .u64 handles",
                     ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;"
                     "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [handles];"
                     "mul.wide.u32 %rd4, %r1, 8; add.s64 %rd5, %rd2, %rd4; ld.global.u64 %rd3, [%rd5];"
                     "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd6, %rd1, %rd4;"
                     "cvt.rn.f32.u32 %f1, %r1; setp.lt.u32 %p1, %r1, 2; mov.u32 %r4, 77;" +
                         fetch + "st.global.u32 [%rd6], %r4; ret;");
}

DevicePtr texture_of(Gpu& gpu, const std::vector<std::uint32_t>& texels) {
  TextureObject object;
  object.texture.address = gpu.upload(texels);
  object.texture.pitch = texels.size() * 4;
  object.texture.extent[0] = static_cast<std::uint32_t>(texels.size());
  object.texture.kind = texture::ChannelKind::unsigned_integer;
  return gpu.upload(std::vector<TextureObject>{object});
}

std::vector<std::uint32_t> run(Gpu& gpu, const std::vector<DevicePtr>& handles) {
  const auto out = gpu.zeros<std::uint32_t>(handles.size());
  gpu.run("k", {1, 1, 1}, {static_cast<std::uint32_t>(handles.size()), 1, 1}, pack(out, gpu.upload(handles)));
  return gpu.download<std::uint32_t>(out, handles.size());
}

Fault fault(Gpu& gpu, FaultKind kind, const std::vector<DevicePtr>& handles) {
  const auto out = gpu.zeros<std::uint32_t>(handles.size());
  return gpu.fault(kind, "k", {1, 1, 1}, {static_cast<std::uint32_t>(handles.size()), 1, 1},
                   pack(out, gpu.upload(handles)));
}

const std::string kFetch = "tex.1d.v4.u32.s32 {%r4, _, _, %r5}, [%rd3, {%r1}];";

}  // namespace

TEST_CASE("each lane fetches from its own texture") {
  Gpu gpu(text(kFetch));
  const DevicePtr a = texture_of(gpu, {10, 11, 12, 13}), b = texture_of(gpu, {20, 21, 22, 23});
  CHECK(run(gpu, {a, b, b, a}) == std::vector<std::uint32_t>{10, 21, 22, 13});
}

TEST_CASE("lanes whose guard fails fetch nothing, even with an invalid handle") {
  Gpu gpu(text("@%p1 " + kFetch));
  const DevicePtr a = texture_of(gpu, {10, 11, 12, 13});
  CHECK(run(gpu, {a, a, 0, 3}) == std::vector<std::uint32_t>{10, 11, 77, 77});
}

TEST_CASE("a result can overwrite a coordinate") {
  Gpu gpu(text("mov.u32 %r4, %r1; tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd3, {%r4}];"));
  const DevicePtr a = texture_of(gpu, {5, 6, 7});
  CHECK(run(gpu, {a, a, a}) == std::vector<std::uint32_t>{5, 6, 7});
}

TEST_CASE("a handle of no texture object is a fault of the first such lane") {
  Gpu wrong(text(kFetch));
  const DevicePtr a = texture_of(wrong, {1, 2});
  const DevicePtr other = wrong.zeros<std::uint64_t>(64);
  const Fault found = fault(wrong, FaultKind::invalid_texture, {a, other});
  CHECK(found.thread == Dim3{1, 0, 0});
  CHECK(found.address == other);
  CHECK(found.detail == "there is no texture object there");
}

TEST_CASE("a texture object that was overwritten is invalid") {
  Gpu gpu(text(kFetch));
  const DevicePtr a = texture_of(gpu, {1, 2});
  const std::vector<std::uint8_t> garbage(sizeof(Texture), 0xA5);
  REQUIRE(gpu.device.write(a + 8, std::as_bytes(std::span(garbage))));
  CHECK(fault(gpu, FaultKind::invalid_texture, {a}).detail == "there is no texture object there");
}

TEST_CASE("a fetch of freed texels is a use after free") {
  Gpu gpu(text(kFetch));
  const DevicePtr a = texture_of(gpu, {1, 2});
  REQUIRE(gpu.device.free(gpu.device.live_allocations().front().start));
  const Fault found = fault(gpu, FaultKind::use_after_free, {a});
  CHECK(found.nearest->ordinal == 1);
}

TEST_CASE("forms of fetches that nvcc does not generate for these functions are refused by name") {
  for (const char* form : {"tex.level.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd3, {%r1}], %r1;",
                           "tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd3, {%f1, %f1, %f1, %f1}];",
                           "tex.1d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd3, %rd3, {%r1}];",
                           "tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [%rd3, {%r1}];",
                           "tex.1d.v4.u32.s32 {%r4, %r5}, [%rd3, {%r1}];"}) {
    INFO(form);
    Gpu gpu(text(form));
    const Fault found = fault(gpu, FaultKind::unsupported, {0});
    CHECK(found.detail.starts_with(std::string(form).substr(0, std::string(form).find(' '))));
  }
}

}  // namespace texture_test
