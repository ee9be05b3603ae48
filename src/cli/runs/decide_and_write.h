#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>
#include "cli/options.h"

#include "gate/decide/decision.h"
#include "report/decision/decision_format.h"

namespace sonde {

/// One side of a decision.
struct DecideSide {
  std::vector<gate::RunRecord> records;
  /// Of each record the profile it was made of, for formats that show more than figures; empty where none is at hand.
  std::vector<std::string> files = {};
  std::string label = {};                             ///< a baseline's name, a commit; may be empty
  std::vector<std::string> notes = {};                ///< for people: how it was chosen
  std::optional<gate::EarlierSessions> earlier = {};  ///< of a stored baseline, for DecideOptions::earlier
};

/// How a command takes where the decision goes, and what may differ: -f, -o, --force-overwrite, --title, --allow.
struct DecideOutput {
  std::string budget_file;
  std::string format = "text";            ///< of standard output
  std::vector<std::string> targets = {};  ///< "[FORMAT:]FILE"
  std::string title = {};
  bool force_overwrite = false;
  std::vector<std::string> allowed_conditions = {};
};
void add_decide_options(CommandLine& command, DecideOutput& output);

/// What is wrong with the names in it (formats, conditions, files that exist already): a wrong command line.
[[nodiscard]] Status check_names(const DecideOutput& output);

/// A budget without a mistake. The error has a line for each: "b.yaml:4:7: unknown key 'severty', ...".
[[nodiscard]] Result<gate::Budget> load_budget(const std::string& file);
/// Prints the error of load_budget() and gives what the program ends with: 2 for a budget with mistakes, 5 for one that
/// cannot be read.
[[nodiscard]] int budget_error(const std::string& file, const Error& error);

/// Which baseline is asked for.
struct BaselineChoice {
  std::string name;   ///< "NAME" or "NAME@ENTRY"
  std::string store;  ///< empty: the usual one
};

/// The base side from a store. A side without records, and a note that says why, where the baseline has no entry yet or
/// none that may be compared with these runs. Rules against it are then learning where the store has no entry with a
/// name like it, else not comparable. An error where the store cannot
/// be read, or NAME@ENTRY does not exist.
[[nodiscard]] Result<DecideSide> baseline_side(const BaselineChoice& choice, std::span<const gate::RunRecord> changed,
                                               std::span<const std::string> allowed);

/// Writes the decision to standard output and all targets; reads the profiles again that a format wants. Gives what the
/// program ends with: gate::exit_code(), or gate::kErrorExit with what could not be written on standard error.
[[nodiscard]] int write_decision(const gate::Decision& decision, const DecideSide& base, const DecideSide& changed,
                                 const DecideOutput& output);

/// decide() and write_decision(). `budget` outlives both.
[[nodiscard]] int decide_and_write(const gate::Budget& budget, const DecideSide& base, const DecideSide& changed,
                                   const gate::DecideOptions& options, const DecideOutput& output);

/// Prints "sonde: <message>" and gives gate::kErrorExit: 1 is a failed gate's.
int gate_error(const Error& error);

/// Runs the work of a command of the gate: what it throws is an error too, not a failed gate.
[[nodiscard]] int run_gate_command(const std::function<int()>& work);

}  // namespace sonde
