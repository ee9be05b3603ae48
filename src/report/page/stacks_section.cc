#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include "report/page/json_columns.h"
#include "report/page/section.h"
#include "trace/columns.h"

namespace sonde {
namespace stacks {
namespace {

using Json = nlohmann::ordered_json;

/// More make the page slow; the rarest go first, with all below them.
constexpr size_t kMaxFrames = 50'000;

struct Frame {
  NameId symbol = kNone;
  NameId module = kNone;
  ThreadId thread = kNone;  ///< of a root
  uint32_t parent = kNone;
  int64_t self = 0;
  int64_t total = 0;
};

struct FrameKey {
  uint32_t parent;
  NameId symbol;
  NameId module;
  bool operator==(const FrameKey&) const = default;
};

struct FrameHash {
  size_t operator()(const FrameKey& key) const {
    const uint64_t names = uint64_t{key.symbol} << 32U | key.module;
    return boost::hash<uint64_t>()(names) ^ boost::hash<uint64_t>()(uint64_t{key.parent} * 0x9E3779B97F4A7C15U);
  }
};

/// Call stacks as one tree, from the threads to the functions that were sampled. Parents come before their children.
class StackTree {
 public:
  explicit StackTree(const CallChains& chains) : chains_(chains) {}

  void add(ThreadId thread, ChainId chain, int64_t samples) {
    uint32_t at = root_of(thread);
    frames_[at].total += samples;
    for (uint32_t frame = chains_.first[chain + 1]; frame-- > chains_.first[chain];) {
      at = child_of(at, chains_.symbol[frame], chains_.module[frame]);
      frames_[at].total += samples;
    }
    frames_[at].self += samples;
  }

  /// At most `most` frames: those with the most samples, and their callers.
  [[nodiscard]] std::vector<Frame> largest(size_t most) && {
    for (int64_t least = 2; frames_.size() > most; least *= 2) drop_below(least);
    return std::move(frames_);
  }

 private:
  uint32_t root_of(ThreadId thread) {
    const auto [found, fresh] = roots_.try_emplace(thread, static_cast<uint32_t>(frames_.size()));
    if (fresh) frames_.push_back({.thread = thread});
    return found->second;
  }

  uint32_t child_of(uint32_t parent, NameId symbol, NameId module) {
    const auto [found, fresh] =
        children_.try_emplace(FrameKey{parent, symbol, module}, static_cast<uint32_t>(frames_.size()));
    if (fresh) frames_.push_back({.symbol = symbol, .module = module, .parent = parent});
    return found->second;
  }

  /// A frame has no more samples than its caller, so that a kept one's caller is kept too.
  void drop_below(int64_t least) {
    std::vector<uint32_t> moved(frames_.size(), kNone);
    std::vector<Frame> kept;
    for (size_t i = 0; i < frames_.size(); ++i) {
      Frame frame = frames_[i];
      if (frame.total < least) continue;
      moved[i] = static_cast<uint32_t>(kept.size());
      if (frame.parent != kNone) frame.parent = moved[frame.parent];
      kept.push_back(frame);
    }
    frames_ = std::move(kept);
  }

  const CallChains& chains_;
  std::vector<Frame> frames_;
  boost::unordered_flat_map<ThreadId, uint32_t> roots_;
  boost::unordered_flat_map<FrameKey, uint32_t, FrameHash> children_;
};

/// Samples by thread and chain; those without a stack are not counted.
template <typename Samples>
boost::unordered_flat_map<uint64_t, int64_t> samples_by_stack(const Trace& trace, const Samples& samples) {
  boost::unordered_flat_map<uint64_t, int64_t> counts;
  for (Row row = 0; row < row_count(samples); ++row) {
    const ChainId chain = value_or_absent(samples.chain, row);
    const bool known = chain < trace.chains.size() && trace.chains.first[chain] < trace.chains.first[chain + 1];
    if (known && samples.thread[row] < trace.threads.size()) ++counts[uint64_t{samples.thread[row]} << 32U | chain];
  }
  return counts;
}

std::string thread_text(const Trace& trace, ThreadId thread) {
  const std::string_view name = trace.name(trace.threads[thread].name);
  return fmt::format("Thread {}{}{}", trace.threads[thread].tid, name.empty() ? "" : " ", name);
}

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

template <typename Samples>
Json stacks_json(const Trace& trace, const Samples& samples, std::string_view title) {
  const auto counts = samples_by_stack(trace, samples);
  if (counts.empty()) return nullptr;
  std::vector<std::pair<uint64_t, int64_t>> ordered(counts.begin(), counts.end());
  std::ranges::sort(ordered);
  StackTree tree(trace.chains);
  int64_t all = 0;
  for (const auto& [stack, count] : ordered) {
    tree.add(static_cast<ThreadId>(stack >> 32U), static_cast<ChainId>(stack), count);
    all += count;
  }
  const std::vector<Frame> frames = std::move(tree).largest(kMaxFrames);
  const auto column = [&](auto value_of) { return json_column(frames, value_of); };
  return {
      {"title", title},
      {"samples", all},
      {"name", column([&](const Frame& f) {
         return f.parent == kNone ? thread_text(trace, f.thread) : std::string(trace.name(f.symbol));
       })},
      {"file", column([&](const Frame& f) { return f.parent == kNone ? "" : file_of(trace.name(f.module)); })},
      {"parent", column([](const Frame& f) { return f.parent == kNone ? int64_t{-1} : int64_t{f.parent}; })},
      {"self", column([](const Frame& f) { return f.self; })},
      {"total", column([](const Frame& f) { return f.total; })},
  };
}

Json write(const ReportSource& source) {
  const Trace& trace = source.trace;
  Json kinds = Json::array();
  std::array found = {stacks_json(trace, trace.samples, "CPU samples"),
                      stacks_json(trace, trace.python_samples, "Python samples")};
  for (Json& kind : found) {
    if (!kind.is_null()) kinds.push_back(std::move(kind));
  }
  return kinds.empty() ? Json(nullptr) : Json{{"kinds", std::move(kinds)}};
}

}  // namespace
}  // namespace stacks

extern const ReportSection stacks_section;
const ReportSection stacks_section{"stacks", "call stacks of samples of host threads, as a tree", stacks::write};

}  // namespace sonde
