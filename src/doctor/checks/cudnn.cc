#include <algorithm>

#include "doctor/facts.h"
#include "doctor/libraries.h"

namespace sonde::doctor {
namespace cudnn {
namespace {

constexpr int kLastForCuda12 = 8;  // cuDNN 8's last release was made for CUDA 11 and 12: its support matrix

/// The newest CUDA runtime here; 0 for none.
int newest_runtime(const Host& host) {
  int newest = 0;
  for (const FoundLibrary& library : find_libraries(host, "libcudart")) {
    newest = std::max(newest, library.version.major());
  }
  return newest;
}

void look(const Host& host, Findings& found) {
  constexpr int kCuda12 = 12;
  constexpr int kNine = 9;
  const auto libraries = find_libraries(host, "libcudnn");
  const int runtime = newest_runtime(host);
  const Version driver = driver_version(host);
  const Version min = min_driver(kCuda12);
  for (const FoundLibrary& library : libraries) {
    const std::string version = library.version.text;
    if (library.version.major() <= kLastForCuda12 && runtime > kCuda12) {
      found.say(Outcome::wrong, "cudnn_old",
                {version, library.path, std::to_string(kCuda12), std::to_string(runtime), std::to_string(runtime)});
    } else if (library.version.major() == kNine && driver.known() && runtime >= kCuda12 && driver < min) {
      found.say(Outcome::wrong, "cudnn_driver", {version, min.text, driver.text});
    } else {
      found.say(Outcome::good, "cudnn", {version, library.path});
    }
  }
  if (libraries.empty()) found.say(Outcome::note, "cudnn_none");
}

}  // namespace
}  // namespace cudnn

extern constinit const Check cudnn_check{"cudnn", "cuDNN, and its compatibility with CUDA and the driver", cudnn::look};

}  // namespace sonde::doctor
