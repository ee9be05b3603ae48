#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "device/simulated/source.h"
#include "doctor/check.h"
#include "doctor/libraries.h"
#include "doctor/version.h"

namespace sonde::doctor {
namespace doctor_test {

/// A host made of maps. Links lead from a path to another one.
class MadeHost : public Host {
 public:
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> links;
  std::map<std::string, Room> rooms = {{"/tmp", {true, 100'000'000'000}}, {".", {true, 100'000'000'000}}};
  std::map<std::string, std::string> outputs;
  std::map<std::string, std::string> variables = {{"PATH", "/usr/bin"}};
  int64_t user = 1000;
  Result<std::shared_ptr<device::DeviceSource>> source = fail("the library cannot be loaded");

  void give_gpus(std::string_view yaml) {
    const auto host = device::simulated::read_description(yaml, "made.yaml");
    ASSERT_TRUE(host) << host.error().message;
    source = std::make_shared<device::simulated::Source>(*host, device::simulated::machine_clock());
  }

  [[nodiscard]] std::optional<std::string> file(const std::string& path) const override {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] bool exists(const std::string& path) const override {
    return std::ranges::any_of(files,
                               [&](const auto& f) { return f.first == path || f.first.starts_with(path + "/"); });
  }
  [[nodiscard]] std::vector<std::string> names_in(const std::string& folder) const override {
    std::set<std::string> names;
    for (const auto* paths : {&files, &links}) {
      for (const auto& [path, content] : *paths) {
        if (!path.starts_with(folder + "/")) continue;
        const std::string inside = path.substr(folder.size() + 1);
        names.insert(inside.substr(0, inside.find('/')));
      }
    }
    return {names.begin(), names.end()};
  }
  [[nodiscard]] std::string resolved(const std::string& path) const override {
    const auto found = links.find(path);
    return found == links.end() ? path : found->second;
  }
  [[nodiscard]] Room room(const std::string& folder) const override {
    const auto found = rooms.find(folder);
    return found == rooms.end() ? Room{} : found->second;
  }
  [[nodiscard]] Result<std::string> output_of(const std::vector<std::string>& words) const override {
    const auto found = outputs.find(words.front());
    if (found == outputs.end()) return fail("{} is not there", words.front());
    return found->second;
  }
  [[nodiscard]] std::optional<std::string> variable(const std::string& name) const override {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] int64_t user_id() const override { return user; }
  [[nodiscard]] const Result<std::shared_ptr<device::DeviceSource>>& gpus() const override { return source; }
};

/// "wrong: subject: what -> fix", a line a finding.
std::string told(const MadeHost& host, std::string_view name) {
  const auto check = std::ranges::find(checks(), name, &Check::name);
  Findings found;
  (*check)->look(host, found);
  std::string text;
  for (const Finding& f : found.all()) {
    text +=
        fmt::format("{}: {}: {}{}{}\n", outcome_name(f.outcome), f.subject, f.what, f.fix.empty() ? "" : " -> ", f.fix);
  }
  return text;
}

constexpr std::string_view kOneGpu = "version: 1\ndriver_version: \"535.54.03\"\ngpus: [{name: Simulated H100}]\n";

TEST(Doctor, TellsVersionsApart) {
  EXPECT_EQ(first_version("release 12.4, V12.4.131").text, "12.4");
  EXPECT_EQ(first_version("libcudnn.so.9").text, "9");
  EXPECT_EQ(first_version("none").text, "");
  EXPECT_EQ(first_version("v3.").text, "3");
  EXPECT_LT(first_version("12.4"), first_version("12.4.1"));
  EXPECT_LT(first_version("9.0"), first_version("10.0"));
  EXPECT_EQ(first_version("99999999999999999999.1").known(), false);
}

TEST(Doctor, EveryCheckSaysSomethingOfAnEmptyHost) {
  const MadeHost host;
  for (const Check* check : checks()) EXPECT_NE(told(host, check->name), "") << check->name;
}

TEST(Doctor, SaysWhatTheDriverLacks) {
  MadeHost host;
  EXPECT_TRUE(told(host, "driver").starts_with("wrong: NVIDIA driver: the library cannot be loaded -> nvidia-smi"));
  host.files["/proc/modules"] = "nouveau 1 0 - Live\n";
  EXPECT_TRUE(told(host, "driver").contains("wrong: nouveau: "));
  host.give_gpus(kOneGpu);
  host.files["/proc/driver/nvidia/version"] = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue\n";
  const std::string text = told(host, "driver");
  EXPECT_TRUE(text.starts_with("good: NVIDIA driver: 535.54.03")) << text;
  EXPECT_TRUE(text.contains("wrong: nvidia_uvm: ")) << text;
  EXPECT_TRUE(text.contains("/dev/nvidiactl is missing")) << text;
  EXPECT_FALSE(text.contains("nouveau")) << text;
  host.files["/proc/modules"] += "nvidia_uvm 1 0 - Live\n";
  host.files["/dev/nvidiactl"] = host.files["/dev/nvidia-uvm"] = "";
  EXPECT_FALSE(told(host, "driver").contains("wrong"));
}

TEST(Doctor, SaysThatTheDriverWasUpdatedBelow) {
  MadeHost host;
  host.source = fail("driver/library version mismatch");
  host.files["/proc/driver/nvidia/version"] = "NVRM version: NVIDIA UNIX Kernel Module  570.1  x\n";
  EXPECT_TRUE(told(host, "driver").starts_with("wrong: NVIDIA driver: the loaded kernel module 570.1 and"));
}

TEST(Doctor, LooksAtEachGpu) {
  MadeHost host;
  host.give_gpus(
      "version: 1\ngpus:\n  - {name: Simulated A, memory: 80 GiB}\n"
      "  - {name: Simulated B, faults: [{at: 0 s, lost: true}]}\n"
      "  - {name: Simulated C, faults: [{at: 0 s, recovery_action: 1}, {at: 0 s, ecc_uncorrected: 2}]}\n");
  const std::string text = told(host, "gpus");
  EXPECT_TRUE(text.contains("good: gpu_0: Simulated A, 85.9 GB")) << text;
  EXPECT_TRUE(text.contains("wrong: gpu_1: ")) << text;
  EXPECT_TRUE(text.contains("wrong: gpu_2: the driver requests a recovery action")) << text;
  EXPECT_TRUE(text.contains("-> sudo nvidia-smi --gpu-reset -i 2")) << text;
  EXPECT_TRUE(text.contains("2 uncorrected memory errors")) << text;
}

TEST(Doctor, FindsEachLibraryOnce) {
  MadeHost host;
  host.outputs["ldconfig"] = "1 libs\n\tlibcudart.so.12 (libc6,x86-64) => /usr/lib/libcudart.so.12\n";
  host.files["/usr/lib/libcudart.so.12.4.127"] = "";
  host.links["/usr/lib/libcudart.so.12"] = "/usr/lib/libcudart.so.12.4.127";
  host.files["/usr/local/cuda-13.0/lib64/libcudart.so.13.0.88"] = "";
  host.files["/usr/local/cuda-13.0/lib64/libcudart_static.a"] = "";
  host.variables["VIRTUAL_ENV"] = "/venv";
  host.files["/venv/lib/python3.11/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12"] = "";
  const auto found = find_libraries(host, "libcudart");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].path, "/usr/lib/libcudart.so.12.4.127");
  EXPECT_EQ(versions_of(found), (std::vector<std::string>{"13.0.88", "12.4.127", "12"}));
}

