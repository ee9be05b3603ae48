#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/log.h"
#include "dispatch/dispatcher/pending.h"

namespace sonde::dispatch {

/// Saves what steps changed, in one transaction each time. If that fails, the changes stay pending and saving is
/// retried once a second. Invariant: a pending change is not on disk, so it must not be acted on, answered or reported.
class Saver {
 public:
  Saver(TaskStore& store, Log& log) : store_(&store), log_(&log) {}

  [[nodiscard]] bool works() const { return error_.empty(); }
  /// Why nothing can be saved now; empty if saving works.
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] bool is_due(int64_t now_ns) const { return works() || now_ns >= retry_ns_; }
  /// When saving is retried. Only if it does not work.
  [[nodiscard]] int64_t retry_ns() const { return retry_ns_; }

  [[nodiscard]] Pending& pending() { return pending_; }
  [[nodiscard]] const Pending& pending() const { return pending_; }
  /// The changes that are on disk from now on; absent if they could not be saved.
  [[nodiscard]] std::optional<Pending> save(const Engine& engine, int64_t now_ns);

 private:
  [[nodiscard]] Status write(const Engine& engine);
  void set_error(const std::string& error, int64_t now_ns);
  void recover();

  TaskStore* store_;
  Log* log_;
  Pending pending_;
  std::string error_;
  int64_t retry_ns_ = 0;
  int64_t logged_ns_ = 0;  ///< last error in the log; 0: none
};

}  // namespace sonde::dispatch
