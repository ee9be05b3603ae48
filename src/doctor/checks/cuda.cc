#include "doctor/facts.h"
#include "doctor/libraries.h"

namespace sonde::doctor {
namespace cuda {
namespace {

/// Whether programs with this runtime run on the driver: within a major version they do on any driver that the major
/// version's first release ran on.
void look_at_fit(const Host& host, const FoundLibrary& library, Findings& found) {
  const Version driver = driver_version(host);
  const Version cuda = cuda_of_driver(host);
  const std::string version = library.version.text;
  const Version min = min_driver(library.version.major());
  const bool newer = cuda.known() && library.version.major() > cuda.major();
  if (newer || (driver.known() && min.known() && driver < min)) {
    found.say(Outcome::wrong, "cuda_too_new",
              {version, library.path, min.known() ? min.text : "of that CUDA", driver.text,
               std::to_string(library.version.major())});
  } else if (library.version.parts.size() > 1 && library.version.major() == cuda.major() && cuda.parts.size() > 1 &&
             library.version.parts[1] > cuda.parts[1]) {
    found.say(Outcome::note, "cuda_newer_minor", {version, library.path, cuda.text});
  } else {
    found.say(Outcome::good, "cuda_runtime", {version, library.path});
  }
}

void look(const Host& host, Findings& found) {
  const auto libraries = find_libraries(host, "libcudart");
  for (const FoundLibrary& library : libraries) {
    look_at_fit(host, library, found);
  }
  if (libraries.empty()) found.say(Outcome::note, "cuda_none");
  const auto compiler = host.output_of({"nvcc", "--version"});
  if (!compiler) return;
  const size_t release = compiler->find("release ");
  if (release != std::string::npos) {
    found.say(Outcome::good, "nvcc", {first_version(std::string_view(*compiler).substr(release)).text});
  }
}

}  // namespace
}  // namespace cuda

extern constinit const Check cuda_check{"cuda", "CUDA runtimes and compiler, and their compatibility with the driver",
                                        cuda::look};

}  // namespace sonde::doctor
