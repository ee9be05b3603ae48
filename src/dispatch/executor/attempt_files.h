#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/files/descriptor.h"

namespace sonde::dispatch {

/// A task and the number of its attempt.
using AttemptId = std::pair<int64_t, int64_t>;

/// Where the files of attempts are, below the executor's folder:
///   lock                    held by the service that uses the folder
///   boot                    of which start of the host the folder was last used
///   live/TASK.ATTEMPT       keeper/attempt_record.h: from before the start until the end is collected
///   live/spare.NUMBER       one that was collected
///   tasks/TASK/ATTEMPT/     the task's own: it runs there where nothing else is said, and profiles go there
///   tasks/TASK/ATTEMPT.stdout, .stdout.tail, .stderr, .stderr.tail    keeper/output_file.h
class AttemptFiles {
 public:
  /// Makes the folders, for their owner only. The error says that another service uses the folder, or what else is
  /// wrong with it.
  [[nodiscard]] static Result<AttemptFiles> open(const std::string& folder);

  [[nodiscard]] std::string live_folder() const { return folder_ + "/live"; }
  [[nodiscard]] std::string live_file(AttemptId id) const;
  [[nodiscard]] std::string tasks_folder() const { return folder_ + "/tasks"; }
  [[nodiscard]] std::string task_folder(int64_t task) const;
  [[nodiscard]] std::string attempt_folder(AttemptId id) const;
  [[nodiscard]] std::string output(AttemptId id) const { return attempt_folder(id); }  ///< + ".stdout", ".stderr"
  /// Whether the host was started anew since the folder was last used, or what was lost by that may not be saved yet.
  [[nodiscard]] bool host_restarted() const { return host_restarted_; }
  /// Once that is saved.
  [[nodiscard]] Status remember_boot() const;

  /// Makes the attempt's folder and its live file, locked; one that is there is an error. The error's number.
  [[nodiscard]] int create(AttemptId id, Descriptor& live);
  /// Its live file is no longer needed: it becomes another attempt's, since making and removing one costs more than all
  /// else that is done with it.
  void put_away(AttemptId id);

 private:
  AttemptFiles(std::string folder, Descriptor lock) : folder_(std::move(folder)), lock_(std::move(lock)) {}
  [[nodiscard]] std::string spare_file(int64_t number) const;
  void remove_spares() const;
  [[nodiscard]] bool take_spare(AttemptId id, Descriptor& live);

  std::string folder_;  ///< without links
  Descriptor lock_;
  bool host_restarted_ = false;
  std::deque<int64_t> spares_;  ///< live/spare.NUMBER, the oldest first
  int64_t last_spare_ = 0;
};

/// Of "12.1"; absent for other names.
[[nodiscard]] std::optional<AttemptId> attempt_of(std::string_view name);
[[nodiscard]] std::string attempt_name(AttemptId id);

}  // namespace sonde::dispatch