TEST(Doctor, SaysWhichCudaTheDriverDoesNotRun) {
  MadeHost host;
  host.files["/usr/local/cuda-13.0/lib64/libcudart.so.13.0.88"] = "";
  EXPECT_TRUE(told(host, "cuda").starts_with("good: CUDA runtime: 13.0.88")) << "without a driver nothing is known";
  host.give_gpus(kOneGpu);
  EXPECT_EQ(
      told(host, "cuda"),
      "wrong: CUDA runtime: 13.0.88 at /usr/local/cuda-13.0/lib64/libcudart.so.13.0.88 needs driver 580 or later, "
      "the installed driver is 535.54.03 -> update the driver, or on a data centre GPU: sudo apt-get install "
      "cuda-compat-13\n");
  host.files = {{"/usr/local/cuda-12.4/lib64/libcudart.so.12.4.127", ""}};
  EXPECT_TRUE(told(host, "cuda").starts_with("good: CUDA runtime: 12.4.127"));
  host.outputs["nvcc"] = "Cuda compilation tools, release 12.4, V12.4.131\n";
  EXPECT_TRUE(told(host, "cuda").contains("good: nvcc: 12.4"));
}

TEST(Doctor, SaysThatOldCudnnDoesNotGoWithNewCuda) {
  MadeHost host;
  host.files["/usr/local/cuda/lib64/libcudart.so.13.0"] = "";
  host.files["/usr/local/cuda/lib64/libcudnn.so.8.9.7"] = "";
  host.files["/usr/local/cuda/lib64/libcudnn_ops.so.8"] = "";
  EXPECT_TRUE(told(host, "cudnn").starts_with("wrong: cuDNN: 8.9.7 at ")) << told(host, "cudnn");
  host.files.erase("/usr/local/cuda/lib64/libcudart.so.13.0");
  EXPECT_TRUE(told(host, "cudnn").starts_with("good: cuDNN: 8.9.7"));
}

