#include "record/rounds/collection.h"

#include <algorithm>

namespace sonde::record {

void Collection::start(const RoundOptions& options, int64_t now_ns) {
  options_ = options;
  begin_at_ns_ = now_ns + options.delay_ns;
  active_ = true;
  rounds_.set_collection(options);
  if (!by_time()) {
    rounds_.arm();
  } else if (options.delay_ns == 0) {
    rounds_.begin();
  }
}

void Collection::stop() {
  rounds_.disarm();
  rounds_.end();
  active_ = false;
}

void Collection::cancel() {
  stop();
  rounds_.discard();
}

bool Collection::all_ranges_over() const {
  const CaptureOptions& capture = options_.capture;
  return !by_time() && capture.ends && capture.ranges != 0 && rounds_.count() == capture.ranges;
}

bool Collection::is_duration_over(int64_t now_ns, int64_t begin_ns, int64_t first_cuda_ns) const {
  if (!options_.duration_ns || (options_.from_cuda && first_cuda_ns == 0)) return false;
  const int64_t from = options_.from_cuda ? std::max(begin_ns, first_cuda_ns) : begin_ns;
  return now_ns >= from + *options_.duration_ns;
}

EndSignal Collection::step(int64_t now_ns, int64_t first_cuda_ns) {
  if (active_ && by_time() && rounds_.count() == 0 && now_ns >= begin_at_ns_) rounds_.begin();
  const auto since = rounds_.open_since();
  if (!active_) {
    if (since) cancel();  // a range began in the moment in which the collection ended
    return {};
  }
  if (since && is_duration_over(now_ns, *since, first_cuda_ns)) {
    stop();
    return {options_.kill_signal, "--duration is over"};
  }
  if (since || !all_ranges_over()) return {};
  stop();
  closed_ = options_.capture.shutdown;
  return {closed_ ? options_.kill_signal : 0, "the capture range is over"};
}

void Collection::complete() {
  if (!active_) return;
  if (by_time() && rounds_.count() == 0) {
    options_.never_began = true;
    rounds_.set_collection(options_);
    rounds_.begin();
  }
  stop();
}

std::string_view Collection::state() const {
  if (!active_) return "idle";
  return rounds_.open_since() ? "recording" : "waiting";
}

}  // namespace sonde::record
