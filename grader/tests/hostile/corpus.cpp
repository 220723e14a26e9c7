#include "tests/hostile/corpus.hpp"

#include <nlohmann/json.hpp>

#include "e2e/program.hpp"

namespace testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Hostile hostile_of(const std::string& name, const Json& promise) {
  Hostile one;
  one.name = name;
  one.lab = promise.value("lab", "02-tiled-matmul");
  one.verdict = promise.at("verdict");
  for (const Json& code : promise.at("codes")) one.codes.insert(code.get<std::string>());
  if (promise.contains("score_at_most")) one.score_at_most = promise.at("score_at_most");
  one.seconds = promise.value("seconds", 20);
  one.is_fast = promise.value("fast", false);
  return one;
}

}  // namespace

fs::path corpus_folder() { return source_folder() / "grader" / "tests" / "hostile"; }

std::vector<Hostile> hostile_corpus() {
  const Json file = Json::parse(text_of(corpus_folder() / "expected.json"));
  std::vector<Hostile> corpus;
  for (const auto& [name, promise] : file.at("submissions").items()) corpus.push_back(hostile_of(name, promise));
  return corpus;
}

std::string source_of(const std::string& lab) {
  const Json file = Json::parse(text_of(source_folder() / "labs" / lab / "lab.json"));
  return file.at("sources").at(0);
}

void hand_in(const Hostile& one, const fs::path& submissions, const std::string& id) {
  const fs::path folder = submissions / id, file = corpus_folder() / (one.name + ".cu");
  const std::string source = source_of(one.lab);
  if (fs::exists(file))
    write(folder / one.lab / source, text_of(file));
  else if (one.name.starts_with("archive/"))
    make_archive_of(one.name, submissions, id);
  else
    make_package(one.name, folder / one.lab, source);
}

}  // namespace testing
