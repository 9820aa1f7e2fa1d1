#include "lamarck/server/mcp/mcp_server.h"

#include <utility>

#include "lamarck/base/macros.h"
#include "lamarck/server/mcp/internal/mcp_core.h"
#include "lamarck/server/mcp/internal/mcp_http.h"
#include "lamarck/server/mcp/internal/mcp_stdio.h"

namespace lamarck::mcp {
namespace {

class DualEraServer final : public McpServer {
 public:
  explicit DualEraServer(std::unique_ptr<McpCore> core)
      : core_(std::move(core)), http_(*core_, keeper_) {}
  ~DualEraServer() override { end(); }

  Result<void> serve_stdio(int in, int out,
                           const CancelToken& cancel) override {
    return serve_lines(*core_, in, out, cancel);
  }
  void serve_http(net::HttpRequest request,
                  std::shared_ptr<net::HttpExchange> exchange) override {
    http_.serve(request, exchange);
  }

  void tools_changed() override { core_->hub().tools_changed(); }
  void prompts_changed() override { core_->hub().prompts_changed(); }
  void resources_changed() override { core_->hub().resources_changed(); }
  void resource_updated(std::string_view uri) override {
    core_->hub().resource_updated(uri);
  }
  void resources_updated_below(std::string_view uri) override {
    core_->hub().resources_updated_below(uri);
  }
  bool has_subscribers() override { return core_->hub().has_subscribers(); }

  // Sessions get the replies to their active calls before the server stops.
  void stop() override {
    if (!core_->cancel().is_cancelled()) {
      http_.let_finish(core_->options().grace);
    }
    end();
  }

 private:
  void end() {
    core_->stop();
    http_.stop();
  }

  StreamKeeper keeper_;  // Used by the core's calls until they end.
  const std::unique_ptr<McpCore> core_;
  McpHttp http_;
};

}  // namespace

Result<std::unique_ptr<McpServer>> McpServer::create(Registry registry,
                                                     McpOptions options,
                                                     Clock& clock, Rng rng,
                                                     store::Journal* tasks) {
  ASSIGN_OR_RETURN(
      auto core, McpCore::create(std::move(registry), std::move(options), clock,
                                 rng, tasks));
  return std::unique_ptr<McpServer>(
      std::make_unique<DualEraServer>(std::move(core)));
}

}  // namespace lamarck::mcp
