#pragma once

#include <string>

#include "base/curl_handle.h"
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

  /// Makes the handle; false where there is no memory.
  [[nodiscard]] bool set_up();
  [[nodiscard]] void* easy() const { return easy_.get(); }
  [[nodiscard]] AttemptId id() const { return {launch_.task, launch_.attempt}; }

  /// How it ended, by libcurl's code. An answer of 200 is on disk by then.
  [[nodiscard]] EndReport done(int code);
  [[nodiscard]] EndReport cancelled() const;
  /// The worker may be asked again: by another service, or later.
  [[nodiscard]] EndReport given_up(std::string why) const;

 private:
  static size_t take(const char* data, size_t size, size_t count, void* to);
  void append(std::string_view part);
  [[nodiscard]] EndReport refused(long status) const;
  [[nodiscard]] EndReport report(EndCause cause, std::string message) const;

  Launch launch_;
  std::string url_;
  keeper::OutputFile output_;
  std::string begin_;  ///< of the answer, for its error
  CurlList headers_;
  CurlHandle easy_;  // ends before what it refers to
};

/// Where a worker is asked; the parts of the path that come from the task are escaped.
[[nodiscard]] std::string infer_url(const std::string& worker, const Inference& inference);

}  // namespace sonde::dispatch
