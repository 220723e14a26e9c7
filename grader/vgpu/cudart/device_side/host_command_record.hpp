// What the host asked of the device, as HostCommands records it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vgpu::cudart {

/// What is recorded depends on where the program's input arrays are.
enum class KeptCommands : std::uint8_t {
  none,
  after_values,  ///< they are in device memory: commands after the device has sent the host anything
  all            ///< in host memory: all commands, without the contents of uploads and of shared memory
};

struct HostCommand {
  enum class Kind : std::uint8_t {
    launch,
    copy_to_device,
    copy_to_host,
    copy_on_device,
    fill,
    memory,  ///< an allocation, a release, a texture
    limit,   ///< of the stack, of the heap, of printf
    module,  ///< device code
  };
  /// A word that goes to the device: of the parameters, of an upload, of shared memory.
  struct Word {
    std::uint32_t value = 0;
    bool is_known = false;  ///< the device had this value in this place already
    bool is_used = true;    ///< false: the kernel did not read it
    bool is_steady = true;  ///< false: a run with the same values had another one; set by the judge
  };

  Kind kind{};
  std::string kernel;                ///< mangled; only of a launch
  std::vector<std::uint64_t> shape;  ///< places, sizes, the grid, …
  std::vector<Word> words;
  std::size_t parameter_words = 0;  ///< of a launch: the words before those of shared memory

  /// Whether results can depend on it. They depend on memory only if something uses it.
  bool is_sent() const { return kind != Kind::copy_to_host && kind != Kind::memory; }
};

struct HostCommandRecord {
  std::vector<HostCommand> commands;
  bool is_complete = true;  ///< false: there were more than HostCommands::kMaxWords
};

}  // namespace vgpu::cudart
