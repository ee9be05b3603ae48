#include "record/rounds/rounds.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <system_error>

#include "base/files/small_file.h"
#include "base/system/clock.h"
#include "record/cuda/cuda_remarks.h"
#include "wire/rounds.h"

namespace sonde::record {
namespace {

constexpr uint32_t kAllRanges = std::numeric_limits<uint32_t>::max();

/// A process that was killed in the nanoseconds in which it began or ended a round leaves that half done: after so many
/// looks it is ended for it.
void end_in_any_case(wire::Header& header) {
  constexpr int kLooks = 1000;
  for (int i = 0; i < kLooks; ++i) {
    if (wire::end_round(header, monotonic_ns)) return;
    if (header.phase.load() != static_cast<uint32_t>(wire::Phase::changing)) return;
    sched_yield();
  }
  const bool open = header.rounds.begun.load() != header.rounds.finished.load();
  wire::set_phase(header, open ? wire::Phase::recording : wire::Phase::waiting);
  wire::end_round(header, monotonic_ns);
}

/// CPU samples are passed on so much later, at most.
constexpr int64_t kUnsettledNs = 5'000'000;
/// Rounds whose records CUPTI still holds: each gets a copy of all that comes.
constexpr size_t kMostWaiting = 32;
constexpr int64_t kNsPerMs = 1'000'000;

CpuState since(CpuState state, const CpuState& before) {
  state.own_ns -= before.own_ns;
  state.unread_bytes -= before.unread_bytes;
  return state;
}

/// Takes what processes said of CUPTI.
class CudaStates : public Sink {
 public:
  void add(const Slice& slice) override {
    if (slice.mark != kSliceMark) return;
    wire::Reader reader(slice.records);
    wire::Record record;
    while (reader.next(record)) {
      if (record.head.kind == wire::Kind::cuda_state) tally_.note_state(record);
    }
  }
  void flush() override {}

  [[nodiscard]] const CudaTally& tally() const { return tally_; }

