#include "judge/memory_names.hpp"

#include <fmt/format.h>

#include "judge/wording.hpp"
#include "vgpu/facts/address_text.hpp"

namespace grader {
namespace {

using vgpu::Fault;
using vgpu::cudart::HostPlace;
using vgpu::cudart::MemoryKind;
using vgpu::cudart::MemoryNames;

const char* host_memory_name(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::managed:
      return "managed memory";
    case MemoryKind::registered:
      return "registered host memory";
    case MemoryKind::pinned:
      return "pinned host memory";
    default:
      return "host memory that the device shares";
  }
}

}  // namespace

bool is_of_device_heap(const Fault& fault) {
  return fault.nearest && fault.nearest->ordinal == 0 && fault.variable.empty() &&
         !vgpu::looks_like_host_memory(fault.nearest->start);
}

std::string memory_name(const Fault& fault, const MemoryNames& memory) {
  const Fault::Nearest& nearest = *fault.nearest;
  const std::string size = fmt::format("({} bytes)", nearest.size_bytes);
  if (nearest.ordinal != 0) return fmt::format("allocation {} {}", nearest.ordinal, size);
  if (!fault.variable.empty()) return fmt::format("`{}` {}", kernel_name(fault.variable), size);
  if (is_of_device_heap(fault)) return "memory from malloc in a kernel, or a device variable " + size;
  const auto known = memory.find(nearest.start);
  const MemoryKind kind = known == memory.end() ? MemoryKind::unknown : known->second.kind;
  return fmt::format("{} {}", host_memory_name(kind), size);
}

std::string memory_history(const Fault& fault, const MemoryNames& memory) {
  const auto known = memory.find(fault.nearest->start);
  if (known == memory.end()) return "";
  std::string text;
  if (const std::string place = place_text(known->second.allocated); !place.empty())
    text += "; allocated" + place;
  if (const std::string place = place_text(known->second.freed); !place.empty())
    text += (text.empty() ? "; freed" : ", freed") + place;
  return text;
}

std::string place_text(const HostPlace& place) {
  if (!place.file.empty())
    return fmt::format(" at {}:{}", cleaned(place.file.substr(place.file.rfind('/') + 1)), place.line);
  return place.function.empty() ? "" : fmt::format(" in `{}`", place.function);
}

}  // namespace grader
