#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include <sqlite3.h>

namespace sonde::power_cut {

/// Names and contents of files.
using Files = std::map<std::string, std::string>;

/// A disk in memory under SQLite: a file layer that logs each write, truncation, sync and change of names, and computes
/// what a power cut after any of them could leave. Its files are in one folder. Thread-safe.
///
/// After a cut, unsynced data is undefined: each sector of 512 bytes may be old or new, in any order, and so may
/// lengths. Changes of names are kept in order, up to some point. The sync of a new journal or log keeps all changes
/// before it, because SQLite's own layer for Unix then syncs the folder.
class CutDisk {
 public:
  enum class Operation { write, truncate, sync, create, remove };

  explicit CutDisk(const Files& files = {});
  ~CutDisk();
  CutDisk(const CutDisk&) = delete;
  CutDisk& operator=(const CutDisk&) = delete;

  /// The name of the layer for sqlite3_open_v2().
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Number of operations so far.
  [[nodiscard]] size_t operations() const;
  [[nodiscard]] Operation operation(size_t number) const;
  /// The files while the power is on.
  [[nodiscard]] Files files() const;

  /// Called before each operation with its kind and file; returns SQLITE_OK, or the code with which it fails. Of a
  /// failed write, the first `done_bytes` may be written.
  struct Fault {
    int code = SQLITE_OK;
    size_t done_bytes = 0;
  };
  using Faults = std::function<Fault(Operation operation, const std::string& file)>;
  void set_faults(Faults faults);

  struct Inode {
    size_t number = 0;
    std::string content;
    int shared = 0;                                      ///< connections that hold it
    const void* reserved = nullptr;                      ///< the connection that is about to write
    const void* exclusive = nullptr;                     ///< the connection with exclusive access
    std::vector<std::unique_ptr<char[]>> shared_memory;  // NOLINT(modernize-avoid-c-arrays): its size is SQLite's
    std::vector<int> shared_memory_readers = std::vector<int>(SQLITE_SHM_NLOCK);
    std::vector<const void*> shared_memory_writer = std::vector<const void*>(SQLITE_SHM_NLOCK);
  };

  // Called by SQLite; the codes are SQLite's.
  int open(const std::string& file, int flags, std::shared_ptr<Inode>& inode);
  int remove(const std::string& file, bool synced);
  bool exists(const std::string& file) const;
  int write(const std::string& file, Inode& inode, int64_t offset, const char* bytes, size_t size);
  int truncate(const std::string& file, Inode& inode, int64_t size);
  int sync(const std::string& file, Inode& inode);
  std::recursive_mutex& mutex() const { return mutex_; }

  struct Event {
    Operation operation = Operation::write;
    size_t inode = 0;
    int64_t offset = 0;  ///< or the size that it is cut to
    std::string text;    ///< the bytes, or the file's name
    bool keeps_names = false;
  };

 private:
  friend class PowerCut;
  int note(Event event, const std::string& file, const std::function<void(Fault)>& apply);

  std::string name_;
  sqlite3_vfs vfs_{};
  mutable std::recursive_mutex mutex_;
  Files first_;
  std::map<std::string, std::shared_ptr<Inode>> names_;
  size_t inodes_ = 0;
  std::vector<size_t> unsynced_names_;  ///< new journals and logs, until their first sync
  std::vector<Event> events_;
  Faults faults_;
};

/// What a power cut can leave of a disk. Construct it after the disk's last operation.
class PowerCut {
 public:
  /// Choices for unsynced data.
  enum class Kept { nothing, all, some };

  explicit PowerCut(const CutDisk& disk);
  /// Cuts the power after this many operations; not fewer than in the call before.
  void move_to(size_t operations);
  /// The content of the disk after the cut.
  [[nodiscard]] Files files(Kept kept, std::mt19937_64& random) const;

 private:
  struct Durable {
    std::string content;
    std::vector<size_t> pending;  ///< numbers of events since it was synced
  };
  void take(size_t number);
  static void change_name(std::map<std::string, size_t>& names, const CutDisk::Event& event);

  const CutDisk& disk_;
  size_t done_ = 0;
  std::map<size_t, Durable> inodes_;
  std::map<std::string, size_t> names_;
  std::vector<size_t> pending_names_;
};

}  // namespace sonde::power_cut
