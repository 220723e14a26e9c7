// The grader's job for the harness and the harness's answer. The harness runs in the submission's process: it
// uploads inputs, calls the student's function, downloads outputs and sends them; it never judges, and never
// receives an expected output, a threshold or a score.
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

/// The harness's second argument: arrays in device memory have no guard zones, so that a tool which checks
/// every access finds the first element outside.
inline constexpr const char* kExactArrays = "exact-arrays";

/// The only argument of a harness that keeps the GPU initialised (query.hpp).
inline constexpr const char* kHold = "--hold";

/// The memory in which the student's function gets an array.
enum class Place { device, host, pinned };  ///< host: pageable; pinned: page-locked host memory

/// The element type of an array in the student's function. Values are transferred as float, so integers must
/// be between -2^24 and 2^24.
enum class Element { f32, i32 };

/// The words that the student's function reads and writes.
using Words = std::vector<std::uint32_t>;

struct Input : Array {
  Place place = Place::device;
  Element element = Element::f32;
};

struct OutputSpec {
  std::string name;
  Shape shape;
  Place place = Place::device;
  Element element = Element::f32;
  /// Index of the input whose values the output holds before each call, for functions that work in place;
  /// nullopt: the output holds poison.
  std::optional<std::size_t> starts_as = std::nullopt;
  /// In host memory: each value must be one that the program copied from the device, although the inputs are
  /// there; the host must not compute it. Not sent to the harness.
  bool is_copied = false;
};

using Scalars = std::map<std::string, std::int64_t>;

/// A call before the checked one. Its results are discarded, unless has_checked_results().
struct EarlierCall {
  Scalars scalars;
  std::vector<Input> inputs;
  std::vector<OutputSpec> outputs;
  enum class Values {
    other,                   ///< not those of the checked call
    almost_equal,            ///< a few elements of each input differ from those of the checked call
    almost_equal_elsewhere,  ///< the same, in arrays of its own
    equal_elsewhere,         ///< those of the checked call, in arrays of its own
    smaller,  ///< other values and smaller sizes, in the front parts of the checked call's arrays
  };
  Values values = Values::other;
  std::string entry = {};  ///< another function of the file; empty: the checked call's
};

/// The function divides its arrays into pieces of so many elements.
struct Piece {
  std::string name;  ///< of the parameter
  std::uint64_t elements = 0;
};

struct Job {
  std::string adapter;  ///< which harness adapter: "tiled_matmul"
  std::string entry;    ///< the student's function: "tiled_matmul_dynamic"
  Scalars scalars;      ///< m, k, n
  std::vector<Input> inputs;
  std::vector<OutputSpec> outputs;
  /// The same process calls the function with these first: a buffer or a value that it keeps from them must
  /// not change the result. Not if the job takes turns.
  std::vector<EarlierCall> earlier = {};
  /// True: the function is called as often as the grader requests (Turn); false: once.
  bool takes_turns = false;
  /// The program may end after a failed CUDA call; not sent to the harness.
  bool may_fail = false;
  std::optional<Piece> piece = std::nullopt;  ///< not sent to the harness
  bool needs_launch = true;  ///< an answer without any launch is wrong; not sent to the harness
  /// False: the same process gets another job after this one's answer.
  bool is_last = true;
};

/// One call that the grader requests. The program in the box does not learn how many calls there will be,
/// which of them count, or which outputs the grader will check.
struct Turn {
  /// The call's inputs are the job's, each rotated to the left by this many elements, modulo its size: a
  /// result of an earlier call cannot pass for this call's.
  std::uint64_t rotation = 0;
  bool shown = false;  ///< the outputs are sent
};

/// What an input holds after its call.
struct InputAfter {
  std::uint64_t address = 0;  ///< of the values on the device; 0 for an array in host memory
  /// Empty for values on the virtual GPU, which the grader reads itself, and for unchanged values of a job
  /// that takes turns.
  Words words;
};

/// The outputs of one call.
struct CallOutputs {
  std::vector<Array> outputs;
  /// The device address of each output, so that a grader that has the device can read the output itself; 0
  /// for outputs in host memory.
  std::vector<std::uint64_t> addresses;
};

struct Answer {
  std::vector<Array> outputs;            ///< of the last call, as in CallOutputs
  std::vector<std::uint64_t> addresses;  ///< of the last call, as in CallOutputs
  std::vector<InputAfter> inputs;        ///< the inputs of all calls, in the order of input_count()
  std::vector<std::string> overrun;      ///< arrays, also inputs, whose guard zones were written to
  double seconds =
      0;  ///< CUDA-event time of the last call; for the virtual GPU, modelled time is used instead
  std::string problem;  ///< empty, or the harness's runtime error: "cudaMalloc: out of memory"
  std::vector<CallOutputs> earlier = {};  ///< of the earlier calls with checked results, in their order
};

bool has_device_inputs(const Job& job);

/// The name of the function that is called.
const std::string& function_of(const EarlierCall& earlier, const Job& job);

/// Whether the call uses the arrays of the checked call, like the calls of a loop: a program that recognises
/// an array by its address must not conclude that its contents or its size are the same.
bool shares_arrays(const EarlierCall& earlier, const Job& job);
/// Whether the results of the call must be those of the checked call, whose values it has. What a program
/// keeps from the call before shows there too, if only the sizes of that call matter.
bool has_checked_results(const EarlierCall& earlier);
/// The number of earlier calls with checked results.
std::size_t checked_earlier_calls(const Job& job);

/// Whether the arrays of the checked call are written more than once.
bool is_written_repeatedly(const Job& job);

/// The number of inputs of all calls: those of the earlier calls, then those of the last one.
std::size_t input_count(const Job& job);

/// The inputs that the function gets in a turn.
std::vector<float> rotated(const std::vector<float>& values, std::uint64_t rotation);
Job rotated(Job job, std::uint64_t rotation);

}  // namespace grader::harness
