#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class Option;
}  // namespace CLI

/// Command lines as commands declare them. The parser behind this header is CLI11, which options.cc alone includes: its
/// inline code is compiled again in each file that includes it.
namespace sonde {

/// What is wrong with a value; empty where nothing is.
using ValueCheck = std::function<std::string(const std::string& value)>;
using TakeValue = std::function<void(const std::string& value)>;

/// An option, a flag or a positional while it is declared.
class CommandOption {
 public:
  struct Facts;
  explicit CommandOption(Facts& facts) : facts_(&facts) {}

  CommandOption& required();
  /// Each use of the name gives one value; without this, a list takes all words up to the next option.
  CommandOption& repeatable();
  /// As repeatable(), and a value holds several with commas between.
  CommandOption& list();
  /// The number of values of a list; -1 for `most`: any.
  CommandOption& values(int least, int most);
  /// The last of several uses counts.
  CommandOption& last_counts();

  CommandOption& above_zero();
  CommandOption& not_negative();
  /// Bounds of a number; `unit` as in "nanoseconds", for the error.
  CommandOption& within(int64_t least, int64_t most, std::string_view unit = {});
  CommandOption& between(double least, double most, std::string_view unit = {});
  CommandOption& one_of(std::vector<std::string> choices);
  CommandOption& check(ValueCheck check);
  /// Changes each value before it is checked.
  CommandOption& converted(std::function<std::string(std::string)> convert);
  CommandOption& excludes(const CommandOption& other);

  /// Shows the current value as the default in the help.
  CommandOption& shows_default();
  CommandOption& shows_default(std::string_view text);
  /// Heading in the help.
  CommandOption& group(std::string_view heading);
  CommandOption& hidden();

  /// Whether the command line has it; once that is parsed.
  [[nodiscard]] bool is_given() const;

 private:
  Facts* facts_;
};

/// An option as it was declared.
struct OptionInfo {
  std::vector<std::string> names;  ///< "-o", "--output"; of a positional its one name
  std::string value;               ///< "FILE"; empty for a flag
  std::string description;
  std::vector<std::string> choices;
  bool is_flag = false;
  bool is_positional = false;
  bool is_hidden = false;
};

/// Why a command line cannot be parsed.
struct Misuse {
  enum class Kind : uint8_t { unknown_words, missing_command, other };
  Kind kind = Kind::other;
  std::string message;             ///< for `other`: a sentence for the user
  std::vector<std::string> words;  ///< for `unknown_words`
};

/// The command line of a program or of one of its commands. Copies are the same one; those of commands must not outlive
/// the program's.
class CommandLine {
 public:
  /// A program's.
  CommandLine(std::string_view name, std::string_view description);

  // Declares what it takes. `names` are separated by commas, "-o,--output". `value` names the value in the help:
  // "FILE", "SECONDS". `into` must outlive parse().
  CommandOption flag(const std::string& names, bool& into, const std::string& description);
  /// With `names` as in "--help-reports{all}": the flag's value is "all", or what follows "=".
  CommandOption flag(const std::string& names, std::string& into, const std::string& description);
  /// `take` gets each value as it is given: "true" for the flag alone.
  CommandOption flag_taking(const std::string& names, TakeValue take, const std::string& description);
  template <typename T>
  CommandOption option(const std::string& names, T& into, std::string_view value, const std::string& description);
  CommandOption option_taking(const std::string& names, TakeValue take, std::string_view value,
                              const std::string& description);
  CommandOption positional(const std::string& name, std::string& into, const std::string& description);
  CommandOption positional(const std::string& name, std::vector<std::string>& into, const std::string& description);
  /// A command of this one.
  CommandLine command(std::string_view name, std::string_view description);
  /// One of its commands must be given; else it may be.
  void needs_command();
  /// Options that it does not know are those of the command around it.
  void passes_options_up();
  /// Work of the command, unless one of its own commands is given. Returns the exit code.
  void runs(std::function<int()> work);
  /// Text below the help.
  void footer(std::string_view text);

  /// Parses the words after the program's name, and runs the work of the command that they give. True: help is wanted
  /// instead.
  [[nodiscard]] std::expected<bool, Misuse> parse(const std::vector<std::string>& words);
  [[nodiscard]] int exit_code() const;
  /// Of the innermost command that was parsed.
  [[nodiscard]] std::string help() const;
  /// Whether "--" is among its words.
  [[nodiscard]] bool has_separator() const;

  [[nodiscard]] std::string description() const;
  [[nodiscard]] std::vector<std::string> command_names() const;
  [[nodiscard]] std::optional<CommandLine> find_command(std::string_view name) const;
  [[nodiscard]] bool has_work() const;
  [[nodiscard]] std::vector<OptionInfo> options() const;
  // By a name with its dashes, or a positional's.
  [[nodiscard]] bool has_option(const std::string& name) const;
  [[nodiscard]] std::optional<OptionInfo> find_option(const std::string& name) const;

 private:
  struct Parser;
  CommandLine(Parser& parser, CLI::App& app) : parser_(&parser), app_(&app) {}
  CommandOption declared(CLI::Option& option, std::string_view value);
  [[nodiscard]] OptionInfo info_of(const CLI::Option& option) const;

  std::shared_ptr<Parser> owned_ = {};  ///< the program's alone: work that keeps a copy keeps no parser
  Parser* parser_;
  CLI::App* app_;
};

}  // namespace sonde
