#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libdeflate.h>
#include <zstd.h>

#include "importers/files/tar.h"
#include "importers/files/zip.h"
#include "importers/importer.h"
#include "memory_file.h"
#include "trace/columns.h"

namespace sonde {
namespace archive_test {

/// A trace with one kernel that runs for `us` microseconds.
std::string trace_text(int us) {
  return fmt::format(
      R"({{"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [
{{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 100, "dur": {}, "args": {{"device": 0, "stream": 7}}}}]}})",
      us);
}

std::string tar_header(std::string_view name, size_t size, char type) {
  std::string header(512, '\0');
  name.copy(header.data(), 100);
  fmt::format("{:011o}", size).copy(header.data() + 124, 11);
  header[156] = type;
  std::memcpy(header.data() + 257, "ustar", 5);
  return header;
}

std::string tar_member(std::string_view name, std::string content, char type = '0') {
  std::string member = tar_header(name, content.size(), type);
  content.resize((content.size() + 511) / 512 * 512, '\0');
  return member + content;
}

std::string tar_end() { return std::string(1024, '\0'); }

std::string little(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text += i < 8 ? static_cast<char>(value >> (8 * i) & 0xFF) : '\0';
  return text;
}

struct ZipFile {
  std::string name;
  std::string bytes;
  uint16_t method = 0;
  size_t plain = 0;
};

std::string zip_of(const std::vector<ZipFile>& files) {
  std::string out, directory;
  for (const ZipFile& f : files) {
    const size_t plain = f.method == 0 ? f.bytes.size() : f.plain;
    const std::string common = little(f.method, 2) + little(0, 8) + little(f.bytes.size(), 4) + little(plain, 4) +
                               little(f.name.size(), 2) + little(0, 2);
    directory += "PK\x01\x02" + little(20, 2) + little(20, 2) + little(0, 2) + common + little(0, 10) +
                 little(out.size(), 4) + f.name;
    out += "PK\x03\x04" + little(20, 2) + little(0, 2) + common + f.name + f.bytes;
  }
  const size_t at = out.size();
  return out + directory + "PK\x05\x06" + little(0, 4) + little(files.size(), 2) + little(files.size(), 2) +
         little(directory.size(), 4) + little(at, 4) + little(0, 2);
}

std::string deflated(std::string_view text) {
  std::string out(text.size() + 100, '\0');
  libdeflate_compressor* compressor = libdeflate_alloc_compressor(6);
  out.resize(libdeflate_deflate_compress(compressor, text.data(), text.size(), out.data(), out.size()));
  libdeflate_free_compressor(compressor);
  return out;
}

std::string zstd_of(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

Result<Trace> import_bytes(const std::string& bytes) {
  const test::MemoryFile file(bytes);
  const std::string path = file.path();
  return import_run(std::span(&path, 1), {.fields = Fields::all()});
}

TEST(Tar, ListsFilesWithTheirNames) {
  const std::string long_name(180, 'n');
  const std::string bytes = tar_member("folder/", "", '5') + tar_member("a.json", "first") +
                            tar_member("././@LongLink", long_name, 'L') + tar_member("nnn", "second") +
                            tar_member("pax", "22 path=other/name.x\n", 'x') + tar_member("short", "third") + tar_end();
  EXPECT_TRUE(is_tar(bytes));
  const TarArchive archive = read_tar(bytes);
  EXPECT_TRUE(archive.whole);
  ASSERT_EQ(archive.members.size(), 3);
  EXPECT_EQ(archive.members[0].name, "a.json");
  EXPECT_EQ(archive.members[0].bytes, "first");
  EXPECT_EQ(archive.members[1].name, long_name);
  EXPECT_EQ(archive.members[2].name, "other/name.x");
  EXPECT_EQ(archive.members[2].bytes, "third");
}

TEST(Tar, ReadsWhatIsThereOfOneThatBreaksOff) {
  const std::string bytes = tar_member("a", "first") + tar_member("b", std::string(2000, 'x'));
  const TarArchive archive = read_tar(std::string_view(bytes).substr(0, bytes.size() - 700));
  EXPECT_FALSE(archive.whole);
  EXPECT_EQ(archive.members.size(), 1);
}

TEST(Zip, UnpacksWhatItsDirectoryLists) {
  const std::string text(3000, 'z');
  const auto members = read_zip(zip_of({{"a/", ""},
                                        {"plain", "as it is"},
                                        {"deflated", deflated(text), 8, text.size()},
                                        {"zstd", zstd_of(text), 93, text.size()},
                                        {"other", "?", 14, 1}}));
  ASSERT_TRUE(members) << members.error().message;
  ASSERT_EQ(members->size(), 4);
  EXPECT_EQ((*members)[0].name, "plain");
}

TEST(Zip, GivesTheBytesOfEachPacking) {
  const std::string text(3000, 'z');
  const std::string bytes = zip_of({{"plain", "as it is"},
                                    {"deflated", deflated(text), 8, text.size()},
                                    {"zstd", zstd_of(text), 93, text.size()},
                                    {"other", "?", 14, 1}});
  const auto members = read_zip(bytes);
  ASSERT_TRUE(members);
  EXPECT_EQ(unpack((*members)[0]).value(), "as it is");
  EXPECT_EQ(unpack((*members)[1]).value(), text);
  EXPECT_EQ(unpack((*members)[2]).value(), text);
  EXPECT_FALSE(unpack((*members)[3]));
}

TEST(Zip, RefusesASizeThatDeflateCannotReach) {
  const std::string bytes = zip_of({{"bomb.json", "x", 8, size_t{1} << 31}});
  const auto members = read_zip(bytes);
  ASSERT_TRUE(members);
  EXPECT_FALSE(unpack(members->front()));
}

TEST(Zip, EveryPrefixIsAnErrorOrAList) {
  const std::string bytes = zip_of({{"a.json", trace_text(5)}, {"b.json", trace_text(6)}});
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(read_zip(std::string_view(bytes).substr(0, size))) << size;
  }
}

