#include "dispatch/dispatcher/saver.h"

#include <utility>

#include "base/time_units.h"

namespace sonde::dispatch {
namespace {

constexpr int64_t kRetry_ns = kNsPerSecond;
/// A repeatedly full disk is logged at most once a minute.
constexpr int64_t kLogInterval_ns = 60 * kNsPerSecond;

}  // namespace

std::optional<Pending> Saver::save(const Engine& engine, int64_t now_ns) {
  if (const Status written = write(engine); !written) {
    set_error(written.error().message, now_ns);
    return std::nullopt;
  }
  if (!works()) recover();
  return std::exchange(pending_, {});
}

/// After an error the disk is probed even if nothing is pending: submissions are accepted again only if it works.
Status Saver::write(const Engine& engine) {
  if (pending_.needs_saving()) return store_->save(pending_.changes(engine));
  return works() ? Status() : store_->probe();
}

void Saver::set_error(const std::string& error, int64_t now_ns) {
  retry_ns_ = now_ns + kRetry_ns;
  if (works() && (logged_ns_ == 0 || now_ns >= logged_ns_ + kLogInterval_ns)) {
    logged_ns_ = now_ns;
    log_->error(
        "tasks cannot be saved: no task is accepted or started until saving works again; running tasks continue",
        {{"reason", error}});
  }
  error_ = error;
}

void Saver::recover() {
  log_->info("tasks are saved again", {{"trouble_was", error_}});
  error_.clear();
}

}  // namespace sonde::dispatch
