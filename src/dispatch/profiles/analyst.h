#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/log.h"
#include "dispatch/profiles/chores.h"
#include "dispatch/store.h"

namespace sonde::dispatch::profiles {

/// An attempt that is, or was, recorded.
struct Recording {
  ProfileRecord record;
  std::string type;
  std::vector<std::string> gpus;  ///< UUIDs
  std::string folder;             ///< of the attempt, where its profile is
  std::string end;                ///< how the attempt, or its recorder, ended: "exit status 3"; empty where not known
};

/// Does what takes long, in threads of its own: analyses profiles, records from outside, removes files. Each change of
/// a record is saved; where that fails, again until it works.
class Analyst {
 public:
  struct Parts {
    TaskStore* store = nullptr;
    Log* log = nullptr;
    std::function<Result<std::string>(const std::string& file, const std::atomic<bool>& stop)> analyse;
    std::function<void(const ProfileRecord&)> finished;  ///< of each that is over, from its thread
  };
  explicit Analyst(Parts parts) : parts_(std::move(parts)) {}
  ~Analyst() { stop(); }
  Analyst(const Analyst&) = delete;
  Analyst& operator=(const Analyst&) = delete;

  /// A profile larger than `max_bytes` is removed after that.
  void analyse(Recording recording, int64_t max_bytes);
  /// Runs a recorder that attaches to a process, then analyses what it left.
  void attach(Recording recording, std::vector<std::string> words, double seconds, int64_t max_bytes);
  /// Removes their files.
  void remove(std::vector<ProfileRecord> records);
  /// Those that are over since it was last asked.
  [[nodiscard]] std::vector<Recording> take_done();
  /// Ends what runs: it is taken up again after a restart.
  void stop();

 private:
  void analyse_now(Recording recording, int64_t max_bytes);
  void attach_now(Recording recording, const std::vector<std::string>& words, double seconds, int64_t max_bytes);
  void look_into(Recording& recording, const std::string& file) const;
  void finish(Recording recording);
  void fail_with(Recording recording, std::string trouble);
  void save(const ProfileRecord& record);

  Parts parts_;
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<Recording> done_;
  Chores analyses_;
  Chores attachments_;
};

}  // namespace sonde::dispatch::profiles
