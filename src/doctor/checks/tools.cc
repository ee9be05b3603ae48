#include <array>

#include <fmt/format.h>

#include "doctor/facts.h"

namespace sonde::doctor {
namespace tools {
namespace {

struct Tool {
  std::string_view name;
  std::string_view folder;  ///< below which NVIDIA's packages put it when PATH does not have it
  std::string_view fix;
};
constexpr std::array kTools = {
    Tool{"nvidia-smi", "", "comes with the driver: sudo apt-get install nvidia-utils-VERSION  # Debian: nvidia-smi"},
    Tool{"nsys", "/opt/nvidia/nsight-systems", "sudo apt-get install nsight-systems-cli"},
    Tool{"ncu", "/opt/nvidia/nsight-compute", "sudo apt-get install nsight-compute"},
    Tool{"dcgmi", "", "sudo apt-get install datacenter-gpu-manager-4-cuda-all  # only for diagnostics: dcgmi diag"}};

/// A line that tells a version, else the first one: some programs print a copyright before it.
std::string version_line(const std::string& text) {
  for (size_t from = 0; from < text.size();) {
    const size_t to = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, to - from);
    if (line.contains("ersion")) return first_line(line);
    from = to + 1;
  }
  return first_line(text);
}

/// The newest installation below a folder: /opt/nvidia/nsight-systems/2025.3.1/bin/nsys, nsight-compute/2025.2.0/ncu.
std::string elsewhere(const Host& host, const Tool& tool) {
  std::string newest;
  Version version;
  if (tool.folder.empty()) return newest;
  for (const std::string& name : host.names_in(std::string(tool.folder))) {
    for (const char* inside : {"/bin/", "/", "/target-linux-x64/"}) {
      std::string file = fmt::format("{}/{}{}{}", tool.folder, name, inside, tool.name);
      if (!host.exists(file) || first_version(name) < version) continue;
      version = first_version(name);
      newest = std::move(file);
      break;
    }
  }
  return newest;
}

void look_at(const Host& host, const Tool& tool, Findings& found) {
  const std::string name(tool.name);
  if (!in_path(host, tool.name).empty()) {
    const auto text = host.output_of({name, "--version"});
    found.say(text ? Outcome::good : Outcome::wrong, text ? "tool" : "tool_broken",
              {name, text ? version_line(*text) : text.error().message});
  } else if (const std::string file = elsewhere(host, tool); !file.empty()) {
    found.say(Outcome::note, "tool_elsewhere", {name, file, file.substr(0, file.rfind('/'))});
  } else {
    found.say(Outcome::note, "tool_none", {name, std::string(tool.fix)});
  }
}

void look(const Host& host, Findings& found) {
  for (const Tool& tool : kTools) look_at(host, tool, found);
}

}  // namespace
}  // namespace tools

extern constinit const Check tools_check{"tools", "profilers and NVIDIA's tools, with their versions", tools::look};

}  // namespace sonde::doctor
