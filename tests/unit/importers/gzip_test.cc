#include "importers/files/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace sonde {
namespace gzip_test {

std::string gzipped(std::string_view text) {
  z_stream zlib{};
  EXPECT_EQ(deflateInit2(&zlib, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 1000, '\0');
  std::string in(text);
  zlib.next_in = reinterpret_cast<Bytef*>(in.data());
  zlib.avail_in = static_cast<uInt>(in.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += std::to_string(i * 7919) + ",";
  return text;
}

TEST(Gunzip, InflatesOneMember) {
  const Inflated out = gunzip(gzipped(long_text()));
  EXPECT_EQ(out.text(), long_text());
  EXPECT_TRUE(out.whole);
}

TEST(Gunzip, InflatesSeveralMembersAndPadding) {
  const std::string file = gzipped("one ") + gzipped(long_text()) + gzipped("") + gzipped(" end");
  EXPECT_EQ(gunzip(file).text(), "one " + long_text() + " end");
  EXPECT_TRUE(gunzip(file).whole);
  EXPECT_TRUE(gunzip(file + std::string(512, '\0')).whole);
}

TEST(Gunzip, GivesWhatADamagedFileStillHolds) {
  const std::string file = gzipped(long_text());
  const Inflated cut = gunzip(std::string_view(file).substr(0, file.size() / 2));
  EXPECT_FALSE(cut.whole);
  EXPECT_GT(cut.size, 1000U);
  EXPECT_TRUE(long_text().starts_with(cut.text()));
  EXPECT_FALSE(gunzip(file + "trailing rubbish").whole);
  EXPECT_FALSE(gunzip("\x1f\x8b\x08").whole);
}

TEST(Gunzip, InflatesAHead) {
  const std::string head = gzipped(long_text()).substr(0, 1000);
  EXPECT_EQ(gunzip_head(head, 50), long_text().substr(0, 50));
  EXPECT_EQ(gunzip_head("", 50), "");
}

}  // namespace gzip_test
}  // namespace sonde
