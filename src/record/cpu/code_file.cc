#include "record/cpu/code_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sonde::record {
namespace {

/// The kernel's own library for programs; it is the same one in this process. Its size stands nowhere: two pages on
/// x86-64, and what lies behind its section headers is never looked at.
Elf* open_vdso() {
  const unsigned long at = getauxval(AT_SYSINFO_EHDR);
  if (at == 0) return nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): this is how the kernel tells it.
  const auto* const head = reinterpret_cast<const Elf64_Ehdr*>(at);
  const size_t bytes = head->e_shoff + size_t{head->e_shentsize} * head->e_shnum;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return elf_memory(reinterpret_cast<char*>(at), bytes);
}

/// Memory without a file has names as "//anon", "[heap]", "/memfd:x (deleted)".
bool may_be_file(std::string_view path) {
  return path.starts_with('/') && !path.starts_with("//") && !path.starts_with("/memfd:") &&
         !path.starts_with("/dev/") && !path.starts_with("/SYSV");
}

std::string_view build_id_of(Elf* elf) {
  const void* bytes = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);
  return size > 0 ? std::string_view(static_cast<const char*>(bytes), static_cast<size_t>(size)) : std::string_view();
}

/// Device numbers are left aside: overlay file systems show others than the files have.
bool is_same(Elf* elf, const struct stat& status, const FileIdentity& identity) {
  if (!identity.build_id.empty()) return build_id_of(elf) == identity.build_id;
  return identity.inode == 0 || status.st_ino == identity.inode;
}

}  // namespace

void CodeFile::ElfEnd::operator()(Elf* elf) const { elf_end(elf); }

CodeFile::CodeFile(const FileIdentity& identity) {
  [[maybe_unused]] static const unsigned version = elf_version(EV_CURRENT);  // libelf gives nothing before
  open(identity);
  if (state_ == State::good) read_segments();
}

void CodeFile::open(const FileIdentity& identity) {
  if (identity.path == "[vdso]") {
    elf_.reset(open_vdso());
    if (elf_) state_ = State::good;
    return;
  }
  if (!may_be_file(identity.path)) return;
  const int file = ::open(identity.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  state_ = State::gone;
  if (file < 0) return;
  struct stat status{};
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  if (regular) elf_.reset(elf_begin(file, ELF_C_READ_MMAP, nullptr));
  if (elf_ && gelf_getclass(elf_.get()) == ELFCLASS64) {
    state_ = is_same(elf_.get(), status, identity) ? State::good : State::changed;
    elf_cntl(elf_.get(), ELF_C_FDREAD);
  }
  close(file);
}

void CodeFile::read_segments() {
  size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) return;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &header) == nullptr || header.p_type != PT_LOAD) continue;
    segments_.push_back({header.p_offset, header.p_filesz, header.p_vaddr});
  }
}

std::optional<uint64_t> CodeFile::address_of(uint64_t offset) const {
  for (const Segment& s : segments_) {
    if (offset >= s.offset && offset - s.offset < s.bytes) return offset - s.offset + s.address;
  }
  return {};
}

const FrameRules* CodeFile::rules(uint64_t address) {
  if (state_ != State::good) return nullptr;
  if (!frames_) frames_ = FrameTable::of(elf_.get());
  return *frames_ ? (*frames_)->at(address) : nullptr;
}

std::string_view CodeFile::symbol(uint64_t address) {
  if (state_ != State::good) return {};
  if (!symbols_) symbols_ = Symbols::of(elf_.get(), build_id_of(elf_.get()));
  return symbols_->at(address);
}

CodeFile& CodeFiles::at(FileId file) {
  if (files_.size() <= file) files_.resize(spaces_.files().size());
  if (!files_[file]) files_[file] = std::make_unique<CodeFile>(spaces_.files()[file]);
  return *files_[file];
}

std::vector<std::string_view> CodeFiles::changed() const {
  std::vector<std::string_view> paths;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i] && files_[i]->state() == CodeFile::State::changed) paths.emplace_back(spaces_.files()[i].path);
  }
  return paths;
}

}  // namespace sonde::record
