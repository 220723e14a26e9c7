#include "profile/roofline.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/numbers.hpp"

namespace grader {
namespace {

constexpr double kLineBytes = 128;

double number(std::uint64_t count) { return static_cast<double>(count); }

std::vector<Roof> roofs_of(const vgpu::Profile& device) {
  std::vector<Roof> roofs = {{"DRAM", device.dram_bytes_per_s * device.dram_achievable_fraction}};
  if (device.l2_bytes != 0 && device.l2_bytes_per_s > 0) roofs.push_back({"L2", device.l2_bytes_per_s});
  if (device.l1_bytes_per_sm != 0 && device.l1_lines_per_clock_per_sm > 0)
    roofs.push_back(
        {"L1", device.l1_lines_per_clock_per_sm * kLineBytes * device.sm_count * device.clock_hz});
  return roofs;
}

/// Bytes that the level moves for the kernel.
double bytes_at(const std::string& level, const vgpu::Counters& counters) {
  const vgpu::CacheTraffic& cache = counters.cache;
  if (level == "DRAM") return number(cache.dram_read_bytes + cache.dram_write_bytes);
  const double sector = number(vgpu::kSectorBytes);
  if (level == "L2") return sector * number(cache.l2_read_sectors + cache.l2_write_sectors);
  return sector * number(cache.l1_load_sectors + cache.texture_sectors + counters.global_stores.sectors);
}

}  // namespace

std::string rate_text(double per_s) {
  constexpr double kManyDigits = 1000;
  const double giga = per_s / 1e9;
  return giga < kManyDigits ? value_text(giga) : count_text(static_cast<std::uint64_t>(std::llround(giga)));
}

Roofline roofline(const vgpu::Profile& device, const std::vector<KernelFacts>& kernels) {
  Roofline result;
  result.device = device.name;
  // A fused multiply-add is two operations.
  result.peak_flops_per_s = 2.0 * device.lanes_per_sm * device.sm_count * device.clock_hz;
  result.roofs = roofs_of(device);
  for (const KernelFacts& kernel : kernels) {
    if (kernel.seconds <= 0) continue;
    if (kernel.counters.flops == 0) {
      result.without_flops.emplace_back(kernel.name, bytes_at("DRAM", kernel.counters) / kernel.seconds);
      continue;
    }
    for (const Roof& roof : result.roofs) {
      const double bytes = bytes_at(roof.level, kernel.counters);
      if (bytes <= 0) continue;
      RooflinePoint point{kernel.name, roof.level, number(kernel.counters.flops) / bytes,
                          number(kernel.counters.flops) / kernel.seconds, 0};
      point.bound_flops_per_s = std::min(result.peak_flops_per_s, point.flops_per_byte * roof.bytes_per_s);
      result.points.push_back(point);
    }
  }
  return result;
}

std::string roofline_text(const Roofline& roofline, const Terminal& terminal) {
  std::string heading = fmt::format("Roofline on {}: peak {} GFLOP/s", printable(roofline.device),
                                    rate_text(roofline.peak_flops_per_s));
  for (const Roof& roof : roofline.roofs)
    heading += fmt::format(", {} {} GB/s", roof.level, rate_text(roof.bytes_per_s));
  heading += fmt::format("; ridge at {} operations per byte of DRAM traffic", value_text(roofline.ridge()));
  std::string text;
  for (const std::string& line : wrap(heading, terminal.width)) text += line + "\n";
  if (!roofline.points.empty()) {
    constexpr std::size_t kNumbers = 40;  // columns
    std::size_t name = 6;
    for (const RooflinePoint& point : roofline.points)
      name = std::max(name, columns(printable(point.kernel, terminal.unicode)));
    name = std::min(name, terminal.width - std::min(terminal.width, kNumbers + 2));
    text += fmt::format("  {}  {:<5} {:>8} {:>8} {:>8} {:>6}\n", left("kernel", name, terminal), "level",
                        "op/byte", "GFLOP/s", "bound", "%");
    for (const RooflinePoint& point : roofline.points)
      text += fmt::format("  {}  {:<5} {:>8} {:>8} {:>8} {:>6}\n",
                          left(printable(point.kernel, terminal.unicode), name, terminal), point.level,
                          value_text(point.flops_per_byte), rate_text(point.flops_per_s),
                          rate_text(point.bound_flops_per_s),
                          value_text(std::round(1000 * point.flops_per_s / point.bound_flops_per_s) / 10));
  }
  for (const auto& [kernel, bytes_per_s] : roofline.without_flops)
    for (const std::string& line :
         wrap(fmt::format("{}: no floating-point operations; DRAM moves {} of {} GB/s",
                          printable(kernel, terminal.unicode), rate_text(bytes_per_s),
                          rate_text(roofline.roofs.front().bytes_per_s)),
              terminal.width - 2))
      text += "  " + line + "\n";
  return text;
}

}  // namespace grader
