#pragma once

#include <memory>
#include <span>
#include <vector>

#include "monitor/anomalies/minute.h"

namespace sonde::monitor {

/// The host over one minute, as a detector of anomalies looks at it.
struct HostMinute {
  const Round& round;  ///< that ended the minute
  std::span<const std::optional<Minute>> gpus;
};

/// A detector that looks once a minute and says in all rounds until the next one what it found. `Kept` is what it keeps
/// of a GPU; it outlives a reload of the driver, since what is usual for a GPU does.
template <typename Kept, void (*kLook)(const HostMinute&, std::span<Kept>, std::vector<Observation>&)>
class EachMinute final : public Detector {
 public:
  void look(const Round& round, std::vector<Observation>& found) override {
    if (minutes_.take(round)) {
      // Other GPUs than before: nothing that was learned holds for them.
      if (kept_.size() != round.samples.size()) {
        kept_.clear();
        kept_.resize(round.samples.size());
      }
      now_.clear();
      kLook({round, minutes_.ended()}, kept_, now_);
    }
    found.insert(found.end(), now_.begin(), now_.end());
  }

 private:
  Minutes minutes_;
  std::vector<Kept> kept_;
  std::vector<Observation> now_;
};

template <typename Kept, void (*kLook)(const HostMinute&, std::span<Kept>, std::vector<Observation>&)>
[[nodiscard]] std::unique_ptr<Detector> each_minute() {
  return std::make_unique<EachMinute<Kept, kLook>>();
}

/// "1.9 GHz" and the like are for datasheets; operators compare MHz.
[[nodiscard]] std::string shown_number(double value, std::string_view unit);

/// The GPUs of the round whose product name is that of `gpu`; itself among them.
[[nodiscard]] std::vector<size_t> equals_of(const Round& round, size_t gpu);

}  // namespace sonde::monitor
