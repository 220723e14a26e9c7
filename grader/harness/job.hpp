// What the grader tells the harness to do and what the harness answers. The harness runs in the submission's
// process: it uploads inputs, calls the student's function, downloads outputs and sends them; it never
// judges, and it never sees an expected output, a threshold or a score.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/array.hpp"

namespace grader::harness {

/// The harness's end of the channel to the grader, a stream socket.
inline constexpr int kChannelDescriptor = 3;

/// Whose memory the student's function finds an array in.
enum class Place { device, host, pinned };  ///< host: pageable; pinned: of the host, page-locked

/// What the student's function takes an array's elements for. Values travel as numbers in float, so integers
/// stay between -2^24 and 2^24.
enum class Element { f32, i32 };

struct Input : Array {
  Place place = Place::device;
  Element element = Element::f32;
};

struct OutputSpec {
  std::string name;
  Shape shape;
  Place place = Place::device;
  Element element = Element::f32;
  /// Index of the input whose values it holds before each call, for functions that work in place; otherwise
  /// it holds poison.
  std::optional<std::size_t> starts_as = std::nullopt;
};

struct Job {
  std::string adapter;                          ///< which harness adapter: "tiled_matmul"
  std::string entry;                            ///< the student's function: "tiled_matmul_dynamic"
  std::map<std::string, std::int64_t> scalars;  ///< m, k, n
  std::vector<Input> inputs;
  std::vector<OutputSpec> outputs;
  /// The function is called as often as the grader asks (Turn), otherwise once.
  bool takes_turns = false;
  bool needs_launch = true;  ///< an answer without any kernel is a mistake; not told to the harness
};

/// One call that the grader asks for. How many there will be, which of them count, and which outputs it will
/// look at, the program in the box learns from none of them.
struct Turn {
  /// The call's inputs are the job's, each turned to the left by this many elements, modulo its size: no
  /// result of an earlier call can pass for this one's.
  std::uint64_t rotation = 0;
  bool shown = false;  ///< its outputs are sent
};

struct Answer {
  std::vector<Array> outputs;
  /// Where each output lies on the device, so that a grader who has the device can look by itself; 0 for
  /// those in host memory.
  std::vector<std::uint64_t> addresses;
  std::vector<std::string> overrun;  ///< arrays whose guard zones somebody wrote to; inputs may be among them
  double seconds = 0;   ///< CUDA-event time of the last call; the virtual GPU's own time counts there
  std::string problem;  ///< empty, or a runtime error that the harness met: "cudaMalloc: out of memory"
};

/// The inputs that a turn hands to the function.
std::vector<float> rotated(const std::vector<float>& values, std::uint64_t rotation);
Job rotated(Job job, std::uint64_t rotation);

}  // namespace grader::harness
