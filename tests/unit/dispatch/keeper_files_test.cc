#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/files/small_file.h"
#include "dispatch/executor/log_reader.h"
#include "dispatch/executor/out_of_memory.h"
#include "dispatch/keeper/attempt_record.h"
#include "dispatch/keeper/launch_text.h"
#include "dispatch/keeper/output_file.h"

namespace sonde::dispatch {
namespace keeper_files_test {

using keeper::EndRecord;
using keeper::KeeperLaunch;
using keeper::KeeperRecord;
using keeper::OutputFile;

const KeeperLaunch kLaunch{.command = {"a b", "", "c\nd 3\n"},
                           .environment = {"X=1", "Y=a=b\n"},
                           .folder = "/some where",
                           .output = "/o",
                           .time_limit_ns = 5,
                           .grace_ns = 6,
                           .output_limit_bytes = 7};

TEST(LaunchText, SaysAllOfIt) {
  const auto read = keeper::parse_launch(launch_text(kLaunch));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->command, kLaunch.command);
  EXPECT_EQ(read->environment, kLaunch.environment);
  EXPECT_EQ(read->folder, kLaunch.folder);
  EXPECT_EQ(read->output, kLaunch.output);
  EXPECT_EQ(read->time_limit_ns, 5);
  EXPECT_EQ(read->grace_ns, 6);
  EXPECT_EQ(read->output_limit_bytes, 7);
}

TEST(LaunchText, IsReadWholeOrNotAtAll) {
  const std::string text = launch_text(kLaunch);
  EXPECT_TRUE(keeper::parse_launch(text + "new_name 3\nabc\n"));
  for (size_t size = 0; size < text.size(); ++size) {
    const auto read = keeper::parse_launch(text.substr(0, size));  // at the end of a value it is a launch without more
    EXPECT_TRUE(!read || text.substr(0, size).ends_with('\n')) << size;
  }
  EXPECT_FALSE(keeper::parse_launch("sonde-launch 2\n" + text.substr(text.find('\n') + 1)));
  EXPECT_FALSE(keeper::parse_launch("sonde-launch 1\nword 9999999999999999999\nx\n"));
  EXPECT_FALSE(keeper::parse_launch("sonde-launch 1\nword -1\nx\n"));
}

TEST(AttemptRecord, TellsAnEnd) {
  const EndRecord end{.cause = "exit", .exit_status = 0, .signal = {}, .message = "two\nlines", .ended_ns = 17};
  const auto read = keeper::parse_end_record(record_text(end));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cause, "exit");
  EXPECT_EQ(read->exit_status, 0);
  EXPECT_EQ(read->signal, std::nullopt);
  EXPECT_EQ(read->message, "two lines");
  EXPECT_EQ(read->ended_ns, 17);
}

