#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "device/device.h"

/// Is this host ready for GPU work and for looking at it?
namespace sonde::doctor {

enum class Outcome {
  good,
  note,        ///< works, and could be better or should be known
  wrong,       ///< something will not work
  not_checked  ///< it could not be found out here; `what` says why
};
[[nodiscard]] std::string_view outcome_name(Outcome outcome);

/// One line of the answer.
struct Finding {
  Outcome outcome = Outcome::good;
  std::string subject;  ///< "NVIDIA driver"
  std::string what;     ///< what was found: "590.48, runs CUDA 13.1 and older"
  std::string fix;      ///< the command or the step that fixes it; empty when good
};

/// What checks look at. Tests give a made-up host: a folder as root, answers of programs, a device source.
class Host {
 public:
  virtual ~Host() = default;
  /// The content of a file; absent where it is not there or cannot be read.
  [[nodiscard]] virtual std::optional<std::string> file(const std::string& path) const = 0;
  [[nodiscard]] virtual bool exists(const std::string& path) const = 0;
  [[nodiscard]] virtual std::vector<std::string> names_in(const std::string& folder) const = 0;
  /// A path without links in it; the same where it is not there.
  [[nodiscard]] virtual std::string resolved(const std::string& path) const = 0;
  /// Whether this user may make files in a folder, and how many bytes are free there.
  struct Room {
    bool writable = false;
    std::optional<int64_t> free_bytes;
  };
  [[nodiscard]] virtual Room room(const std::string& folder) const = 0;
  /// What a program prints on standard output, a few seconds at most; the error says that it is not there, fails or
  /// hangs.
  [[nodiscard]] virtual Result<std::string> output_of(const std::vector<std::string>& words) const = 0;
  [[nodiscard]] virtual std::optional<std::string> variable(const std::string& name) const = 0;
  [[nodiscard]] virtual int64_t user_id() const = 0;
  /// The GPUs; the error says why there are none.
  [[nodiscard]] virtual const Result<std::shared_ptr<device::DeviceSource>>& gpus() const = 0;
};

/// Findings of a check, with the texts of texts_en.inc.
class Findings {
 public:
  /// `id` is a row of texts_en.inc; `values` are for the {0}, {1}, ... of its texts.
  void say(Outcome outcome, std::string_view id, const std::vector<std::string>& values = {});
  [[nodiscard]] const std::vector<Finding>& all() const { return findings_; }

 private:
  std::vector<Finding> findings_;
};

/// A check: checks/list.inc, one file each.
struct Check {
  std::string_view name;         ///< "driver"; chosen by `sonde doctor driver`
  std::string_view description;  ///< one line
  void (*look)(const Host& host, Findings& found) = nullptr;
};
[[nodiscard]] std::span<const Check* const> checks();

/// This host. The GPUs are asked for when a check first wants them; a driver that hangs is an error after some seconds.
[[nodiscard]] std::unique_ptr<Host> this_host();

}  // namespace sonde::doctor
