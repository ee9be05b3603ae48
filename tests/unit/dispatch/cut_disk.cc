#include "dispatch/cut_disk.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace sonde::power_cut {
namespace {

constexpr size_t kSector = 512;

using Inode = CutDisk::Inode;

/// What SQLite holds of an open file.
struct OpenFile {
  sqlite3_file base;
  CutDisk* disk;
  std::string* name;
  std::shared_ptr<Inode>* inode;
  int lock;
};

OpenFile& of(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file); }
CutDisk& disk_of(sqlite3_vfs* vfs) { return *static_cast<CutDisk*>(vfs->pAppData); }
sqlite3_vfs* usual() { return sqlite3_vfs_find("unix"); }

void put(std::string& content, size_t offset, std::string_view bytes) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size());
  content.replace(offset, bytes.size(), bytes);
}

int close_file(sqlite3_file* file) {
  OpenFile& open = of(file);
  delete open.name;
  delete open.inode;
  return SQLITE_OK;
}

int read(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
  const std::scoped_lock lock(of(file).disk->mutex());
  const std::string& content = (*of(file).inode)->content;
  const auto from = std::min(static_cast<size_t>(offset), content.size());
  const size_t there = std::min(static_cast<size_t>(size), content.size() - from);
  std::memcpy(into, content.data() + from, there);
  if (there == static_cast<size_t>(size)) return SQLITE_OK;
  std::memset(static_cast<char*>(into) + there, 0, static_cast<size_t>(size) - there);
  return SQLITE_IOERR_SHORT_READ;
}

int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  OpenFile& open = of(file);
  return open.disk->write(*open.name, **open.inode, offset, static_cast<const char*>(bytes), static_cast<size_t>(size));
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  return of(file).disk->truncate(*of(file).name, **of(file).inode, size);
}
int sync(sqlite3_file* file, int) { return of(file).disk->sync(*of(file).name, **of(file).inode); }

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  const std::scoped_lock lock(of(file).disk->mutex());
  *size = static_cast<sqlite3_int64>((*of(file).inode)->content.size());
  return SQLITE_OK;
}

int unlock(sqlite3_file* file, int level) {
  OpenFile& open = of(file);
  const std::scoped_lock lock(open.disk->mutex());
  Inode& inode = **open.inode;
  if (level < SQLITE_LOCK_RESERVED && inode.reserved == file) inode.reserved = nullptr;
  if (level < SQLITE_LOCK_EXCLUSIVE && inode.exclusive == file) inode.exclusive = nullptr;
  if (level == SQLITE_LOCK_NONE && open.lock > SQLITE_LOCK_NONE) --inode.shared;
  open.lock = std::min(open.lock, level);
  return SQLITE_OK;
}

int lock(sqlite3_file* file, int level) {
  OpenFile& open = of(file);
  const std::scoped_lock guard(open.disk->mutex());
  Inode& inode = **open.inode;
  if (open.lock >= level) return SQLITE_OK;
  if (inode.exclusive != nullptr && inode.exclusive != file) return SQLITE_BUSY;
  if (open.lock == SQLITE_LOCK_NONE) {
    ++inode.shared;
    open.lock = SQLITE_LOCK_SHARED;
  }
  if (level >= SQLITE_LOCK_RESERVED) {
    if (inode.reserved != nullptr && inode.reserved != file) return SQLITE_BUSY;
    inode.reserved = file;
    open.lock = std::max(open.lock, SQLITE_LOCK_RESERVED);
  }
  if (level == SQLITE_LOCK_EXCLUSIVE) {
    if (inode.shared > 1) return SQLITE_BUSY;
    inode.exclusive = file;
    open.lock = SQLITE_LOCK_EXCLUSIVE;
  }
  return SQLITE_OK;
}

int check_reserved(sqlite3_file* file, int* is_reserved) {
  const std::scoped_lock lock(of(file).disk->mutex());
  *is_reserved = (*of(file).inode)->reserved != nullptr ? 1 : 0;
  return SQLITE_OK;
}