TEST(Doctor, SaysThatSeveralNcclsAreHere) {
  MadeHost host;
  host.files["/usr/local/cuda/lib64/libnccl.so.2.21.5"] = "";
  EXPECT_FALSE(told(host, "nccl").contains("note"));
  host.files["/usr/local/cuda-12/lib64/libnccl.so.2.18.1"] = "";
  EXPECT_TRUE(told(host, "nccl").contains("2 versions are installed (2.21.5, 2.18.1)"));
}

TEST(Doctor, KnowsWhoMayReadCounters) {
  MadeHost host;
  EXPECT_TRUE(told(host, "counters").starts_with("not_checked: "));
  host.files["/proc/driver/nvidia/params"] = "RmProfilingAdminOnly: 1\n";
  EXPECT_TRUE(told(host, "counters").starts_with("wrong: GPU counters: only administrators"));
  host.user = 0;
  EXPECT_TRUE(told(host, "counters").starts_with("good: "));
  host.user = 1000;
  host.files["/proc/self/status"] = "Name:\tsonde\nCapEff:\t0000000000200000\n";
  EXPECT_TRUE(told(host, "counters").starts_with("good: "));
  host.files["/proc/self/status"] = "Name:\tsonde\nCapEff:\t0000004000000000\n";
  EXPECT_TRUE(told(host, "counters").starts_with("wrong: ")) << "CAP_PERFMON counts from driver 565 on";
  host.give_gpus("version: 1\ndriver_version: \"570.0\"\ngpus: [{name: Simulated H100}]\n");
  EXPECT_TRUE(told(host, "counters").starts_with("good: "));
  host.files["/proc/driver/nvidia/params"] = "RmProfilingAdminOnly: 0\n";
  host.files["/proc/77/comm"] = "nv-hostengine\n";
  EXPECT_TRUE(told(host, "counters").contains("note: GPU counters: nv-hostengine (process 77)"));
}

TEST(Doctor, ReadsKernelSettings) {
  MadeHost host;
  host.files["/proc/sys/kernel/perf_event_paranoid"] = "3\n";
  host.files["/proc/sys/kernel/kptr_restrict"] = "1\n";
  const std::string text = told(host, "perf");
  EXPECT_TRUE(text.starts_with("wrong: perf events: kernel.perf_event_paranoid is 3")) << text;
  EXPECT_TRUE(text.contains("note: kernel symbols")) << text;
  host.user = 0;
  EXPECT_TRUE(told(host, "perf").starts_with("good: "));
  EXPECT_FALSE(told(host, "perf").contains("kernel symbols"));
}

