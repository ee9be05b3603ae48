#pragma once

#include <memory>
#include <span>
#include <vector>

#include "monitor/history.h"
#include "monitor/incident.h"

namespace sonde::monitor::loop {

/// All detectors and the incidents that they make. One thread.
class Judge {
 public:
  /// Goes on with the incidents that were open when the service ended. `booted_ns`: when the host started.
  Judge(const History& history, int64_t booted_ns);

  [[nodiscard]] std::vector<IncidentNews> look(const Round& round);
  [[nodiscard]] IncidentBook& book() { return book_; }

 private:
  struct Watch {
    const DetectorRow* row = nullptr;
    std::unique_ptr<Detector> detector;
  };
  IncidentBook book_;
  std::vector<Watch> watches_;
};

}  // namespace sonde::monitor::loop
