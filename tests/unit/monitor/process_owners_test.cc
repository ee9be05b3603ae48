#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text/secrets.h"
#include "monitor/owner.h"
#include "monitor/owners/cgroup.h"

namespace sonde::monitor {
namespace process_owners_test {

const std::string kId = "3f2a9c0d1e4b5a6978877665544332211009f8e7d6c5b4a392817263544f5e6d";
const std::string kShort = "3f2a9c0d1e4b";
const std::string kPod = "8d3c2f1a-0b4e-4c5d-9e6f-7a8b9c0d1e2f";
const std::string kPodSystemd = "8d3c2f1a_0b4e_4c5d_9e6f_7a8b9c0d1e2f";
const std::string kHash = "0123456789abcdef0123456789abcdef";

struct Case {
  std::string name;
  std::string cgroup;
  std::string container;
  std::string pod;
  std::string unit;
};

std::vector<Case> cases() {
  return {
      {"DockerV2", "0::/system.slice/docker-" + kId + ".scope", kShort, "", ""},
      {"DockerV1", "12:memory:/docker/" + kId + "\n1:name=systemd:/docker/" + kId, kShort, "", ""},
      {"DockerCgroupfsV2", "0::/docker/" + kId, kShort, "", ""},
      {"DockerUnderAParent", "0::/gpu.slice/gpu-jobs.slice/docker-" + kId + ".scope", kShort, "", ""},
      {"KubernetesSystemdContainerd",
       "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" + kPodSystemd + ".slice/cri-containerd-" +
           kId + ".scope",
       kShort, kPod, ""},
      {"KubernetesSystemdGuaranteed",
       "0::/kubepods.slice/kubepods-pod" + kPodSystemd + ".slice/crio-" + kId + ".scope/container", kShort, kPod, ""},
      {"KubernetesCgroupfs", "4:devices:/kubepods/besteffort/pod" + kPod + "/" + kId, kShort, kPod, ""},
      {"KubernetesGuaranteedCgroupfs", "0::/kubepods/pod" + kPod + "/" + kId, kShort, kPod, ""},
      {"KubernetesStaticPod", "0::/kubepods/burstable/pod" + kHash + "/" + kId, kShort, kHash, ""},
      {"KubernetesColons",
       "1:name=systemd:/system.slice/containerd.service/kubepods-burstable-pod" + kPodSystemd +
           ".slice:cri-containerd:" + kId,
       kShort, kPod, ""},
      {"KubernetesInDocker",
       "0::/docker/" + std::string(64, 'a') + "/kubelet/kubepods/burstable/pod" + kPod + "/" + kId, kShort, kPod, ""},
      {"CriOMonitorIsNoContainer",
       "0::/kubepods.slice/kubepods-pod" + kPodSystemd + ".slice/crio-conmon-" + kId + ".scope", "", kPod, ""},
      {"PodmanRootless",
       "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + kId + ".scope/container", kShort, "",
       ""},
      {"PodmanRoot", "0::/machine.slice/libpod-" + kId + ".scope", kShort, "", ""},
      {"Lxc", "0::/lxc.payload.trainer/system.slice/ssh.service", "trainer", "", ""},
      {"LxcV1", "5:cpuset:/lxc/trainer", "trainer", "", ""},
      {"SlurmV1", "9:memory:/slurm/uid_1000/job_4711/step_0/task_0\n1:name=systemd:/system.slice/slurmd.service", "",
       "", "slurm:4711"},
      {"SlurmV1Named", "9:freezer:/slurm_node7/uid_1000/job_4711/step_batch", "", "", "slurm:4711"},
      {"SlurmV2", "0::/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0", "", "", "slurm:4711"},
      {"SlurmV2Named", "0::/system.slice/node7_slurmstepd.scope/job_4711/step_batch/user/task_0", "", "", "slurm:4711"},
      {"ContainerInSlurm", "0::/system.slice/slurmstepd.scope/job_4711/step_0/user/libpod-" + kId + ".scope", kShort,
       "", "slurm:4711"},
      {"JobWithoutSlurm", "0::/queue.slice/job_4711", "", "", "queue.slice"},
      {"Service", "0::/system.slice/llm-server.service", "", "", "llm-server.service"},
      {"ServiceOfAUser", "0::/user.slice/user-1000.slice/user@1000.service/app.slice/jupyter.service", "", "",
       "jupyter.service"},
      {"Session", "0::/user.slice/user-1000.slice/session-3.scope", "", "", "session-3.scope"},
      {"UserSlice", "0::/user.slice/user-1000.slice", "", "", "user-1000.slice"},
      {"V1UnitFromSystemdsLine", "3:cpu:/\n1:name=systemd:/system.slice/a.service", "", "", "a.service"},
      {"Root", "0::/", "", "", ""},
      {"OtherNamespace", "0::/../../..", "", "", ""},
      {"Empty", "", "", "", ""},
      {"NoLines", "garbage\n::\n:::\n0:", "", "", ""},
      {"TooShortForAnId", "0::/system.slice/docker-3f2a9c0d1e4b.scope", "", "", "docker-3f2a9c0d1e4b.scope"},
      {"NotHex", "0::/docker/" + std::string(64, 'z'), "", "", ""},
  };
}

TEST(Cgroups, TellContainerPodAndUnit) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const CgroupOwner owner = owner_by_cgroup(c.cgroup);
    EXPECT_EQ(owner.container, c.container);
    EXPECT_EQ(owner.pod, c.pod);
    EXPECT_EQ(owner.unit, c.unit);
  }
}

