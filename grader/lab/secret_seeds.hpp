// Inputs that students cannot know in advance: seeds from a file that only the grader has. Every case gets
// its own seed from the file's bytes, the lab's id and the case's name; cases that are public in lab.json
// keep their seeds. The same file gives the same inputs on every machine. Tested by
// lab/secret_seeds_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/diagnostic.hpp"
#include "base/expected.hpp"
#include "lab/lab.hpp"

namespace grader {

/// A shorter secret could be guessed from the fingerprint that results show.
inline constexpr std::size_t kMinSecretBytes = 16;
inline constexpr std::size_t kMaxSecretBytes = 4096;

class SecretSeeds {
 public:
  /// Requires: `secret` has at least kMinSecretBytes. Stores a hash of it, not the bytes.
  explicit SecretSeeds(const std::string& secret);

  /// Identifies the file without revealing its contents: 16 hexadecimal digits.
  const std::string& fingerprint() const { return fingerprint_; }

  std::uint64_t seed(const std::string& lab, const std::string& case_name) const;

  /// Returns the lab with seeds from the file in all cases that are not public.
  Lab applied_to(Lab lab) const;

 private:
  std::string key_, fingerprint_;
};

/// WG-G26: the file cannot be read, or is too short or too long.
Expected<SecretSeeds, Diagnostic> read_secret_seeds(const std::filesystem::path& file);

}  // namespace grader
