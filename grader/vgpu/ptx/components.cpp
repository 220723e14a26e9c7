#include "vgpu/ptx/components.hpp"

#include <algorithm>

namespace vgpu::ptx {
namespace {

class Tarjan {
 public:
  explicit Tarjan(const Graph& graph)
      : graph_(graph), number_(graph.nodes(), kNoNode), low_(graph.nodes()), open_(graph.nodes()) {}

  std::vector<Component> run() {
    for (std::uint32_t node = 0; node < graph_.nodes(); ++node) {
      if (number_[node] == kNoNode) search(node);
    }
    return std::move(found_);
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
  std::vector<std::uint32_t> low_;     ///< the earliest open node known to be in the same component
  std::vector<bool> open_;             ///< visited, and its component is not complete
  std::vector<std::uint32_t> opened_;
  std::vector<Frame> path_;
  std::vector<Component> found_;
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
  // In the recursive algorithm, this runs when the search returns to the parent.
  if (!path_.empty()) low_[path_.back().node] = std::min(low_[path_.back().node], low_[node]);
  if (low_[node] != number_[node]) return;
  // The nodes opened since then, and the node itself, which is the first.
  const auto first = std::find(opened_.rbegin(), opened_.rend(), node).base() - 1;
  for (const std::uint32_t member : found_.emplace_back(first, opened_.end())) open_[member] = false;
  opened_.erase(first, opened_.end());
}

}  // namespace

std::vector<Component> components(const Graph& graph) { return Tarjan(graph).run(); }

}  // namespace vgpu::ptx
