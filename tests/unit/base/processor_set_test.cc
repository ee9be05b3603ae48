#include "base/system/processor_set.h"

#include <gtest/gtest.h>

namespace sonde {
namespace processor_set_test {

TEST(ProcessorSet, is_read_as_taskset_reads_it) {
  EXPECT_EQ(parse_processors("3"), (ProcessorSet{3}));
  EXPECT_EQ(parse_processors("8,0-2,1"), (ProcessorSet{0, 1, 2, 8}));
  for (const char* wrong : {"", "a", "3-", "-3", "3-1", "1,,2", "99999", "0-99999", " 1"}) {
    EXPECT_FALSE(parse_processors(wrong)) << wrong;
  }
}

TEST(ProcessorSet, is_printed_in_ranges) {
  EXPECT_EQ(processors_text({0, 1, 2, 8, 10, 11}), "0-2,8,10-11");
  EXPECT_EQ(processors_text({}), "");
}

TEST(OnProcessors, lasts_as_long_as_the_object) {
  const ProcessorSet all = allowed_processors();
  ASSERT_FALSE(all.empty());
  {
    const OnProcessors one({all.back()});
    EXPECT_TRUE(one.status());
    EXPECT_EQ(allowed_processors(), ProcessorSet{all.back()});
  }
  EXPECT_EQ(allowed_processors(), all);
  const OnProcessors none({CPU_SETSIZE - 1});
  EXPECT_FALSE(none.status());
  EXPECT_EQ(allowed_processors(), all);
}

}  // namespace processor_set_test
}  // namespace sonde
