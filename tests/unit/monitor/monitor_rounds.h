#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "monitor/detector.h"
#include "monitor/incident.h"
#include "monitor/text.h"

namespace sonde::monitor {

inline constexpr int64_t kTestSecond = 1'000'000'000;

inline const DetectorRow& detector_row(std::string_view name) {
  const auto rows = detector_rows();
  const auto found = std::ranges::find(rows, name, [](const DetectorRow* row) { return row->name; });
  if (found == rows.end()) throw std::runtime_error(fmt::format("no detector {}", name));
  return **found;
}

/// GPUs whose values, and a clock whose time, the test sets.
class MadeHost {
 public:
  explicit MadeHost(size_t gpus = 1) : samples_(gpus) {
    for (size_t i = 0; i < gpus; ++i) {
      samples_[i].gpu = i;
      samples_[i].reading.uuid = fmt::format("GPU-{}", i);
      samples_[i].reading.name = "NVIDIA H100";
    }
  }

  device::GpuReading& reading(size_t gpu = 0) { return samples_[gpu].reading; }
  GpuSample& sample(size_t gpu = 0) { return samples_[gpu]; }
  config::Config& config() { return config_; }
  [[nodiscard]] int64_t now_ns() const { return now_ns_; }

  void fail(device::FailureKind kind, size_t gpu = 0) {
    samples_[gpu].failure = device::GpuFailure{kind, "it does not work; mend it"};
  }
  void recover(size_t gpu = 0) { samples_[gpu].failure.reset(); }
  void xid(int64_t code, size_t gpu = 0, double after_s = 0) {
    events_.push_back({.gpu = gpu,
                       .kind = device::EventKind::xid,
                       .code = code,
                       .moment_ns = now_ns_ + static_cast<int64_t>(after_s * 1e9),
                       .gpu_instance = {}});
  }
  void reopen() { reopened_ = true; }

  /// The next round; each event occurs in one round.
  Round round(double after_s = 10) {
    now_ns_ += static_cast<int64_t>(after_s * 1e9);
    told_ = std::exchange(events_, {});
    for (GpuSample& sample : samples_) {
      if (!sample.failure) sample.moment_ns = now_ns_;
    }
    return {.moment_ns = now_ns_,
            .samples = samples_,
            .events = told_,
            .config = &config_,
            .source_reopened = std::exchange(reopened_, false)};
  }

 private:
  std::vector<GpuSample> samples_;
  std::vector<device::GpuEvent> events_;
  std::vector<device::GpuEvent> told_;
  config::Config config_;
  int64_t now_ns_ = 1'763'784'000 * kTestSecond;
  bool reopened_ = false;
};

/// A detector and its incidents on such a host.
class Watched {
 public:
  explicit Watched(std::string_view detector, size_t gpus = 1)
      : host(gpus), row_(detector_row(detector)), detector_(row_.make()) {}

  /// Observations of the next round. Checks that each of their texts exists and has all its arguments.
  std::vector<Observation> look(double after_s = 10) {
    const Round round = host.round(after_s);
    std::vector<Observation> found;
    detector_->look(round, found);
    for (const Observation& seen : found) expect_texts(seen);
    news = book.take(row_, round, found);
    return found;
  }
  /// The same repeatedly for a time, every 10 s; returns the observations of the last round.
  std::vector<Observation> look_for(double seconds, double step_s = 10) {
    std::vector<Observation> found;
    for (double passed = 0; passed < seconds; passed += step_s) found = look(step_s);
    return found;
  }
  [[nodiscard]] Detector& detector() { return *detector_; }
  [[nodiscard]] const DetectorRow& row() const { return row_; }

  MadeHost host;
  IncidentBook book;
  std::vector<IncidentNews> news;  ///< of the last round

 private:
  static void expect_texts(const Observation& seen) {
    std::vector<Argument> arguments = seen.arguments;
    arguments.push_back({"gpu", "GPU 0"});
    for (const std::string_view part : {".summary", ".action"}) {
      const std::string_view text = incident_text(seen.text + std::string(part));
      EXPECT_FALSE(text.empty()) << seen.text << part;
      EXPECT_EQ(filled(text, arguments).find('{'), std::string::npos) << filled(text, arguments);
    }
  }

  const DetectorRow& row_;
  std::unique_ptr<Detector> detector_;
};

/// The text ids of the observations: easy to compare.
inline std::vector<std::string> texts_of(const std::vector<Observation>& found) {
  std::vector<std::string> texts;
  for (const Observation& seen : found) texts.push_back(seen.text);
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace sonde::monitor
