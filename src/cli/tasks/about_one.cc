#include "cli/tasks/about_one.h"

#include "cli/output.h"
#include "cli/tasks/ids.h"

namespace sonde::tasks {

int about_one(const std::string& number, const ConnectionOptions& options,
              const std::function<int(int64_t id, Connection& connection)>& work) {
  const auto id = parse_id(number);
  if (!id) {
    report_error(id.error());
    return kUsage;
  }
  auto connection = Connection::open(options);
  return connection ? work(*id, *connection) : report_error(connection.error());
}

}  // namespace sonde::tasks
