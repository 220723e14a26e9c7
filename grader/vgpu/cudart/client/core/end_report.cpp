#include "vgpu/cudart/client/core/end_report.hpp"

#include <mutex>

#include "vgpu/cudart/client/core/call_site.hpp"
#include "vgpu/cudart/client/core/runtime.hpp"

void warpgradeEndReport() {
  using namespace vgpu::cudart::client;
  Runtime& runtime = Runtime::instance();
  // Another thread can be in a call that never returns.
  const std::unique_lock lock(runtime.mutex(), std::try_to_lock);
  if (!lock) return;
  runtime.describe_lost_memory(CallSite::here().library());
  runtime.report_live_objects();
  runtime.locate_calls();
}

void warpgradeBeginCall() {
  using namespace vgpu::cudart::client;
  api_call("the caller's call", CallKind::host, [](Runtime& runtime) {
    runtime.report_live_objects();
    return outcome_of(runtime.ask(vgpu::cudart::BeginCall{}));
  });
}

namespace {

/// Request: of a range of memory.
template <class Request>
void announce(const char* call, const void* start, std::size_t size_bytes) {
  using namespace vgpu::cudart::client;
  api_call(call, CallKind::host, [&](Runtime& runtime) {
    Request request;
    request.address = address_of(start);
    request.size_bytes = size_bytes;
    return outcome_of(runtime.ask(request));
  });
}

}  // namespace

void warpgradeReadByCaller(const void* start, std::size_t size_bytes) {
  announce<vgpu::cudart::ReadByCaller>("the caller's read", start, size_bytes);
}

void warpgradeForgetContents(const void* start, std::size_t size_bytes) {
  announce<vgpu::cudart::ForgetContents>("the caller's new contents", start, size_bytes);
}
