#include "findings/asking.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "shared/trace_builder.h"

/// Rules that say which waits the rules before them claim.
namespace sonde {
namespace asking_test {
namespace {

void add_finding(Diagnosis& diagnosis, std::string id) {
  Finding finding{};
  finding.id = std::move(id);
  diagnosis.findings.push_back(std::move(finding));
}

template <Row kWait>
void claim(const Facts&, Diagnosis& diagnosis) {
  add_finding(diagnosis, "claims " + std::to_string(kWait));
  diagnosis.claims.waits.push_back(kWait);
}

void claim_nothing(const Facts&, Diagnosis& diagnosis) { add_finding(diagnosis, "alone"); }

void read(const Facts&, Diagnosis& diagnosis) {
  std::string id = "after";
  for (const Row row : diagnosis.earlier->waits) id += " " + std::to_string(row);
  add_finding(diagnosis, std::move(id));
}

void read_and_claim(const Facts& facts, Diagnosis& diagnosis) {
  read(facts, diagnosis);
  claim<2>(facts, diagnosis);
}

Rule rule(void (*judge)(const Facts&, Diagnosis&), ClaimUse claims) {
  Rule made{};
  made.judge = judge;
  made.claims = claims;
  return made;
}

TEST(Asking, RulesReadWhatThoseBeforeThemClaimWhicheverEndsFirst) {
  TraceBuilder b;
  b.kernel(b.stream(1), 0, 10, "work", 0);
  const Trace trace = b.build();
  const Facts facts(trace);
  const std::array rules{rule(claim<1>, ClaimUse::adds), rule(claim_nothing, ClaimUse::none),
                         rule(read, ClaimUse::reads),    rule(read_and_claim, ClaimUse::both),
                         rule(claim<3>, ClaimUse::adds), rule(read, ClaimUse::reads)};
  std::vector<const Rule*> asked;
  for (const Rule& one : rules) asked.push_back(&one);
  for (int round = 0; round < 200; ++round) {
    const Diagnosis diagnosis = ask_all(asked, facts, {});
    std::string ids;
    for (const Finding& finding : diagnosis.findings) ids += finding.id + ", ";
    ASSERT_EQ(ids, "claims 1, alone, after 1, after 1, claims 2, claims 3, after 1 2 3, ");
    ASSERT_EQ(diagnosis.looked.size(), rules.size());
    ASSERT_EQ(diagnosis.claims.waits, (std::vector<Row>{1, 2, 3}));
    ASSERT_EQ(diagnosis.earlier, nullptr);
  }
}

}  // namespace
}  // namespace asking_test
}  // namespace sonde
