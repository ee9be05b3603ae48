#include "record/library_version.h"

#include <fcntl.h>
#include <gelf.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "base/files/descriptor.h"
#include "wire/version_note.h"

namespace sonde::record {
namespace {

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};

std::string_view bytes_at(const Elf_Data& data, size_t offset, size_t count) {
  return {static_cast<const char*>(data.d_buf) + offset, count};
}

std::optional<uint32_t> version_among(Elf_Data& notes) {
  GElf_Nhdr head;
  size_t name = 0;
  size_t content = 0;
  size_t offset = 0;
  while ((offset = gelf_getnote(&notes, offset, &head, &name, &content)) != 0) {
    if (head.n_type != wire::kVersionNote || head.n_descsz != sizeof(uint32_t)) continue;
    if (bytes_at(notes, name, head.n_namesz) != std::string_view(wire::kNoteName, sizeof wire::kNoteName)) continue;
    uint32_t version = 0;
    std::memcpy(&version, bytes_at(notes, content, sizeof version).data(), sizeof version);
    return version;
  }
  return {};
}

std::optional<uint32_t> version_of(const std::string& path) {
  elf_version(EV_CURRENT);  // libelf does nothing before
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::unique_ptr<Elf, ElfEnd> elf(elf_begin(file.get(), ELF_C_READ_MMAP, nullptr));
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_NOTE) continue;
    Elf_Data* const notes = elf_getdata(section, nullptr);
    if (notes == nullptr) continue;
    if (const auto version = version_among(*notes)) return version;
  }
  return {};
}

}  // namespace

Status check_library_version(const std::string& path) {
  const auto version = version_of(path);
  if (version == wire::kVersion) return {};
  return fail(
      "cannot record: {} belongs to another version of Sonde (its records have version {}, this program reads version "
      "{}); install the program and the library from the same package",
      path, version ? fmt::format("{}", *version) : "unknown", wire::kVersion);
}

}  // namespace sonde::record
