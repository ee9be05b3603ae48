#include "dispatch/store/checkpointer.h"

#include <utility>

namespace sonde::dispatch::store {
namespace {

/// 4 MB, SQLite's own choice.
constexpr int64_t kPagesToAsk = 1000;
/// 32 MB.
constexpr int64_t kPagesToHelp = 8000;

}  // namespace

Checkpointer::Checkpointer(std::unique_ptr<Connection> db) : db_(std::move(db)), thread_([this] { run(); }) {}

Checkpointer::~Checkpointer() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Checkpointer::saved(Connection& writer, int64_t log_pages) {
  if (log_pages < asked_at_) asked_at_ = 0;
  if (log_pages - asked_at_ < kPagesToAsk) return;
  if (log_pages >= kPagesToHelp) writer.checkpoint();
  asked_at_ = log_pages;
  {
    const std::scoped_lock lock(mutex_);
    is_asked_ = true;
  }
  changed_.notify_one();
}

void Checkpointer::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_asked_ || ends_; });
    if (ends_) return;
    is_asked_ = false;
    lock.unlock();
    db_->checkpoint();
    lock.lock();
  }
}

}  // namespace sonde::dispatch::store
