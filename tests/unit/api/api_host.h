#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "api/api.h"
#include "dispatch/fake_dispatcher.h"

/// A service without sockets, GPUs and clocks, for tests of the API.
namespace sonde::api {

class QuietLog final : public Log {
 public:
  void write(LogLevel, std::string_view message, std::span<const LogField> fields) override {
    std::string line(message);
    for (const LogField& field : fields) line += fmt::format(" {}={}", field.name, field.value);
    lines.push_back(line);
  }
  void set_level(LogLevel) override {}
  std::vector<std::string> lines;
};

class StillMonitor final : public monitor::Monitor {
 public:
  void start() override {}
  void stop() override {}
  void round() override {}
  [[nodiscard]] std::shared_ptr<const monitor::HostSnapshot> snapshot() const override {
    if (broken) throw std::runtime_error("no snapshot");
    return host;
  }
  bool acknowledge(int64_t incident, const std::string& by) override { return change(incident, by, false); }
  bool clear(int64_t incident, const std::string& by) override { return change(incident, by, true); }

  std::shared_ptr<monitor::HostSnapshot> host = std::make_shared<monitor::HostSnapshot>();
  bool broken = false;

 private:
  bool change(int64_t id, const std::string& by, bool clears) {
    for (monitor::Incident& incident : host->open) {
      if (incident.id != id) continue;
      (clears ? incident.cleared_ns : incident.acknowledged_ns) = 5;
      (clears ? incident.cleared_by : incident.acknowledged_by) = by;
      return true;
    }
    return false;
  }
};

/// A history with the closed incidents and points that a test puts in.
class GivenHistory final : public monitor::History {
 public:
  void add(int64_t, std::span<const monitor::GpuSample>) override {}
  [[nodiscard]] Result<monitor::HistoryRange> query(const monitor::HistoryQuery& asked) const override {
    last = asked;
    if (!trouble_text.empty()) return fail("{}", trouble_text);
    return range;
  }
  void save(const monitor::Incident& incident) override { kept.push_back(incident); }
  [[nodiscard]] Result<std::vector<monitor::Incident>> incidents(std::string_view gpu, bool open_only, int64_t before,
                                                                 int64_t max) const override {
    if (!trouble_text.empty()) return fail("{}", trouble_text);
    std::vector<monitor::Incident> found;
    for (auto i = kept.rbegin(); i != kept.rend() && found.size() < static_cast<size_t>(max); ++i) {
      const bool fits = (gpu.empty() || i->gpu_uuid == gpu) && (!open_only || !i->cleared_ns);
      if (fits && (before == 0 || i->id < before)) found.push_back(*i);
    }
    return found;
  }
  void save(const std::map<int64_t, std::vector<monitor::WasteEntry>>&) override {}
  [[nodiscard]] std::map<int64_t, std::vector<monitor::WasteEntry>> waste() const override { return {}; }
  void flush() override {}
  [[nodiscard]] std::string trouble() const override { return trouble_text; }

  mutable monitor::HistoryQuery last;
  monitor::HistoryRange range;
  std::vector<monitor::Incident> kept;
  std::string trouble_text;
};

inline monitor::Incident an_incident(int64_t id, std::optional<int64_t> cleared_ns) {
  monitor::Incident incident;
  incident.id = id;
  incident.detector = "gpu_hot";
  incident.gpu_uuid = "GPU-aaaa";
  incident.summary = "hot";
  incident.action = "cool it";
  incident.opened_ns = incident.last_seen_ns = 1'763'784'000'000'000'000;
  incident.cleared_ns = cleared_ns;
  incident.cleared_by = cleared_ns ? "rule" : "";
  return incident;
}

class ApiHost : public ::testing::Test {
 protected:
  static constexpr int64_t kNow_ns = 1'763'784'010'000'000'000;  ///< 2025-11-22T04:00:10Z

