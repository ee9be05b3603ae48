#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace sonde::record {

/// The folder in which processes of the recorded program write PyTorch's memory snapshots (src/inject/torch), named
/// PREFIX.PID.pickle. It is removed with the object.
class TorchMemory {
 public:
  /// Makes the folder beside the profile.
  [[nodiscard]] static Result<TorchMemory> make(const std::string& output);
  TorchMemory(TorchMemory&& other) noexcept;
  TorchMemory& operator=(TorchMemory&&) = delete;
  TorchMemory(const TorchMemory&) = delete;
  TorchMemory& operator=(const TorchMemory&) = delete;
  ~TorchMemory();

  /// What the program is to know: the value of SONDE_TORCH_MEMORY.
  [[nodiscard]] std::string prefix() const { return folder_ + "/snapshot"; }

  /// Puts what has arrived into a profile, and gives back the pids that it is of.
  [[nodiscard]] Result<std::vector<int64_t>> add_to(const std::string& profile) const;

 private:
  explicit TorchMemory(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

}  // namespace sonde::record
