#include "judge/memory_faults.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ascii.hpp"
#include "judge/arrays.hpp"
#include "judge/code_text.hpp"
#include "judge/declarations.hpp"
#include "judge/memory_names.hpp"
#include "judge/source_hints.hpp"
#include "judge/tested_index.hpp"
#include "judge/wording.hpp"
#include "vgpu/facts/address_text.hpp"

namespace grader {
namespace {

using vgpu::Fault;
using vgpu::cudart::MemoryNames;
using vgpu::ptx::Space;

/// An address farther than this from the nearest array is unrelated to that array.
constexpr std::uint64_t kFarBytes = std::uint64_t{64} << 20U;

const char* verb(const Fault& fault) { return fault.is_store ? "writes" : "reads"; }

/// Bytes from the allocation's start to the access; negative before it.
std::int64_t offset_of(const Fault& fault) {
  return static_cast<std::int64_t>(fault.address - fault.nearest->start);
}

std::uint64_t bytes_outside(const Fault& fault) {
  const std::int64_t offset = offset_of(fault);
  if (offset < 0) return static_cast<std::uint64_t>(-(offset + 1)) + 1;
  const auto inside = static_cast<std::uint64_t>(offset);
  return inside < fault.nearest->size_bytes ? 0 : inside - fault.nearest->size_bytes;
}

/// The access is wider than what is left of the memory, as that of a float4 at the last element.
bool begins_inside(const Fault& fault) {
  return offset_of(fault) >= 0 && static_cast<std::uint64_t>(offset_of(fault)) < fault.nearest->size_bytes;
}

std::string before_or_past(const Fault& fault) {
  return offset_of(fault) < 0 ? "before the start" : "past the end";
}

/// "index 561, but `M` has 17 × 33 = 561 elements (0 to 560)"; "index -1, …"
std::string element_text(const Fault& fault, const NamedArray& buffer) {
  constexpr std::int64_t kElement = sizeof(float);
  const std::int64_t offset = offset_of(fault);
  const std::int64_t element = offset >= 0 ? offset / kElement : -((-offset + kElement - 1) / kElement);
  const std::size_t count = element_count(buffer.shape);
  const std::string place = begins_inside(fault)
                                ? fmt::format("{} bytes from index {} on", fault.access_bytes, element)
                                : fmt::format("index {}", element);
  if (count == 1) return fmt::format("{}, but `{}` has 1 element (index 0)", place, buffer.name);
  const std::string extents = fmt::format("{}", fmt::join(buffer.shape, " × "));
  return fmt::format("{}, but `{}` has {} elements (0 to {})", place, buffer.name,
                     buffer.shape.size() > 1 ? fmt::format("{} = {}", extents, count) : extents, count - 1);
}

/// "index 128, but there are 128 elements of 4 bytes"; "12 bytes past the end" if the offset or the size is
/// not a multiple of the access size.
std::string outside_text(const Fault& fault) {
  const auto bytes = static_cast<std::int64_t>(fault.access_bytes);
  if (bytes == 0 || offset_of(fault) % bytes != 0 || fault.nearest->size_bytes % fault.access_bytes != 0)
    return fmt::format("{} {}", counted(bytes_outside(fault), "byte"), before_or_past(fault));
  const std::uint64_t elements = fault.nearest->size_bytes / fault.access_bytes;
  return fmt::format("index {}, but there {} {} of {} bytes", offset_of(fault) / bytes,
                     elements == 1 ? "is" : "are", counted(elements, "element"), bytes);
}

void describe_host_pointer(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-M13";
  diagnostic.what =
      fmt::format("`{}` {} through a pointer to host memory", kernel_name(fault.kernel), verb(fault));
  diagnostic.first = fmt::format("{} bytes at {}; ", fault.access_bytes, vgpu::address_text(fault.address));
  diagnostic.likely_cause =
      "the launch passes a host array or a structure that holds a host pointer, or the pointer was never set";
  diagnostic.next_step = "allocate with cudaMalloc, copy with cudaMemcpy, and pass the device pointer";
}

void describe_wild_address(const Fault& fault, Diagnostic& diagnostic) {
  const bool is_null = fault.address < kNullPageBytes;
  if (vgpu::looks_like_host_memory(fault.address)) return describe_host_pointer(fault, diagnostic);
  diagnostic.what =
      fmt::format("`{}` {} through {}", kernel_name(fault.kernel), verb(fault),
                  is_null ? "a null pointer" : "a pointer that does not point to device memory");
  diagnostic.first = fmt::format("{} bytes at {}; ", fault.access_bytes, vgpu::address_text(fault.address));
  diagnostic.likely_cause =
      "a host pointer or an uninitialised pointer was passed to the kernel, or an index overflowed";
  diagnostic.next_step = "check the launch's arguments and their order, then the index arithmetic";
}

/// The program declares the variable, with a size that the compiler knows.
bool is_variable(const Fault& fault) {
  return fault.space == vgpu::ptx::Space::constant || !fault.variable.empty();
}

void advise_on_variable(Diagnostic& diagnostic) {
  diagnostic.likely_cause =
      "the kernel gets a number of elements other than how many were stored there, an index is wrong, or the "
      "variable is declared with fewer elements than the program needs";
  diagnostic.next_step =
      "pass the number of elements that were stored, and compare the index with it; if the largest input "
      "needs more, declare more elements";
}

constexpr std::int64_t kLeastOf16Bits = -32768;

/// For memory without rows: an array with one extent, or an allocation, whose shape only the program knows.
/// The first number that is too large for a short.
constexpr std::int64_t kBeyond16Bits = 32768;

void advise_on_vector(const Fault& fault, bool is_array, const SourceText& source, Diagnostic& diagnostic) {
  if (offset_of(fault) < 0) {
    // The first number that is too large for a short wraps to this one.
    if (offset_of(fault) == kLeastOf16Bits * fault.access_bytes) {
      diagnostic.likely_cause =
          "an index is kept in 16 bits (short), whose largest value is 32767: the next one becomes -32768";
      diagnostic.next_step = "compute and keep indices in an int";
      return;
    }
    diagnostic.likely_cause =
        "an index is negative, as i - 1 is for the first element, or a product or sum is too large for its "
        "type";
    diagnostic.next_step = "let no thread access an element before the first one";
    return;
  }
  if (!is_array && fault.nearest->size_bytes == sizeof(void*) && first_use(source, "sizeof")) {
    diagnostic.likely_cause =
        "the allocation has 8 bytes, the size of a pointer: sizeof(pointer) is not the size of its array";
    diagnostic.next_step = "allocate the number of elements times sizeof(float) bytes";
    return;
  }
  if (const auto narrow = offset_of(fault) >= kBeyond16Bits * fault.access_bytes
                              ? integer_of_16_bits(source, fault.file, fault.source.line)
                              : std::nullopt) {
    diagnostic.likely_cause = fmt::format(
        "line {} uses an integer of 16 bits, which holds no number above 32767 (unsigned: 65535): a "
        "condition that compares it lets threads through that have no element",
        *narrow);
    diagnostic.next_step = "keep and compare indices in an int";
    return;
  }
  diagnostic.likely_cause =
      "more threads run than there are elements, and no condition stops them, or it lets one too many "
      "through (`<=` for `<`); or each element is that of several threads, and the index is not divided by "
      "their number";
  if (!is_array) diagnostic.likely_cause += "; or the allocation is too small: sizes are in bytes";
  diagnostic.next_step = "let only threads access the memory whose index is below the number of elements";
}

/// The program's own allocation has the size of a matrix of the job.
bool has_size_of_matrix(const Fault& fault, const harness::Job& job) {
  const auto matches = [&](const auto& array) {
    return array.shape.size() == 2 && array.shape[0] > 1 && array.shape[1] > 1 &&
           element_count(array.shape) * sizeof(float) == fault.nearest->size_bytes;
  };
  return std::any_of(job.inputs.begin(), job.inputs.end(), matches) ||
         std::any_of(job.outputs.begin(), job.outputs.end(), matches);
}

/// A bound of the condition is the number of elements from some place on, such as n - begin: what is compared
/// with it counts from there, and need not be the index.
bool compares_with_rest(std::string_view condition, const SourceText& source) {
  for (std::size_t at = condition.find('<'); at != std::string_view::npos; at = condition.find('<', at + 1)) {
    const std::string_view rest = trimmed(condition.substr(at + 1));
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_word_character);
    const std::string bound(rest.begin(), end);
    const auto sets_to_difference = [&](const std::string& line) {
      const std::string_view value = trimmed(after_word(code_of(line), bound).value_or(""));
      return value.starts_with('=') && !value.starts_with("==") && value.find('-') != std::string_view::npos;
    };
    if (!bound.empty() && std::any_of(source.lines.begin(), source.lines.end(), sets_to_difference))
      return true;
  }
  return false;
}

/// The condition tests other variables than the index has, or in another order. False: it does not.
bool advise_on_tests(std::uint32_t guard, std::uint32_t access, const SourceText& source,
                     Diagnostic& diagnostic) {
  const std::string_view condition = code_of(source.lines[guard - 1]),
                         code = code_of(source.lines[access - 1]);
  if (const auto untested =
          compares_with_rest(condition, source) ? std::nullopt : untested_index(condition, code)) {
    const char* const what = untested->is_row ? "row" : "column";
    diagnostic.likely_cause =
        fmt::format("the condition in line {} tests `{}`, but the {} of the index is `{}`", guard,
                    untested->tested, what, untested->used);
    diagnostic.next_step = fmt::format("test the {} that the index uses: {} < …", what, untested->used);
    return true;
  }
  const auto column = exchanged_index(condition, code);
  if (!column) return false;
  diagnostic.likely_cause = fmt::format(
      "row and column are exchanged in the index: the condition in line {} compares `{}` with the length of "
      "a "
      "row, so it is the column, but the index multiplies it by that length",
      guard, *column);
  diagnostic.next_step = "the index is row * (elements per row) + column";
  return true;
}

/// The program's own allocation has as many elements as a row of a matrix of the job; 0: it has not.
std::uint64_t length_of_only_row(const Fault& fault, const harness::Job& job) {
  const std::uint64_t elements = fault.nearest->size_bytes / sizeof(float);
  const auto matches = [&](const auto& array) {
    return array.shape.size() == 2 && array.shape[0] > 1 && array.shape[1] == elements;
  };
  const bool is_row = elements > 1 && (std::any_of(job.inputs.begin(), job.inputs.end(), matches) ||
                                       std::any_of(job.outputs.begin(), job.outputs.end(), matches));
  return is_row ? elements : 0;
}

/// A condition compares row and column, and the index still leaves the matrix.
void advise_on_guard(std::uint32_t guard, std::uint32_t access, const SourceText& source,
                     Diagnostic& diagnostic) {
  if (source.lines[guard - 1].find("<=") != std::string::npos) {
    diagnostic.likely_cause = fmt::format(
        "the condition in line {} compares with <=, which lets a row or column through that does not exist: "
        "the last index is one less than the extent",
        guard);
    diagnostic.next_step = "compare row and column with <";
    return;
  }
  if (advise_on_tests(guard, access, source, diagnostic)) return;
  diagnostic.likely_cause = fmt::format(
      "the index multiplies the row by a number other than the length of a row of this array, such as that "
      "of a padded copy or of another matrix; or the condition in line {} has a bound of another array, or "
      "tests other variables than those of the index",
      guard);
  diagnostic.next_step =
      "use row * (elements per row of this array) + column, and compare row and column with the same array's "
      "extents";
}

/// Threads return if they have no element, and the condition lets some through.
void advise_on_return(const LooseReturn& found, Diagnostic& diagnostic) {
  diagnostic.likely_cause =
      found.is_conjunction
          ? fmt::format(
                "in line {} only threads return for which both conditions hold: `&&` for `||`, so that "
                "threads beyond one edge alone continue",
                found.line)
          : fmt::format(
                "the condition in line {} compares with >, so that threads whose index equals the extent "
                "continue: the last index is one less",
                found.line);
  diagnostic.next_step = found.is_conjunction
                             ? "return if one of them holds: if (row >= rows || col >= columns) return;"
                             : "compare with >=";
}

void advise_on_wide_access(const Fault& fault, Diagnostic& diagnostic) {
  constexpr std::uint32_t kFloat4Bytes = 16;
  diagnostic.likely_cause = fmt::format(
      "an access of {} bytes{} begins at an element that exists, but the array ends within these bytes: its "
      "length is no multiple of {} elements",
      fault.access_bytes, fault.access_bytes == kFloat4Bytes ? " (float4)" : "",
      fault.access_bytes / sizeof(float));
  diagnostic.next_step = "access the elements after the last full vector one by one";
}

void describe_global(const Fault& fault, const harness::Job& job, const SourceText& source,
                     const MemoryNames& memory, Diagnostic& diagnostic) {
  diagnostic.code = fault.is_store ? "WG-M02" : "WG-M01";
  if (!fault.nearest || bytes_outside(fault) > kFarBytes) return describe_wild_address(fault, diagnostic);
  const auto buffer = named_array(fault, job);
  const std::string target = buffer ? "`" + buffer->name + "`" : memory_name(fault, memory);
  diagnostic.what =
      fmt::format("`{}` {} {} of {}", kernel_name(fault.kernel), verb(fault), before_or_past(fault), target);
  diagnostic.first = buffer ? element_text(fault, *buffer) : outside_text(fault);
  diagnostic.first += memory_history(fault, memory) + "; ";
  if (is_variable(fault) && offset_of(fault) >= 0) return advise_on_variable(diagnostic);
  if (!buffer && advise_on_pitch(source, diagnostic)) return;
  if (begins_inside(fault) && fault.access_bytes > sizeof(float))
    return advise_on_wide_access(fault, diagnostic);
  if (const auto found = loose_return(source, fault.file, fault.source.line); found && offset_of(fault) >= 0)
    return advise_on_return(*found, diagnostic);
  const auto guard = guard_of(source, fault.file, fault.source.line);
  if (guard && offset_of(fault) < 0 && advise_on_tests(*guard, fault.source.line, source, diagnostic)) return;
  if (const std::uint64_t length = buffer || offset_of(fault) < 0 ? 0 : length_of_only_row(fault, job)) {
    diagnostic.likely_cause = fmt::format(
        "the allocation has {0} elements, as many as one row of a matrix with rows of {0}", length);
    diagnostic.next_step = "allocate rows * columns * sizeof(float) bytes for a matrix";
    return;
  }
  const bool has_rows = buffer ? buffer->shape.size() > 1 : has_size_of_matrix(fault, job);
  if (!has_rows || offset_of(fault) < 0)
    return advise_on_vector(fault, buffer.has_value(), source, diagnostic);
  if (guard) return advise_on_guard(*guard, fault.source.line, source, diagnostic);
  diagnostic.likely_cause =
      fault.is_store
          ? "threads beyond the last row or column store too: the guard is missing, or compares with "
            "an extent of another array"
          : "the last tile or block extends beyond the array, and no condition guards the load, or the "
            "condition compares with an extent of another array; or a row or column is limited to the "
            "extent, "
            "and the last one is the extent minus 1";
  diagnostic.next_step = fault.is_store
                             ? "store only where the row and the column exist"
                             : "load only where the row and the column exist, and use a value that changes "
                               "nothing otherwise: 0 for a sum, infinity for a minimum";
  if (buffer) return;
  diagnostic.likely_cause +=
      "; or the allocation is too small: that of a padded copy has the elements of the padding, too";
  diagnostic.next_step += ", or allocate as many elements as threads use";
}

/// ", after `tile`": the variable next to which the access is.
std::string neighbour_text(const Fault& fault) {
  const std::int64_t offset = offset_of(fault);
  const bool is_after = offset >= static_cast<std::int64_t>(fault.nearest->size_bytes);
  if (fault.variable.empty() || (offset >= 0 && !is_after)) return "";
  return fmt::format(", {} `{}`", is_after ? "after" : "before", kernel_name(fault.variable));
}

void describe_window(const Fault& fault, const char* code, const char* window, Diagnostic& diagnostic) {
  diagnostic.code = code;
  diagnostic.what = fmt::format("`{}` {} outside {}", kernel_name(fault.kernel), verb(fault), window);
  if (fault.nearest)
    diagnostic.first = fmt::format("offset {} of {} bytes{}; ", offset_of(fault), fault.nearest->size_bytes,
                                   neighbour_text(fault));
  diagnostic.likely_cause = "an index is larger than the array's extent, or negative";
  diagnostic.next_step = "compare the index with the array's declaration";
}

void describe_outside_surface(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = fault.is_store ? "WG-M02" : "WG-M01";
  diagnostic.what = fmt::format("`{}` {} outside a surface", kernel_name(fault.kernel), verb(fault));
  diagnostic.first = cleaned(fault.detail) + "; ";
  diagnostic.likely_cause =
      "threads beyond the last column or row also access the surface, or x is not given in bytes";
  diagnostic.next_step =
      "access only columns and rows that exist, with x = column * sizeof(element), or pass "
      "cudaBoundaryModeZero or cudaBoundaryModeClamp";
}

void describe_misaligned_in_surface(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.what =
      fmt::format("`{}` {} {} bytes of a surface at an x that is not a multiple of {}",
                  kernel_name(fault.kernel), verb(fault), fault.access_bytes, fault.access_bytes);
  diagnostic.first = cleaned(fault.detail) + "; ";
  diagnostic.likely_cause = "x is a column number, but surface functions take x in bytes";
  diagnostic.next_step = "multiply the column by the size of an element: x * sizeof(float)";
}

/// "byte 2 of allocation 1 (64 bytes)"; for shared, local and parameter memory: "byte 2 of the block's shared
/// memory"
std::string byte_text(const Fault& fault, const MemoryNames& memory) {
  switch (fault.space) {
    case Space::shared:
      return fmt::format("byte {} of the block's shared memory", fault.address);
    case Space::local:
      return fmt::format("byte {} of the thread's local memory", fault.address);
    case Space::param:
      return fmt::format("byte {} of the kernel's parameters", fault.address);
    default:
      if (!fault.nearest || bytes_outside(fault) != 0) return vgpu::address_text(fault.address);
      return fmt::format("byte {} of {}", offset_of(fault), memory_name(fault, memory)) +
             memory_history(fault, memory);
  }
}

}  // namespace

