// The last error, and the names and texts of errors.

#include <algorithm>
#include <iterator>

#include "vgpu/cudart/client/core/runtime.hpp"

namespace {

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrorTexts[] = {
#define ERROR_TEXT(code, text) {code, #code, text},
#include "vgpu/cudart/client/core/error_texts.def"
#undef ERROR_TEXT
};

const ErrorText* find_text(cudaError_t code) {
  const auto found = std::find_if(std::begin(kErrorTexts), std::end(kErrorTexts),
                                  [code](const ErrorText& entry) { return entry.code == code; });
  return found == std::end(kErrorTexts) ? nullptr : found;
}

cudaError_t last_error(vgpu::cudart::client::Runtime::LastError what) {
  auto& runtime = vgpu::cudart::client::Runtime::instance();
  const std::lock_guard lock(runtime.mutex());
  return runtime.last_error(what);
}

void note_checked(cudaError_t error) {
  if (error == cudaSuccess) return;
  auto& runtime = vgpu::cudart::client::Runtime::instance();
  const std::lock_guard lock(runtime.mutex());
  runtime.note_checked_error();
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError(void) { return last_error(vgpu::cudart::client::Runtime::LastError::reset); }

cudaError_t cudaPeekAtLastError(void) { return last_error(vgpu::cudart::client::Runtime::LastError::keep); }

const char* cudaGetErrorName(cudaError_t error) {
  note_checked(error);
  const ErrorText* found = find_text(error);
  return found ? found->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  note_checked(error);
  const ErrorText* found = find_text(error);
  return found ? found->text : "unrecognized error code";
}
}