  ApiHost() {
    std::string folder = testing::TempDir() + "sonde_api_XXXXXX";
    folder_ = mkdtemp(folder.data());
    std::ofstream(folder_ + "/config.yaml")
        << "gpu:\n  multi_gpu:\n    strategies: [least_loaded, round_robin]\nsonde:\n"
           "  server: {requests_per_second: 1, burst: 100}\n"
           "  tasks:\n    types:\n"
           "      training: {description: one run, command: [train], allow_arguments: true, allow_environment: "
           "[SEED]}\n"
           "      fixed: {command: [\"true\"], environment: {TOKEN: hidden}}\n"
           "      asking: {model: resnet50, workers: {gpu_0: \"http://127.0.0.1:9\"}}\n";
    auto config = config::LiveConfig::open(folder_ + "/config.yaml", folder_ + "/changes.json");
    EXPECT_TRUE(config) << config.error().message;
    config_ = std::move(*config);
    keys_ = KeyFile::at(folder_ + "/keys.json");
    for (const Role role : {Role::read, Role::submit, Role::admin}) {
      auto made = keys_->make(std::string(role_name(role)) + " key", role, std::nullopt);
      EXPECT_TRUE(made) << made.error().message;
      secrets_[role] = made->secret;
    }
    monitor::GpuView gpu;
    gpu.uuid = "GPU-aaaa";
    gpu.name = "NVIDIA H100";
    gpu.sample.moment_ns = kNow_ns - 1'000'000'000;
    gpu.sample.reading.simulated = true;
    gpu.sample.reading.gpu_utilization_percent = 42;
    monitor_.host->gpus.push_back(gpu);
    monitor_.host->moment_ns = kNow_ns - 1'000'000'000;
    monitor_.host->source.source = "simulated";
    monitor_.host->source.simulated = true;
    monitor_.host->open.push_back(an_incident(7, std::nullopt));
    history_.kept = {an_incident(3, 9), an_incident(7, std::nullopt)};
    api_ = Api::make({.config = config_.get(),
                      .monitor = &monitor_,
                      .history = &history_,
                      .events = &events_,
                      .dispatcher = &dispatcher_,
                      .keys = keys_.get(),
                      .log = &log_,
                      .now_ns = [this] { return now_ns_; },
                      .hostname = "host"});
  }
  ~ApiHost() override { std::filesystem::remove_all(folder_); }

  /// A request with a key of this role; Role::none: without a key.
  [[nodiscard]] Request request(Method method, const std::string& path, Role role = Role::admin,
                                const std::string& body = {}) const {
    Request request;
    request.method = method;
    request.path = path.substr(0, path.find('?'));
    request.body = body;
    request.remote_address = "192.0.2.1";
    if (role != Role::none) request.headers["authorization"] = "Bearer " + secrets_.at(role);
    std::string query = path.find('?') == std::string::npos ? "" : path.substr(path.find('?') + 1);
    while (!query.empty()) {
      const std::string one = query.substr(0, query.find('&'));
      request.query.emplace_back(one.substr(0, one.find('=')), one.substr(std::min(one.find('=') + 1, one.size())));
      query.erase(0, one.size() + 1);
    }
    return request;
  }
  /// The response. A response that is made later must exist by now.
  [[nodiscard]] Response answered(const Request& request) const {
    Response response = api_->answer(request);
    while (response.later) {
      std::optional<Response> made;
      response.later([&made](Response later) { made = std::move(later); });
      EXPECT_TRUE(made) << request.path;
      response = made ? *std::move(made) : Response();
    }
    return response;
  }
  Response get(const std::string& path, Role role = Role::read) { return answered(request(Method::get, path, role)); }
  Response post(const std::string& path, const std::string& body = {}, Role role = Role::admin) {
    return answered(request(Method::post, path, role, body));
  }

  std::string folder_;
  int64_t now_ns_ = kNow_ns;
  std::unique_ptr<config::LiveConfig> config_;
  std::unique_ptr<KeyFile> keys_;
  std::map<Role, std::string> secrets_;
  StillMonitor monitor_;
  GivenHistory history_;
  monitor::EventLog events_;
  dispatch::FakeDispatcher dispatcher_;
  QuietLog log_;
  std::unique_ptr<Api> api_;
};

inline std::string header(const Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace sonde::api