TEST(Secrets, AreLeftOutOfCommandLines) {
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> lines = {
      {{"python", "train.py", "--lr", "0.1"}, {"python", "train.py", "--lr", "0.1"}},
      {{"x", "--hf-token", "abc", "--epochs", "3"}, {"x", "--hf-token", "***", "--epochs", "3"}},
      {{"x", "--api_key=abc"}, {"x", "--api_key=***"}},
      {{"env", "WANDB_API_KEY=abc", "x"}, {"env", "WANDB_API_KEY=***", "x"}},
      {{"x", "-password", "p"}, {"x", "-password", "***"}},
      {{"x", "--token", "--verbose"}, {"x", "--token", "--verbose"}},
      {{"x", "--max-new-tokens", "100", "--tokenizer", "t5"}, {"x", "--max-new-tokens", "100", "--tokenizer", "t5"}},
      {{"x", "hf_abcdefghijklmnopqrst"}, {"x", "***"}},
      {{"x", "--login=hf_abcdefghijklmnopqrst"}, {"x", "--login=***"}},
      {{"x", "postgres://me:pw@db/x"}, {"x", "postgres://me:***@db/x"}},
      {{"x", "--url=https://u:p@h"}, {"x", "--url=https://u:***@h"}},
      {{"x", "https://host/a@b"}, {"x", "https://host/a@b"}},
      {{"bash", "-c", "TOKEN=abc python x.py --key k"}, {"bash", "-c", "TOKEN=*** python x.py --key ***"}},
      {{"curl", "-H", "Authorization: Bearer abc"}, {"curl", "-H", "Authorization: Bearer ***"}},
      {{"PWD=/srv/x"}, {"PWD=/srv/x"}},
      {{""}, {""}},
  };
  for (const auto& [line, shown] : lines) EXPECT_EQ(without_secrets(line), shown);
}

TEST(Printable, HasNoControlsAndIsUtf8) {
  EXPECT_EQ(printable("a\x1b[31mb\nc"), "a [31mb c");
  EXPECT_EQ(printable("größe 日本"), "größe 日本");
  EXPECT_EQ(printable("a\xff\xc3"), "a??");
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");
  EXPECT_EQ(printable("\xc2\x9b"), " ");
}

/// A made-up /proc.
class ProcessOwnersTest : public ::testing::Test {
 protected:
  ProcessOwnersTest() : root_(std::filesystem::temp_directory_path() / fmt::format("sonde_proc_{}", getpid())) {
    std::filesystem::remove_all(root_);
    write("stat", "cpu 1 2 3\nbtime 1700000000\nprocesses 9\n");
    write("1/stat", stat(1, "systemd", 'S', 1, 0));
    name_space("pid:[4026531836]");
  }
  ~ProcessOwnersTest() override { std::filesystem::remove_all(root_); }
  ProcessOwnersTest(const ProcessOwnersTest&) = delete;
  ProcessOwnersTest& operator=(const ProcessOwnersTest&) = delete;

  static std::string stat(int64_t pid, const std::string& name, char state, int64_t threads, int64_t start) {
    return fmt::format("{} ({}) {} 1 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 {} 0 {} 1000 200\n", pid, name, state,
                       threads, start);
  }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  void name_space(const std::string& name) const {
    std::filesystem::create_directories(root_ / "self/ns");
    std::filesystem::remove(root_ / "self/ns/pid");
    std::filesystem::create_symlink(name, root_ / "self/ns/pid");
  }
  void process(int64_t pid, int64_t start, const std::string& cmdline, const std::string& cgroup = "0::/a.service",
               int64_t uid = 4000123) const {
    write(fmt::format("{}/stat", pid), stat(pid, "python", 'S', 4, start));
    write(fmt::format("{}/status", pid), fmt::format("Name:\tpython\nUid:\t{}\t0\t0\t0\n", uid));
    write(fmt::format("{}/cmdline", pid), cmdline);
    write(fmt::format("{}/cgroup", pid), cgroup + "\n");
  }
  [[nodiscard]] std::unique_ptr<ProcessOwners> owners() const { return ProcessOwners::of_proc(root_.string()); }

