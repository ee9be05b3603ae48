#include "inject/metrics/range_pattern.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/record/nvtx_filter.h"
// A part of the injected library, which is a shared one with nothing of this to link.
#include "inject/metrics/range_pattern.cc"  // NOLINT(bugprone-suspicious-include)

namespace sonde {
namespace range_pattern_test {

using inject::metrics::Patterns;
using inject::metrics::RangeBits;

/// "DOMAIN@NAME" or a name in the default domain.
struct OpenRange {
  explicit OpenRange(std::string_view text) : name(text.substr(text.find('@') + 1)) {
    if (text.contains('@')) domain = text.substr(0, text.find('@'));
  }
  std::string domain;
  std::string name;
};

/// What --nvtx-include and --nvtx-exclude make of ranges around a launch, by way of the request's text.
class Filter {
 public:
  Filter(const std::vector<std::string>& include, const std::vector<std::string>& exclude) {
    record::MeasureRequest request;
    add(request, false, include);
    add(request, true, exclude);
    text_ = record::text_of(request);
    read();
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  /// In a program they live as long as it.
  ~Filter() {
    const auto release = [](inject::metrics::Element& element) {
      if (element.kind == inject::metrics::Element::Kind::regex) regfree(&element.regex);
    };
    for (inject::metrics::Pattern& pattern : patterns_->all) release(pattern.domain);
    for (inject::metrics::Element& element : patterns_->elements) release(element);
  }

  /// `pushed` outermost first; `started` anywhere in the process.
  [[nodiscard]] bool measures(const std::vector<std::string>& pushed,
                              const std::vector<std::string>& started = {}) const {
    std::vector<RangeBits> stack;
    for (const std::string& text : pushed) stack.push_back(bits(true, OpenRange(text)));
    uint32_t elements = 0;
    for (const std::string& text : started) elements |= bits(false, OpenRange(text)).elements;
    return lets_pass(*patterns_, {stack.data(), static_cast<uint32_t>(stack.size()), false, elements});
  }
  [[nodiscard]] const Patterns& patterns() const { return *patterns_; }

 private:
  static void add(record::MeasureRequest& request, bool exclude, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      auto filter = record_cli::parse_range_filter("--nvtx", text);
      ASSERT_TRUE(filter) << filter.error().message;
      filter->exclude = exclude;
      request.filters.push_back(*std::move(filter));
    }
  }

  void read() {
    for (size_t at = 0; at < text_.size();) {
      const size_t end = text_.find('\n', at);
      const size_t blank = text_.find(' ', at);
      text_[end] = text_[blank] = '\0';
      const std::string key = text_.data() + at;
      if (key != "skip") {
        ASSERT_TRUE(patterns_->take(key.c_str(), text_.data() + blank + 1)) << key;
      }
      at = end + 1;
    }
  }

  [[nodiscard]] RangeBits bits(bool push_pop, const OpenRange& range) const {
    return bits_of(*patterns_, push_pop, range.domain.data(), range.domain.size(), range.name.data(),
                   range.name.size());
  }

