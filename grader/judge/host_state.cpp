#include "judge/host_state.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "harness/elements.hpp"
#include "judge/word_runs.hpp"
#include "vgpu/state/global_memory.hpp"

namespace grader {
namespace {

using harness::Job;
using harness::Words;
using vgpu::cudart::SentWords;

/// Transfers that may differ from those of the first call in values other than inputs and addresses: flags,
/// several kernels, alternating buffers.
constexpr std::size_t kVariants = 4;
/// In place of an input, an address, or a value that the program has read back.
constexpr std::uint32_t kExplained = ~0U;

/// Heap, stack and libraries of a 64-bit program, mapped at the top of their address range.
constexpr std::uint32_t kLeastHostHalf = 0x5500, kMostHostHalf = 0x7fff;
/// The first 65,536 allocations on the device.
constexpr std::uint32_t kDeviceHalf = vgpu::exec::kDeviceBase >> 32U, kAllocations = 1U << 20U;

/// Whether the word is the upper half of an address.
bool is_upper_half(std::uint32_t word) {
  if (word >= kLeastHostHalf && word <= kMostHostHalf) return true;
  constexpr std::uint32_t start_of_allocation = 8;  // 2^35 bytes after the start of its range
  return word - kDeviceHalf < kAllocations && word % 16 == start_of_allocation;
}

/// Inputs also as doubles, and the floats next to them.
Words explained_words(const Job& job) {
  Words words;
  const auto add = [&](const std::vector<harness::Input>& inputs) {
    for (const harness::Input& input : inputs)
      for (const std::uint32_t word : harness::encoded(input.values, input.element)) {
        words.insert(words.end(), {word - 1, word, word + 1});
        if (input.place == harness::Place::device) continue;
        const auto wide = std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(word)));
        words.insert(words.end(),
                     {static_cast<std::uint32_t>(wide), static_cast<std::uint32_t>(wide >> 32U)});
      }
  };
  add(job.inputs);
  for (const harness::EarlierCall& one : job.earlier) add(one.inputs);
  return words;
}

/// Calls `visit` with the words of each transfer that shares no memory.
template <class Visit>
void for_transfers(const vgpu::cudart::TransferredWords& words, Visit visit) {
  for (const SentWords* sent : {&words.parameters, &words.to_device}) {
    std::size_t start = 0;
    for (const auto& piece : sent->pieces) {
      if (!piece.is_shared) visit(std::span(sent->words).subspan(start, piece.end - start), piece.fetched);
      start = piece.end;
    }
  }
}

/// How often values were fetched, and sent after the first of them had been fetched.
class Returned {
 public:
  explicit Returned(const vgpu::cudart::TransferredWords& words) {
    for (const std::uint32_t word : words.to_host) ++fetched_[word];
    for_transfers(words, [&](std::span<const std::uint32_t> transfer, std::size_t fetched) {
      if (fetched > 0)
        for (const std::uint32_t word : transfer) ++sent_[word];
    });
  }
  /// A program that keeps the value on the device fetches it once as the result and once more to send it.
  bool is_read_back(std::uint32_t word) const {
    const auto fetched = fetched_.find(word), sent = sent_.find(word);
    return fetched != fetched_.end() && sent != sent_.end() && fetched->second > sent->second;
  }

 private:
  std::map<std::uint32_t, std::size_t> fetched_, sent_;
};

std::size_t count_variants(const vgpu::cudart::TransferredWords& words, const IndexedWords& explained) {
  const Returned returned(words);
  std::set<Words> first, later;
  for_transfers(words, [&](std::span<const std::uint32_t> transfer, std::size_t fetched) {
    Words shape;
    for (std::size_t i = 0; i < transfer.size(); ++i) {
      const bool is_address = i % 2 == 0 && i + 1 < transfer.size() && is_upper_half(transfer[i + 1]);
      const bool is_explained =
          is_address || explained.has(transfer[i]) || returned.is_read_back(transfer[i]);
      shape.push_back(is_explained ? kExplained : transfer[i]);
      if (is_address) ++i;
    }
    (fetched == 0 ? first : later).insert(std::move(shape));
  });
  return static_cast<std::size_t>(
      std::count_if(later.begin(), later.end(), [&](const Words& one) { return !first.contains(one); }));
}

}  // namespace

std::optional<Diagnostic> diagnose_host_state(const CaseRun& run, const Job& job) {
  const auto kept = std::find_if(job.outputs.begin(), job.outputs.end(),
                                 [](const harness::OutputSpec& one) { return one.is_copied; });
  const auto& words = run.session.words;
  if (kept == job.outputs.end() || !job.needs_launch || !words.is_complete) return std::nullopt;
  const std::size_t limit =
      std::max<std::size_t>(kVariants, element_count(kept->shape) / 2) + kVariants * job.earlier.size();
  const std::size_t variants = count_variants(words, IndexedWords(explained_words(job)));
  if (variants <= limit) return std::nullopt;
  Diagnostic found = diagnose(
      "WG-S27",
      fmt::format(
          "the host sends {} different sets of values of its own to the device from call to call; the "
          "limit is {}",
          variants, limit),
      "keep the value in a variable on the device, which kernels change, and which the host only resets and "
      "reads");
  found.likely_cause =
      fmt::format("the value that `{}` is computed from is kept in a variable of the host", kept->name);
  return found;
}

}  // namespace grader
