#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text/text_width.h"
#include "report/decision/decision_format.h"
#include "sample_decision.h"

namespace sonde {
namespace decision_formats_test {

using sample_decisions::many_kernels;
using sample_decisions::passing_decision;
using sample_decisions::sample_decision;

std::string written(std::string_view format, const gate::Decision& decision, const DecisionContext& context) {
  std::string all;
  (*find_decision_format(format))->write(decision, context, [&](std::string_view text) { all += text; });
  return all;
}

const DecisionContext kContext{.budget_file = "budget.yaml", .title = {}};

TEST(DecisionFormats, text_of_one_that_fails) {
  EXPECT_EQ(written("text", many_kernels(1)->decision, kContext), R"--(base: 0 runs
new: 0 runs

fail  kernel_time, at most 3 % worse (kernel_0)  budget.yaml:3
    kernel_time of kernel_0 went from 100 us to 118 us, worse by 18.0 % where 3.0 % is allowed. If
    the runs were interleaved and the change were within the limit, a difference this large would
    occur with probability 0.4 %.

fail: 1 of 1 check failed.
)--");
}

TEST(DecisionFormats, text_says_what_failed_first_and_the_verdict_last) {
  const std::string text = written("text", sample_decision()->decision, kContext);
  size_t last = 0;
  for (const std::string_view part :
       {"\nfail  avg_kernel_time", "\nfail  flash_fwd", "\nnot comparable  peak_memory", "\nwarning  launches_per_step",
        "\ninconclusive  step_time", "\ninconclusive  copy_time", "\npass  theoretical_occupancy", "\nWhat changed\n",
        "\n    +6.10 ms  ", "\nKernels\n", "\nConditions that differ\n", "\nNotes\n", "\nfail: "}) {
    const size_t at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    EXPECT_GT(at, last) << part;
    last = at;
  }
}

TEST(DecisionFormats, text_keeps_to_the_terminals_width) {
  for (const size_t width : {80U, 160U}) {
    DecisionContext context = kContext;
    context.render.width = width;
    const std::string text = written("text", sample_decision()->decision, context);
    size_t widest = 0;
    for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      widest = std::max(widest, text_width(std::string_view(text).substr(at, text.find('\n', at) - at)));
    }
    EXPECT_LE(widest, width);
    EXPECT_GT(widest, width - 20);
  }
}

TEST(DecisionFormats, text_has_colours_where_they_are_asked_for) {
  DecisionContext context = kContext;
  EXPECT_FALSE(written("text", sample_decision()->decision, context).contains('\033'));
  context.render.colors = true;
  const std::string text = written("text", passing_decision()->decision, context);
  EXPECT_TRUE(text.contains("\033[1;32mpass\033[0m  avg_kernel_time of the run"));
  EXPECT_TRUE(text.ends_with("\033[1;32mpass\033[0m: 1 of 1 check passed.\n"));
}

TEST(DecisionFormats, many_kernels_that_pass_are_one_line) {
  const std::string text = written("text", many_kernels(200)->decision, kContext);
  EXPECT_TRUE(text.contains("\npass  kernel_time, at most 3 % worse: 199 checks\n"));
  EXPECT_FALSE(text.contains("kernel_7 "));
}

TEST(DecisionFormats, many_checks_of_a_rule_with_the_same_reason_are_one) {
  const auto sample = many_kernels(13);
  for (size_t i = 0; i < 13; ++i) {
    gate::Verdict& verdict = sample->decision.verdicts.at(i);
    verdict = sample->decision.verdicts.at(0);
    verdict.subject = fmt::format("kernel_{}", i);
    verdict.outcome = gate::Outcome::inconclusive;
    verdict.reason = "timed_too_few";
    verdict.changed = 100e3 + 1000.0 * static_cast<double>(i);
    for (const auto& [name, count] : {std::pair("runs", 1), std::pair("tests", 13), std::pair("needed", 5)}) {
      std::erase_if(verdict.arguments, [&](const Argument& a) { return a.name == name; });
      verdict.arguments.push_back({.name = name, .unit = Unit::none, .number = static_cast<double>(count), .text = {}});
    }
  }
  const std::string says =
      "With 1 run per side, a change cannot be distinguished from noise across 13 timed metrics; make at least 5 runs "
      "per side.";
  const std::string text = written("text", sample->decision, kContext);
  EXPECT_TRUE(text.contains("\ninconclusive  kernel_time, at most 3 % worse: 13 checks  budget.yaml:3\n    With 1 run"))
      << text;
  EXPECT_EQ(text.find("With 1 run"), text.rfind("With 1 run"));
  const size_t worst = text.find("   100 us ->    112 us   +12.0 %  kernel_12\n");
  ASSERT_NE(worst, std::string::npos) << text;
  EXPECT_GT(text.find("  kernel_3\n"), worst);
  EXPECT_FALSE(text.contains("  kernel_2\n"));
  EXPECT_TRUE(text.contains("\n    and 3 more: -f json\n"));
  const std::string markdown = written("markdown", sample->decision, kContext);
  EXPECT_TRUE(markdown.contains(says));
  EXPECT_EQ(markdown.find(says), markdown.rfind(says));
  EXPECT_TRUE(markdown.contains("| and 3 more |")) << markdown;
}

TEST(DecisionFormats, few_checks_of_a_rule_are_told_one_by_one) {
  const auto sample = many_kernels(3);
  for (gate::Verdict& verdict : sample->decision.verdicts) verdict.outcome = gate::Outcome::not_comparable;
  for (gate::Verdict& verdict : sample->decision.verdicts) verdict.reason = "absent";
  const std::string text = written("text", sample->decision, kContext);
  EXPECT_TRUE(text.contains("of kernel_1 was not measured")) << text;
  EXPECT_TRUE(text.contains("of kernel_2 was not measured"));
}

TEST(DecisionFormats, equal_sources_are_named_once) {
  const auto sample = many_kernels(1);
  sample->decision.changed.sources = {"sleep 0.05", "sleep 0.05", "sleep 0.05"};
  EXPECT_TRUE(written("text", sample->decision, kContext).contains("\nnew: sleep 0.05 (3 runs)\n"));
  sample->decision.changed.sources = {"a", "b", "a"};
  EXPECT_TRUE(written("text", sample->decision, kContext).contains("\nnew: 3 runs: a (2 runs), b\n"));
}

TEST(DecisionFormats, numbers_that_differ_read_differently) {
  const std::string text = written("text", sample_decision()->decision, kContext);
  EXPECT_TRUE(text.contains("is 200.4 ms; the budget demands at most 200.0 ms.")) << text;
}

TEST(DecisionFormats, github) {
  EXPECT_EQ(
      written("github", many_kernels(1)->decision, kContext),
      "::error file=budget.yaml,line=3,title=fail%3A kernel_time%2C at most 3 %25 worse (kernel_0)::kernel_time "
      "of kernel_0 went from 100 us to 118 us, worse by 18.0 %25 where 3.0 %25 is allowed. If the runs "
      "were interleaved and the change were within the limit, a difference this large would occur with probability "
      "0.4 %25.\n"
      "::error title=sonde gate%3A fail::1 of 1 check failed.\n");
  EXPECT_EQ(written("github", passing_decision()->decision, kContext),
            "::notice title=sonde gate%3A pass::1 of 1 check passed.\n");
}

TEST(DecisionFormats, junit) {
  EXPECT_EQ(written("junit", passing_decision()->decision, kContext), R"--(<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="sonde gate" tests="1" failures="0" errors="0" skipped="0">
    <properties>
      <property name="verdict" value="pass"/>
      <property name="budget" value="budget.yaml"/>
      <property name="new.runs" value="1"/>
    </properties>
    <testcase classname="sonde.gate.avg_kernel_time" name="avg_kernel_time &lt;= 200 ms (the run)" time="0.001500000">
      <system-out>pass: avg_kernel_time of the run is 1.50 ms, within the limit (at most 200 ms).</system-out>
    </testcase>
    <system-out>pass: 1 of 1 check passed.
</system-out>
  </testsuite>
</testsuites>
)--");
}

TEST(DecisionFormats, junit_tells_outcomes_apart) {
  const std::string xml = written("junit", sample_decision()->decision, kContext);
  EXPECT_TRUE(xml.contains(R"--(tests="7" failures="2" errors="1" skipped="2")--")) << xml;
  EXPECT_TRUE(xml.contains("<system-out>warning: launches_per_step"));
  EXPECT_TRUE(xml.contains("<skipped>inconclusive: step_time"));
  EXPECT_TRUE(xml.contains("<error message=\"peak_memory of GPU 0"));
}

TEST(DecisionFormats, codequality) {
  EXPECT_EQ(written("codequality", passing_decision()->decision, kContext), "[]\n");
  EXPECT_EQ(written("codequality", many_kernels(1)->decision, {.budget_file = "./ci/budget.yaml", .title = {}}), R"--([
  {
    "description": "fail: kernel_time of kernel_0 went from 100 us to 118 us, worse by 18.0 % where 3.0 % is allowed. If the runs were interleaved and the change were within the limit, a difference this large would occur with probability 0.4 %.",
    "check_name": "sonde.gate.kernel_time",
    "fingerprint": "a3fe1e27dfd421c7",
    "severity": "critical",
    "location": {
      "path": "ci/budget.yaml",
      "lines": {
        "begin": 3
      }
    }
  }
]
)--");
}

