#include <array>

#include "doctor/facts.h"

namespace sonde::doctor {
namespace containers {
namespace {

struct Runtime {
  std::string_view program;
  std::string_view settings;  ///< where it keeps its runtimes
};
constexpr std::array kRuntimes = {
    Runtime{"docker", "/etc/docker/daemon.json"}, Runtime{"podman", "/etc/containers/containers.conf"},
    Runtime{"containerd", "/etc/containerd/config.toml"}, Runtime{"crio", "/etc/crio/crio.conf"}};

bool has_device_interface(const Host& host) {
  for (const char* folder : {"/etc/cdi", "/var/run/cdi"}) {
    for (const std::string& name : host.names_in(folder)) {
      if (name.contains("nvidia")) return true;
    }
  }
  return false;
}

bool knows_nvidia(const Host& host, const Runtime& runtime) {
  return host.file(std::string(runtime.settings)).value_or("").contains("nvidia");
}

void look(const Host& host, Findings& found) {
  if (host.exists("/.dockerenv") || host.exists("/run/.containerenv")) found.say(Outcome::note, "container_inside");
  const auto toolkit = host.output_of({"nvidia-ctk", "--version"});
  bool any = false;
  for (const Runtime& runtime : kRuntimes) {
    if (in_path(host, runtime.program).empty()) continue;
    any = true;
    const auto version = host.output_of({std::string(runtime.program), "--version"});
    found.say(Outcome::good, "container_tools", {version ? first_line(*version) : std::string(runtime.program)});
    if (toolkit && !knows_nvidia(host, runtime) && !has_device_interface(host)) {
      found.say(Outcome::wrong, "container_not_set", {std::string(runtime.program), std::string(runtime.settings)});
    }
  }
  if (!any) {
    found.say(Outcome::good, "container_none");
  } else if (toolkit) {
    found.say(Outcome::good, "container_toolkit", {first_line(*toolkit)});
  } else {
    found.say(Outcome::wrong, "container_no_toolkit");
  }
}

}  // namespace
}  // namespace containers

extern constinit const Check containers_check{"containers", "container runtimes and their GPU support",
                                              containers::look};

}  // namespace sonde::doctor
