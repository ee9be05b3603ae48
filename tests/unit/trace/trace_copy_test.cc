#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "shared/trace_builder.h"

namespace sonde {
namespace trace_copy_test {

TEST(TraceCopy, OutlivesWhatItWasMadeOf) {
  std::optional<Trace> copy;
  NameId name = kNone;
  std::string text;
  {
    TraceBuilder b;
    const ThreadId thread = b.thread(1, 1);
    const StreamId stream = b.stream(1);
    b.kernel(stream, 2'000, 3'000, "gemm", b.call(thread, 0, 1'000));
    const Trace original = b.build();
    name = original.kernels.name[0];
    text = original.name(name);
    copy.emplace(original.copy());
    copy->kernels.start[0] = 2'500;
    EXPECT_EQ(original.kernels.start[0], 2'000);
  }
  EXPECT_EQ(copy->name(name), text);
  EXPECT_EQ(copy->names.find(text), name);
  const size_t texts = copy->names.size();
  EXPECT_EQ(copy->names.intern("new"), texts);
  EXPECT_EQ(copy->name(name), text);
}

}  // namespace trace_copy_test
}  // namespace sonde
