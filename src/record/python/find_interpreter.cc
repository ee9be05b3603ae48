#include "record/python/find_interpreter.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "base/files/descriptor.h"

namespace sonde::record::python {
namespace {

/// Data that every interpreter exports for its extension modules.
enum Symbol : uint8_t { kRuntime, kCodeType, kTextType, kBytesType, kVersion, kSymbols };
constexpr std::array<std::string_view, kSymbols> kNames = {"_PyRuntime", "PyCode_Type", "PyUnicode_Type",
                                                           "PyBytes_Type", "Py_Version"};
using Addresses = std::array<uint64_t, kSymbols>;

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;

void find_in(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Addresses& found) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  const size_t count = data == nullptr || header.sh_entsize == 0 ? 0 : data->d_size / header.sh_entsize;
  for (size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF) continue;
    const char* const text = elf_strptr(elf, header.sh_link, symbol.st_name);
    const auto* const name = text == nullptr ? kNames.end() : std::ranges::find(kNames, std::string_view(text));
    if (name != kNames.end()) found.at(static_cast<size_t>(name - kNames.begin())) = symbol.st_value;
  }
}

/// As the linker numbered them; 0 where there is none.
Addresses find_symbols(Elf* elf) {
  Addresses found{};
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB) find_in(elf, section, header, found);
  }
  return found;
}

/// What to add to the linker's addresses, for a file whose byte `offset` lies at `begin`.
uint64_t bias_of(Elf* elf, const MappedPython& file) {
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return 0;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr || segment.p_type != PT_LOAD) continue;
    const bool holds = file.offset <= segment.p_offset && segment.p_offset - file.offset < segment.p_align;
    if (holds) return file.begin - (segment.p_vaddr - (segment.p_offset - file.offset));
  }
  return 0;
}

std::optional<Addresses> addresses_in(pid_t process, const MappedPython& file) {
  [[maybe_unused]] static const unsigned version = elf_version(EV_CURRENT);
  const std::string path = fmt::format("/proc/{}/root{}", process, file.path);  // it may have its own files
  const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor) return {};
  const ElfHandle elf(elf_begin(descriptor.get(), ELF_C_READ_MMAP, nullptr));
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) return {};
  Addresses found = find_symbols(elf.get());
  if (found[kRuntime] == 0 || found[kCodeType] == 0) return {};
  const uint64_t bias = bias_of(elf.get(), file);
  for (uint64_t& address : found) address += address == 0 ? 0 : bias;
  return found;
}

/// Py_Version, from 3.11 on: 0x030B07F0 is 3.11.7.
std::string version_of(const ForeignMemory& memory, uint64_t at, const std::string& path, int& minor) {
  constexpr unsigned kMinorShift = 16;
  constexpr unsigned kPatchShift = 8;
  constexpr unsigned kByte = 0xFF;
  if (const auto told = at == 0 ? std::nullopt : memory.value<uint32_t>(at)) {
    minor = static_cast<int>(*told >> kMinorShift & kByte);
    return fmt::format("3.{}.{}", minor, *told >> kPatchShift & kByte);
  }
  minor = minor_of_name(path);
  return minor == 0 ? "" : fmt::format("3.{}", minor);
}

Result<Layout> layout_for(const ForeignMemory& memory, int minor, uint64_t runtime) {
#ifndef __x86_64__
  return fail("Python stacks are read on x86-64 only");
#endif
  if (minor == 0) return fail("neither the process nor the name of its file tells which version of Python it is");
  const Layout* const known = known_layout(minor);
  if (known == nullptr) {
    return fail("Sonde reads the stacks of CPython 3.{} to 3.{}, not of 3.{}", kFirstMinor, kLastMinor, minor);
  }
  if (minor < kFirstTold) return *known;
  std::array<std::byte, kToldBytes> head{};
  if (!memory.read(runtime, head)) return fail("its memory cannot be read");
  return told_layout(*known, head);
}

Found found_at(const ForeignMemory& memory, const Addresses& at, const std::string& path) {
  Found found;
  int minor = 0;
  found.version = version_of(memory, at[kVersion], path, minor);
  const auto layout = layout_for(memory, minor, at[kRuntime]);
  if (!layout) {
    found.problem = layout.error().message;
    return found;
  }
  found.interpreter = {.layout = *layout,
                       .runtime = at[kRuntime],
                       .code_type = at[kCodeType],
                       .text_type = at[kTextType],
                       .bytes_type = at[kBytesType]};
  return found;
}

std::string file_text(const std::string& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace

std::vector<MappedPython> python_files(std::string_view maps, std::string_view program) {
  std::vector<MappedPython> files;
  std::istringstream lines{std::string(maps)};
  for (std::string line; std::getline(lines, line);) {
    MappedPython file;
    int path = 0;
    // NOLINTNEXTLINE(cert-err34-c): lines of the kernel's own
    const int fields =
        std::sscanf(line.c_str(), "%" SCNx64 "-%*x %*s %" SCNx64 " %*x:%*x %*u %n", &file.begin, &file.offset, &path);
    if (fields != 2 || path <= 0) continue;
    file.path = line.substr(std::min(line.size(), static_cast<size_t>(path)));
    const std::string_view name = std::string_view(file.path).substr(file.path.rfind('/') + 1);
    const bool named = name.starts_with("python") || name.starts_with("libpython");
    if (!file.path.starts_with('/') || (!named && file.path != program)) continue;
    if (std::ranges::find(files, file.path, &MappedPython::path) == files.end()) files.push_back(std::move(file));
  }
  return files;
}

int minor_of_name(std::string_view path) {
  constexpr std::string_view kBefore = "python3.";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const size_t at = name.find(kBefore);
  if (at == std::string_view::npos) return 0;
  const std::string_view digits = name.substr(at + kBefore.size());
  int minor = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  return minor;
}

std::optional<Found> find_interpreter(pid_t process, const ForeignMemory& memory) {
  const std::string place = fmt::format("/proc/{}", process);
  std::error_code error;
  const std::string program = std::filesystem::read_symlink(place + "/exe", error).string();
  for (const MappedPython& file : python_files(file_text(place + "/maps"), program)) {
    const auto at = addresses_in(process, file);
    if (at) return found_at(memory, *at, file.path);
  }
  return {};
}

}  // namespace sonde::record::python
