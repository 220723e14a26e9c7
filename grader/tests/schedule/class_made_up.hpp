// A class, labs and graders that need no compiler, for the tests of this module.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "schedule/class_run.hpp"

namespace testing {

/// Gives as many points as the source has bytes, after a delay that differs between sources.
grader::Graders made_up_graders();
grader::RunSettings made_up_settings(const std::vector<grader::Lab>& labs);
grader::Lab made_up_lab(const std::string& id = "02-tiled-matmul");

/// SUBMISSIONS and DIR in a temporary folder.
class MadeUpClass {
 public:
  /// Submissions s100, s101, …, each with its own file for each lab.
  explicit MadeUpClass(std::size_t count, std::vector<grader::Lab> labs = {made_up_lab()});

  std::filesystem::path dir() const { return folder_.path() / "out"; }
  std::filesystem::path file(const std::string& id, const std::string& lab = "02-tiled-matmul") const;
  void hand_in(const std::string& id, const std::string& bytes, const std::string& lab = "02-tiled-matmul");

  struct Way {
    unsigned jobs = 1;
    grader::Earlier earlier = grader::Earlier::refuse;
    std::atomic<bool>* stop = nullptr;
    std::function<std::optional<grader::Result>(const grader::Result&)> rescore = {};
    grader::Owed owed = grader::Owed::every_lab;
  };
  grader::ClassOutcome grade(const Way& way, const grader::Graders& graders = made_up_graders()) const;
  grader::ClassOutcome grade() const { return grade(Way()); }
  /// Without an executor: results stay missing.
  grader::ClassOutcome plan() const;

  std::vector<grader::Lab> labs;
  grader::RunSettings settings;

 private:
  grader::ClassOutcome run(const Way& way, const grader::Executor& executor) const;

  grader::TemporaryFolder folder_;
};

std::string text_of(const std::filesystem::path& file);
/// The contents of all files that a run leaves, by path, without journal and history.
std::map<std::filesystem::path, std::string> contents(const std::filesystem::path& dir);

}  // namespace testing
