#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "findings/rule.h"
#include "findings/texts.h"

/// Every finding, abstention and check has its texts, and every text has its user.
namespace sonde {
namespace finding_texts_test {

std::set<std::string> documented_findings(const Rule& rule) {
  std::set<std::string> ids;
  for (const FindingDoc& doc : rule.docs()) ids.insert(doc.ids.begin(), doc.ids.end());
  return ids;
}

TEST(FindingTexts, EachFindingSaysWhatAndWhatToDo) {
  for (const Rule* rule : rules()) {
    const auto ids = documented_findings(*rule);
    EXPECT_FALSE(ids.empty()) << rule->name;
    for (const std::string& id : ids) {
      EXPECT_FALSE(text_in(rule->texts, id + ".says").empty()) << id;
      EXPECT_FALSE(text_in(rule->texts, id + ".do").empty()) << id;
    }
  }
}

TEST(FindingTexts, EachTextIsOfADocumentedFindingOrAReason) {
  for (const Rule* rule : rules()) {
    const auto ids = documented_findings(*rule);
    for (const CatalogueText& text : rule->texts) {
      const std::string id(text.id.substr(0, text.id.rfind('.')));
      const bool reason = id.contains('.') && text.id.ends_with(".says");
      EXPECT_TRUE(reason || ids.contains(id)) << text.id;
    }
  }
}

TEST(FindingTexts, AnIdHasOneText) {
  std::map<std::string_view, std::string_view> texts;
  for (const Rule* rule : rules()) {
    for (const CatalogueText& text : rule->texts)
      EXPECT_EQ(texts.try_emplace(text.id, text.text).first->second, text.text);
  }
}

TEST(FindingTexts, EachCheckHasAText) {
  for (const CheckDoc& check : check_docs()) {
    EXPECT_FALSE(catalogue_text("check." + std::string(check.name) + ".says").empty()) << check.name;
  }
}

TEST(FindingTexts, DocsNameTheLimits) {
  for (const Rule* rule : rules()) {
    for (const FindingDoc& doc : rule->docs()) {
      EXPECT_FALSE(doc.reports.empty() || doc.when.empty() || doc.ceiling.empty()) << rule->name;
    }
  }
}

TEST(FindingTexts, AnUnknownIdHasNone) { EXPECT_EQ(catalogue_text("no_such_finding.says"), ""); }

}  // namespace finding_texts_test
}  // namespace sonde