void describe_out_of_bounds(const Fault& fault, const harness::Job& job, const SourceText& source,
                            const MemoryNames& memory, Diagnostic& diagnostic) {
  switch (fault.space) {
    case Space::surface:
      return describe_outside_surface(fault, diagnostic);
    case Space::shared:
      describe_window(fault, "WG-M05", "the block's shared memory", diagnostic);
      diagnostic.next_step =
          "compare the index with the array's declaration, or with the launch's third argument for dynamic "
          "shared memory";
      if (fault.nearest && fault.nearest->size_bytes == 0) {
        diagnostic.likely_cause =
            "the launch gives the block no dynamic shared memory: its third argument is missing or 0";
        diagnostic.next_step =
            "pass the size in bytes as the launch's third argument: kernel<<<grid, block, bytes>>>(…)";
      }
      return;
    case Space::local:
      return describe_window(fault, "WG-M06", "the thread's local memory", diagnostic);
    case Space::param:
      return describe_window(fault, "WG-M06", "the kernel's parameters", diagnostic);
    default:
      return describe_global(fault, job, source, memory, diagnostic);
  }
}

void describe_misaligned(const Fault& fault, const MemoryNames& memory, Diagnostic& diagnostic) {
  diagnostic.code = "WG-M03";
  if (fault.space == Space::surface) return describe_misaligned_in_surface(fault, diagnostic);
  diagnostic.what =
      fmt::format("`{}` {} {} bytes at an address that is not a multiple of {}", kernel_name(fault.kernel),
                  verb(fault), fault.access_bytes, fault.access_bytes);
  diagnostic.first = byte_text(fault, memory) + "; ";
  diagnostic.likely_cause = "a pointer was cast to a wider type, such as float4";
  diagnostic.next_step = fmt::format(
      "use wider types only where the index is a multiple of their length and the array itself begins at a "
      "multiple of {0} bytes: reinterpret_cast<uintptr_t>(pointer) % {0} == 0",
      fault.access_bytes);
}

void describe_freed(const Fault& fault, const harness::Job& job, const MemoryNames& memory,
                    Diagnostic& diagnostic) {
  const auto buffer = named_array(fault, job);
  diagnostic.code = "WG-M04";
  const std::string target = buffer          ? "`" + buffer->name + "`"
                             : fault.nearest ? memory_name(fault, memory)
                                             : vgpu::address_text(fault.address);
  diagnostic.what =
      fmt::format("`{}` {} device memory that was freed: {}", kernel_name(fault.kernel), verb(fault), target);
  if (fault.nearest) diagnostic.first = byte_text(fault, memory) + "; ";
  diagnostic.likely_cause = "cudaFree is called before the kernel that uses the memory runs";
  diagnostic.next_step =
      "free memory after the last kernel that uses it, and free only memory that you allocated";
}

void describe_constant_write(const Fault& fault, Diagnostic& diagnostic) {
  diagnostic.code = "WG-M06";
  diagnostic.what = fmt::format("`{}` writes to constant memory", kernel_name(fault.kernel));
  diagnostic.likely_cause = "kernels can only read __constant__ variables";
  diagnostic.next_step = "write them from the host with cudaMemcpyToSymbol";
}

}  // namespace grader
