#include <map>

#include "analyses/calls/call_chain_text.h"
#include "analyses/timeline/track_builder.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// Samples of each thread, at their times and named by the function that was sampled.
template <typename Samples>
void add_samples(const TimelineSource& source, const Samples& s, std::string_view label, Timeline& timeline) {
  const Trace& trace = source.trace;
  std::map<ThreadId, TrackBuilder> builders;
  for (Row row = 0; row < row_count(s); ++row) {
    const ChainId chain = value_or_absent(s.chain, row);
    const bool known = chain < trace.chains.size() && trace.chains.first[chain] < trace.chains.first[chain + 1];
    if (!known || s.thread[row] >= trace.threads.size()) continue;
    auto found = builders.find(s.thread[row]);
    if (found == builders.end()) {
      found = builders
                  .try_emplace(s.thread[row], timeline,
                               thread_track(trace, s.thread[row], TrackKind::sample, std::string(label)))
                  .first;
    }
    TrackBuilder& builder = found->second;
    const std::string_view key(reinterpret_cast<const char*>(&chain), sizeof(chain));  // NOLINT(*-reinterpret-cast)
    builder.add({s.start[row], s.start[row],
                 builder.name(trace, trace.chains.symbol[trace.chains.first[chain]], SliceCategory::running),
                 builder.detail(key, [&] { return SliceDetail{{"call stack", call_chain_text(trace, chain)}}; })});
  }
  for (auto& [thread, builder] : builders) {
    if (!builder.empty()) timeline.tracks.push_back(std::move(builder).finish());
  }
}

}  // namespace

/// Where host threads were when they were sampled.
void add_sample_tracks(const TimelineSource& source, Timeline& timeline) {
  add_samples(source, source.trace.samples, "CPU samples", timeline);
  add_samples(source, source.trace.python_samples, "Python samples", timeline);
}

}  // namespace sonde
