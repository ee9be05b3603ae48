#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "dispatch/dispatcher/tally.h"

namespace sonde::dispatch {

/// The counts, and the QueueSnapshot that other threads read. Makes a new snapshot only if something in it has changed.
/// For the dispatcher's thread, except current().
class SnapshotPublisher {
 public:
  /// To change them: the next publish() makes a new snapshot.
  [[nodiscard]] Tally& counts() {
    invalidate();
    return tally_;
  }
  /// Something else changed that a snapshot contains.
  void invalidate() { is_valid_ = false; }
  /// `indices`: UUID of each GPU -> its index. `save_error`: why nothing can be saved now.
  void publish(const Engine& engine, const std::map<std::string, size_t>& indices, const std::string& save_error,
               int64_t now_ns);
  /// Never null. Any thread.
  [[nodiscard]] std::shared_ptr<const QueueSnapshot> current() const;

 private:
  void find_oldest(const Engine& engine, int64_t now_ns);

  Tally tally_;
  bool is_valid_ = true;
  std::optional<int64_t> oldest_ready_ns_;
  int64_t oldest_found_ns_ = 0;
  mutable std::mutex mutex_;  ///< of snapshot_
  std::shared_ptr<const QueueSnapshot> snapshot_ = std::make_shared<QueueSnapshot>();
};

}  // namespace sonde::dispatch
