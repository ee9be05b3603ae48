#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace sonde {

/// A value that is made when it is first asked for. Safe from several threads: the others wait for the one that makes
/// it.
template <typename T>
class Later {
 public:
  template <typename Make>
  [[nodiscard]] const T& get(Make&& make) {
    const std::scoped_lock lock(*mutex_);
    if (!value_) value_.emplace(std::forward<Make>(make)());
    return *value_;
  }
  /// The next get() makes it again. Not while others use it.
  void reset() { value_.reset(); }

 private:
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  ///< so that it can be moved
  std::optional<T> value_;
};

}  // namespace sonde
