#pragma once

#include <string>

#include "base/error.h"

namespace sonde {

/// Where runs leave their profiles and output: a folder that goes away with this object, or one that is kept.
class RunFolder {
 public:
  /// A new one below TMPDIR (or /tmp).
  [[nodiscard]] static Result<RunFolder> temporary();
  /// Made where it is not there; what it holds already is an error.
  [[nodiscard]] static Result<RunFolder> kept(const std::string& path);
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_kept() const { return !temporary_; }
  /// An empty folder in it, for one run; what an earlier try left there is removed.
  [[nodiscard]] Result<std::string> for_run(const std::string& name) const;
  /// The output of a run, which is no part of its profile.
  [[nodiscard]] std::string output_of(const std::string& name) const { return path_ + "/" + name + ".log"; }
  /// Removes a run's folder, unless all is kept.
  void drop(const std::string& name) const;
  /// Goes away without this file, which a person is told of.
  void leave(const std::string& file) { left_ = file; }

 private:
  RunFolder(std::string path, bool temporary) : path_(std::move(path)), temporary_(temporary) {}
  std::string path_;
  bool temporary_;
  std::string left_;
};

}  // namespace sonde
