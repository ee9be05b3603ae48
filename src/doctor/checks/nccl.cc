#include <fmt/ranges.h>

#include "doctor/libraries.h"

namespace sonde::doctor {
namespace nccl {
namespace {

void look(const Host& host, Findings& found) {
  const auto libraries = find_libraries(host, "libnccl");
  for (const FoundLibrary& library : libraries) {
    found.say(Outcome::good, "nccl", {library.version.text, library.path});
  }
  const auto versions = versions_of(libraries);
  if (versions.size() > 1) {
    found.say(Outcome::note, "nccl_several",
              {std::to_string(versions.size()), fmt::format("{}", fmt::join(versions, ", "))});
  }
  if (libraries.empty()) found.say(Outcome::note, "nccl_none");
}

}  // namespace
}  // namespace nccl

extern constinit const Check nccl_check{"nccl", "NCCL, the library for communication between GPUs", nccl::look};

}  // namespace sonde::doctor
