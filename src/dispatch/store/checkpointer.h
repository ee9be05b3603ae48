#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "dispatch/store/connection.h"

namespace sonde::dispatch::store {

/// Copies pages of the write-ahead log into the database, where it has become long, so that a save seldom has to. On
/// a thread of its own; writers and readers go on meanwhile.
///
/// The log begins anew only once all of it is copied, which never happens while saves come without a pause. So a save
/// copies the rest itself where the log is very long: little, as most was copied before.
class Checkpointer {
 public:
  explicit Checkpointer(std::unique_ptr<Connection> db);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// After each save, with its connection and the pages that the log now has.
  void saved(Connection& writer, int64_t log_pages);

 private:
  void run();

  std::unique_ptr<Connection> db_;
  int64_t asked_at_ = 0;  ///< pages that the log had
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_asked_ = false;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace sonde::dispatch::store
