#include "base/sha256.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace grader {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available in this OpenSSL");
  return {digest.begin(), digest.begin() + length};
}

std::string sha256_hex(std::string_view bytes) {
  std::string hex;
  for (const char byte : sha256(bytes)) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return hex;
}

std::string base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // includes the NUL that OpenSSL writes
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace grader
