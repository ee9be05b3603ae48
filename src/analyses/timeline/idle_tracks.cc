#include <fmt/format.h>

#include "analyses/gpus/idle_time.h"
#include "analyses/timeline/track_builder.h"

namespace sonde {
namespace {

SliceCategory category_of(IdleCause cause) {
  switch (cause) {
    case IdleCause::synchronization:
    case IdleCause::copy: return SliceCategory::idle_sync;
    case IdleCause::data_loading:
    case IdleCause::load:
    case IdleCause::allocation:
    case IdleCause::initialization:
    case IdleCause::launch:
    case IdleCause::api:
    case IdleCause::os_call:
    case IdleCause::library:
    case IdleCause::range:
    case IdleCause::host: return SliceCategory::idle_host;
    default: return SliceCategory::idle_other;
  }
}

SliceDetail detail_of(const Trace& trace, const IdlePiece& piece) {
  SliceDetail detail;
  if (piece.thread < trace.threads.size()) {
    detail.emplace_back("waited for thread", fmt::format("{}", trace.threads[piece.thread].tid));
  }
  if (piece.name != kNone) detail.emplace_back("it was in", trace.name(piece.name));
  return detail;
}

}  // namespace

/// Why each GPU did nothing, above its streams.
void add_idle_tracks(const TimelineSource& source, Timeline& timeline) {
  const Trace& trace = source.trace;
  std::vector<TrackBuilder> builders;
  for (uint32_t gpu = 0; gpu < source.gpus.gpus.size(); ++gpu) {
    builders.emplace_back(timeline, gpu_track(trace, source.gpus, gpu, TrackKind::idle, "Idle by cause"));
  }
  for_each_idle_piece(trace, source.gpus, source.extent, [&](const IdlePiece& piece) {
    TrackBuilder& builder = builders[piece.gpu];
    const std::array<uint32_t, 2> key = {piece.thread, piece.name};
    const std::string_view bytes(reinterpret_cast<const char*>(key.data()), sizeof(key));  // NOLINT(*-reinterpret-cast)
    builder.add({piece.start_ns, piece.end_ns, builder.name(info_of(piece.cause).title, category_of(piece.cause)),
                 builder.detail(bytes, [&] { return detail_of(trace, piece); })});
  });
  for (TrackBuilder& builder : builders) {
    if (!builder.empty()) timeline.tracks.push_back(std::move(builder).finish());
  }
}

}  // namespace sonde
