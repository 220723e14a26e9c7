// The hostile submissions and what is promised for each: expected.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace testing {

struct Hostile {
  std::string name;  ///< "host/fork_bomb": the file beside expected.json, or what packages.cpp or archives.cpp make
  std::string lab;
  std::string verdict;
  std::set<std::string> codes;  ///< the first diagnostic's code is one of these; empty: there is none
  int seconds = 0;              ///< from start to end of its grading on an idle machine, at most
  bool is_fast = false;         ///< one of the few that every change is tested with
};

/// In the order of the file. Throws when the file is broken.
std::vector<Hostile> hostile_corpus();

/// The folder of expected.json.
std::filesystem::path corpus_folder();

/// Puts the submission into a class under the id; for packages, whatever its kind needs.
void hand_in(const Hostile& one, const std::filesystem::path& submissions, const std::string& id);

/// Makes the package of that name ("package/symlink") in a folder.
void make_package(const std::string& name, const std::filesystem::path& folder, const std::string& source);

/// Makes the archive of that name ("archive/traversal") for the student `id`.
void make_archive_of(const std::string& name, const std::filesystem::path& submissions, const std::string& id);

/// The one file that a lab takes: "tiled_matmul.cu".
std::string source_of(const std::string& lab);

}  // namespace testing
