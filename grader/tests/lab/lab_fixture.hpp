// A small valid lab.json that tests modify.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "lab/lab.hpp"

namespace testing {

using Json = nlohmann::ordered_json;

inline Json small_lab() {
  return Json::parse(R"({
    "schema": "warpgrade.lab/1",
    "id": "07-small",
    "title": "A small lab",
    "workload": "tiled_matmul",
    "sources": ["small.cu"],
    "questions": [
      {"id": "bytes", "truth": "tile-bytes", "when": "before", "kind": "number", "unit": "bytes", "tolerance": 0.1,
       "text": "How many bytes do tiles of {tile} have?", "points": 2, "hints": ["two tiles", "four bytes"]},
      {"id": "memory", "truth": "variable-memory", "when": "before", "kind": "choice",
       "text": "Where is {variable}?", "choices": ["register", "local", "shared", "global"], "hints": ["think"]},
      {"id": "own", "truth": "tile-own-blocks", "when": "after", "kind": "number", "text": "Blocks in {shared_kb} KB?",
       "own": {"shared_bytes": {"case": "square", "counter": "barriers"}}, "hints": ["divide"]}
    ],
    "tasks": [
      {"id": "first", "points": 40, "cases": ["square", "odd"]},
      {"id": "second", "title": "Counters", "points": 35, "needs": ["first"],
       "objectives": [{"counter": "barriers", "case": "square", "at_least": 2, "at_most": 9, "naive": 0,
                       "solution": 4, "hint": "wait"}]},
      {"id": "third", "points": 25, "needs": ["first", "second"],
       "speedup": {"case": {"virtual": "square", "cuda": "large"}, "over": "naive",
                   "virtual": {"full": 3.5, "half": 2, "solution": 4}, "cuda": {"full": 1.3, "half": 1.1}}}
    ],
    "cases": {
      "square": {"workload": {"m": 32, "k": 32, "n": 32}, "seed": 1},
      "odd": {"workload": {"m": 3, "k": 5, "n": 7}, "seed": 2, "entry": "tiled_matmul_dynamic",
              "distribution": "mixed", "device": {"shared_bytes_per_block": 2048}},
      "large": {"workload": {"m": 1024, "k": 1024, "n": 1024}, "seed": 3, "only_on": "cuda"}
    }
  })");
}

/// A folder "07-small" that contains this lab.json.
class LabFolder {
 public:
  explicit LabFolder(const std::string& text) : root_("lab-test") {
    std::filesystem::create_directory(path());
    grader::write_file_atomically(path() / "lab.json", text);
  }
  explicit LabFolder(const Json& lab) : LabFolder(lab.dump(2)) {}

  std::filesystem::path path() const { return root_.path() / "07-small"; }
  std::filesystem::path labs() const { return root_.path(); }

 private:
  grader::TemporaryFolder root_;
};

inline grader::Lab loaded(const Json& lab) {
  const LabFolder folder(lab);
  auto result = grader::load_lab(folder.path());
  if (!result) throw std::runtime_error(result.error().what);
  return *std::move(result);
}

}  // namespace testing
