#pragma once

#include <string>

#include "base/http/message.h"
#include "dispatch/executor.h"
#include "dispatch/executor/attempt_files.h"
#include "dispatch/keeper/output_file.h"

namespace sonde::dispatch {

/// One request to a worker and what came back: POST URL/v2/models/{model}[/versions/{version}]/infer. The answer's body
/// is the task's standard output. One thread, that of the requests.
class WorkerExchange {
 public:
  /// `output`: what the worker answers goes to `output` + ".stdout".
  WorkerExchange(const Launch& launch, const std::string& output);

  /// What is sent, once. The response is written to the output while it arrives, so this has to live until its end.
  [[nodiscard]] http::Request request();
  [[nodiscard]] AttemptId id() const { return {launch_.task, launch_.attempt}; }

  /// How it ended. A response of 200 is on disk by then.
  [[nodiscard]] EndReport done(const http::Outcome& outcome);
  [[nodiscard]] EndReport cancelled() const;
  /// The worker may be asked again: by another service, or later.
  [[nodiscard]] EndReport given_up(std::string why) const;

 private:
  void append(std::string_view part);
  [[nodiscard]] EndReport refused(int status) const;
  [[nodiscard]] EndReport report(EndCause cause, std::string message) const;

  Launch launch_;
  std::string url_;
  keeper::OutputFile output_;
  std::string begin_;  ///< of the answer, for its error
};

/// Where a worker is asked; the parts of the path that come from the task are escaped.
[[nodiscard]] std::string infer_url(const std::string& worker, const Inference& inference);

}  // namespace sonde::dispatch
