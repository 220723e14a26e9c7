// Inputs that nobody can know beforehand: seeds from a file that only the grader has. Every case gets a seed
// of its own from the file's bytes, the lab's id and the case's name; cases that lab.json calls public keep
// theirs. The same file gives the same inputs on every machine. Covered by lab/secret_seeds_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "lab/lab.hpp"

namespace grader {

/// Fewer bytes could be guessed from the fingerprint that results show.
inline constexpr std::size_t kMinSecretBytes = 16;
inline constexpr std::size_t kMaxSecretBytes = 4096;

class SecretSeeds {
 public:
  /// Requires: `secret` has kMinSecretBytes or more. Keeps a hash of it, not the bytes.
  explicit SecretSeeds(const std::string& secret);

  /// Says which file was used and nothing about its contents: 16 hexadecimal digits.
  const std::string& fingerprint() const { return fingerprint_; }

  std::uint64_t seed(const std::string& lab, const std::string& case_name) const;

  /// The lab with seeds from the file in every case that is not public.
  Lab applied_to(Lab lab) const;

 private:
  std::string key_, fingerprint_;
};

/// WG-G26: the file cannot be read, or is too short or too long.
Expected<SecretSeeds, Diagnostic> read_secret_seeds(const std::filesystem::path& file);

}  // namespace grader
