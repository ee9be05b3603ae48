#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "monitor/detector.h"

namespace sonde::monitor {

/// A detector that passes on what others report under its name, for as long as they do.
class ReportedDetector final : public Detector {
 public:
  explicit ReportedDetector(std::string_view name) : name_(name) {}

  void look(const Round& round, std::vector<Observation>& found) override {
    for (const Reported& each : round.reported) {
      if (each.detector == name_) found.push_back(each.seen);
    }
  }

 private:
  std::string_view name_;
};

}  // namespace sonde::monitor
