// Copies and streams (pinned host memory; task parallelism; overlapping data transfer with computation).
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "formulas/formula.hpp"

namespace grader {
namespace {

/// A segment's steps, in milliseconds.
double step_sum(const Quantities& q) { return q.at("in") + q.at("kernel") + q.at("out"); }

double pipelined(const Quantities& q) {
  const double slowest = std::max({q.at("in"), q.at("kernel"), q.at("out")});
  return step_sum(q) + (q.at("segments") - 1) * slowest;
}

/// One copy engine executes its queue in the order of issue, one engine runs kernels; segments take turns in
/// two streams. A copy to the device has to wait for the stream's copy before it.
class TwoStreams {
 public:
  explicit TwoStreams(const Quantities& q) : q_(q) {}

  void copy_in(std::size_t stream) { copy(stream, q_.at("in")); }
  void run(std::size_t stream) {
    kernels_free_ = std::max(kernels_free_, done_[stream]) + q_.at("kernel");
    done_[stream] = kernels_free_;
  }
  void copy_out(std::size_t stream) { copy(stream, q_.at("out")); }
  double end() const { return std::max(done_[0], done_[1]); }

 private:
  void copy(std::size_t stream, double duration) {
    copies_free_ = std::max(copies_free_, done_[stream]) + duration;
    done_[stream] = copies_free_;
  }

  const Quantities& q_;
  double copies_free_ = 0, kernels_free_ = 0;
  std::array<double, 2> done_{};
};

double depth_first(const Quantities& q) {
  TwoStreams device(q);
  for (std::size_t i = 0; i < static_cast<std::size_t>(q.at("segments")); ++i) {
    device.copy_in(i % 2);
    device.run(i % 2);
    device.copy_out(i % 2);
  }
  return device.end();
}

double breadth_first(const Quantities& q) {
  TwoStreams device(q);
  for (std::size_t i = 0; i < static_cast<std::size_t>(q.at("segments")); i += 2) {
    for (const std::size_t stream : {0, 1}) device.copy_in(stream);
    for (const std::size_t stream : {0, 1}) device.run(stream);
    for (const std::size_t stream : {0, 1}) device.copy_out(stream);
  }
  return device.end();
}

double own_kernel_share(const Quantities& q) {
  return q.at("call_s") > 0 ? 100 * q.at("kernel_s") / q.at("call_s")
                            : std::numeric_limits<double>::quiet_NaN();
}

const std::vector<Drawn> kSteps{
    {"segments", {4, 8}}, {"in", {2, 3, 4}}, {"kernel", {1, 3, 5}}, {"out", {1, 2}}};

}  // namespace

std::span<const Formula> transfer_formulas() {
  static const std::array all = {
      // A megabyte is 10^6 bytes, so that MB divided by GB/s gives milliseconds.
      Formula{"transfer-time",
              {{"megabytes", {64, 128, 256, 512}}, {"rate", {4, 8, 16}}},
              [](const Quantities& q) { return q.at("megabytes") / q.at("rate"); }},
      // A kilobyte is 10^3 bytes, so that kB divided by GB/s gives microseconds.
      Formula{"transfer-small-copies",
              {{"copies", {10, 50, 100}}, {"kilobytes", {8, 16, 64}}, {"rate", {4, 8}}, {"latency", {5, 10}}},
              [](const Quantities& q) {
                return q.at("copies") * (q.at("latency") + q.at("kilobytes") / q.at("rate"));
              }},
      Formula{"transfer-serial", kSteps, [](const Quantities& q) { return q.at("segments") * step_sum(q); }},
      Formula{"transfer-pipelined", kSteps, pipelined},
      Formula{"transfer-depth-first", kSteps, depth_first},
      Formula{"transfer-breadth-first", kSteps, breadth_first},
      // Only with both does C.0 precede A.1 in a queue.
      Formula{"transfer-blocked",
              {{"order", {}, {"depth-first", "breadth-first"}},
               {"queues", {}, {"one queue for all copies", "hyper queues"}}},
              [](const Quantities& q) { return q.at("order") == 0 && q.at("queues") == 0 ? 1.0 : 0.0; }},
      Formula{"transfer-pinned-bytes",
              {{"sets", {2, 3}}, {"segment", {4096, 16384, 65536}}},
              [](const Quantities& q) { return 3 * q.at("sets") * q.at("segment") * 4; }},
      Formula{"transfer-own-kernel-share", {}, own_kernel_share, {"call_s", "kernel_s"}},
  };
  return all;
}

}  // namespace grader
