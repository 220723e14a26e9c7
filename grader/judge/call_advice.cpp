#include "judge/call_advice.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "judge/argument_lists.hpp"
#include "judge/code_text.hpp"
#include "judge/declarations.hpp"

namespace grader {
namespace {

/// The sizes in "4096 bytes, but the destination has room for 1024 up to the end of its …"
/// (vgpu/cudart/client/memory/copy.cpp).
struct Room {
  std::uint64_t copied = 0, available = 0;
};

std::optional<Room> room_in(std::string_view detail) {
  constexpr std::string_view kRoom = " has room for ";
  const std::size_t at = detail.find(kRoom);
  if (at == std::string_view::npos) return std::nullopt;
  Room room;
  std::from_chars(detail.data(), detail.data() + detail.size(), room.copied);
  std::from_chars(detail.data() + at + kRoom.size(), detail.data() + detail.size(), room.available);
  return room;
}

Advice advice_on_room(const Room& room) {
  if (room.available == sizeof(void*))
    return {"the array has 8 bytes, the size of a pointer: it was allocated with sizeof(pointer)",
            "allocate the number of elements times the size of an element: n * sizeof(float)"};
  constexpr std::uint64_t kFew = 16 * sizeof(float);
  // Of one element, four are also four times as many bytes.
  const bool is_slightly_longer = room.copied > room.available && room.copied - room.available < kFew &&
                                  room.available % sizeof(float) == 0;
  if (is_slightly_longer &&
      (room.available == sizeof(float) || room.copied != room.available * sizeof(float)))
    return {fmt::format("the copy is {} bytes longer than the array: its size is rounded up, or counts an "
                        "element that does not exist",
                        room.copied - room.available),
            "copy the elements that exist: their number times sizeof(float)"};
  if (room.copied == room.available * sizeof(float))
    return {"the number of bytes is multiplied by sizeof(float) twice, or the array was allocated without it",
            "allocate and copy the number of elements times sizeof(float), once"};
  return {
      "the copy is larger than the array: it has the size of another array, or the array is too small; a "
      "buffer that is kept between calls (static) has the size that an earlier call needed",
      "copy as many bytes as the smaller of the two arrays has: its number of elements times sizeof(float)"};
}

Advice advice_on_arguments(const std::string& call, const std::string& detail) {
  if (detail.find("the pointer's address is null") != std::string::npos)
    return {
        "the call gets the value of the pointer, which is null, instead of the pointer's address: a cast "
        "such as (void**)d_x only hides this",
        "pass the pointer's address, without a cast: &d_x"};
  if (detail.ends_with(" is a null pointer"))
    return {"no call has given this pointer memory: an allocation is missing, or it got another pointer",
            "allocate memory for each pointer before its first use: cudaMalloc(&pointer, bytes)"};
  if (detail.find(" at offset 0 ") != std::string::npos)  // of a variable (core/runtime.cpp, as above)
    return {
        "the copy is larger than the variable: its declaration has too few elements for the largest case, or "
        "the copy has the size of another array",
        "declare as many elements as the largest case needs, and copy as many bytes as are used"};
  if (detail.find(" at offset ") != std::string::npos)
    return {
        "the bytes from the offset on do not fit into the variable: the offset, the fourth argument, is in "
        "bytes, and the direction comes after it (cudaMemcpyHostToDevice in its place is the offset 1)",
        "leave out offset and direction: cudaMemcpyToSymbol(variable, h_values, bytes); compare the number "
        "of "
        "bytes with the variable's size"};
  if (detail.find(" begins ") != std::string::npos)  // next to an array (memory/copy.cpp, as above)
    return {
        "the pointer is outside of the array: it has moved to a segment or row that does not exist, or its "
        "offset is negative or counted in bytes",
        "copy only if the offset is at least 0 and below the number of elements; pointers count in elements"};
  if (detail.find("larger than any memory") != std::string::npos)
    return {
        "the number of bytes is negative: a length such as n - first is below 0, because the segment does "
        "not "
        "exist",
        "compute lengths as int, and copy only if they are greater than 0"};
  if (detail.find("memory that has been freed") != std::string::npos)
    return {
        "cudaFree was called before, in this call of the function or in an earlier one: a pointer that is "
        "static or global still has the old address",
        "allocate again after cudaFree, or free the memory after its last use"};
  if (detail.find("bytes of constant memory") != std::string::npos)
    return {
        "the file's __constant__ variables together are larger than constant memory, so that no kernel of "
        "the "
        "file can be launched",
        "keep at most 64 KiB in __constant__ variables, and larger tables in global memory"};
  if (call.starts_with("cudaFree"))
    return {"this call cannot free the pointer, or the memory was already freed",
            "free each pointer once: with cudaFree if it is from cudaMalloc, with cudaFreeHost if it is from "
            "cudaHostAlloc or cudaMallocHost"};
  if (call.starts_with("cudaMemcpy") || call.starts_with("cudaMemset"))
    return {"a pointer, the direction or the number of bytes does not match the memory",
            "check that both pointers match the direction and that the size is in bytes; copy __constant__ "
            "and __device__ variables with cudaMemcpyToSymbol and cudaMemcpyFromSymbol"};
  if (!detail.empty()) return {"", "repair what the first line says about the call"};
  return {"an argument is wrong, or an earlier kernel failed", "check the call's arguments"};
}

/// Of a variable that the virtual GPU has no room for (Runtime::variable()).
bool is_large_variable(const vgpu::cudart::ApiFailure& failure) {
  return failure.detail.starts_with("variable ") &&
         failure.detail.find("does not fit in device memory") != std::string::npos;
}

/// "h_a + first * sizeof(float)" is one of the two pointers of a copy.
bool adds_bytes_to_pointer(std::string_view line) {
  const std::size_t list = line.find('(', line.find("cudaMem"));
  if (list == std::string_view::npos) return false;
  const std::vector<std::string> arguments = parts_of(line.substr(list));
  const auto adds_bytes = [](const std::string& argument) {
    const std::size_t plus = argument.find('+');
    return plus != std::string::npos && (argument.find("sizeof", plus) != std::string::npos ||
                                         argument.find("* 4", plus) != std::string::npos);
  };
  return std::any_of(arguments.begin(), arguments.begin() + std::min<long>(2, std::ssize(arguments)),
                     adds_bytes);
}

/// "&d_x" of `cudaMemcpy(&d_x, …)`, if one of the two pointers of a copy is written like that; empty: none
/// is.
std::string address_of_pointer(std::string_view line) {
  const std::size_t list = line.find('(', line.find("cudaMem"));
  if (list == std::string_view::npos) return "";
  const std::vector<std::string> arguments = parts_of(line.substr(list));
  for (std::size_t i = 0; i < std::min<std::size_t>(2, arguments.size()); ++i) {
    const std::string_view argument = trimmed(arguments[i]);
    if (argument.starts_with("&d_") && argument.find('[') == std::string_view::npos)
      return std::string(argument);
  }
  return "";
}

/// The variable of the device in the statement that begins in this line; "": none.
std::string device_variable_in_statement(const SourceText& source, std::size_t line) {
  for (; line > 0 && line <= source.lines.size(); ++line) {
    std::string variable = device_variable_in(source, static_cast<std::uint32_t>(line));
    if (!variable.empty() || code_of(source.lines[line - 1]).find(';') != std::string_view::npos)
      return variable;
  }
  return "";
}

/// An array that the copy takes for device memory is in host memory.
void name_host_memory(const SourceText& source, Diagnostic& failed) {
  const std::string variable =
      failed.where ? device_variable_in_statement(source, static_cast<std::size_t>(failed.where->line)) : "";
  if (!variable.empty()) {
    failed.likely_cause = fmt::format(
        "`{}` is a variable of the device: in host code, its name has an address of the host", variable);
    failed.next_step = fmt::format(
        "copy to it with cudaMemcpyToSymbol({0}, h_values, bytes), and from it with "
        "cudaMemcpyFromSymbol(h_values, {0}, bytes)",
        variable);
    return;
  }
  if (failed.source_line.find("cudaMemcpyDeviceToDevice") != std::string::npos) {
    failed.likely_cause =
        "the direction says that both arrays are in device memory, but this one is in host memory";
    failed.next_step =
        "pass cudaMemcpyDeviceToHost if the destination, the first argument, is in host memory, and "
        "cudaMemcpyHostToDevice if the source is";
    return;
  }
  const std::string address = address_of_pointer(failed.source_line);
  if (address.empty()) {
    failed.likely_cause =
        "the pointer is an address in host memory, as from malloc or new, or the direction is the opposite "
        "one";
    failed.next_step =
        "allocate the array with cudaMalloc; the destination of a copy comes first, then the source";
    return;
  }
  failed.likely_cause =
      fmt::format("`{}` is the address of the pointer itself, which is a variable of the host", address);
  failed.next_step = fmt::format("pass the pointer: {}, without &", address.substr(1));
}

void name_bytes_in_pointer(Diagnostic& failed) {
  failed.likely_cause =
      "a number of bytes is added to a pointer: C++ counts elements there, so that `h_a + first * "
      "sizeof(float)` is four times as far from h_a as meant";
  failed.next_step =
      "add elements to pointers (h_a + first), and multiply only the size of the copy by sizeof(float)";
}

}  // namespace

/// `error` numbers are cudaError_t's; see error_name().
Advice advice_on(const vgpu::cudart::ApiFailure& failure) {
  if (is_large_variable(failure))
    return {
        "the variable has a fixed size, for instance that of the largest case, which this device has no "
        "memory for",
        "allocate what n elements need with cudaMalloc, and free it with cudaFree"};
  switch (failure.error) {
    case 2:
      return {"the buffers need more memory than this device has",
              "allocate what fits, reuse it for one piece after another, of the size that the function is "
              "given, and free memory that is no longer needed"};
    case 13:
      return {"the argument is not a __constant__ or __device__ variable",
              "pass the variable itself, not its address, a pointer or a string"};
    case 400:
      if (failure.detail.find("cudaDeviceReset") != std::string::npos)
        return {
            "cudaDeviceReset destroys all streams, events and memory of the process, also those of the "
            "code that calls the function",
            "remove the call of cudaDeviceReset"};
      return {"the stream or event was already destroyed, or never created",
              "create it before its first use, and destroy it after its last"};
    case 712:
      return {
          "the array is registered twice, an earlier call of the function did not unregister it, or it is "
          "pinned already: by cudaMallocHost, cudaHostAlloc or the caller",
          "register pageable arrays only, and call cudaHostUnregister for each of them on every path to "
          "the end of the function"};
    case 713:
      return {"the memory was already unregistered, or never registered",
              "unregister each array once, with the pointer that was registered"};
    case 700:
    case 716:
    case 719:
      return {"a kernel failed while it ran; the next call reports it",
              "run on the virtual GPU (--device virtual), which reports where"};
    default:
      if (const auto room = room_in(failure.detail)) return advice_on_room(*room);
      if (failure.detail.find("reach past the end of the host's pinned memory") != std::string::npos)
        return {
            "the copy is longer than what is left of the host's memory: the last piece of an array is often "
            "shorter than the others; or the memory was allocated or registered with a number of elements in "
            "place of bytes",
            "compute the length of each piece: the smaller of the piece's size and n - first; allocate and "
            "register elements * sizeof(float) bytes"};
      if (failure.detail.find("cudaHostRegisterReadOnly") != std::string::npos)
        return {"the array is registered as memory that the device only reads",
                "register arrays that the device writes to with cudaHostRegisterDefault"};
      return advice_on_arguments(failure.call, failure.detail);
  }
}

void advise_on_line(const vgpu::cudart::ApiFailure& failure, const SourceText& source, Diagnostic& failed) {
  constexpr int kInvalidValue = 1;
  if (failure.error != kInvalidValue) return;
  if (failure.detail.ends_with("is not device memory")) name_host_memory(source, failed);
  if (adds_bytes_to_pointer(failed.source_line)) name_bytes_in_pointer(failed);
}

}  // namespace grader
