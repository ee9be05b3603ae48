#include <algorithm>

#include "doctor/facts.h"
#include "doctor/libraries.h"

namespace sonde::doctor {
namespace cupti {
namespace {

void look(const Host& host, Findings& found) {
  const Version cuda = cuda_of_driver(host);
  const auto libraries = find_libraries(host, "libcupti");
  for (const FoundLibrary& library : libraries) {
    const std::string version = library.version.text;
    if (cuda.known() && library.version.major() > cuda.major()) {
      found.say(Outcome::wrong, "cupti_too_new", {version, library.path, cuda.text});
    } else {
      found.say(Outcome::good, "cupti", {version, library.path});
    }
  }
  if (!libraries.empty()) return;
  std::string package = cuda.known() ? cuda.text : "VERSION";
  std::ranges::replace(package, '.', '-');
  found.say(Outcome::note, "cupti_none", {package, cuda.known() ? std::to_string(cuda.major()) : "12"});
}

}  // namespace
}  // namespace cupti

extern constinit const Check cupti_check{"cupti", "CUPTI, which in-process profilers use", cupti::look};

}  // namespace sonde::doctor
