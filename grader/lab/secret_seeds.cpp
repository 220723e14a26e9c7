#include "lab/secret_seeds.hpp"

#include <charconv>

#include <fmt/format.h>

#include "base/files.hpp"
#include "base/sha256.hpp"

namespace grader {
namespace {

constexpr std::size_t kDigitsOf64Bits = 16;
constexpr std::size_t kFingerprintDigits = 16;

std::uint64_t first_bits(const std::string& hexadecimal) {
  std::uint64_t bits = 0;
  std::from_chars(hexadecimal.data(), hexadecimal.data() + kDigitsOf64Bits, bits, 16);
  return bits;
}

Diagnostic unusable(const std::filesystem::path& file, const std::string& what) {
  return diagnose_file(
      "WG-G26", file.string(), what,
      fmt::format("specify the file with which the run began, under the same path on every machine "
                  "of a cluster; to create a new file: head -c 32 /dev/urandom > {}",
                  file.string()));
}

}  // namespace

// Key and fingerprint are hashes of different texts, so that neither reveals the other.
SecretSeeds::SecretSeeds(const std::string& secret)
    : key_(sha256_hex("warpgrade seed key\n" + secret)),
      fingerprint_(sha256_hex("warpgrade seed fingerprint\n" + secret).substr(0, kFingerprintDigits)) {}

std::uint64_t SecretSeeds::seed(const std::string& lab, const std::string& case_name) const {
  // Names contain no line ends (is_plain_name), so two cases never hash the same text.
  return first_bits(sha256_hex(fmt::format("{}\n{}\n{}", key_, lab, case_name)));
}

Lab SecretSeeds::applied_to(Lab lab) const {
  for (Case& one : lab.cases) {
    if (one.is_public) continue;
    one.seed = seed(lab.id, one.name);
    one.has_secret_seed = true;
  }
  return lab;
}

Expected<SecretSeeds, Diagnostic> read_secret_seeds(const std::filesystem::path& file) {
  const auto secret = read_file(file, kMaxSecretBytes);
  if (!secret) return Unexpected{unusable(file, "cannot be used as a seed file: " + secret.error())};
  if (secret->size() < kMinSecretBytes)
    return Unexpected{unusable(file, fmt::format("has {} bytes, but a seed file needs at least {}",
                                                 secret->size(), kMinSecretBytes))};
  return SecretSeeds(*secret);
}

}  // namespace grader