TEST(DecisionFormats, bencher) {
  EXPECT_EQ(written("bencher", passing_decision()->decision, kContext), R"--({
  "the run": {
    "avg_kernel_time": {
      "value": 1500000.0
    }
  }
}
)--");
}

TEST(DecisionFormats, benchmark_of_both_directions) {
  EXPECT_EQ(written("benchmark", passing_decision()->decision, kContext), R"--([
  {
    "name": "avg_kernel_time (the run)",
    "unit": "ns",
    "value": 1500000.0,
    "extra": "avg_kernel_time of the run is 1.50 ms, within the limit (at most 200 ms)."
  }
]
)--");
  EXPECT_EQ(written("benchmark_bigger", passing_decision()->decision, kContext), "[]\n");
  const auto sample = sample_decision();
  EXPECT_FALSE(written("benchmark", sample->decision, kContext).contains("theoretical_occupancy"));
  EXPECT_TRUE(written("benchmark_bigger", sample->decision, kContext).contains("theoretical_occupancy (the run)"));
  EXPECT_TRUE(written("benchmark", sample->decision, kContext).contains("\"range\": \"±2.5%\""));
}

TEST(DecisionFormats, figures_of_one_name_are_told_apart_by_their_rules) {
  auto sample = passing_decision();
  sample->decision.verdicts.push_back(sample->decision.verdicts[0]);  // the same figure again
  sample->decision.verdicts.push_back(sample->decision.verdicts[0]);
  sample->decision.verdicts[2].changed = 2e6;
  const std::string json = written("bencher", sample->decision, kContext);
  EXPECT_EQ(json, R"--({
  "the run": {
    "avg_kernel_time": {
      "value": 1500000.0
    }
  },
  "the run (avg_kernel_time <= 200 ms)": {
    "avg_kernel_time": {
      "value": 2000000.0
    }
  }
}
)--");
}

