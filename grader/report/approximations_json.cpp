#include "report/approximations_json.hpp"

#include <nlohmann/json.hpp>

namespace grader {
namespace {

using Json = nlohmann::ordered_json;
using Place = vgpu::Approximations::Place;

Json place_json(const std::optional<Place>& place) {
  return place ? Json{{"file", place->file}, {"line", place->line}} : Json(nullptr);
}

std::uint32_t number(const JsonNode& node) { return static_cast<std::uint32_t>(node.integer(0, UINT32_MAX)); }

std::optional<Place> read_place(const JsonNode& node) {
  if (node.is_null()) return std::nullopt;
  return Place{node.at("file").any_text(), number(node.at("line"))};
}

}  // namespace

Json to_json(const vgpu::Approximations& found) {
  Json functions = Json::array();
  for (const auto& one : found.functions)
    functions.push_back(
        {{"instruction", one.instruction}, {"count", one.count}, {"first", place_json(one.first)}});
  return {{"functions", std::move(functions)},
          {"reaches_branch", place_json(found.branch)},
          {"reaches_address", place_json(found.address)},
          {"reaches_barrier", place_json(found.barrier)}};
}

Json to_json(const std::vector<InexactKernel>& kernels) {
  Json list = Json::array();
  for (const InexactKernel& one : kernels) {
    Json json = {{"kernel", one.name}};
    json.update(to_json(one.found));
    list.push_back(std::move(json));
  }
  return list;
}

std::vector<InexactKernel> read_inexact_kernels(const JsonNode& list) {
  std::vector<InexactKernel> kernels;
  for (const JsonNode& node : list.elements()) {
    InexactKernel& read = kernels.emplace_back();
    read.name = node.at("kernel").any_text();
    for (const JsonNode& one : node.at("functions").elements())
      read.found.functions.push_back({one.at("instruction").any_text(), number(one.at("count")),
                                      read_place(one.at("first")).value_or(Place{})});
    read.found.branch = read_place(node.at("reaches_branch"));
    read.found.address = read_place(node.at("reaches_address"));
    read.found.barrier = read_place(node.at("reaches_barrier"));
  }
  return kernels;
}

}  // namespace grader
