#include "monitor/history/ring.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace sonde::monitor::history {
namespace {

constexpr size_t kBlock = 256;
constexpr size_t kLooked = 16;  // samples whose distance is the interval
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kClockSteps = 10 * kSecond;  // NTP sets a clock back by less
constexpr int64_t kTenth = 100'000'000;

}  // namespace

void Ring::add(int64_t moment_ns, const Values& sample) {
  if (!empty() && moment_ns <= newest_ns()) {
    if (newest_ns() - moment_ns < kClockSteps) return;
    blocks_.clear();
  }
  if (empty() || blocks_.back().moments_ns.size() == kBlock) {
    blocks_.emplace_back();
    blocks_.back().moments_ns.reserve(kBlock);
  }
  Block& block = blocks_.back();
  for (size_t i = 0; i < kValues; ++i) {
    std::vector<float>& column = block.columns.at(i);
    if (column.empty() && std::isnan(sample.at(i))) continue;
    if (column.empty()) {
      column.reserve(kBlock);
      column.assign(block.moments_ns.size(), kNothing);
    }
    column.push_back(sample.at(i));
  }
  block.moments_ns.push_back(moment_ns);
}

void Ring::forget(int64_t before_ns, size_t max) {
  while (!empty() && (blocks_.front().moments_ns.back() < before_ns || size() > max + kBlock)) blocks_.pop_front();
}

size_t Ring::size() const { return empty() ? 0 : (blocks_.size() - 1) * kBlock + blocks_.back().moments_ns.size(); }

size_t Ring::bytes() const {
  size_t sum = 0;
  for (const Block& block : blocks_) {
    sum += sizeof block + block.moments_ns.capacity() * sizeof(int64_t);
    for (const auto& column : block.columns) sum += column.capacity() * sizeof(float);
  }
  return sum;
}

int64_t Ring::interval_ns() const {
  std::vector<int64_t> distances;
  int64_t later = 0;
  for (auto block = blocks_.rbegin(); block != blocks_.rend() && distances.size() < kLooked; ++block) {
    for (const int64_t moment : block->moments_ns | std::views::reverse) {
      if (later != 0 && distances.size() < kLooked) distances.push_back(later - moment);
      later = moment;
    }
  }
  if (distances.empty()) return kSecond;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::ranges::nth_element(distances, middle);
  const int64_t unit = *middle < kSecond ? kTenth : kSecond;
  return std::max(unit, (*middle + unit / 2) / unit * unit);
}

}  // namespace sonde::monitor::history
