// The hostile submissions and their required results, from expected.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace testing {

struct Hostile {
  std::string name;  ///< "host/fork_bomb": a file in corpus_folder(), or a package of packages.cpp or archives.cpp
  std::string lab;
  std::string verdict;
  std::set<std::string> codes;  ///< permitted codes of the first diagnostic; empty: there must be none
  std::optional<double> score_at_most;  ///< points of the same program without its trick
  int seconds = 0;              ///< the longest permitted grading time on an idle machine
  bool is_fast = false;         ///< part of the selection that is tested with every change
};

/// All submissions, in the order of the file. Throws if the file is invalid.
std::vector<Hostile> hostile_corpus();

/// The folder that contains expected.json.
std::filesystem::path corpus_folder();

/// Adds the submission to a class under the id, as a source file, a package or an archive.
void hand_in(const Hostile& one, const std::filesystem::path& submissions, const std::string& id);

/// Creates the package of that name ("package/symlink") in a folder.
void make_package(const std::string& name, const std::filesystem::path& folder, const std::string& source);

/// Creates the archive of that name ("archive/traversal") for the student `id`.
void make_archive_of(const std::string& name, const std::filesystem::path& submissions, const std::string& id);

/// The lab's source file: "tiled_matmul.cu".
std::string source_of(const std::string& lab);

}  // namespace testing
