#include "dispatch/store/readers.h"

namespace sonde::dispatch::store {
namespace {

/// Each holds some 2 MB of pages.
constexpr size_t kMaxIdle = 4;

}  // namespace

Result<std::unique_ptr<Connection>> Readers::take() {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      auto db = std::move(idle_.back());
      idle_.pop_back();
      return db;
    }
  }
  return Connection::open(path_, Connection::Access::read_only, vfs_);
}

void Readers::give_back(std::unique_ptr<Connection> db) {
  const std::scoped_lock lock(mutex_);
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(db));
}

}  // namespace sonde::dispatch::store
