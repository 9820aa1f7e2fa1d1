// Dispatches methods to their implementations, and implements the lists.

#include <nlohmann/json.hpp>

#include "lamarck/base/one_line.h"
#include "lamarck/server/mcp/internal/mcp_bad_params.h"
#include "lamarck/server/mcp/internal/mcp_core.h"
#include "lamarck/server/mcp/internal/mcp_result_codec.h"

namespace lamarck::mcp {

void McpCore::dispatch(const std::shared_ptr<McpCall>& call,
                       const McpMethodRow& row,
                       const net::HttpHeaders* headers) {
  switch (row.method) {
    case McpMethod::Discover:
      return call->finish_result(catalog_->discover_result());
    case McpMethod::Initialize:
      return call->finish_failure(
          {kInvalidRequest, "This session is already initialized.", ""});
    case McpMethod::Ping:
      return call->finish_result("{}");
    case McpMethod::ListTools:
    case McpMethod::ListResources:
    case McpMethod::ListTemplates:
    case McpMethod::ListPrompts:
      return list(call, row.method);
    case McpMethod::CallTool:
      return call_tool(call, headers);
    case McpMethod::ReadResource:
      return read_resource(call);
    case McpMethod::RenderPrompt:
      return render_prompt(call);
    case McpMethod::CompleteArgument:
      return complete_argument(call);
    case McpMethod::Subscribe:
      return subscribe(call);
    case McpMethod::Unsubscribe:
      return unsubscribe(*call);
    case McpMethod::SetLogLevel:
      return set_log_level(*call);
    case McpMethod::Listen:
      return listen(call);
    case McpMethod::ReadTask:
      return read_task(call);
    case McpMethod::UpdateTask:
      return update_task(call);
    case McpMethod::CancelTask:
      return cancel_task(call);
  }
}

void McpCore::finish_empty(McpCall& call) const {
  call.finish_result(call.era() == Era::Modern
                         ? modern_result("{}", "", catalog_->meta())
                         : "{}");
}

void McpCore::list(const std::shared_ptr<McpCall>& call, McpMethod method) {
  const Json* cursor = find_member(*call->message().params, "cursor");
  if (cursor != nullptr && !cursor->is_string()) {
    return call->finish_failure(bad_params("cursor must be a string."));
  }
  const auto answer = [this, call, method, cursor] {
    const std::string text =
        cursor == nullptr ? "" : cursor->get<std::string>();
    const auto result = catalog_->list_result(method, call->era(), text);
    if (result.has_value()) return call->finish_result(*result);
    call->finish_failure(
        bad_params("Unknown cursor " + in_quotes(text) +
                   "; use the nextCursor of the previous page."));
  };
  if (method == McpMethod::ListResources &&
      catalog_->has_changing_resources()) {
    return runner_.post(call, answer);
  }
  answer();
}

}  // namespace lamarck::mcp
