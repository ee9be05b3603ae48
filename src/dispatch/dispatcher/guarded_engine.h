#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "dispatch/engine.h"

namespace sonde::dispatch {

/// The engine and its mutex. Only the dispatcher's thread changes the engine. It locks for every change and reads
/// without the lock. Other threads read under the lock.
class GuardedEngine {
 public:
  GuardedEngine(std::shared_ptr<const config::Config> config, uint64_t seed)
      : engine_(Engine::make(std::move(config), seed)) {}

  [[nodiscard]] std::unique_lock<std::mutex> lock() const { return std::unique_lock(mutex_); }
  [[nodiscard]] Engine& operator*() { return *engine_; }
  [[nodiscard]] const Engine& operator*() const { return *engine_; }
  [[nodiscard]] Engine* operator->() { return engine_.get(); }
  [[nodiscard]] const Engine* operator->() const { return engine_.get(); }

 private:
  mutable std::mutex mutex_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace sonde::dispatch
