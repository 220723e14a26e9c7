// What the program has not destroyed when it ends. The device knows only the streams, and the events that
// were recorded. Covered by tests/cudart/live_objects_test.cpp.
#include "vgpu/cudart/client/graphs/graph.hpp"
#include "vgpu/cudart/client/memory/device_memory.hpp"
#include "vgpu/cudart/client/streams/streams.hpp"

namespace vgpu::cudart::client {

void Runtime::report_live_objects() {
  if (!transport_) return;
  const GraphCounts graphs = live_graphs();
  ask(ReportLiveObjects{live_events(), graphs.graphs, graphs.executable_graphs, live_pools()});
}

}  // namespace vgpu::cudart::client