int file_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }                                  // as of SQLite's layer for Unix
int characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }  // likewise

int shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** at) {
  const std::scoped_lock lock(of(file).disk->mutex());
  auto& regions = (*of(file).inode)->shared_memory;
  const auto wanted = static_cast<size_t>(region);
  *at = nullptr;
  if (wanted >= regions.size() && extend == 0) return SQLITE_OK;
  while (regions.size() <= wanted) {
    regions.push_back(std::make_unique<char[]>(static_cast<size_t>(size)));  // NOLINT(modernize-avoid-c-arrays): ditto
  }
  *at = regions[wanted].get();
  return SQLITE_OK;
}

bool can_lock(const Inode& inode, size_t place, const void* by, bool is_exclusive, bool has_shared) {
  const void* const writer = inode.shared_memory_writer[place];
  if (writer != nullptr && writer != by) return false;
  return !is_exclusive || inode.shared_memory_readers[place] == (has_shared ? 1 : 0);
}

int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  const std::scoped_lock lock(of(file).disk->mutex());
  Inode& inode = **of(file).inode;
  const bool is_exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  const bool is_lock = (flags & SQLITE_SHM_LOCK) != 0;
  const auto from = static_cast<size_t>(offset);
  for (size_t place = from; is_lock && place < from + static_cast<size_t>(count); ++place) {
    if (!can_lock(inode, place, file, is_exclusive, false)) return SQLITE_BUSY;
  }
  for (size_t place = from; place < from + static_cast<size_t>(count); ++place) {
    if (is_exclusive) {
      inode.shared_memory_writer[place] = is_lock ? file : nullptr;
    } else {
      inode.shared_memory_readers[place] += is_lock ? 1 : -1;
    }
  }
  return SQLITE_OK;
}

void shm_barrier(sqlite3_file*) { std::atomic_thread_fence(std::memory_order_seq_cst); }

int shm_unmap(sqlite3_file* file, int deletes) {
  const std::scoped_lock lock(of(file).disk->mutex());
  if (deletes != 0) (*of(file).inode)->shared_memory.clear();
  return SQLITE_OK;
}

constexpr sqlite3_io_methods kMethods = {.iVersion = 2,
                                         .xClose = close_file,
                                         .xRead = read,
                                         .xWrite = write,
                                         .xTruncate = truncate,
                                         .xSync = sync,
                                         .xFileSize = file_size,
                                         .xLock = lock,
                                         .xUnlock = unlock,
                                         .xCheckReservedLock = check_reserved,
                                         .xFileControl = file_control,
                                         .xSectorSize = sector_size,
                                         .xDeviceCharacteristics = characteristics,
                                         .xShmMap = shm_map,
                                         .xShmLock = shm_lock,
                                         .xShmBarrier = shm_barrier,
                                         .xShmUnmap = shm_unmap,
                                         .xFetch = nullptr,
                                         .xUnfetch = nullptr};

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* opened_flags) {
  OpenFile& open = of(file);
  file->pMethods = nullptr;
  auto inode = std::make_shared<Inode>();
  const std::string path = name == nullptr ? "" : name;
  if (const int code = disk_of(vfs).open(path, flags, inode); code != SQLITE_OK) return code;
  open = {.base = {.pMethods = &kMethods},
          .disk = &disk_of(vfs),
          .name = new std::string(path),
          .inode = new std::shared_ptr<Inode>(std::move(inode)),
          .lock = SQLITE_LOCK_NONE};
  if (opened_flags != nullptr) *opened_flags = flags;
  return SQLITE_OK;
}

int remove_file(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  return disk_of(vfs).remove(name, sync_folder != 0);
}

int access_file(sqlite3_vfs* vfs, const char* name, int, int* result) {
  *result = disk_of(vfs).exists(name) ? 1 : 0;
  return SQLITE_OK;
}

int full_name(sqlite3_vfs*, const char* name, int size, char* into) {
  sqlite3_snprintf(size, into, "%s", name);
  return SQLITE_OK;
}