TEST(DecisionFormats, markdown) {
  const std::string text = written("markdown", many_kernels(1)->decision, kContext);
  EXPECT_TRUE(text.starts_with(R"--(<!-- sonde-gate -->
## ❌ Performance gate: fail

1 of 1 check failed.

| | Check | Base | New | Change | Why |
| :--- | :--- | ---: | ---: | ---: | :--- |
| ❌ fail | `kernel_time, at most 3 % worse (kernel_0)` | 100 us | 118 us | +18.0 % | kernel\_time of kernel\_0 went )--"))
      << text;
  EXPECT_FALSE(text.contains("1 check pass"));
  const std::string passing = written("markdown", passing_decision()->decision, kContext);
  EXPECT_TRUE(passing.contains("<details><summary>1 check passes</summary>")) << passing;
  EXPECT_LT(written("markdown", many_kernels(5000)->decision, kContext).size(), 65'000);
}

TEST(DecisionFormats, sarif_has_no_results_where_all_pass) {
  const std::string passing = written("sarif", passing_decision()->decision, kContext);
  EXPECT_TRUE(passing.contains("\"results\": []"));
  EXPECT_TRUE(passing.contains("\"id\": \"avg_kernel_time <= 200 ms\""));
  const std::string failing =
      written("sarif", many_kernels(1)->decision, {.budget_file = "my budget.yaml", .title = {}});
  EXPECT_TRUE(failing.contains("\"uri\": \"my%20budget.yaml\""));
  EXPECT_TRUE(failing.contains("\"startLine\": 3"));
  EXPECT_TRUE(failing.contains("\"level\": \"error\""));
}

TEST(DecisionFormats, fingerprints_do_not_depend_on_lines_or_outcomes) {
  auto before = many_kernels(2);
  auto after = many_kernels(2);
  after->budget.rules[0].line = 30;
  for (gate::Verdict& v : after->decision.verdicts) v.outcome = gate::Outcome::fail;
  const auto print_of = [](const std::string& json, size_t from) {
    return json.substr(json.find("GateCheck/v1", from), 40);
  };
  const std::string first = written("sarif", before->decision, kContext);
  const std::string second = written("sarif", after->decision, kContext);
  const size_t last = second.rfind("partialFingerprints");
  EXPECT_EQ(first.substr(first.rfind("sondeGateCheck"), 40), second.substr(second.rfind("sondeGateCheck"), 40));
  EXPECT_NE(print_of(second, 0), print_of(second, last));
}

}  // namespace decision_formats_test
}  // namespace sonde