TEST(Doctor, LooksForRoom) {
  MadeHost host;
  host.rooms["/tmp"] = {.writable = true, .free_bytes = 100'000'000};
  host.rooms["."] = {.writable = false, .free_bytes = 100};
  host.rooms["/dev/shm"] = {.writable = true, .free_bytes = 64'000'000};
  const std::string text = told(host, "folders");
  EXPECT_TRUE(text.contains("wrong: /tmp: only 100 MB free")) << text;
  EXPECT_TRUE(text.contains("wrong: .: not writable")) << text;
  EXPECT_TRUE(text.contains("note: /dev/shm: only 64 MB free")) << text;
}

TEST(Doctor, LooksWhetherContainersGetGpus) {
  MadeHost host;
  EXPECT_TRUE(told(host, "containers").starts_with("good: container runtime: docker, podman"));
  host.files["/usr/bin/docker"] = "";
  host.outputs["docker"] = "Docker version 28.2.2\n";
  EXPECT_TRUE(told(host, "containers").contains("wrong: NVIDIA container toolkit: not installed"));
  host.outputs["nvidia-ctk"] = "NVIDIA Container Toolkit CLI version 1.17.8\n";
  EXPECT_TRUE(told(host, "containers").contains("wrong: NVIDIA container toolkit: docker is not configured for it"));
  host.files["/etc/docker/daemon.json"] = R"({"runtimes": {"nvidia": {}}})";
  EXPECT_FALSE(told(host, "containers").contains("wrong"));
  host.files["/etc/docker/daemon.json"] = "{}";
  host.files["/etc/cdi/nvidia.yaml"] = "";
  EXPECT_FALSE(told(host, "containers").contains("wrong"));
}

TEST(Doctor, FindsToolsThatPathDoesNotHave) {
  MadeHost host;
  EXPECT_TRUE(told(host, "tools").contains("note: ncu: not found"));
  host.files["/opt/nvidia/nsight-compute/2024.1.0/ncu"] = "";
  host.files["/opt/nvidia/nsight-compute/2025.2.1/ncu"] = "";
  EXPECT_TRUE(told(host, "tools").contains("export PATH=/opt/nvidia/nsight-compute/2025.2.1:$PATH"));
  host.files["/usr/bin/ncu"] = "";
  host.outputs["ncu"] = "NVIDIA (R) Nsight Compute\nCopyright\nVersion 2025.2.1.0 (build 1)\n";
  EXPECT_TRUE(told(host, "tools").contains("good: ncu: Version 2025.2.1.0"));
}

TEST(Doctor, AsksTheCluster) {
  MadeHost host;
  host.give_gpus(kOneGpu);
  EXPECT_TRUE(told(host, "kubernetes").starts_with("good: Kubernetes: no kubelet"));
  host.files["/var/lib/kubelet/config.yaml"] = "";
  EXPECT_TRUE(told(host, "kubernetes").contains("wrong: device plugin"));
  EXPECT_TRUE(told(host, "kubernetes").contains("not_checked: node labels"));
  host.files["/var/lib/kubelet/device-plugins/nvidia-gpu.sock"] = "";
  host.variables["NODE_NAME"] = "node7";
  host.outputs["kubectl"] =
      R"({"metadata": {"labels": {"nvidia.com/gpu.product": "H100", "a": "b"}}, "status": {"allocatable": {"nvidia.com/gpu": "0"}}})";
  std::string text = told(host, "kubernetes");
  EXPECT_TRUE(text.contains("good: device plugin: its socket exists: nvidia-gpu.sock")) << text;
  EXPECT_TRUE(text.contains("1 labels nvidia.com/...; nvidia.com/gpu.product is H100")) << text;
  EXPECT_TRUE(text.contains("wrong: allocatable GPUs: the node offers 0 GPUs, but the host has 1")) << text;
  host.outputs["kubectl"] = "[]";
  EXPECT_TRUE(told(host, "kubernetes").contains("kubectl returned no JSON"));
}

}  // namespace doctor_test
}  // namespace sonde::doctor
