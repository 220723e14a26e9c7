#include "vgpu/cost/texture_traffic.hpp"

#include <algorithm>
#include <cassert>
#include <span>

#include "vgpu/cost/cache_trace.hpp"

namespace vgpu::exec {
namespace {

/// The clocks in which L1 delivers the sectors: those with the same number in their lines follow one another.
/// The rule fits most of the counts of l1tex__data_pipe_tex_wavefronts on an H200; the real one is not known.
std::uint64_t clocks_in_l1(std::span<const std::uint64_t> sectors) {
  std::array<std::uint64_t, kSectorsOfLine> clocks{};
  for (const std::uint64_t sector : sectors) ++clocks[sector % kSectorsOfLine];
  return *std::max_element(clocks.begin(), clocks.end());
}

}  // namespace

TextureShape shape_of_fetch(const texture::Texture& texture) {
  const bool is_wide = texture.texel_bytes() == 16;
  if (texture.resource == texture::Resource::linear) {
    const int lanes = is_wide ? 4 : 8;
    return {lanes, lanes, 8, 1};
  }
  if (texture.filter == texture::Filter::point) return {};
  // A wavefront holds 16 texels, or 8 halves of wide ones.
  const int lanes = 4 / ((is_wide ? 2 : 1) * (texture.dimensions == 3 ? 2 : 1));
  return {4, lanes, lanes, is_wide ? 2U : 1U};
}

TextureShape shape_of_surface_access(std::uint32_t dimensions) {
  const int lanes = dimensions == 3 ? 4 : 8;
  return {lanes, lanes, lanes, 1};
}

void TextureAccess::begin(TextureShape shape) {
  shape_ = shape;
  sector_count_ = first_sector_ = requests_ = lookups_ = wavefronts_ = 0;
  last_lane_ = -1;
  bytes_ = 0;
}

void TextureAccess::add_lane(int lane) {
  const auto begins = [&](int lanes) { return last_lane_ < 0 || lane / lanes != last_lane_ / lanes; };
  requests_ += begins(shape_.request_lanes) ? 1 : 0;
  wavefronts_ += begins(shape_.wavefront_lanes) ? 1 : 0;
  if (begins(shape_.lookup_lanes)) {
    ++lookups_;
    first_sector_ = sector_count_;
  }
  ends_[lookups_ - 1] = static_cast<std::uint16_t>(sector_count_);
  last_lane_ = lane;
}

void TextureAccess::add_texel(std::uint64_t address, std::uint32_t bytes) {
  bytes_ += bytes;
  const std::uint64_t sector = address / kSectorBytes;
  // Neighbouring lanes mostly need the same one.
  for (std::size_t i = sector_count_; i > first_sector_; --i)
    if (sectors_[i - 1] == sector) return;
  assert(sector_count_ < sectors_.size());
  sectors_[sector_count_++] = sector;
  ends_[lookups_ - 1] = static_cast<std::uint16_t>(sector_count_);
}

void TextureAccess::count(const Warp& warp, const Decoded& d, Traffic traffic) const {
  MemoryCounts& counts = warp.core->sites.memory[d.memo];
  counts.origin = d.origin;
  counts.traffic = traffic;
  counts.texture.requests += requests_;
  counts.texture.sectors += sector_count_ * shape_.passes;
  counts.texture.wavefronts += wavefronts_ * shape_.passes;
  counts.texture.requested_bytes += bytes_;
  CacheTrace* trace = warp.core->trace;
  if (trace == nullptr) return;
  const auto kind =
      traffic == Traffic::surface_store ? LineAccess::Kind::surface_store : LineAccess::Kind::fetch;
  for (std::size_t i = 0; i < lookups_; ++i) {
    const std::size_t first = i == 0 ? 0 : ends_[i - 1];
    const std::span<const std::uint64_t> sectors(sectors_.data() + first, ends_[i] - first);
    for (unsigned pass = 0; pass < shape_.passes; ++pass) {
      const bool is_last = i + 1 == lookups_ && pass + 1 == shape_.passes;
      trace->record(warp, kind, sectors, is_last);
    }
    trace->add_l1_clocks(clocks_in_l1(sectors));
  }
}

}  // namespace vgpu::exec
