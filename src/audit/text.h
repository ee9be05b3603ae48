#pragma once

/// This library has no C library.
namespace sonde::audit {

constexpr bool begins_with(const char* text, const char* prefix) noexcept {
  for (; *prefix != '\0'; ++text, ++prefix) {
    if (*text != *prefix) return false;
  }
  return true;
}

constexpr bool is_same(const char* a, const char* b) noexcept {
  for (; *a != '\0' && *a == *b; ++a) ++b;
  return *a == *b;
}

/// Behind the last slash.
constexpr const char* file_name(const char* path) noexcept {
  const char* name = path;
  for (; *path != '\0'; ++path) {
    if (*path == '/') name = path + 1;
  }
  return name;
}

/// Whether a word is in a list with commas between and around.
constexpr bool has_word(const char* list, const char* word) noexcept {
  for (; *list != '\0'; ++list) {
    const char* l = list + 1;
    const char* w = word;
    for (; *list == ',' && *w != '\0' && *l == *w; ++l) ++w;
    if (*list == ',' && *w == '\0' && *l == ',') return true;
  }
  return false;
}

}  // namespace sonde::audit
