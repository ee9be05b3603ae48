#pragma once

#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "record/cpu/cpu_recorder.h"
#include "record/profile.h"
#include "record/rounds/kept_definitions.h"
#include "record/rounds/mapping.h"

namespace sonde::record {

/// What processes that go on are given to hand over what CUPTI still holds: some flushes of it.
inline constexpr int64_t kMaxHandoverNs = 2'000'000'000;

/// The profile of a capture range that repeats: "run.sqlite" and 3 are "run.3.sqlite".
[[nodiscard]] std::string numbered(const std::string& output, uint32_t number);

/// The rounds of a recording. Whoever begins and ends them (this process, or the program by a capture range), each has
/// a spool of its own from when it is found in the mapping; what is swept goes to all whose end is not swept yet, and
/// the profile takes what lies within its times.
class Rounds : public Sink {
 public:
  Rounds(const RecordOptions& options, Mapping& mapping) : options_(options), mapping_(mapping) {}

  /// Profiles tell how this goes, too. For good.
  void watch(const CpuRecorder& cpu) { cpu_ = &cpu; }

  /// The rounds that begin from now on are of this collection.
  void set_collection(const RoundOptions& options);
  /// The program may begin rounds, as the collection has it, or may no more.
  void arm();
  void disarm();

  /// Begins a round, or ends the one that is open.
  void begin();
  void end();
  /// Adds a remark to the profiles that are not complete yet.
  void remark(const Remark& remark);
  /// Those that have no profile yet get none.
  void discard();

  void add(const Slice& slice) override;
  void flush() override;

  /// After all sources were swept: a round that had ended before is whole, and waits for its profile to be made. One
  /// with CUDA is given time until CUPTI has handed over what it holds.
  void settle(int64_t damaged);
  /// Nobody hands over anything any more: the next two sweeps have it all.
  void hurry() { hurried_ = true; }
  /// From the begin of the first round that is not whole yet to the end of the last, as far as they are known; never
  /// where there is none.
  [[nodiscard]] CpuSpan on();
  /// Makes profiles beside the recording, one after the other.
  void make_profiles();
  /// Makes all that are waited for, and waits for them.
  void finish();

  /// Profiles that were made since this was asked for.
  [[nodiscard]] std::vector<Profile> take_profiles();
  /// When the open round began; none where none is open.
  [[nodiscard]] std::optional<int64_t> open_since() const;
  /// Whether profiles are still to come of rounds that have begun.
  [[nodiscard]] bool busy() const { return !live_.empty() || !waiting_.empty() || making_.valid(); }
  /// Rounds of this collection.
  [[nodiscard]] uint32_t count() const { return in_collection_; }
  /// That wrote anything so far.
  [[nodiscard]] const std::set<uint32_t>& processes() const { return processes_; }
  /// Why CUDA could not be recorded, as far as processes said it so far.
  [[nodiscard]] std::vector<std::string> cuda_problems() const;
  /// Why a round of this collection has no file to go to.
  [[nodiscard]] const Status& opened() const { return opened_; }

 private:
  struct Live {
    uint32_t number;
    RoundOptions options;
    Span span;
    std::string spool_path;
    std::unique_ptr<SpoolWriter> spool;  ///< null: there is none
    HeaderCopy before;
    CpuState cpu_before;
    int64_t damaged_before;
    std::vector<Remark> remarks = {};
    bool discarded = false;
    bool handed_over = false;  ///< all of it is where the sweep behind this finds it
    int64_t began_ns = 0;      ///< the round itself
    /// Of a round of which only the last is kept: the same from later on, which takes its place when it is long enough.
    std::unique_ptr<Live> younger = {};
  };

  void discover();
  void open(uint32_t number);
  [[nodiscard]] Live live(uint32_t number, RoundOptions options, int64_t begin_ns);
  /// Creates the round's file; the error is that of the system.
  [[nodiscard]] Status give_spool(Live& round);
  void drop_oldest(Live& round);
  [[nodiscard]] RoundOptions options_of_next() const;
  [[nodiscard]] bool is_finished(uint32_t number) const;
  [[nodiscard]] bool find_end(Live& round);
  [[nodiscard]] bool is_handed_over(const Live& round) const;
  [[nodiscard]] CpuState cpu_state() const { return cpu_ != nullptr ? cpu_->state() : CpuState{}; }
  void hand_over(Live& round, int64_t damaged);
  void add_made(std::vector<Profile> profiles);
  [[nodiscard]] wire::Rounds& places() const { return mapping_.header().rounds; }

  const RecordOptions& options_;
  Mapping& mapping_;
  RoundOptions collection_;
  const CpuRecorder* cpu_ = nullptr;
  KeptDefinitions definitions_;
  std::set<uint32_t> processes_;
  bool hurried_ = false;
  uint32_t known_ = 0;  ///< rounds that were found in the mapping
  uint32_t in_collection_ = 0;
  int64_t damaged_ = 0;
  Status opened_;
  std::vector<Live> live_;
  std::deque<EndedRound> waiting_;
  std::future<std::vector<Profile>> making_;
  std::vector<Profile> made_;
};

}  // namespace sonde::record
