// Records the values that a program passes between host and device. The judge derives from them where results
// were computed. Copies, fills and kernel parameters are recorded when they are executed. Memory that both
// sides share is recorded around each launch: what kernels read of it, as it was before the launch, and what
// they wrote, as it is after the launch. Not thread safe. Covered by tests/cudart/transfers_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "vgpu/cudart/device_side/host_memory.hpp"
#include "vgpu/cudart/device_side/kernel_stores.hpp"
#include "vgpu/cudart/device_side/parameter_words.hpp"
#include "vgpu/cudart/protocol/box.hpp"
#include "vgpu/run/device.hpp"

namespace vgpu::cudart {

/// Bytes that crossed between host and device, in pieces of any size. The first two are copies, the words of
/// kernels' parameters that earlier launches do not explain (parameter_words.hpp), values of fills, and
/// printf output.
struct HostTraffic {
  std::uint64_t to_device = 0, to_host = 0;
  std::uint64_t printed = 0;  ///< the part of to_host that is printf output
  /// Bytes of shared (pinned, registered, managed) memory that kernels accessed, counted once per launch.
  /// Words that still have the value that an earlier kernel stored do not count as read from the host.
  std::uint64_t read_from_host = 0, written_to_host = 0;
};

/// Values that went to the device, as words of 4 bytes in the order of the transfers. A transfer whose size
/// is no multiple of 4 is padded with zeros.
struct SentWords {
  /// The words of a transfer: those from the end of the previous piece to `end`.
  struct Piece {
    std::size_t end = 0;
    std::size_t fetched = 0;  ///< the number of words that the host had received before
    /// Memory that both sides access, so that a kernel can have stored the value: mapped or managed memory.
    bool is_shared = false;
  };
  std::vector<std::uint32_t> words;
  std::vector<Piece> pieces;
};

struct TransferredWords {
  SentWords to_device;                      ///< copies, fills, and shared memory that kernels read
  SentWords parameters;                     ///< of kernels
  std::uint64_t unforeseen_parameters = 0;  ///< words of `parameters`: ParameterWords::unforeseen()
  std::vector<std::uint32_t> to_host;       ///< copies, and shared memory that kernels wrote
  std::vector<StoreLine> stored_by;         ///< of each word in `to_host`, as in Device::stored_by()
  std::vector<TermId> terms;  ///< of each word in `to_host`, as in Device::terms_of(), if it follows terms
  /// Of each word in `to_host`: false for the runtime's copies of managed variables, which have all their
  /// words.
  std::vector<bool> is_asked_for;
  bool is_complete = true;  ///< false: there were more than Transfers::kMaxBytes
};

class Transfers {
 public:
  /// The most bytes that are kept per direction, and the most shared memory that is observed.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;

  /// `keeps_words`: whether values are recorded; bytes are always counted.
  Transfers(const Device& device, const HostMemory& host, bool keeps_words)
      : device_(device), host_(host), keeps_words_(keeps_words) {}

  /// Device memory of a __managed__ variable, and its copy on the host, which kernels can access, too. The
  /// runtime copies such a variable as a whole. So only words that have changed since the last copy count as
  /// traffic, without those that kernels stored in the host's copy; all values are recorded. Beyond kMaxBytes
  /// of such memory, all words count.
  void link(std::uint64_t start, std::uint64_t host, std::uint64_t size_bytes);
  void sent(std::span<const std::byte> bytes);
  void sent_parameters(std::string_view kernel, std::span<const std::byte> bytes);
  void filled(std::uint32_t value, std::uint32_t value_bytes);
  /// `bytes` are the content of the rows.
  void fetched(const Rows& rows, const Box& box, std::span<const std::byte> bytes);
  /// Of `size_bytes` in rows on the device; called after the copy.
  void sent(const Rows& rows, const Box& box, std::uint64_t size_bytes);
  void fetched(const Rows& rows, const Box& box, std::uint64_t size_bytes);
  void printed(std::uint64_t size_bytes);
  void before_launch();
  /// `launch.accesses` must still have the reads.
  void after_launch(const LaunchRecord& launch);

  std::size_t sent_words() const { return words_.to_device.words.size(); }
  std::size_t fetched_words() const { return words_.to_host.size(); }
  HostTraffic traffic() const;
  TransferredWords take_words();

 private:
  struct Snapshot {
    std::uint64_t start = 0;
    std::vector<std::byte> bytes;
  };

  struct Linked {
    std::uint64_t start = 0, host = 0;
    std::vector<std::byte> known;  ///< to both sides
  };

  std::vector<Linked>::iterator linked_with(const Rows& rows, const Box& box, std::uint64_t size_bytes);
  /// Called after a copy from or to these rows.
  std::uint64_t changed_bytes(const Rows& rows, const Box& box, std::uint64_t size_bytes);
  void keep(std::vector<std::uint32_t>& words, std::span<const std::byte> bytes);
  void keep(SentWords& sent, std::span<const std::byte> bytes, bool is_shared = false);
  /// What Device knows of the words of a range.
  struct Origins {
    std::vector<StoreLine> lines;
    std::vector<TermId> terms;
  };
  void add_origins(Origins& origins, DevicePtr start, std::size_t size_bytes) const;
  void keep_fetched(std::span<const std::byte> bytes, Origins origins, bool is_asked_for);
  std::vector<std::byte> values_in(const Rows& rows, const Box& box, std::uint64_t size_bytes) const;
  void note_reads(const LaunchRecord& launch);
  void note_writes(const LaunchRecord& launch);

  const Device& device_;
  const HostMemory& host_;
  bool keeps_words_;
  HostTraffic traffic_;
  TransferredWords words_;
  ParameterWords parameters_;
  std::vector<Linked> linked_;
  std::size_t linked_bytes_ = 0;
  KernelStores stores_{kMaxBytes};
  std::vector<Snapshot> before_;  ///< shared memory as it was before the launch
};

}  // namespace vgpu::cudart
