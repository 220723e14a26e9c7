// A class to grade, made in a temporary folder.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "e2e/program.hpp"

namespace testing {

class ClassFixture {
 public:
  ClassFixture() : folder_("class") { std::filesystem::create_directory(submissions()); }

  std::filesystem::path submissions() const { return folder_.path() / "submissions"; }
  std::filesystem::path out() const { return folder_.path() / "out"; }
  /// Adds a submission with this file.
  void add(const std::string& id, const std::filesystem::path& source) const;
  /// Runs `grade` with these arguments in addition to the two folders.
  Ended grade(std::vector<std::string> arguments, const Setting& setting = {}) const;

 private:
  grader::TemporaryFolder folder_;
};

/// A result without the fields that can differ between two runs.
nlohmann::json without_provenance(const std::filesystem::path& result_file);

}  // namespace testing
