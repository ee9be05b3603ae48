#include "importers/pytorch/pytorch_trace.h"

#include <algorithm>
#include <array>

#include "base/files/file.h"
#include "importers/files/gzip.h"
#include "importers/files/zstd.h"
#include "importers/pytorch/about.h"
#include "importers/pytorch/document.h"
#include "importers/pytorch/merge.h"
#include "importers/pytorch/pieces.h"
#include "trace/align.h"

namespace sonde {
namespace pytorch {
namespace {

/// The earliest time of any event but metadata, whatever of them was wanted.
int64_t origin_of(const std::vector<Piece>& pieces) {
  int64_t earliest = std::numeric_limits<int64_t>::max();
  for (const Piece& piece : pieces) earliest = std::min(earliest, piece.earliest);
  return earliest == std::numeric_limits<int64_t>::max() ? 0 : earliest;
}

/// Without a base, times are UTC themselves if they are at all; clocks since boot are recognized by their size.
std::optional<int64_t> utc_of(std::optional<int64_t> base, int64_t origin) {
  int64_t utc = 0;
  if (__builtin_add_overflow(base.value_or(0), origin, &utc)) return std::nullopt;
  return base ? std::optional(utc) : utc_of_clock(utc);
}

void add_counts(const Counts& counts, std::vector<std::pair<std::string, int64_t>>& sums) {
  for (const auto& [name, count] : counts) {
    const auto found = std::ranges::find(sums, name, &std::pair<std::string, int64_t>::first);
    if (found != sums.end()) {
      found->second += count;
    } else {
      sums.emplace_back(name, count);
    }
  }
}

void set_window(const std::vector<Piece>& pieces, int64_t origin, Rank& rank) {
  for (const Piece& piece : pieces) {
    if (piece.window.start != kUnknown) {
      const int64_t start = piece.window.start - origin;
      rank.capture_start_ns = std::min(rank.capture_start_ns.value_or(start), start);
    }
    if (piece.window.end != kUnknown) {
      const int64_t end = piece.window.end - origin;
      rank.capture_end_ns = std::max(rank.capture_end_ns.value_or(end), end);
    }
  }
}

void log_losses(const std::vector<Piece>& pieces, ImportLog& log) {
  std::vector<std::pair<std::string, int64_t>> unknown;
  for (const Piece& piece : pieces) {
    log.add(Issue::malformed_event, {}, piece.malformed);
    log.add(Issue::missing_value, "trace events", piece.incomplete);
    add_counts(piece.unknown, unknown);
  }
  for (const auto& [name, count] : unknown) log.add(Issue::unknown_category, name, count);
}

bool holds_no_event(const std::vector<Piece>& pieces) {
  const bool none = std::ranges::all_of(pieces, [](const Piece& p) { return p.holds.empty(); });
  const bool items = std::ranges::any_of(pieces, [](const Piece& p) { return p.malformed > 0; });
  return none && items;
}

/// The list of events and what stands around it.
struct Contents {
  Document document;
  std::vector<Piece> pieces;
};

/// JSON of other programs, by a member that only theirs has.
struct KnownJson {
  std::string_view member;
  std::string_view what_and_remedy;
};

constexpr std::array kKnownJson = {
    KnownJson{"rocprofiler-sdk-tool", "is JSON of AMD's rocprofv3; record again with: rocprofv3 --output-format rocpd"},
    KnownJson{"nbformat", "is a Jupyter notebook; pass the profile that it wrote"},
    KnownJson{"timeDeltas", "is a CPU profile of Chrome or Node.js, which has no GPU work"},
    KnownJson{"segments", "is a memory snapshot of PyTorch; write a trace with torch.profiler's export_chrome_trace()"},
};

/// Why a document has no list of events, as the end of a sentence.
std::string what_it_is(const Document& document, const Error& error) {
  for (const KnownJson& known : kKnownJson) {
    if (!document.member(known.member).empty()) return std::string(known.what_and_remedy);
  }
  return error.message;
}

Result<Contents> read_contents(std::string_view text, const std::string& file, const ImportRequest& request,
                               size_t piece_bytes) {
  Contents contents{Document(text), {}};
  const auto first = contents.document.find_events();
  if (!first) return fail("{} {}", file, what_it_is(contents.document, first.error()));
  request.progress->begin(fmt::format("reading {}", short_path(file, 1)), static_cast<int64_t>(text.size()), "bytes");
  contents.pieces = read_events(text, *first, Wanted(request.fields), *request.progress, piece_bytes);
  request.progress->end();
  if (holds_no_event(contents.pieces)) {
    return fail("{} is JSON but not a trace: no element of its list is a trace event; pass a trace that PyTorch wrote",
                file);
  }
  return contents;
}

void note_truncation(Contents& contents, std::string_view text, const std::string& file, ImportLog& log) {
  const Piece& last = contents.pieces.back();
  if (last.broken) {
    log.add(Issue::truncated, fmt::format("{} at byte {} of {}", short_path(file), last.next, text.size()));
  } else if (!contents.document.read_rest(last.next)) {
    log.add(Issue::truncated, fmt::format("{} after its last event", short_path(file)));
  }
}

}  // namespace

Status read_text(std::string_view text, const std::string& file, const ImportRequest& request, Trace& trace,
                 size_t piece_bytes) {
  auto contents = read_contents(text, file, request, piece_bytes);
  if (!contents) return std::unexpected(contents.error());
  note_truncation(*contents, text, file, trace.log);
  const int64_t origin = origin_of(contents->pieces);
  Rank rank;
  rank.file = short_path(file);
  rank.format = "pytorch_trace";
  rank.utc_ns = utc_of(base_time_ns(contents->document), origin);
  read_about(contents->document, request.fields, rank, trace);
  for (const Piece& piece : contents->pieces) add_counts(piece.holds, rank.holds);
  set_window(contents->pieces, origin, rank);
  log_losses(contents->pieces, trace.log);
  trace.ranks.push_back(std::move(rank));
  merge(contents->pieces, request.fields, origin, trace);
  return {};
}

Status read_text(std::string_view text, const std::string& file, const ImportRequest& request, Trace& trace) {
  return read_text(text, file, request, trace, kPieceBytes);
}

namespace {

bool recognizes(const Probe& probe) { return begins_like_a_trace(probe.plain_head()); }

/// Keys of which every trace has one early, and other JSON that may lie beside it has none.
constexpr std::array<std::string_view, 6> kTelling = {R"("traceEvents")",      R"("schemaVersion")",
                                                      R"("deviceProperties")", R"("distributedInfo")",
                                                      R"("displayTimeUnit")",  R"("ph")"};

bool picks(const Probe& probe) { return is_surely_a_trace(probe.plain_head()); }

/// JSON text has never been seen to become a thousandth of itself.
constexpr size_t kMostGrowth = 1000;
constexpr size_t kRoomToUnpack = size_t{1} << 20;

Status read(const std::string& path, const ImportRequest& request, Trace& trace) {
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  return read_packed(file->bytes(), path, request, trace);
}

}  // namespace

bool is_surely_a_trace(std::string_view head) {
  return begins_like_a_trace(head) &&
         std::ranges::any_of(kTelling, [&](std::string_view key) { return head.find(key) != std::string_view::npos; });
}

Status read_packed(std::string_view bytes, const std::string& file, const ImportRequest& request, Trace& trace) {
  const auto read = [&](std::string_view text, bool whole) -> Status {
    SONDE_TRY(read_text(text, file, request, trace));
    if (!whole) trace.log.add(Issue::truncated, fmt::format("{}, in its compressed bytes", short_path(file)));
    return {};
  };
  if (is_gzip(bytes)) {
    const Inflated inflated = gunzip(bytes);
    return read(inflated.text(), inflated.whole);
  }
  if (is_zstd(bytes)) {
    const UnpackedZstd unpacked = unzstd_as_far_as_possible(bytes, kRoomToUnpack + kMostGrowth * bytes.size());
    return read(unpacked.text, unpacked.whole);
  }
  return read_text(bytes, file, request, trace);
}

}  // namespace pytorch

extern const Importer pytorch_trace_importer;
const Importer pytorch_trace_importer = {
    .name = "pytorch_trace",
    .description = "traces of the PyTorch profiler (Kineto), as .json, .json.gz or .json.zst",
    .recognizes = pytorch::recognizes,
    .picks = pytorch::picks,
    .read = pytorch::read,
};

}  // namespace sonde
