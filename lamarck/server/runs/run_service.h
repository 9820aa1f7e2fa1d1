// The runs of one organization for clients of the server: start, watch, stop,
// resume, predict.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lamarck/base/cancel_token.h"
#include "lamarck/base/clock.h"
#include "lamarck/base/json.h"
#include "lamarck/base/result.h"
#include "lamarck/net/http_server.h"
#include "lamarck/runs/run_catalog.h"
#include "lamarck/runs/run_host.h"
#include "lamarck/runs/run_upload.h"
#include "lamarck/server/runs/run_streams.h"
#include "lamarck/store/journal.h"

namespace lamarck::server {

struct RunServiceOptions {
  std::string journal;  // Place of the journal; "" = in memory.
  // Where runs keep their files if the journal is in a database.
  std::string data_folder;
  std::string program;  // Path of `lamarck`; "" = nothing can be started.
  std::size_t parallel = 2;
  bool resumes = true;  // Continues what an earlier server did not finish.
};

// Thread safety: all members may be called from any thread.
class RunService {
 public:
  // Both references must outlive the object. Resumes what an earlier server
  // did not finish.
  RunService(const RunServiceOptions& options, store::Journal& journal,
             Clock& clock);

  // {"kind", "options": {"data": ID of an upload, "target", ...}}.
  Result<Json> start(const Json& request);
  Result<Json> stop_run(const std::string& id, const std::string& by);
  Result<Json> resume(const std::string& id);
  Result<Json> remove(const std::string& id);
  Result<Json> list(const runs::RunQuery& query);
  Result<Json> events(const std::string& id, std::uint64_t after,
                      std::size_t limit);
  Result<Json> view(const std::string& id, std::uint64_t at);
  Result<Json> predict(const std::string& id, const Json& rows,
                       std::optional<double> level, const CancelToken& cancel);
  // {"path", "type", "name"} of a file of the run.
  // Files that `lamarck export` can make are made when they are asked for.
  Result<Json> artifact(const std::string& id, const std::string& name,
                        const CancelToken& cancel);
  Result<Json> upload(const std::string& name, std::string_view csv) {
    return uploads_.add(name, csv);
  }

  runs::RunCatalog& catalog() { return catalog_; }
  runs::RunHost& host() { return host_; }
  RunStreams& streams() { return streams_; }

  // Ends the streams and lets running evolutions save their state.
  void stop();

 private:
  const RunServiceOptions options_;
  runs::RunCatalog catalog_;
  runs::RunUploads uploads_;
  runs::RunHost host_;
  RunStreams streams_;
};

// Finds the runs of an organization; may block. Empty = no runs are served.
using FindRuns = std::function<Result<RunService*>(std::string_view org)>;

}  // namespace lamarck::server
