#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/change.h"
#include "config/config.h"

namespace sonde::config {

/// Where a value in force comes from.
enum class Origin { built_in, file, run_time, persisted, command_line };
[[nodiscard]] std::string_view origin_name(Origin origin);  ///< "default", "file", "run_time", ... "command_line"

/// A key in force, for people and for GET /api/v1/config.
struct KeyState {
  std::string key;    ///< "gpu.multi_gpu.default_strategy"
  std::string value;  ///< as JSON; passwords in URLs, and paths of webhooks, as ***
  Origin origin = Origin::built_in;
  int64_t line = 0;                ///< line in the file; 0 if the file does not contain the key
  bool needs_restart = false;      ///< it is read at the start only
  bool waits_for_restart = false;  ///< the file has another value by now, which holds after a restart
};

/// What a reload of the file did.
struct Reload {
  std::vector<std::string> changed;            ///< keys that hold from now on
  std::vector<std::string> waits_for_restart;  ///< keys whose new value holds after a restart
  std::vector<std::string> held;  ///< keys whose new value in the file gives way to a change made at run time
};

/// The configuration in force. Thread-safe. Readers take current() once per decision and keep that.
class LiveConfig {
 public:
  /// `persisted`: file of changes that outlive a restart; it need not be there, and empty is for none. An empty `file`:
  /// all defaults. `command_line`: what its options say, which stands above everything else. An error is that of one of
  /// them.
  [[nodiscard]] static Result<std::unique_ptr<LiveConfig>> open(const std::string& file, const std::string& persisted,
                                                                const Changes& command_line = {});
  virtual ~LiveConfig() = default;

  [[nodiscard]] virtual std::shared_ptr<const Config> current() const = 0;
  /// Sets one key at run time by its value as JSON; checked as the file is. With `persist` it outlives a restart. null
  /// takes the change of the key back, with `persist` the one that outlives restarts too. Keys that need a restart can
  /// be set with `persist` only.
  [[nodiscard]] virtual Status set(std::string_view key, const std::string& json_value, bool persist) = 0;
  /// Reads the file again. A file with mistakes changes nothing.
  [[nodiscard]] virtual Result<Reload> reload() = 0;
  [[nodiscard]] virtual std::vector<KeyState> keys() const = 0;
  /// Called after each change of a value in force, from the thread that made it, which must not change more.
  virtual void on_change(std::function<void(const Config&)> callback) = 0;
  [[nodiscard]] virtual const std::string& file() const = 0;
};

}  // namespace sonde::config
