// The traffic of fetches and surface accesses. Where a test names no other source, its numbers are what
// Nsight Compute counts for the same access on an H200.

#include "vgpu/gpu.hpp"
#include "vgpu/texture/texture.hpp"

namespace texture_traffic_test {

using namespace vgpu;
using test::Gpu;
using test::kernel_text;
using test::pack;
using texture::Filter;
using texture::Resource;
using texture::TextureObject;

namespace {

constexpr std::uint32_t kSide = 1024;

/// The lane's column and row are in %r2 and %r3 as integers, in %f2 and %f3 as floats; %rd1 is the handle.
/// Lanes from `lanes` on take no part. `width` lanes make a row.
std::string text(const std::string& access, int width, int step, int lanes) {
  return kernel_text(".param .u64 object",
                     ".reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 %rd<9>; .reg .pred %p<3>;"
                     "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [object];"
                     "rem.u32 %r2, %r1, " +
                         std::to_string(width) + "; div.u32 %r3, %r1, " + std::to_string(width) +
                         "; mul.lo.u32 %r2, %r2, " + std::to_string(step) +
                         "; cvt.rn.f32.u32 %f2, %r2; cvt.rn.f32.u32 %f3, %r3;"
                         "setp.lt.u32 %p1, %r1, " +
                         std::to_string(lanes) + "; mul.lo.u32 %r4, %r2, 4; @%p1 " + access + "ret;");
}

/// A square of floats or vectors of floats.
TextureObject object_of(Resource resource, std::uint8_t dimensions, std::uint8_t channels = 1) {
  TextureObject object;
  object.texture.channels = channels;
  object.texture.pitch = std::uint64_t{kSide} * channels * 4;
  object.texture.extent = {kSide, dimensions > 1 ? kSide : 1, 1};
  object.texture.dimensions = dimensions;
  object.texture.resource = resource;
  return object;
}

struct Pattern {
  int width = 32, step = 1, lanes = 32;
};
constexpr Pattern kRow{}, kColumn{1, 1, 32}, kBlock{8, 1, 32};

Counters counters(const std::string& access, TextureObject object, Pattern pattern = {},
                  const Profile& profile = lecture_profile()) {
  Gpu gpu(text(access, pattern.width, pattern.step, pattern.lanes), {}, profile);
  object.texture.address = gpu.zeros<std::byte>(object.texture.span_bytes());
  const auto handle = gpu.upload(std::vector<TextureObject>{object});
  return gpu.run("k", {1, 1, 1}, {32, 1, 1}, pack(handle)).counters;
}

const std::string kFetch = "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f2, %f3}];";
const std::string kNumbered = "tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%rd1, {%r2}];";
const std::string kLoad = "suld.b.2d.b32.trap {%r9}, [%rd1, {%r4, %r3}];";
const std::string kStore = "sust.b.2d.b32.trap [%rd1, {%r4, %r3}], {%r1};";

TextureTraffic image(Pattern pattern, std::uint8_t channels = 1, Filter filter = Filter::point) {
  TextureObject object = object_of(Resource::array, 2, channels);
  object.texture.filter = filter;
  return counters(kFetch, object, pattern).texture_fetches;
}

TextureTraffic linear(Pattern pattern, std::uint8_t channels = 1) {
  return counters(kNumbered, object_of(Resource::linear, 1, channels), pattern).texture_fetches;
}

TextureObject surface() {
  TextureObject object = object_of(Resource::array, 2);
  object.mark = mark_of(texture::ObjectKind::surface);
  return object;
}

}  // namespace

TEST_CASE("a fetch from an array is a request per 4 lanes, each with its own sectors") {
  CHECK(image(kRow) == TextureTraffic{8, 8, 8, 128});
  CHECK(image(kColumn) == TextureTraffic{8, 16, 8, 128});
  CHECK(image(kBlock) == TextureTraffic{8, 8, 8, 128});
  CHECK(image({32, 4}) == TextureTraffic{8, 32, 8, 128});
  CHECK(image({32, 0}) == TextureTraffic{8, 8, 8, 128});
  CHECK(image({32, 1, 5}) == TextureTraffic{2, 2, 2, 20});
  CHECK(image(kRow, 2) == TextureTraffic{8, 16, 8, 256});
  CHECK(image(kRow, 4) == TextureTraffic{8, 32, 8, 512});
}

TEST_CASE("tex1Dfetch is a request per 8 lanes") {
  CHECK(linear(kRow) == TextureTraffic{4, 4, 4, 128});
  CHECK(linear({32, 2}) == TextureTraffic{4, 8, 4, 128});
  CHECK(linear({32, 8}) == TextureTraffic{4, 32, 4, 128});
  CHECK(linear({32, 1, 9}) == TextureTraffic{2, 2, 2, 36});
  CHECK(linear(kRow, 2) == TextureTraffic{4, 8, 4, 256});
  CHECK(linear(kRow, 4) == TextureTraffic{8, 16, 4, 512});
}

TEST_CASE("rows of pitched memory are contiguous, those of arrays are not") {
  const auto pitched = [](Pattern pattern) {
    return counters(kFetch, object_of(Resource::pitched, 2), pattern).texture_fetches.sectors;
  };
  CHECK(pitched(kRow) == 8);  // each half of a sector counts for its own request
  CHECK(pitched(kColumn) == 32);
  CHECK(pitched(kBlock) == 8);
}

TEST_CASE("a linear filter reads the texels that have a weight") {
  // The lanes' positions lie between two texels of the first row; above it is nothing but its clamped copy.
  CHECK(image(kRow, 1, Filter::linear).sectors == 16 - 1);
  CHECK(image(kRow, 1, Filter::linear).requested_bytes == 4 * (1 + 31 * 2));
  CHECK(image(kRow, 1, Filter::linear).wavefronts == 8);
  CHECK(image(kRow, 4, Filter::linear).wavefronts == 32);
}

TEST_CASE("surfaces are read and written in requests of 8 lanes") {
  CHECK(counters(kLoad, surface(), kRow).surface_loads == TextureTraffic{4, 8, 4, 128});
  CHECK(counters(kLoad, surface(), kColumn).surface_loads == TextureTraffic{4, 16, 4, 128});
  CHECK(counters(kStore, surface(), kBlock).surface_stores == TextureTraffic{4, 8, 4, 128});
  const std::string beyond = "suld.b.2d.b32.zero {%r9}, [%rd1, {-4, %r3}];";
  CHECK(counters(beyond, surface()).surface_loads == TextureTraffic{4, 0, 4, 0});
}

TEST_CASE("without caches every sector of the texture unit is DRAM traffic") {
  const auto fetched = counters(kFetch, object_of(Resource::array, 2)).cache;
  CHECK(fetched.dram_read_bytes == 8 * 32);
  const auto stored = counters(kStore, surface()).cache;
  CHECK(stored.dram_write_bytes == 8 * 32);
  CHECK(stored.dram_read_bytes == 0);
}

TEST_CASE("with caches a sector of two rows is read once, and stores go through to L2") {
  Profile profile = lecture_profile();
  profile.l1_bytes_per_sm = profile.l2_bytes = std::size_t{1} << 20U;
  const auto traffic = [&](const std::string& access, const TextureObject& object, Pattern pattern) {
    return counters(access, object, pattern, profile).cache;
  };
  CHECK(traffic(kFetch, object_of(Resource::array, 2), kBlock) ==
        CacheTraffic{
            .texture_sectors = 8, .texture_hit_sectors = 4, .l2_read_sectors = 4, .dram_read_bytes = 128});
  CHECK(traffic(kNumbered, object_of(Resource::linear, 1), {32, 0}).texture_hit_sectors == 3);
  CHECK(traffic(kLoad, surface(), kBlock).texture_hit_sectors == 4);
  CHECK(traffic(kStore, surface(), kRow).l2_write_sectors == 8);
}

TEST_CASE("what goes through the texture unit is no load or store of its own") {
  const Counters fetch = counters(kFetch, object_of(Resource::array, 2));
  CHECK(fetch.global_loads.requests == 0);
  CHECK(counters(kStore, surface()).global_stores.requests == 0);
}

}  // namespace texture_traffic_test
