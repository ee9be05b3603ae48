#pragma once

#include <elf.h>

#include <cstdint>

#include "wire/layout.h"

/// An ELF note in each library that is built with this folder, so that `sonde record` can read the library's kVersion
/// before it starts a program with it.
namespace sonde::wire {

inline constexpr char kNoteName[8] = "Sonde";
inline constexpr uint32_t kVersionNote = 1;  ///< its type; its content is one uint32_t

struct VersionNote {
  Elf64_Nhdr head;
  char name[sizeof kNoteName];
  uint32_t version;
};

inline constexpr VersionNote kLibraryVersion = {
    {sizeof kNoteName, sizeof(uint32_t), kVersionNote}, {'S', 'o', 'n', 'd', 'e'}, kVersion};

}  // namespace sonde::wire
