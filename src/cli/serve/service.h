#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/log.h"

namespace sonde::serve {

/// What the command line says.
struct Options {
  std::string file = "config.yaml";
  bool file_is_named = false;  ///< else it need not be there
  bool validate = false;
  std::string simulated;
  std::string address;  ///< empty: as configured
  std::optional<int64_t> port;
};

/// The parts of the service, put together.
class Service {
 public:
  /// Everything runs once this returns; the error says in one sentence why it does not.
  [[nodiscard]] static Result<std::unique_ptr<Service>> start(const Options& options, Log& log);
  virtual ~Service() = default;

  /// Configuration and certificate are read again; what that does, or why it does nothing, is in the log.
  virtual void reload() = 0;
  /// Whether connections are served and rounds of reading come round.
  [[nodiscard]] virtual bool alive() = 0;
  /// For people who ask systemd: "8 GPUs, 1 open incident, 3 tasks run, 12 wait, http://127.0.0.1:8470".
  [[nodiscard]] virtual std::string status() const = 0;
  /// That stop() takes at most, where nothing hangs.
  [[nodiscard]] virtual std::chrono::milliseconds longest_stop() const = 0;
  /// Ends requests, tasks that ask workers, rounds and alerts, in this order, and writes what is not written yet.
  /// Tasks that are programs go on.
  virtual void stop() = 0;
};

}  // namespace sonde::serve