int randomness(sqlite3_vfs*, int size, char* into) { return usual()->xRandomness(usual(), size, into); }
int sleep_for(sqlite3_vfs*, int microseconds) { return usual()->xSleep(usual(), microseconds); }
int current_time(sqlite3_vfs*, double* days) { return usual()->xCurrentTime(usual(), days); }
int last_error(sqlite3_vfs*, int, char*) { return 0; }

/// All of a change, or of each sector one or the other.
void apply(std::string& content, const CutDisk::Event& event, const std::function<bool()>& is_kept) {
  if (event.operation == CutDisk::Operation::truncate) {
    if (is_kept()) content.resize(static_cast<size_t>(event.offset));
    return;
  }
  const auto offset = static_cast<size_t>(event.offset);
  for (size_t at = 0; at < event.text.size();) {
    const size_t until = std::min(event.text.size(), (offset + at) / kSector * kSector + kSector - offset);
    if (is_kept()) put(content, offset + at, std::string_view(event.text).substr(at, until - at));
    at = until;
  }
}

}  // namespace

CutDisk::CutDisk(const Files& files) : first_(files) {
  static std::atomic<int> made = 0;
  name_ = fmt::format("cut_disk_{}", ++made);
  for (const auto& [name, content] : files) {
    names_[name] = std::make_shared<Inode>();
    names_[name]->number = ++inodes_;
    names_[name]->content = content;
  }
  vfs_ = {.iVersion = 1,
          .szOsFile = sizeof(OpenFile),
          .mxPathname = 512,
          .pNext = nullptr,
          .zName = name_.c_str(),
          .pAppData = this,
          .xOpen = open_file,
          .xDelete = remove_file,
          .xAccess = access_file,
          .xFullPathname = full_name,
          .xDlOpen = nullptr,
          .xDlError = nullptr,
          .xDlSym = nullptr,
          .xDlClose = nullptr,
          .xRandomness = randomness,
          .xSleep = sleep_for,
          .xCurrentTime = current_time,
          .xGetLastError = last_error,
          .xCurrentTimeInt64 = nullptr,
          .xSetSystemCall = nullptr,
          .xGetSystemCall = nullptr,
          .xNextSystemCall = nullptr};
  sqlite3_vfs_register(&vfs_, 0);
}

CutDisk::~CutDisk() { sqlite3_vfs_unregister(&vfs_); }

size_t CutDisk::operations() const {
  const std::scoped_lock lock(mutex_);
  return events_.size();
}

CutDisk::Operation CutDisk::operation(size_t number) const {
  const std::scoped_lock lock(mutex_);
  return events_.at(number).operation;
}

Files CutDisk::files() const {
  const std::scoped_lock lock(mutex_);
  Files files;
  for (const auto& [name, inode] : names_) files[name] = inode->content;
  return files;
}

void CutDisk::set_faults(Faults faults) {
  const std::scoped_lock lock(mutex_);
  faults_ = std::move(faults);
}

int CutDisk::note(Event event, const std::string& file, const std::function<void(Fault)>& apply) {
  const std::scoped_lock lock(mutex_);
  const Fault fault = faults_ ? faults_(event.operation, file) : Fault{};
  if (fault.code != SQLITE_OK && event.operation != Operation::write) return fault.code;
  if (fault.code != SQLITE_OK) event.text.resize(std::min(event.text.size(), fault.done_bytes));
  apply(fault);
  events_.push_back(std::move(event));
  return fault.code;
}