TEST(Archive, TracesAreTheRanksOfOneRun) {
  const std::string tar = tar_member("run/rank1.json", trace_text(20)) + tar_member("run/notes.txt", "notes") +
                          tar_member("run/rank0.json.zst", zstd_of(trace_text(10))) +
                          tar_member("run/config.json", R"({"a": 1})") + tar_end();
  for (const std::string& bytes :
       {tar, zstd_of(tar),
        zip_of({{"rank1.json", deflated(trace_text(20)), 8, trace_text(20).size()}, {"rank0.json", trace_text(10)}})}) {
    const auto trace = import_bytes(bytes);
    ASSERT_TRUE(trace) << trace.error().message;
    ASSERT_EQ(trace->ranks.size(), 2);
    EXPECT_TRUE(trace->ranks[0].file.contains("rank0.json"));
    ASSERT_EQ(row_count(trace->kernels), 2);
    EXPECT_EQ(trace->kernels.end[0] - trace->kernels.start[0] + trace->kernels.end[1] - trace->kernels.start[1], 30000);
    EXPECT_EQ(trace->kernels.start[0], trace->kernels.start[1]);
  }
}

TEST(Archive, WithoutATraceIsAnErrorThatSaysSo) {
  const auto trace = import_bytes(tar_member("a.txt", "text") + tar_end());
  ASSERT_FALSE(trace);
  EXPECT_TRUE(trace.error().message.contains("archive without a PyTorch trace")) << trace.error().message;
}

TEST(Archive, AZipArchiveOfOtherFilesIsNamed) {
  const auto trace = import_bytes(zip_of({{"model/data.pkl", "weights"}}));
  ASSERT_FALSE(trace);
  EXPECT_TRUE(trace.error().message.contains("ZIP archive without PyTorch traces")) << trace.error().message;
}

TEST(ZstdTrace, IsReadLikeTheText) {
  // Beyond one block of zstd, and with more than a head in its first one.
  std::string text = trace_text(10);
  text.insert(text.size() - 2, std::string(300000, ' '));
  const auto trace = import_bytes(zstd_of(text));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(row_count(trace->kernels), 1);
  EXPECT_EQ(trace->log.entries().size(), import_bytes(text)->log.entries().size());
}

TEST(ZstdTrace, IsReadAsFarAsItGoes) {
  std::string text = R"({"traceEvents": [)";
  for (int i = 0; i < 20000; ++i) {
    text += fmt::format(R"({{"ph": "X", "cat": "kernel", "name": "k{}", "pid": 0, "tid": 7, "ts": {}, "dur": 1}},)",
                        i * 7919, i * 3);
  }
  const std::string packed = zstd_of(text + R"({"ph": "M"}]})");
  const auto trace = import_bytes(packed.substr(0, packed.size() / 2));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_GT(row_count(trace->kernels), 1000);
  EXPECT_LT(row_count(trace->kernels), 20000);
  EXPECT_FALSE(trace->log.empty());
}

}  // namespace archive_test
}  // namespace sonde
