#include "record/remarks.h"

#include <cstring>

#include <fmt/ranges.h>

#include "base/system/signal_name.h"
#include "base/text/byte_size.h"
#include "base/time_units.h"
#include "record/cuda/cuda_remarks.h"
#include "record/kernels/measure_remarks.h"
#include "record/rounds/file_limit.h"

namespace sonde::record {
namespace {

int64_t lost(const wire::Header& header, wire::Loss loss) {
  return static_cast<int64_t>(header.lost[static_cast<uint32_t>(loss)].load());
}

std::string counted(int64_t count, std::string_view one) {
  const std::string_view plural = one.ends_with('s') ? "es" : "s";
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : plural);
}

std::string what_was_recorded(const Tally& t, const SpoolState& spool, int64_t duration_ns) {
  const std::string libraries = t.library_calls == 0 ? "" : counted(t.library_calls, "library call") + ", ";
  const std::string nccl = t.nccl.operations == 0 ? "" : counted(t.nccl.operations, "NCCL operation") + ", ";
  return fmt::format("recorded {}{}{}, {} and {} ({:.1f} MB) of {} and {} in {:.3f} s", nccl, libraries,
                     counted(t.ranges, "range"), counted(t.marks, "mark"), counted(t.os_calls, "OS call"),
                     static_cast<double>(spool.bytes) / kBytesPerMegabyte, counted(t.processes, "process"),
                     counted(t.threads, "thread"), static_cast<double>(duration_ns) / kSecondNs);
}

/// A range is two records.
std::string what_it_cost(const Tally& t) {
  const double all_ns = static_cast<double>(t.records) * t.event_cost_ns;
  return fmt::format("writing a record took about {} ns, measured when processes started: {:.3f} ms for all {}",
                     t.event_cost_ns, all_ns / kMillisecondNs, t.records);
}

/// What programs load the library for by themselves.
std::string names_of_asked(const RecordOptions& options) {
  std::vector<std::string_view> names;
  if (options.wanted.cuda || options.measure) names.emplace_back("CUDA");
  if (options.wanted.nvtx) names.emplace_back("NVTX");
  if (options.wanted.nccl.operations) names.emplace_back("NCCL");
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Success over nothing is no success: why there may be nothing.
std::string why_nothing(const Tally& tally, const RecordOptions& options) {
  const Wanted& wanted = options.wanted;
  if (!wanted.nvtx && !wanted.os_calls && !wanted.cuda && wanted.libraries.empty() && !wanted.nccl.operations) {
    return "nothing was recorded: -t selects nothing; the default is -t cuda,nvtx,osrt";
  }
  if (tally.images == 0) {
    return options.wanted.preloads()
               ? "nothing was recorded: no process loaded libsonde_inject.so; it is not loaded by programs that are "
                 "linked statically, "
                 "run setuid or clear their environment, and it cannot open the recorder's shared "
                 "memory if the program has dropped its privileges"
               : fmt::format(
                     "nothing was recorded: no process used {}; -t cuda,nvtx,osrt also records "
                     "blocking OS calls",
                     names_of_asked(options));
  }
  return "nothing was recorded: the program ran under the recorder, but made none of the selected calls";
}

/// Then a range that ends has begun in the recording, or its begin was lost.
bool is_from_start(const RecordOptions& options) {
  return !options.launch && options.keep_ns == 0 && options.delay_ns == 0 &&
         options.capture.trigger == wire::Trigger::none;
}

void add_losses(std::vector<Remark>& remarks, const wire::Header& header) {
  const auto add = [&](int64_t count, std::string_view what) {
    if (count > 0) remarks.push_back({true, fmt::format("{}: {}", what, count)});
  };
  add(lost(header, wire::Loss::no_chunk), "events dropped because the recorder's buffers were full");
  add(lost(header, wire::Loss::worker),
      "CUDA records dropped because the recorder, or its thread in the program, was too slow");
  add(lost(header, wire::Loss::nested),
      "events dropped because they came from a signal handler that interrupted the recording of another event");
  add(lost(header, wire::Loss::no_stub),
      "library functions whose calls are not recorded: the table of functions is full; "
      "each reload of a library takes new entries");
  add(lost(header, wire::Loss::no_string), "registered strings and domains dropped: the limit per process was reached");
  add(lost(header, wire::Loss::payload),
      "binary NVTX payloads dropped: not the first payload of the event, longer than 3072 bytes, or empty");
  add(static_cast<int64_t>(header.cut_texts.load()), "strings truncated to 4096 bytes");
  add(static_cast<int64_t>(header.refused.load()),
      "processes that could not be recorded: they had no memory for the recorder");
  add(static_cast<int64_t>(header.rounds.refused.load()),
      "capture ranges without a profile: the recorder was too slow and its queue was full");
}

}  // namespace

Remark remark_of_crash(int signal) {
  return {true, fmt::format("the program was terminated by {} ({})", signal_name(signal), signal)};
}

Remark remark_of_late_cuda(int64_t first_cuda_ns, int64_t ended_ns) {
  return {true,
          fmt::format("the program initialized CUDA {:.1f} s after its start, when the recording had ended ({:.1f} s "
                      "after it); use a longer --duration, or --duration-from cuda",
                      static_cast<double>(first_cuda_ns) / kSecondNs, static_cast<double>(ended_ns) / kSecondNs)};
}

Remark remark_of_sent(int signal, std::string_view because) {
  return {false, fmt::format("{}: sent {} to the program", because, signal_name(signal))};
}

std::vector<Remark> remarks_of_none(const RecordOptions& options) {
  std::vector<Remark> remarks = options.remarks;
  remarks.push_back({true, fmt::format("nothing was recorded: the program ended within the {:g} s of --delay; "
                                       "use a shorter --delay, or --capture-range",
                                       static_cast<double>(options.delay_ns) / kSecondNs)});
  return remarks;
}

std::vector<Remark> remarks_of(const Tally& tally, const RecordOptions& options, const wire::Header& header,
                               const SpoolState& spool, int64_t damaged, int64_t duration_ns) {
  std::vector<Remark> remarks = options.remarks;
  const bool traced = options.wanted.nvtx || options.wanted.os_calls;
  if (tally.events() == 0 && (traced || tally.cpu_events == 0)) {
    std::string why = why_nothing(tally, options);
    constexpr std::string_view kNothing = "nothing";
    if (tally.cpu_events > 0) why.replace(0, kNothing.size(), "no range, mark or OS call");
    remarks.push_back({true, std::move(why)});
  } else if (tally.events() > 0) {
    remarks.push_back({false, what_was_recorded(tally, spool, duration_ns)});
    remarks.push_back({false, what_it_cost(tally)});
  }
  if (options.wanted.cuda) {
    add_cuda_remarks(remarks, tally.cuda, options.wanted, header.cuda_active.load());
    if (options.duration_ns && header.first_cuda.load() == 0) {
      remarks.push_back({true,
                         "the program had not initialized CUDA when the recording ended (importing PyTorch takes "
                         "seconds); use a longer --duration, or --duration-from cuda"});
    }
  }
  if (options.measure) {
    for (Remark& remark : measure_remarks(tally.measured, *options.measure)) remarks.push_back(std::move(remark));
  }
  add_losses(remarks, header);
  if (spool.lost_bytes > 0) {
    remarks.push_back({true, fmt::format("{} bytes of events were lost because writing to disk failed: {}",
                                         spool.lost_bytes, file_reason(spool.error))});
  }
  if (tally.unread_bytes > 0 || damaged > 0) {
    remarks.push_back({true, fmt::format("the program overwrote the recorder's memory: {} invalid bytes were "
                                         "skipped, {} reads found damaged data",
                                         tally.unread_bytes, damaged)});
  }
  if (tally.unread_payloads > 0) {
    remarks.push_back({false, fmt::format("{} of {} of NVTX events could not be decoded and are kept as bytes",
                                          tally.unread_payloads, counted(tally.payloads, "binary payload"))});
  }
  if (tally.unmatched_ends > 0) {
    remarks.push_back({is_from_start(options), fmt::format("{} of a range whose start was not recorded",
                                                           counted(tally.unmatched_ends, "end"))});
  }
  if (tally.open_ranges > 0) {
    remarks.push_back(
        {false, fmt::format("{} had not ended when the recording ended", counted(tally.open_ranges, "range"))});
  }
  return remarks;
}

}  // namespace sonde::record