TEST(AttemptRecord, CutsALongMessageOff) {
  const EndRecord end{.cause = "not_started", .message = std::string(100'000, 'x'), .ended_ns = 1};
  EXPECT_EQ(record_text(end).size(), keeper::kRecordBytes);
  EXPECT_EQ(keeper::parse_end_record(record_text(end))->message.size(), 1200U);
}

TEST(AttemptRecord, HasNoPartOfAnEnd) {
  const std::string whole =
      record_text(EndRecord{.cause = "signal", .signal = 9, .message = "m", .ended_ns = 123456789});
  const size_t text_size = whole.find('\0');
  for (size_t written = 0; written < text_size; ++written) {
    std::string torn = whole.substr(0, written);
    EXPECT_FALSE(keeper::parse_end_record(torn)) << written;
    torn.resize(keeper::kRecordBytes, '\0');
    EXPECT_FALSE(keeper::parse_end_record(torn)) << written;
  }
  std::string changed = whole;
  changed[20] = static_cast<char>(changed[20] ^ 1);
  EXPECT_FALSE(keeper::parse_end_record(changed));
}

TEST(AttemptRecord, TellsWhoKeepsIt) {
  const KeeperRecord record{.boot = "b", .keeper = 10, .keeper_start = 11, .task = 12, .task_start = 13};
  const auto read = keeper::parse_keeper_record(record_text(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->boot, "b");
  EXPECT_EQ(read->keeper, 10);
  EXPECT_EQ(read->keeper_start, 11);
  EXPECT_EQ(read->task, 12);
  EXPECT_EQ(read->task_start, 13);
  EXPECT_FALSE(read->is_worker_request);
  EXPECT_EQ(keeper::parse_keeper_record(record_text(KeeperRecord{.boot = "b", .keeper = 10}))->task, 0);
}

class OutputFileTest : public ::testing::Test {
 protected:
  OutputFileTest() : folder_(std::filesystem::temp_directory_path() / unused_name("sonde-output")) {
    std::filesystem::create_directories(folder_);
  }
  ~OutputFileTest() override { std::filesystem::remove_all(folder_); }
  OutputFileTest(const OutputFileTest&) = delete;
  OutputFileTest& operator=(const OutputFileTest&) = delete;

  [[nodiscard]] std::string path() const { return folder_ / "out"; }
  /// Numbers with a comma, 10 bytes each.
  static std::string numbers(int64_t from, int64_t count) {
    std::string text;
    for (int64_t i = 0; i < count; ++i) text += fmt::format("{:09},", from + i);
    return text;
  }
  std::filesystem::path folder_;
};

TEST_F(OutputFileTest, MakesNoFileForNothing) {
  const OutputFile file(path(), 100);
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_TRUE(read_log(path(), 0, 100, true)->is_whole);
  EXPECT_FALSE(read_log(path(), 0, 100, false)->is_whole);
}

/// Each limit and size of chunks, against the text itself.
TEST_F(OutputFileTest, HasItsBeginningAndItsEnd) {
  for (const int64_t limit : {0, 1, 100, 1001, 70'000}) {
    for (const int64_t chunk : {1, 100, 6000}) {
      OutputFile file(path(), limit);
      const std::string all = numbers(0, 18'000);
      const int64_t printed = chunk == 1 ? 2000 : 180'000;
      for (int64_t at = 0; at < printed; at += chunk) {
        file.append(std::string_view(all).substr(static_cast<size_t>(at), static_cast<size_t>(chunk)));
      }
      EXPECT_EQ(file.total(), printed);
      EXPECT_EQ(file.lost(), 0);
      const int64_t head = std::min(printed, limit - limit / 2);
      const auto begin = read_log(path(), 0, 1 << 20, true);
      ASSERT_TRUE(begin);
      if (head > 0) {
        EXPECT_EQ(begin->text, all.substr(0, static_cast<size_t>(head)));
      }
      const auto end = read_log(path(), head, 1 << 20, true);
      ASSERT_TRUE(end);
      const int64_t tail = std::min(printed - head, limit / 2);
      EXPECT_EQ(end->next, printed);
      EXPECT_EQ(end->text, all.substr(static_cast<size_t>(printed - tail), static_cast<size_t>(tail)))
          << limit << " " << chunk;
      EXPECT_EQ(end->left_out_bytes, printed - head - tail);
      EXPECT_TRUE(end->is_whole);
      std::filesystem::remove(path());
      std::filesystem::remove(path() + ".tail");
    }
  }
}

/// /dev/full is a disk without room.
TEST_F(OutputFileTest, CountsWhatAFullDiskTakes) {
  std::filesystem::create_symlink("/dev/full", path());
  std::filesystem::create_symlink("/dev/full", path() + ".tail");
  OutputFile file(path(), 1000);
  file.append(numbers(0, 10));
  file.append(numbers(10, 10));
  EXPECT_EQ(file.total(), 200);
  EXPECT_EQ(file.lost(), 200);
}

TEST_F(OutputFileTest, HasTheEndWhereTheBeginningFoundNoRoom) {
  std::filesystem::create_symlink("/dev/full", path());
  OutputFile file(path(), 1000);
  file.append(numbers(0, 10));
  EXPECT_EQ(file.lost(), 0);
  std::filesystem::remove(path());
  const auto end = read_log(path(), 0, 1000, true);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->text, numbers(0, 10));
  EXPECT_EQ(end->next, 100);
}

TEST(OutOfMemory, IsKnownByItsWords) {
  EXPECT_TRUE(reports_gpu_out_of_memory("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"));
  EXPECT_TRUE(reports_gpu_out_of_memory("RuntimeError: CUDA error: out of memory\n"));
  EXPECT_TRUE(
      reports_gpu_out_of_memory("cudaErrorMemoryAllocation: out of memory" + std::string(20, '\n') + "at exit"));
  EXPECT_TRUE(reports_gpu_out_of_memory("CUDA driver error: CUDA_ERROR_OUT_OF_MEMORY"));
  EXPECT_TRUE(reports_gpu_out_of_memory("GPUassert: out of memory main.cu 12\n"));
  EXPECT_TRUE(reports_gpu_out_of_memory("jaxlib: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8 bytes."));
  EXPECT_TRUE(reports_gpu_out_of_memory("one\nOOM when allocating tensor with shape[1]\n"));
}

TEST(OutOfMemory, IsNotEveryTalkOfMemory) {
  EXPECT_FALSE(reports_gpu_out_of_memory(""));
  EXPECT_FALSE(reports_gpu_out_of_memory("MemoryError"));
  EXPECT_FALSE(reports_gpu_out_of_memory("Segmentation fault"));
  EXPECT_FALSE(reports_gpu_out_of_memory("DefaultCPUAllocator: not enough memory: out of memory"));
  std::string long_ago = "we ran out of memory once\n";
  for (int i = 0; i < 20; ++i) long_ago += "and went on\n";
  EXPECT_FALSE(reports_gpu_out_of_memory(long_ago + "ValueError: something else"));
}

}  // namespace keeper_files_test
}  // namespace sonde::dispatch
