#include "api/keys/key_secret.h"

#include <array>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <fmt/format.h>

namespace sonde::api {
namespace {

constexpr size_t kSecretBytes = 32;
constexpr std::string_view kBase64Url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

template <size_t kSize>
bool fill(std::array<unsigned char, kSize>& bytes) {
  return RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1;
}

/// RFC 4648, section 5, without padding.
std::string base64url(const std::array<unsigned char, kSecretBytes>& bytes) {
  std::string text;
  unsigned bits = 0;
  int count = 0;
  for (const unsigned char byte : bytes) {
    bits = (bits << 8U) | byte;
    for (count += 8; count >= 6; count -= 6) text += kBase64Url[(bits >> static_cast<unsigned>(count - 6)) & 63U];
  }
  if (count > 0) text += kBase64Url[(bits << static_cast<unsigned>(6 - count)) & 63U];
  return text;
}

}  // namespace

std::string random_key_id() {
  std::array<unsigned char, 4> bytes{};
  if (!fill(bytes)) return {};
  return fmt::format("k{:02x}{:02x}{:02x}{:x}", bytes[0], bytes[1], bytes[2], bytes[3] & 15U);
}

std::string random_secret(const std::string& id) {
  std::array<unsigned char, kSecretBytes> bytes{};
  if (!fill(bytes)) return {};
  std::string secret = fmt::format("sonde_{}_{}", id, base64url(bytes));
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return secret;
}

std::string sha256_hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) return {};
  std::string hex;
  for (unsigned i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest.at(i));
  return hex;
}

bool same_secretly(std::string_view a, std::string_view b) {
  return a.size() == b.size() && !a.empty() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace sonde::api
