#include "record/cuda/unserved_launches.h"

#include <algorithm>

namespace sonde::record {

void UnservedLaunches::note_call(std::string_view name, const Place& place, int64_t start_ns, int64_t end_ns) {
  if (name.contains("StreamBeginCapture")) moments_.push_back({place, end_ns, What::capture_begins});
  if (name.contains("StreamEndCapture")) moments_.push_back({place, start_ns, What::capture_ends});
}

int64_t UnservedLaunches::count() {
  std::ranges::sort(moments_);
  int64_t count = 0;
  bool captures = false;
  const Moment* last = nullptr;
  for (const Moment& moment : moments_) {
    if (last != nullptr && last->place != moment.place) captures = false;
    last = &moment;
    if (moment.what != What::launch) {
      captures = moment.what == What::capture_begins;
    } else if (!captures) {
      ++count;
    }
  }
  return count;
}

}  // namespace sonde::record
