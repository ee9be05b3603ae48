#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/detector.h"

namespace sonde::dispatch::profiles {

/// The greatest finding of a recording.
struct Finding {
  int64_t task = 0;    ///< that was recorded
  std::string says;    ///< with what it can save
  std::string advice;  ///< what to do
};

/// What is slow now: tasks against their type's history, GPUs against their equals. Each is a trouble of a GPU, until
/// it is over. One thread.
class SlowWork {
 public:
  struct Place {
    std::string type;
    std::string gpu_uuid;
    std::string gpu_name;
  };

  /// True where it is new: something should be recorded.
  bool task_is_slow(const Place& place, int64_t task, int64_t run_ns, int64_t usual_ns, int64_t now_ns);
  /// A task of the type ended in time.
  void task_was_normal(const std::string& type, const std::string& gpu_name);
  bool gpu_is_slow(const Place& place, double ratio, int64_t median_ns, int64_t equals_ns, int64_t now_ns);
  void gpu_is_well(const Place& place);
  [[nodiscard]] bool is_slow_gpu(const std::string& type, const std::string& uuid) const;

  /// What becomes of a recording, in a sentence. `awaited`: one will be made.
  void recording(std::string_view why, const Place& place, std::string sentence, bool awaited);
  /// A recording is over, with what was found where it could be analysed.
  void recorded(std::string_view why, const std::string& type, std::span<const std::string> gpus,
                const std::optional<Finding>& finding, int64_t now_ns);
  /// All that holds now. `indices`: UUID of each GPU -> its number.
  [[nodiscard]] std::vector<monitor::Reported> now(const std::map<std::string, size_t>& indices, int64_t now_ns);

 private:
  struct Trouble {
    bool is_of_gpu = false;  ///< else of a task
    Place place;
    std::vector<monitor::Argument> arguments;
    std::string recording;
    std::optional<Finding> finding;
    bool awaited = false;
    bool is_normal = false;
    int64_t seen_ns = 0;
    int64_t found_ns = 0;
  };
  Trouble& of(bool is_of_gpu, const Place& place, bool& is_new);
  [[nodiscard]] static bool is_over(const Trouble& trouble, int64_t now_ns);
  std::vector<Trouble> troubles_;
};

}  // namespace sonde::dispatch::profiles
