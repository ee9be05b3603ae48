#pragma once

#include <string>
#include <vector>

#include "record/program.h"
#include "record/rounds/collection.h"
#include "record/session/session.h"

namespace sonde::record {

/// The program's life, and what is recorded of it.
class Run {
 public:
  /// `session`: null where nobody can command this recorder.
  Run(const RecordOptions& options, Mapping& mapping, Rounds& rounds, std::vector<Source*> sources, Session* session);

  /// Before the program starts: what it does first is recorded too.
  void prepare();
  /// Until the program has ended and all profiles are made.
  void follow(Program& program, Recording& recording);
  /// The program did not start: nothing is left behind.
  void give_up();

 private:
  [[nodiscard]] bool over(const Program& program) const;
  /// Gives the bytes that came.
  int64_t look();
  [[nodiscard]] int64_t patience_ns() const;
  void obey(Program& program);
  void obey(Program& program, const Session::Asked& asked);
  [[nodiscard]] Answer start(const Program& program, const Session::Asked& asked);
  [[nodiscard]] Answer cancel();
  [[nodiscard]] Answer shut_down(Program& program, int signal);
  [[nodiscard]] Answer status() const;
  void close();
  /// Whether nothing more will be recorded, so that CUPTI need not stay in the program.
  [[nodiscard]] bool is_done_with_cuda() const;
  /// The signal that ends the program may come only when what it did until now is here.
  void await_cuda(Program& program);
  /// Signals that may end the program go on to it when what CUPTI holds is here.
  void forward_signals(Program& program);
  void leave();
  void fetch_cuda(Program& program);
  void report_profiles(Recording& recording);
  void end_program(Program& program, const EndSignal& signal);
  /// What is said of the program's end is in the profiles that are not made yet.
  void remark(Remark remark);
  void answer_stops();
  void remark_late_cuda();
  void remark_left_processes();
  [[nodiscard]] std::string why_none() const;

  const RecordOptions& options_;
  Mapping& mapping_;
  Rounds& rounds_;
  std::vector<Source*> sources_;
  Session* session_;
  Collection collection_;
  int64_t started_ns_;
  int64_t ended_ns_ = 0;  ///< when the first collection had ended; 0: it has not
  bool closed_ = false;   ///< nothing more is recorded
  bool cancelled_ = false;
  std::vector<Remark> unsaid_;             ///< what no profile holds yet
  std::vector<int> stops_;                 ///< connections that wait for profiles
  std::vector<std::string> report_lines_;  ///< of the profiles of this collection
  bool all_written_ = true;                ///< of these
};

}  // namespace sonde::record