  std::filesystem::path root_;
};

TEST_F(ProcessOwnersTest, TellsWhoseAProcessIs) {
  using namespace std::string_literals;
  process(42, 500, "python\0train.py\0--token\0abc\0--name\0a b\0"s);
  const ProcessOwner owner = owners()->owner(42);
  EXPECT_TRUE(owner.alive);
  EXPECT_EQ(owner.user, "4000123");  // no host has a name for it
  EXPECT_EQ(owner.command, "python train.py --token '***' --name 'a b'");
  EXPECT_EQ(owner.unit, "a.service");
  ASSERT_TRUE(owner.started_ns);
  EXPECT_EQ(*owner.started_ns, 1'700'000'000'000'000'000 + 500 * (1'000'000'000 / sysconf(_SC_CLK_TCK)));
}

TEST_F(ProcessOwnersTest, UsersHaveTheirNamesOnTheHostAndNumbersInContainers) {
  process(1000, 1, "x", "0::/a.service", 0);
  process(1001, 1, "x", "0::/docker/" + kId, 0);
  EXPECT_EQ(owners()->owner(1000).user, "root");
  EXPECT_EQ(owners()->owner(1001).user, "0");
  EXPECT_EQ(owners()->owner(1001).container, kShort);
}

TEST_F(ProcessOwnersTest, NumbersThatAreUsedAgainAreOtherProcesses) {
  process(42, 500, "first");
  const auto all = owners();
  EXPECT_EQ(all->owner(42).command, "first");
  process(42, 500, "second");
  EXPECT_EQ(all->owner(42).command, "first") << "kept as long as it lives";
  process(42, 501, "second");
  EXPECT_EQ(all->owner(42).command, "second");
}

TEST_F(ProcessOwnersTest, SaysThatAProcessIsNoMoreOnlyWhereAllCanBeSeen) {
  process(42, 500, "x");
  const auto all = owners();
  EXPECT_TRUE(all->sees_all());
  EXPECT_TRUE(all->owner(42).alive);
  std::filesystem::remove_all(root_ / "42");
  EXPECT_FALSE(all->owner(42).alive);
  EXPECT_FALSE(all->owner(77).alive);
  EXPECT_TRUE(all->owner(77).user.empty());
  std::filesystem::create_directories(root_ / "78");  // hidepid=1: it is there and tells nothing
  EXPECT_TRUE(all->owner(78).alive);

  name_space("pid:[4026532844]");
  EXPECT_FALSE(owners()->sees_all());
  EXPECT_TRUE(owners()->owner(77).alive);
  name_space("pid:[4026531836]");
  std::filesystem::remove_all(root_ / "1");
  EXPECT_TRUE(owners()->owner(77).alive) << "processes of others are hidden";
  std::filesystem::remove_all(root_);
  EXPECT_TRUE(owners()->owner(77).alive);
}

TEST_F(ProcessOwnersTest, ZombiesAreDeadUnlessThreadsGoOn) {
  process(42, 500, "");
  write("42/stat", stat(42, "py) Z (thon", 'Z', 1, 500));
  EXPECT_FALSE(owners()->owner(42).alive);
  EXPECT_EQ(owners()->owner(42).command, "[py) Z (thon]");
  write("42/stat", stat(42, "python", 'Z', 3, 500));
  EXPECT_TRUE(owners()->owner(42).alive);
}

TEST_F(ProcessOwnersTest, BrokenFilesTellNothing) {
  for (const char* const text :
       {"", "42", "42 (x", "42 (x) S 1 2", ")(", "42 (x) S 1 1 1 0 -1 4 1 2 3 4 5 6 7 8 20 0 a 0 b 1"}) {
    process(42, 500, "x");
    write("42/stat", text);
    const ProcessOwner owner = owners()->owner(42);
    EXPECT_TRUE(owner.alive) << text;
    EXPECT_TRUE(owner.command.empty()) << text;
  }
  process(43, 500, "x");
  write("43/status", "Uid:\n");
  EXPECT_TRUE(owners()->owner(43).user.empty());
}

TEST(ProcessOwnersOfThisHost, KnowsThisProcess) {
  const auto all = ProcessOwners::of_proc();
  const ProcessOwner owner = all->owner(getpid());
  EXPECT_TRUE(owner.alive);
  EXPECT_NE(owner.command.find("sonde_unit_tests"), std::string::npos) << owner.command;
  EXPECT_TRUE(owner.started_ns.has_value());
}

}  // namespace process_owners_test
}  // namespace sonde::monitor
