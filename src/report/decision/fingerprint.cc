#include "report/decision/fingerprint.h"

#include <cctype>

#include <fmt/format.h>

namespace sonde {
namespace {

/// FNV-1a of 64 bits.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

}  // namespace

std::string Fingerprints::next(const gate::Verdict& verdict) {
  std::string text = fmt::format("{}\n{}\n{}", verdict.rule->metric->name, verdict.rule->name, verdict.subject);
  const int before = seen_[text]++;
  if (before > 0) text += fmt::format("\n{}", before);
  return fmt::format("{:016x}", hash_of(text));
}

std::string path_uri(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("/-._~").contains(c);
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

}  // namespace sonde
