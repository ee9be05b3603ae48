#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

/// How a profile was taken and what it does not hold, for people. Nothing private: no environment, user, host or path.
namespace sonde {

struct CaptureFact {
  std::string name;
  std::string value;  ///< empty where it is not known
};

/// A file or a GPU, and what is known of it.
struct CaptureSubject {
  std::string title;
  std::vector<CaptureFact> facts;
};

/// Something that the profile lacks.
struct MissingData {
  std::string what;
  std::string meaning;  ///< what cannot be said without it, or what collects it
};

/// The recorded files: format, what recorded them, when and for how long, rank.
[[nodiscard]] std::vector<CaptureSubject> facts_of_files(const Trace& trace);
/// The devices that the files describe.
[[nodiscard]] std::vector<CaptureSubject> facts_of_devices(const Trace& trace);
/// How many events of each kind there are, and of what happens in them.
[[nodiscard]] std::vector<CaptureFact> facts_of_contents(const Trace& trace);
/// What the recording tool warned of, paths left out unless `with_paths`.
[[nodiscard]] std::vector<std::string> recorder_warnings(const Trace& trace, bool with_paths);

/// Of kernel reports the sections that no launch has, else what a timeline lacks. A table that was not read counts as
/// missing.
[[nodiscard]] std::vector<MissingData> missing_data(const Trace& trace);

}  // namespace sonde
