#include "vgpu/ptx/components.hpp"

#include <algorithm>

namespace vgpu::ptx {
namespace {

class Tarjan {
 public:
  explicit Tarjan(const Graph& graph)
      : graph_(graph), number_(graph.nodes(), kNoNode), low_(graph.nodes()), open_(graph.nodes()) {}

  std::vector<std::uint32_t> run() {
    for (std::uint32_t node = 0; node < graph_.nodes(); ++node) {
      if (number_[node] == kNoNode) search(node);
    }
    return std::move(heads_);
  }

 private:
  struct Frame {
    std::uint32_t node, next;
  };

  void search(std::uint32_t root);
  void visit(std::uint32_t node);
  void finish(std::uint32_t node);

  const Graph& graph_;
  std::vector<std::uint32_t> number_;  ///< order of the visits
  std::vector<std::uint32_t> low_;     ///< the earliest open node that is known to be in the same component
  std::vector<bool> open_;             ///< visited, and its component is not complete
  std::vector<std::uint32_t> opened_;
  std::vector<Frame> path_;
  std::vector<std::uint32_t> heads_;
  std::uint32_t visited_ = 0;
};

void Tarjan::visit(std::uint32_t node) {
  number_[node] = low_[node] = visited_++;
  open_[node] = true;
  opened_.push_back(node);
  path_.push_back({node, 0});
}

void Tarjan::search(std::uint32_t root) {
  visit(root);
  while (!path_.empty()) {
    Frame& frame = path_.back();
    const auto successors = graph_.successors(frame.node);
    if (frame.next == successors.size()) {
      finish(frame.node);
      continue;
    }
    const std::uint32_t next = successors[frame.next++];
    if (number_[next] == kNoNode) {
      visit(next);
    } else if (open_[next]) {
      low_[frame.node] = std::min(low_[frame.node], number_[next]);
    }
  }
}

void Tarjan::finish(std::uint32_t node) {
  path_.pop_back();
  if (!path_.empty()) low_[path_.back().node] = std::min(low_[path_.back().node], low_[node]);
  if (low_[node] != number_[node]) return;
  heads_.push_back(node);
  while (open_[node]) {
    open_[opened_.back()] = false;
    opened_.pop_back();
  }
}

}  // namespace

std::vector<std::uint32_t> component_heads(const Graph& graph) { return Tarjan(graph).run(); }

}  // namespace vgpu::ptx