  std::string text_;
  std::unique_ptr<Patterns> patterns_ = std::make_unique<Patterns>();
};

using Names = std::vector<std::string>;

bool includes(const std::string& filter, const Names& pushed, const Names& started = {}) {
  return Filter({filter}, {}).measures(pushed, started);
}

// Examples of the chapter on NVTX filtering in Nsight Compute's manual.
TEST(RangePattern, StartEndRangesAreThoseWithoutASlash) {
  EXPECT_TRUE(includes("Domain A@Range A", {}, {"Domain A@Range A"}));
  EXPECT_FALSE(includes("Domain A@Range A", {}, {"Range A"}));
  EXPECT_FALSE(includes("Domain A@Range A", {"Domain A@Range A"}));
  EXPECT_TRUE(includes("Range A,Range B", {}, {"Range B", "x", "Range A"}));
  EXPECT_FALSE(includes("Range A,Range B", {}, {"Range A"}));
  EXPECT_TRUE(includes("Domain B@Range B,Range Z", {}, {"Domain B@Range B", "Domain B@Range Z"}));
  EXPECT_FALSE(includes("Domain B@Range B,Range Z", {}, {"Domain B@Range B", "Range Z"}));
}

TEST(RangePattern, OneOfSeveralIncludesAndNoneOfTheExcludes) {
  const Filter either({"Range A", "Range B"}, {});
  EXPECT_TRUE(either.measures({}, {"Range A"}));
  EXPECT_TRUE(either.measures({}, {"Range B"}));
  EXPECT_FALSE(either.measures({}, {"Range C"}));
  const Filter without({}, {"Range A"});
  EXPECT_TRUE(without.measures({}, {"Range B"}));
  EXPECT_TRUE(without.measures({}));
  EXPECT_FALSE(without.measures({}, {"Range A", "Range B"}));
  const Filter both({"Range B"}, {"Range A"});
  EXPECT_TRUE(both.measures({}, {"Range B"}));
  EXPECT_FALSE(both.measures({}, {"Range B", "Range A"}));
  const Filter top({}, {"Range A]"});
  EXPECT_TRUE(top.measures({"Range A", "Range B"}));
  EXPECT_FALSE(top.measures({"Range B", "Range A"}));
  const Filter below({"Range A/"}, {"Range B]"});
  EXPECT_TRUE(below.measures({"Range A", "x"}));
  EXPECT_FALSE(below.measures({"Range A", "Range B"}));
}

TEST(RangePattern, PushPopRanges) {
  EXPECT_TRUE(includes("Domain A@Range A/", {"x", "Domain A@Range A", "Domain A@y"}));
  EXPECT_FALSE(includes("Domain A@Range A/", {"Range A"}));
  EXPECT_TRUE(includes("Range A/Range B", {"x", "Range A", "Range B", "y"}));
  EXPECT_FALSE(includes("Range A/Range B", {"Range A", "x", "Range B"}));
  EXPECT_FALSE(includes("Range A/Range B", {"Range B", "Range A"}));
  EXPECT_TRUE(includes("Range A/Range B/", {"Range A", "Range B"}));
  EXPECT_TRUE(includes("[Range A", {"Range A", "x"}));
  EXPECT_TRUE(includes("[Range A/", {"Other@x", "Range A"}));
  EXPECT_FALSE(includes("[Range A", {"x", "Range A"}));
  EXPECT_TRUE(includes("Range Z]", {"x", "Range Z"}));
  EXPECT_FALSE(includes("Range Z]", {"Range Z", "x"}));
}

TEST(RangePattern, RangesBetweenOthers) {
  EXPECT_TRUE(includes("Range A/*/Range B", {"Range A", "Range B"}));
  EXPECT_TRUE(includes("Range A/*/Range B", {"Range A", "x", "y", "Range B", "z"}));
  EXPECT_FALSE(includes("Range A/*/Range B", {"Range B", "Range A"}));
  EXPECT_TRUE(includes("Range B/+/Range D", {"Range B", "x", "Range D"}));
  EXPECT_FALSE(includes("Range B/+/Range D", {"Range B", "Range D"}));
  EXPECT_FALSE(includes("Range B/+/Range D", {"Range B", "x", "y", "Range D"}));
  EXPECT_TRUE(includes("[Range A/+/Range Z", {"Range A", "x", "Range Z", "y"}));
  EXPECT_FALSE(includes("[Range A/+/Range Z", {"w", "Range A", "x", "Range Z"}));
  EXPECT_TRUE(includes("Range C/*/Range Z]", {"Range C", "x", "Range Z"}));
  EXPECT_FALSE(includes("Range C/*/Range Z]", {"Range C", "Range Z", "x"}));
  EXPECT_TRUE(includes("Domain B@Range A/*/Range Z]", {"Domain B@Range A", "x", "Domain B@Range Z", "y"}));
}

TEST(RangePattern, QuantifiersInNames) {
  EXPECT_TRUE(includes("Range A\\[i\\]", {}, {"Range A[i]"}));
  EXPECT_TRUE(includes("Range A\\[i\\]/", {"Range A[i]"}));
  EXPECT_TRUE(includes("a\\/b/", {"a/b"}));
  EXPECT_TRUE(includes("a\\,b", {}, {"a,b"}));
  EXPECT_TRUE(includes("2*3+4/", {"2*3+4"}));
  EXPECT_TRUE(includes("a\\*/", {"a*"}));
  EXPECT_TRUE(includes("\\*/", {"*"}));
  EXPECT_FALSE(includes("\\*/", {"x"}));
  EXPECT_TRUE(includes("C:\\x/", {"C:\\x"}));
}

TEST(RangePattern, Expressions) {
  EXPECT_TRUE(includes("regex:^Range [A-C]$/", {"Range B"}));
  EXPECT_FALSE(includes("regex:^Range [A-C]$/", {"Range D"}));
  EXPECT_TRUE(includes("regex:Domain@regex:layer[0-9]+/*/conv]", {"My Domain@layer12", "My Domain@conv"}));
  EXPECT_FALSE(includes("regex:Domain@regex:layer[0-9]+/", {"layer12"}));
  EXPECT_TRUE(includes("regex:a\\[0\\]/", {"a[0]"}));
  EXPECT_FALSE(includes("regex:a\\[0\\]/", {"a0"}));
}

TEST(RangePattern, DeeperRangesThanAreKnownAreNoTop) {
  const Filter top({"x]"}, {});
  RangeBits bits = bits_of(top.patterns(), true, "", 0, "x", 1);
  EXPECT_TRUE(lets_pass(top.patterns(), {&bits, 1, false, 0}));
  EXPECT_FALSE(lets_pass(top.patterns(), {&bits, 1, true, 0}));
}

TEST(RangePattern, AllThirtyTwoRangesOfAStack) {
  const Names deep(32, "x");
  EXPECT_TRUE(includes("[x/*/x]", deep));
  EXPECT_TRUE(includes("*/x/*", deep));
  EXPECT_FALSE(includes("[x/+/x]", deep));
  EXPECT_FALSE(includes("y/", deep));
}

TEST(RangePattern, WhatCannotBeAskedForSaysWhy) {
  const auto error = [](std::string_view text) {
    const auto filter = record_cli::parse_range_filter("--nvtx-include", text);
    return filter ? std::string("taken") : filter.error().message;
  };
  EXPECT_NE(error("DomainA@RangeA,DomainB@RangeB").find("one domain"), std::string::npos);
  EXPECT_NE(error("").find("without a name"), std::string::npos);
  EXPECT_NE(error("D@").find("without a name"), std::string::npos);
  EXPECT_NE(error("a//b").find("without a name"), std::string::npos);
  EXPECT_NE(error("a,b/").find("a comma"), std::string::npos);
  EXPECT_NE(error("a[i]b/").find("\\["), std::string::npos);
  EXPECT_NE(error("regex:(/").find("regular expression"), std::string::npos);
}

}  // namespace range_pattern_test
}  // namespace sonde
