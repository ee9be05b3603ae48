#include "inject/metrics/base_name.h"

#include <cstring>

namespace sonde::inject::metrics {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// A length and as many letters, read from `at` on; empty where there is none.
Part source_name(const char*& at) noexcept {
  size_t bytes = 0;
  const char* text = at;
  while (is_digit(*text) && bytes < 4096) bytes = bytes * 10 + static_cast<size_t>(*text++ - '0');
  if (bytes == 0 || strnlen(text, bytes) < bytes) return {nullptr, 0};
  at = text + bytes;
  return {text, bytes};
}

}  // namespace

Part base_name(const char* mangled) noexcept {
  const Part whole{mangled, strlen(mangled)};
  if (strncmp(mangled, "_Z", 2) != 0) return whole;
  const char* at = mangled + 2;
  if (*at == 'L') ++at;  // of one translation unit
  if (is_digit(*at)) {
    const Part name = source_name(at);
    return name.data != nullptr ? name : whole;
  }
  if (*at++ != 'N') return whole;
  while (*at == 'r' || *at == 'V' || *at == 'K') ++at;
  if (strncmp(at, "St", 2) == 0) at += 2;
  Part last = whole;
  // Namespaces and classes stand before the function; those with template arguments of their own are not read further.
  while (is_digit(*at)) {
    const Part name = source_name(at);
    if (name.data == nullptr) break;
    last = name;
  }
  return last;
}

}  // namespace sonde::inject::metrics