int CutDisk::open(const std::string& file, int flags, std::shared_ptr<Inode>& inode) {
  const std::scoped_lock lock(mutex_);
  if (const auto known = names_.find(file); known != names_.end()) {
    inode = known->second;
    return SQLITE_OK;
  }
  if ((flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
  inode->number = ++inodes_;
  if (file.empty()) return SQLITE_OK;  // a temporary one
  return note({.operation = Operation::create, .inode = inode->number, .offset = 0, .text = file, .keeps_names = false},
              file, [&](Fault) {
                names_[file] = inode;
                if ((flags & SQLITE_OPEN_MAIN_DB) == 0) unsynced_names_.push_back(inode->number);
              });
}

int CutDisk::remove(const std::string& file, bool synced) {
  const std::scoped_lock lock(mutex_);
  if (!names_.contains(file)) return SQLITE_IOERR_DELETE_NOENT;
  return note({.operation = Operation::remove, .inode = 0, .offset = 0, .text = file, .keeps_names = synced}, file,
              [&](Fault) { names_.erase(file); });
}

bool CutDisk::exists(const std::string& file) const {
  const std::scoped_lock lock(mutex_);
  return names_.contains(file);
}

int CutDisk::write(const std::string& file, Inode& inode, int64_t offset, const char* bytes, size_t size) {
  const Event event{.operation = Operation::write,
                    .inode = inode.number,
                    .offset = offset,
                    .text = std::string(bytes, size),
                    .keeps_names = false};
  return note(event, file, [&](Fault fault) {
    const size_t done = fault.code == SQLITE_OK ? size : std::min(size, fault.done_bytes);
    if (done != 0) put(inode.content, static_cast<size_t>(offset), {bytes, done});
  });
}

int CutDisk::truncate(const std::string& file, Inode& inode, int64_t size) {
  return note(
      {.operation = Operation::truncate, .inode = inode.number, .offset = size, .text = {}, .keeps_names = false}, file,
      [&](Fault) { inode.content.resize(static_cast<size_t>(size)); });
}

int CutDisk::sync(const std::string& file, Inode& inode) {
  const std::scoped_lock lock(mutex_);
  const bool is_first = std::erase(unsynced_names_, inode.number) != 0;
  return note({.operation = Operation::sync, .inode = inode.number, .offset = 0, .text = {}, .keeps_names = is_first},
              file, [](Fault) {});
}

PowerCut::PowerCut(const CutDisk& disk) : disk_(disk) {
  for (const auto& [name, content] : disk.first_) {
    const size_t number = names_.size() + 1;
    names_[name] = number;
    inodes_[number].content = content;
  }
}

void PowerCut::move_to(size_t operations) {
  const std::scoped_lock lock(disk_.mutex());
  for (; done_ < std::min(operations, disk_.events_.size()); ++done_) take(done_);
}

void PowerCut::change_name(std::map<std::string, size_t>& names, const CutDisk::Event& event) {
  if (event.operation == CutDisk::Operation::create) {
    names[event.text] = event.inode;
  } else {
    names.erase(event.text);
  }
}

void PowerCut::take(size_t number) {
  const CutDisk::Event& event = disk_.events_.at(number);
  if (event.operation == CutDisk::Operation::create || event.operation == CutDisk::Operation::remove) {
    pending_names_.push_back(number);
  } else if (event.operation == CutDisk::Operation::sync) {
    Durable& synced = inodes_[event.inode];
    for (const size_t earlier : synced.pending) {
      apply(synced.content, disk_.events_.at(earlier), [] { return true; });
    }
    synced.pending.clear();
  } else {
    inodes_[event.inode].pending.push_back(number);
  }
  if (!event.keeps_names) return;
  for (const size_t earlier : pending_names_) change_name(names_, disk_.events_.at(earlier));
  pending_names_.clear();
}

Files PowerCut::files(Kept kept, std::mt19937_64& random) const {
  const std::scoped_lock lock(disk_.mutex());
  const auto is_kept = [&] { return kept == Kept::all || (kept == Kept::some && random() % 2 == 0); };
  auto names = names_;
  for (const size_t earlier : pending_names_) {
    if (!is_kept()) break;
    change_name(names, disk_.events_.at(earlier));
  }
  Files files;
  for (const auto& [name, number] : names) {
    const auto inode = inodes_.find(number);
    if (inode == inodes_.end()) {
      files[name];
      continue;
    }
    std::string content = inode->second.content;
    for (const size_t earlier : inode->second.pending) apply(content, disk_.events_.at(earlier), is_kept);
    files[name] = std::move(content);
  }
  return files;
}

}  // namespace sonde::power_cut
