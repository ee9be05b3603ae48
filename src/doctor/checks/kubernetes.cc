#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "doctor/facts.h"

namespace sonde::doctor {
namespace kubernetes {
namespace {

using Json = nlohmann::json;

constexpr const char* kPlugins = "/var/lib/kubelet/device-plugins";

void look_at_plugin(const Host& host, Findings& found) {
  for (const std::string& name : host.names_in(kPlugins)) {
    if (!name.contains("nvidia")) continue;
    found.say(Outcome::good, "kubernetes_plugin", {name});
    return;
  }
  found.say(Outcome::wrong, "kubernetes_no_plugin", {kPlugins});
}

void look_at_labels(const Json& node, const std::string& name, Findings& found) {
  const Json labels = node.value(Json::json_pointer("/metadata/labels"), Json::object());
  size_t count = 0;
  for (const auto& [key, value] : labels.items()) count += key.starts_with("nvidia.com/") ? 1 : 0;
  const auto product = labels.find("nvidia.com/gpu.product");
  if (product == labels.end() || !product->is_string()) {
    found.say(Outcome::wrong, "kubernetes_no_labels", {name});
  } else {
    found.say(Outcome::good, "kubernetes_labels", {std::to_string(count), product->get<std::string>()});
  }
}

void look_at_allocatable(const Host& host, const Json& node, const std::string& name, Findings& found) {
  const Json offered = node.value(Json::json_pointer("/status/allocatable"), Json::object());
  const auto count = offered.find("nvidia.com/gpu");
  if (count == offered.end() || !count->is_string() || !host.gpus()) return;
  const std::string text = count->get<std::string>();
  const size_t here = (*host.gpus())->gpu_count();
  const bool fewer = first_version(text).major() < static_cast<int>(here);  // a plain number; more with time-slicing
  found.say(fewer ? Outcome::wrong : Outcome::good, fewer ? "kubernetes_fewer" : "kubernetes_allocatable",
            {text, std::to_string(here), name});
}

void look(const Host& host, Findings& found) {
  if (!host.exists("/var/lib/kubelet")) {
    found.say(Outcome::good, "kubernetes_none");
    return;
  }
  look_at_plugin(host, found);
  const std::string name = host.variable("NODE_NAME").value_or(first_line(host.file("/etc/hostname").value_or("")));
  const auto text = host.output_of({"kubectl", "get", "node", name, "-o", "json", "--request-timeout=5s"});
  if (!text) {
    found.say(Outcome::not_checked, "kubernetes_unknown", {text.error().message});
    return;
  }
  const Json node = Json::parse(*text, nullptr, false);
  if (!node.is_object()) {
    found.say(Outcome::not_checked, "kubernetes_unknown", {"kubectl returned no JSON"});
    return;
  }
  look_at_labels(node, name, found);
  look_at_allocatable(host, node, name, found);
}

}  // namespace
}  // namespace kubernetes

extern constinit const Check kubernetes_check{"kubernetes", "NVIDIA's device plugin and the node's GPU labels",
                                              kubernetes::look};

}  // namespace sonde::doctor
