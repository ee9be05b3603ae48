#include "record/profile.h"

#include <unistd.h>

#include <algorithm>
#include <functional>

#include "base/files/file.h"
#include "record/cpu/cpu_remarks.h"
#include "record/gpu_metrics/gpu_metrics_remarks.h"
#include "record/library_remark.h"
#include "record/nccl/nccl_remarks.h"
#include "record/python/python_remarks.h"
#include "record/ranks/rank_parts.h"
#include "record/remarks.h"
#include "record/rounds/file_limit.h"
#include "record/torch_remark.h"

namespace sonde::record {
namespace {

Rank rank_of(const Extent& extent, int64_t utc_begin_ns) {
  Rank rank;
  rank.file = "record";
  rank.format = "record";
  rank.product = "Sonde";
  rank.product_version = SONDE_VERSION;
  rank.utc_ns = utc_begin_ns;
  rank.capture_start_ns = 0;
  rank.capture_clock_ns = extent.begin_ns;
  return rank;
}

void add_diagnostics(Trace& trace, const std::vector<Remark>& remarks, int64_t duration_ns) {
  constexpr int kInfo = 1;
  constexpr int kWarning = 2;
  for (const Remark& remark : remarks) {
    trace.diagnostics.start.push_back(duration_ns);
    trace.diagnostics.severity.push_back(remark.warning ? kWarning : kInfo);
    trace.diagnostics.text.push_back(trace.names.intern(remark.text));
    trace.diagnostics.process.push_back(kNone);
  }
}

/// The round's profile says nothing of what the round left out.
void leave_out(RecordOptions& options) {
  const uint32_t only = options.only;
  options.wanted.nvtx = options.wanted.nvtx && (only & wire::kWantNvtx) != 0;
  options.wanted.os_calls = options.wanted.os_calls && (only & wire::kWantOsCalls) != 0;
  options.wanted.cuda = options.wanted.cuda && (only & wire::kWantCuda) != 0;
  if ((only & wire::kWantLibraries) == 0) options.wanted.libraries.clear();
  if ((only & wire::kWantGpuMetrics) == 0) options.wanted.gpu_metrics = {};
  if ((only & wire::kWantNvtx) == 0) options.torch_folder.clear();
}

std::vector<Remark> all_remarks(const Profile& profile, EndedRound& round) {
  RecordOptions options = round.options;
  if (options.never_began) return remarks_of_none(options);
  leave_out(options);
  std::vector<Remark> remarks = remarks_of(profile.tally, options, round.header.get(), round.spool->state(),
                                           round.damaged, round.span.end - round.span.begin);
  add_cpu_remarks(remarks, profile.cpu, options.cpu, round.cpu);
  add_python_remarks(remarks, profile.python, options.python);
  add_library_remark(remarks, profile.tally, options);
  add_torch_remark(remarks, profile.tally, options);
  add_nccl_remarks(remarks, profile.tally.nccl, options.wanted.nccl);
  if (options.wanted.gpu_metrics.any()) add_gpu_metrics_remarks(remarks, profile, options.wanted);
  return remarks;
}

Status fill_and_write(Profile& profile, EndedRound& round, const Slices& slices, Progress& progress) {
  auto options = static_cast<const RoundOptions&>(round.options);
  options.output = profile.output;
  auto maker = ProfileMaker::open(options, progress);
  if (!maker) return std::unexpected(maker.error());
  const Extent extent{round.span.begin, round.span.end, round.options.only};
  maker->fill(profile, slices, extent, round.span.utc_begin, round.cpu.cycles, round.options);
  profile.remarks = all_remarks(profile, round);
  profile.remarks.insert(profile.remarks.end(), round.remarks.begin(), round.remarks.end());
  return maker->finish(profile.remarks, round.span.end - round.span.begin);
}

Status read_spool(const std::string& path, const std::function<void(const Slices&)>& use) {
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  const auto content = spool_content(std::as_bytes(std::span(file->bytes())));
  if (!content) return std::unexpected(content.error());
  use(ordered_slices(content->slices, [&file] { file->let_go(); }));
  return {};
}

/// One of all processes where the name has no rank.
std::vector<RankPart> parts_of(const Slices& slices, const std::string& output) {
  if (!has_rank_macro(output)) return {{output, {}}};
  return rank_parts(slices, output);
}

}  // namespace

Result<ProfileMaker> ProfileMaker::open(const RoundOptions& options, Progress& progress) {
  auto writer = NsysWriter::open(options.output, {.overwrite = options.overwrite, .inputs = {}, .progress = &progress});
  if (!writer) return std::unexpected(writer.error());
  return ProfileMaker(std::move(*writer));
}

void ProfileMaker::fill(Profile& profile, const Slices& slices, const Extent& extent, int64_t utc_begin_ns, bool cycles,
                        const RecordOptions& options) {
  const auto write = [&](const Trace& part) {
    if (written_) written_ = writer_.add(part);
  };
  trace_.fields = Fields::all();
  trace_.ranks.push_back(rank_of(extent, utc_begin_ns));
  Symbolizer symbolizer(trace_, slices);
  profile.tally = fill_trace(trace_, slices, symbolizer, extent, write, options.measure.value_or(MeasureRequest()));
  if (options.complete_kernels != nullptr) options.complete_kernels(trace_);
  const CpuSpan span{extent.begin_ns, extent.end_ns};
  profile.cpu = fill_cpu_events(trace_, slices, symbolizer, span, cycles, write);
  profile.python = fill_python_events(trace_, slices, span, write);
  profile.tally.cpu_events = profile.cpu.samples + profile.cpu.switches + profile.python.samples;
  profile.gpu_metrics = fill_gpu_metrics(trace_, slices, extent.begin_ns, extent.end_ns, write);
  for (const SampledGpu& gpu : profile.gpu_metrics.gpus) profile.tally.gpu_samples += gpu.samples;
}

Status ProfileMaker::finish(const std::vector<Remark>& remarks, int64_t duration_ns) {
  trace_.ranks.back().capture_end_ns = duration_ns;
  add_diagnostics(trace_, remarks, duration_ns);
  if (written_) written_ = writer_.add(trace_);
  if (written_) written_ = writer_.finish(trace_);
  if (!written_) return fail("{}{}", written_.error().message, file_limit_note());
  return {};
}

std::vector<Profile> make_profiles(EndedRound round, Progress& progress) {
  std::vector<Profile> profiles;
  const Status read = read_spool(round.spool_path, [&](const Slices& slices) {
    for (const RankPart& part : parts_of(slices, round.options.output)) {
      Profile& profile = profiles.emplace_back();
      profile.output = part.output;
      progress.begin("writing " + profile.output, 0, "rows");  // how many there will be is not known
      const bool whole = part.processes.empty();
      profile.written = fill_and_write(profile, round, whole ? slices : slices_of(slices, part.processes), progress);
      progress.end();
    }
  });
  if (!read) {
    Profile& none = profiles.emplace_back();
    none.output = round.options.output;
    none.written = read;
  }
  if (std::ranges::all_of(profiles, [](const Profile& profile) { return profile.written.has_value(); })) {
    unlink(round.spool_path.c_str());
  } else {
    for (Profile& profile : profiles) profile.kept = profile.written ? std::string() : round.spool_path;
  }
  return profiles;
}

}  // namespace sonde::record
