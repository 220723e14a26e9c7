#include "vgpu/run/block_outcome.hpp"

#include <utility>

namespace vgpu::exec {

void BlockOutcome::take(BlockRunner& runner) {
  Core& core = runner.core();
  stop = core.stop;
  counters = runner.counters();
  printed = std::move(core.printed);
  if (runner.trace() != nullptr) {
    passed_on = runner.trace()->take_passed_on();
    atomics = runner.trace()->take_atomics();
    l1_lines = runner.trace()->lines();
    l1_in_flight_sectors = runner.trace()->in_flight_sectors();
  }
  if (core.checker != nullptr) {
    findings = core.checker->take_findings();
    log = core.checker->take_log();
    stored_granules = log.stored_granules() + core.checker->take_reported_granules();
    shared_use = core.checker->shared_use();
  }
  if (runner.recorder() != nullptr) recording = runner.recorder()->take();
  if (runner.terms() != nullptr) terms = runner.terms()->take();
  if (core.stop == Stop::fault) fault = std::move(core.fault);
}

}  // namespace vgpu::exec
