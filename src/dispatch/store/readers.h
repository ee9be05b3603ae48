#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/store/connection.h"

namespace sonde::dispatch::store {

/// Connections for reading, one for each reader of a moment. Thread-safe.
class Readers {
 public:
  Readers(std::string path, std::string vfs) : path_(std::move(path)), vfs_(std::move(vfs)) {}

  /// What `work` gives for a connection; the error where none can be opened.
  template <typename Work>
  auto read(const Work& work) -> decltype(work(std::declval<Connection&>())) {
    auto db = take();
    if (!db) return std::unexpected(db.error());
    auto outcome = work(**db);
    if (outcome) give_back(std::move(*db));  // one that failed is closed: the next may do better
    return outcome;
  }

 private:
  [[nodiscard]] Result<std::unique_ptr<Connection>> take();
  void give_back(std::unique_ptr<Connection> db);

  std::string path_;
  std::string vfs_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace sonde::dispatch::store
