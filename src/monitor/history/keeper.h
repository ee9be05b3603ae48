#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "monitor/history/store.h"

namespace sonde::monitor::history {

/// Keeps what is to be written until the database has it, on a thread of its own: a disk that hangs delays no round.
/// Opens the database again and again where it cannot be used. Thread-safe.
class Keeper {
 public:
  /// `path`: of history.db; empty: what is given is kept in memory only, within the `kMax...` limits.
  Keeper(std::string path, double days);
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// Takes these to be written soon.
  void put(Batch batch);
  /// Writes all at once, on the caller's thread.
  void flush();
  [[nodiscard]] std::string trouble() const;
  /// What happened while opening, for the log; once.
  [[nodiscard]] std::vector<std::string> take_notes();

  /// Written minutes and those that wait.
  [[nodiscard]] Result<std::vector<Minute>> minutes(const std::string& gpu_uuid, int64_t from, int64_t to) const;
  [[nodiscard]] Result<std::vector<Incident>> incidents(std::string_view gpu_uuid, bool open_only, int64_t before_id,
                                                        int64_t max) const;
  [[nodiscard]] std::map<int64_t, std::vector<WasteEntry>> waste() const;

 private:
  void run();
  void write();
  [[nodiscard]] Stores<void> try_to_write();
  [[nodiscard]] Stores<void> open();
  void take_up(const StoreFailure& failure);
  void done_with(const Batch& written);
  void limit();
  void set_trouble(std::string text);

  std::string path_;
  double days_;

  mutable std::mutex waiting_mutex_;  ///< never held while store_mutex_ is taken
  std::condition_variable changed_;
  Batch waiting_;
  bool woken_ = false;
  bool ends_ = false;
  std::string trouble_;
  std::vector<std::string> notes_;

  mutable std::mutex store_mutex_;
  std::optional<Store> store_;
  int64_t newest_ns_ = 0;  ///< of the minutes written last: what is kept is told from here
  std::thread thread_;
};

}  // namespace sonde::monitor::history
