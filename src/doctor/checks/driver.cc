#include <algorithm>
#include <array>

#include "doctor/facts.h"

namespace sonde::doctor {
namespace driver {
namespace {

/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue ..."
Version module_version(const Host& host) {
  const std::string text = host.file("/proc/driver/nvidia/version").value_or("");
  constexpr std::string_view kBefore = "Kernel Module";
  const size_t at = text.find(kBefore);
  if (at == std::string::npos) return {};
  const size_t line_end = std::min(text.find('\n', at), text.size());
  return first_version(std::string_view(text).substr(at, line_end - at));
}

bool is_loaded(const Host& host, std::string_view module) {
  const std::string text = "\n" + host.file("/proc/modules").value_or("");
  return text.contains("\n" + std::string(module) + " ");
}

void look_at_modules(const Host& host, Findings& found) {
  const Version module = module_version(host);
  if (is_loaded(host, "nouveau") && !module.known()) found.say(Outcome::wrong, "nouveau");
  if (!module.known()) return;
  if (host.exists("/proc/modules") && !is_loaded(host, "nvidia_uvm")) found.say(Outcome::wrong, "uvm_missing");
  for (const char* file : {"/dev/nvidiactl", "/dev/nvidia-uvm"}) {
    if (!host.exists(file)) found.say(Outcome::wrong, "device_files", {file});
  }
}

void look(const Host& host, Findings& found) {
  if (host.gpus()) {
    const device::SourceInfo& info = (*host.gpus())->info();
    found.say(Outcome::good, info.cuda_version.empty() ? "driver_only" : "driver",
              {info.driver_version, info.cuda_version});
  } else if (const Version module = module_version(host);
             module.known() && host.gpus().error().message.contains("mismatch")) {
    found.say(Outcome::wrong, "driver_mismatch", {module.text});
  } else {
    found.say(Outcome::wrong, "driver_gone", {host.gpus().error().message});
  }
  look_at_modules(host, found);
}

}  // namespace
}  // namespace driver

extern constinit const Check driver_check{"driver", "NVIDIA's driver, its kernel modules and device files",
                                          driver::look};

}  // namespace sonde::doctor
