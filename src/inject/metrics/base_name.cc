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

/// Behind a literal of a template argument, "Li128E"; null where it is not understood.
const char* skip_literal(const char* at) noexcept {
  if (is_digit(*at)) {
    const Part type = source_name(at);
    if (type.data == nullptr) return nullptr;
  } else if (*at >= 'a' && *at <= 'z') {
    ++at;
  } else {
    return nullptr;
  }
  while (*at == 'n' || is_digit(*at)) ++at;
  return *at == 'E' ? at + 1 : nullptr;
}

/// Behind a substitution or a template's parameter: "S_", "T0_", "St".
const char* skip_reference(const char* at) noexcept {
  if (*at >= 'a' && *at <= 'z') return at + 1;
  while (is_digit(*at) || (*at >= 'A' && *at <= 'Z')) ++at;
  return *at == '_' ? at + 1 : nullptr;
}

/// Behind template arguments, whose 'I' was read; null where they are not understood.
const char* skip_arguments(const char* at) noexcept {
  for (int depth = 1; at != nullptr && *at != '\0';) {
    const char c = *at;
    if (is_digit(c)) {
      if (source_name(at).data == nullptr) return nullptr;
      continue;
    }
    ++at;
    if (c == 'E' && --depth == 0) return at;
    if (c == 'I' || c == 'N' || c == 'J' || c == 'F') ++depth;
    if (c == 'L') at = skip_literal(at);
    if (c == 'S' || c == 'T') at = skip_reference(at);
    if (c == 'X' || c == 'A') return nullptr;  // expressions and arrays
  }
  return nullptr;
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
  while (at != nullptr && is_digit(*at)) {
    const Part name = source_name(at);
    if (name.data == nullptr) break;
    last = name;
    if (*at == 'I') at = skip_arguments(at + 1);
  }
  return last;
}

}  // namespace sonde::inject::metrics
