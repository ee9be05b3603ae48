#include "monitor/anomalies/each_minute.h"

#include <fmt/format.h>

namespace sonde::monitor {

std::string shown_number(double value, std::string_view unit) { return fmt::format("{:.0f} {}", value, unit); }

std::vector<size_t> equals_of(const Round& round, size_t gpu) {
  std::vector<size_t> found;
  for (size_t i = 0; i < round.samples.size(); ++i) {
    if (round.samples[i].reading.name == round.samples[gpu].reading.name) found.push_back(i);
  }
  return found;
}

}  // namespace sonde::monitor
