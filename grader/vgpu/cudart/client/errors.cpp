// Errors: the last one, names and texts. The texts are CUDA's own, so that a message means the same on both
// devices.

#include <algorithm>
#include <array>

#include "client/runtime.hpp"

namespace {

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* text;
};

#define KIT_ERROR(code, text) \
  ErrorText { code, #code, text }
constexpr std::array kErrorTexts = {
    KIT_ERROR(cudaSuccess, "no error"),
    KIT_ERROR(cudaErrorInvalidValue, "invalid argument"),
    KIT_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    KIT_ERROR(cudaErrorInitializationError, "initialization error"),
    KIT_ERROR(cudaErrorCudartUnloading, "driver shutting down"),
    KIT_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    KIT_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    KIT_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    KIT_ERROR(cudaErrorInvalidHostPointer, "invalid host pointer"),
    KIT_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    KIT_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    KIT_ERROR(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    KIT_ERROR(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    KIT_ERROR(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    KIT_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    KIT_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    KIT_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    KIT_ERROR(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    KIT_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    KIT_ERROR(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
    KIT_ERROR(cudaErrorUnsupportedPtxVersion, "the provided PTX was compiled with an unsupported toolchain."),
    KIT_ERROR(cudaErrorInvalidSource, "device kernel image is invalid"),
    KIT_ERROR(cudaErrorFileNotFound, "file not found"),
    KIT_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    KIT_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    KIT_ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    KIT_ERROR(cudaErrorNotReady, "device not ready"),
    KIT_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    KIT_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    KIT_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    KIT_ERROR(cudaErrorAssert, "device-side assert triggered"),
    KIT_ERROR(cudaErrorHostMemoryAlreadyRegistered,
              "part or all of the requested memory range is already mapped"),
    KIT_ERROR(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    KIT_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    KIT_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    KIT_ERROR(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
    KIT_ERROR(cudaErrorInvalidPc, "invalid program counter"),
    KIT_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    KIT_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    KIT_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    KIT_ERROR(cudaErrorNotSupported, "operation not supported"),
    KIT_ERROR(cudaErrorSystemNotReady, "system not yet initialized"),
    KIT_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef KIT_ERROR

const ErrorText* find_text(cudaError_t code) {
  const auto found = std::find_if(kErrorTexts.begin(), kErrorTexts.end(),
                                  [code](const ErrorText& entry) { return entry.code == code; });
  return found == kErrorTexts.end() ? nullptr : found;
}

cudaError_t last_error(vgpu::cudart::client::Runtime::LastError what) {
  auto& runtime = vgpu::cudart::client::Runtime::instance();
  const std::lock_guard lock(runtime.mutex());
  return runtime.last_error(what);
}

void note_looked_at(cudaError_t error) {
  if (error == cudaSuccess) return;
  auto& runtime = vgpu::cudart::client::Runtime::instance();
  const std::lock_guard lock(runtime.mutex());
  runtime.note_looked_at_error();
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError(void) { return last_error(vgpu::cudart::client::Runtime::LastError::reset); }

cudaError_t cudaPeekAtLastError(void) { return last_error(vgpu::cudart::client::Runtime::LastError::keep); }

const char* cudaGetErrorName(cudaError_t error) {
  note_looked_at(error);
  const ErrorText* found = find_text(error);
  return found ? found->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  note_looked_at(error);
  const ErrorText* found = find_text(error);
  return found ? found->text : "unrecognized error code";
}
}
