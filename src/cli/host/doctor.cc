#include <unistd.h>

#include <array>

#include <nlohmann/json.hpp>

#include "base/text/suggest.h"
#include "base/text/text_width.h"
#include "cli/output.h"
#include "doctor/check.h"
#include "report/text/painted.h"
#include "report/text/sentence.h"

namespace sonde {
namespace doctor_cli {
namespace {

using doctor::Check;
using doctor::Finding;
using doctor::Outcome;

struct Options {
  std::vector<std::string> names;
  bool json = false;
};

struct Checked {
  const Check* check = nullptr;
  std::vector<Finding> findings;
};

Result<std::vector<const Check*>> chosen_checks(const std::vector<std::string>& names) {
  std::vector<const Check*> chosen;
  std::vector<std::string_view> known;
  for (const Check* check : doctor::checks()) {
    known.push_back(check->name);
    if (names.empty() || std::ranges::find(names, check->name) != names.end()) chosen.push_back(check);
  }
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return fail("unknown check '{}'{}; `sonde doctor --help` lists the checks", name, did_you_mean(name, known));
  }
  return chosen;
}

Outcome worst_of(const std::vector<Checked>& all) {
  Outcome worst = Outcome::good;
  for (const Checked& checked : all) {
    for (const Finding& finding : checked.findings) {
      if (finding.outcome == Outcome::wrong) return Outcome::wrong;
      if (finding.outcome != Outcome::good) worst = Outcome::note;
    }
  }
  return worst;
}

/// As they stand before each line.
std::string_view mark_of(Outcome outcome) {
  static constexpr std::array<std::string_view, 4> kMarks = {"ok", "note", "WRONG", "-"};
  return kMarks.at(static_cast<size_t>(outcome));
}

Paint paint_of(Outcome outcome) {
  static constexpr std::array<Paint, 4> kPaints = {Paint::good, Paint::note, Paint::error, Paint::strong};
  return kPaints.at(static_cast<size_t>(outcome));
}

void print_finding(const Finding& finding, size_t subject_width, const RenderOptions& terminal) {
  constexpr size_t kMarkWidth = 9;  // "  WRONG  "
  const size_t indent = kMarkWidth + subject_width;
  const size_t width = terminal.width;  // 0: no terminal
  const std::string mark =
      painted(fmt::format("{:<7}", mark_of(finding.outcome)), paint_of(finding.outcome), terminal.colors);
  const std::string head = fmt::format("  {}{:<{}}", mark, finding.subject, subject_width);
  std::string what = width == 0 ? finding.what : wrapped(finding.what, indent, width);
  what.erase(0, std::min(what.find_first_not_of(' '), what.size()));
  what.erase(what.find_last_not_of(" \n") + 1);
  fmt::print("{}{}\n", head, what);
  if (finding.fix.empty()) return;
  // Commands are not broken into lines: they are there to be copied. A narrow terminal gets them further left.
  const std::string fix = "-> " + finding.fix;
  const bool fits = width == 0 || indent + text_width(fix) <= width;
  fmt::print("{:{}}{}\n", "", fits ? indent : kMarkWidth, fix);
}

void print_text(const std::vector<Checked>& all) {
  const RenderOptions terminal = terminal_options();
  size_t subject_width = 0;
  size_t wrong = 0;
  for (const Checked& checked : all) {
    for (const Finding& finding : checked.findings) {
      subject_width = std::max(subject_width, text_width(finding.subject) + 2);
      wrong += finding.outcome == Outcome::wrong ? 1 : 0;
    }
  }
  for (const Checked& checked : all) {
    fmt::print("{}: {}\n", painted(checked.check->name, Paint::strong, terminal.colors), checked.check->description);
    for (const Finding& finding : checked.findings) print_finding(finding, subject_width, terminal);
  }
  fmt::print("\n{}\n", wrong == 0 ? "Nothing is wrong." : fmt::format("{} wrong.", wrong));
}

void print_json(const std::vector<Checked>& all) {
  using Json = nlohmann::ordered_json;
  Json checks = Json::array();
  for (const Checked& checked : all) {
    Json findings = Json::array();
    for (const Finding& finding : checked.findings) {
      const Json fix = finding.fix.empty() ? Json(nullptr) : Json(finding.fix);
      findings.push_back({{"outcome", outcome_name(finding.outcome)},
                          {"subject", finding.subject},
                          {"what", finding.what},
                          {"fix", fix},
                          {"mend", fix}});
    }
    checks.push_back({{"name", checked.check->name},
                      {"description", checked.check->description},
                      {"findings", std::move(findings)}});
  }
  const Json document = {
      {"schema", "sonde.doctor/1"}, {"outcome", outcome_name(worst_of(all))}, {"checks", std::move(checks)}};
  // Versions and paths come from other programs: they can be any bytes.
  fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

int run(const Options& options) {
  const auto chosen = chosen_checks(options.names);
  if (!chosen) {
    report_error(chosen.error());
    return kUsage;
  }
  const auto host = doctor::this_host();
  std::vector<Checked> all;
  for (const Check* check : *chosen) {
    doctor::Findings found;
    check->look(*host, found);
    all.push_back({check, found.all()});
  }
  options.json ? print_json(all) : print_text(all);
  return worst_of(all) == Outcome::wrong ? kCannot : kDone;
}

std::string names_help() {
  std::string text = "checks to run (default: all):";
  for (const Check* check : doctor::checks()) text += fmt::format("\n{}: {}", check->name, check->description);
  return text;
}

void set_up(CommandLine& command) {
  auto options = std::make_shared<Options>();
  command.positional("CHECK", options->names, names_help());
  command.flag("--json", options->json, "print JSON (docs/schemas/doctor.schema.json)");
  command.runs([options] { return run(*options); });
}

}  // namespace
}  // namespace doctor_cli

extern const Command doctor_command;
const Command doctor_command{"doctor", "Check whether this host is ready for GPU work and for profiling: 0 yes, 1 no",
                             "sonde doctor", doctor_cli::set_up, CommandGroup::operate};

}  // namespace sonde
