#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/system/subprocess.h"
#include "device/open_with_timeout.h"
#include "doctor/check.h"

namespace sonde::doctor {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kTimeout_ns = 10'000'000'000;            // timeout of a program that prints its version
constexpr std::chrono::milliseconds kOpenTimeout{30'000};  // the driver wakes GPUs, which takes seconds for each
constexpr size_t kMaxFileBytes = size_t{1} << 20;          // of files in /proc, /sys and /etc

class ThisHost : public Host {
 public:
  [[nodiscard]] std::optional<std::string> file(const std::string& path) const override {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) return std::nullopt;
    std::string text(kMaxFileBytes, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad()) return std::nullopt;
    text.resize(static_cast<size_t>(stream.gcount()));
    return text;
  }

  [[nodiscard]] bool exists(const std::string& path) const override {
    std::error_code error;
    return fs::exists(path, error);
  }

  [[nodiscard]] std::vector<std::string> names_in(const std::string& folder) const override {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
      names.push_back(at->path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }

  [[nodiscard]] std::string resolved(const std::string& path) const override {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? path : real.string();
  }

  [[nodiscard]] Room room(const std::string& folder) const override {
    Room room{.writable = access(folder.c_str(), W_OK | X_OK) == 0, .free_bytes = std::nullopt};
    std::error_code error;
    const fs::space_info space = fs::space(folder, error);
    if (!error) room.free_bytes = static_cast<int64_t>(space.available);
    return room;
  }

  [[nodiscard]] Result<std::string> output_of(const std::vector<std::string>& words) const override {
    std::string scratch = (fs::temp_directory_path() / "sonde-doctor-XXXXXX").string();
    const int made = mkstemp(scratch.data());
    if (made < 0) return fail("cannot create a temporary file in {}", fs::temp_directory_path().string());
    close(made);
    const auto runner = system_subprocess_runner();
    return sonde::output_of(*runner, {.words = words, .time_limit_ns = kTimeout_ns}, scratch);
  }

  [[nodiscard]] std::optional<std::string> variable(const std::string& name) const override {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes its environment.
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }

  [[nodiscard]] int64_t user_id() const override { return geteuid(); }

  [[nodiscard]] const Result<std::shared_ptr<device::DeviceSource>>& gpus() const override {
    if (!gpus_) gpus_ = device::open_nvml_within(kOpenTimeout);
    return *gpus_;
  }

 private:
  mutable std::optional<Result<std::shared_ptr<device::DeviceSource>>> gpus_;
};

}  // namespace

std::unique_ptr<Host> this_host() { return std::make_unique<ThisHost>(); }

}  // namespace sonde::doctor