 private:
  CudaTally tally_;
};

uint32_t copy_text(char* to, const std::string& text) {
  const size_t bytes = std::min<size_t>(text.size(), wire::kMostCaptureText);
  std::memcpy(to, text.data(), bytes);
  return static_cast<uint32_t>(bytes);
}

}  // namespace

std::string numbered(const std::string& output, uint32_t number) {
  const size_t dot = output.rfind('.');
  return fmt::format("{}.{}{}", output.substr(0, dot), number, output.substr(dot));
}

void Rounds::set_collection(const RoundOptions& options) {
  discover();
  collection_ = options;
  in_collection_ = 0;
  opened_ = {};
}

void Rounds::arm() {
  wire::Header& header = mapping_.header();
  const CaptureOptions& wanted = collection_.capture;
  wire::Capture& capture = header.capture;
  capture.ranges_left.store(wanted.ranges == 0 ? kAllRanges : wanted.ranges);
  capture.ends = wanted.ends ? 1 : 0;
  capture.any_domain = wanted.any_domain ? 1 : 0;
  capture.text_bytes = copy_text(capture.text, wanted.range);
  capture.domain_bytes = copy_text(capture.domain, wanted.domain);
  header.trigger.store(wanted.trigger, std::memory_order_release);
}

void Rounds::disarm() { mapping_.header().trigger.store(wire::Trigger::none, std::memory_order_release); }

void Rounds::begin() {
  wire::begin_round(mapping_.header(), monotonic_ns);
  discover();
}

void Rounds::end() {
  end_in_any_case(mapping_.header());
  discover();
}

void Rounds::remark(const Remark& remark) {
  for (Live& round : live_) round.remarks.push_back(remark);
}

void Rounds::discard() {
  for (Live& round : live_) round.discarded = true;
}

void Rounds::discover() {
  const uint32_t begun = places().begun.load(std::memory_order_acquire);
  for (; known_ != begun; ++known_) open(known_);
}

RoundOptions Rounds::options_of_next() const {
  RoundOptions options = collection_;
  if (options.capture.numbered) options.output = numbered(options.output, in_collection_);
  return options;
}

Rounds::Live Rounds::live(uint32_t number, RoundOptions options, int64_t begin_ns) {
  const int64_t utc_begin = clock_ns(CLOCK_REALTIME) - (monotonic_ns() - begin_ns);
  return {.number = number,
          .options = std::move(options),
          .span = {begin_ns, 0, utc_begin},
          .spool_path = {},
          .spool = {},
          .before = HeaderCopy(mapping_.header()),
          .cpu_before = cpu_state(),
          .damaged_before = damaged_,
          .began_ns = begin_ns};
}

Status Rounds::give_spool(Live& round) {
  round.spool_path = unused_name(round.options.output + std::string(kSpoolEnding));
  const wire::Header& header = mapping_.header();
  auto spool = SpoolWriter::create(round.spool_path, {kSpoolMagic, wire::kVersion, header.wanted, round.span.begin,
                                                      round.span.utc_begin, header.os_threshold_ns});
  if (!spool) return std::unexpected(spool.error());
  round.spool = std::make_unique<SpoolWriter>(std::move(*spool));
  definitions_.hand_to(*round.spool);
  return {};
}

void Rounds::open(uint32_t number) {
  ++in_collection_;
  const int64_t begin = places().times[number % wire::kRounds].begin.load(std::memory_order_relaxed);
  Live round = live(number, options_of_next(), begin);
  if (const Status written = give_spool(round); !written) {
    if (opened_) opened_ = fail("cannot write {}: {}", round.options.output, written.error().message);
    Profile profile;
    profile.output = round.options.output;
    profile.written = std::unexpected(written.error());
    made_.push_back(std::move(profile));
  }
  live_.push_back(std::move(round));
}

/// Two files, the younger begun when the older held as much as is kept: so the older always has enough, and never more
/// than twice that.
void Rounds::drop_oldest(Live& round) {
  const int64_t keep_ns = round.options.keep_ns;
  const int64_t now = monotonic_ns();
  const int64_t youngest = round.younger ? round.younger->span.begin : round.span.begin;
  if (keep_ns == 0 || !round.spool || round.span.end != 0 || now - youngest < keep_ns) return;
  if (round.younger) {
    unlink(round.spool_path.c_str());
    Live younger = std::move(*round.younger);
    younger.began_ns = round.began_ns;
    younger.remarks = std::move(round.remarks);
    younger.discarded = round.discarded;
    round = std::move(younger);
  }
  auto next = std::make_unique<Live>(live(round.number, round.options, now));
  if (give_spool(*next)) round.younger = std::move(next);
}

void Rounds::add(const Slice& slice) {
  // Behind the look at the records: the round that they belong to has begun before they were written.
  discover();
  for (const Live& round : live_) {
    if (round.spool) round.spool->add(slice);
    if (round.younger) round.younger->spool->add(slice);
  }
  definitions_.note(slice);
  if (slice.mark == kSliceMark) processes_.insert(slice.process);
}

std::vector<std::string> Rounds::cuda_problems() const {
  CudaStates states;
  definitions_.hand_to(states);
  return record::cuda_problems(states.tally());
}

void Rounds::flush() {
  for (const Live& round : live_) {
    if (round.spool) round.spool->flush();
    if (round.younger) round.younger->spool->flush();
  }
}

bool Rounds::is_finished(uint32_t number) const {
  return places().finished.load(std::memory_order_acquire) - number - 1 < wire::kRounds;
}

/// True where the end was known, and all handed over, before the last sweep, so that all of the round is swept.
bool Rounds::find_end(Live& round) {
  if (round.handed_over) return true;
  if (round.span.end == 0) {
    if (!is_finished(round.number)) return false;
    round.span.end = places().times[round.number % wire::kRounds].end.load(std::memory_order_relaxed);
    places().taken.store(round.number + 1, std::memory_order_release);
  }
  round.handed_over = hurried_ || is_handed_over(round);
  return false;
}

/// Where the next round begins at once CUPTI always holds something: then it has its time to flush.
bool Rounds::is_handed_over(const Live& round) const {
  const int64_t since_end = monotonic_ns() - round.span.end;
  if ((options_.cpu.any() || options_.python.any()) && since_end < kUnsettledNs) return false;
  const wire::Header& header = mapping_.header();
  if (handing_over(header) == 0 || live_.size() > kMostWaiting) return true;
  return since_end > kMaxHandoverNs + int64_t{header.cuda.flush_ms} * kNsPerMs;
}

CpuSpan Rounds::on() {
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  discover();
  if (live_.empty()) return {kNever, kNever};
  return {live_.front().began_ns, live_.back().span.end != 0 ? live_.back().span.end : kNever};
}

void Rounds::settle(int64_t damaged) {
  damaged_ = damaged;
  discover();
  for (Live& round : live_) drop_oldest(round);
  const auto over = std::ranges::stable_partition(live_, [&](Live& round) { return !find_end(round); });
  for (Live& round : over) hand_over(round, damaged);
  live_.erase(over.begin(), over.end());
}

void Rounds::hand_over(Live& round, int64_t damaged) {
  if (!round.spool) return;
  round.spool->flush();
  if (round.younger) unlink(round.younger->spool_path.c_str());
  if (round.discarded) {
    unlink(round.spool_path.c_str());
    return;
  }
  if (const int64_t keep_ns = round.options.keep_ns; keep_ns > 0 && round.span.end - round.span.begin > keep_ns) {
    const int64_t left_out = round.span.end - keep_ns - round.span.begin;
    round.span.begin += left_out;
    round.span.utc_begin += left_out;
  }
  EndedRound ended{.options = options_,
                   .span = round.span,
                   .spool_path = std::move(round.spool_path),
                   .spool = std::move(round.spool),
                   .header = HeaderCopy(mapping_.header()),
                   .cpu = since(cpu_state(), round.cpu_before),
                   .damaged = damaged - round.damaged_before,
                   .remarks = std::move(round.remarks)};
  static_cast<RoundOptions&>(ended.options) = std::move(round.options);
  ended.header.subtract_losses(round.before);
  waiting_.push_back(std::move(ended));
}

/// One at a time: each takes memory by the size of its round.
void Rounds::make_profiles() {
  if (making_.valid() && making_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    add_made(making_.get());
  }
  if (making_.valid() || waiting_.empty()) return;
  auto round = std::make_shared<EndedRound>(std::move(waiting_.front()));
  waiting_.pop_front();
  try {
    making_ =
        std::async(std::launch::async, [round] { return record::make_profiles(std::move(*round), no_progress()); });
  } catch (const std::system_error&) {  // no thread is to be had
    add_made(record::make_profiles(std::move(*round), no_progress()));
  }
}

void Rounds::add_made(std::vector<Profile> profiles) {
  for (Profile& profile : profiles) made_.push_back(std::move(profile));
}

void Rounds::finish() {
  if (making_.valid()) add_made(making_.get());
  for (; !waiting_.empty(); waiting_.pop_front()) {
    add_made(record::make_profiles(std::move(waiting_.front()), *options_.progress));
  }
}

std::vector<Profile> Rounds::take_profiles() { return std::exchange(made_, {}); }

std::optional<int64_t> Rounds::open_since() const {
  if (live_.empty() || is_finished(live_.back().number)) return {};
  return live_.back().began_ns;
}

}  // namespace sonde::record
