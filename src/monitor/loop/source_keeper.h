#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "device/device.h"

namespace sonde::monitor::loop {

using OpenSource = std::function<Result<std::shared_ptr<device::DeviceSource>>()>;

/// Opens the source, on threads of its own since that can hang, and again with growing pauses where it failed. For one
/// thread.
class SourceKeeper {
 public:
  /// `on_opened` is called from another thread when an opening has finished.
  SourceKeeper(OpenSource open, std::function<void()> on_opened);
  ~SourceKeeper();
  SourceKeeper(const SourceKeeper&) = delete;
  SourceKeeper& operator=(const SourceKeeper&) = delete;

  /// Begins an opening where none runs and its pause is over; waits for it, `timeout` at most. The source once.
  [[nodiscard]] std::shared_ptr<device::DeviceSource> take(int64_t now_ns, std::chrono::milliseconds timeout);
  /// The source could be read: should it fail later, it is opened again at once.
  void worked() { pause_ns_ = 0; }
  /// Why there is no source; empty before the first answer.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  [[nodiscard]] int64_t openings() const { return openings_; }
  /// When the next opening may begin.
  [[nodiscard]] int64_t next_ns() const { return next_ns_; }

 private:
  struct Opening;
  void begin(int64_t now_ns);

  OpenSource open_;
  std::function<void()> on_opened_;
  std::shared_ptr<Opening> opening_;  ///< shared with its thread, which may outlive this object
  int64_t began_ns_ = 0;
  int64_t next_ns_ = 0;
  int64_t pause_ns_ = 0;
  int64_t openings_ = 0;
  std::string trouble_;
};

}  // namespace sonde::monitor::loop
