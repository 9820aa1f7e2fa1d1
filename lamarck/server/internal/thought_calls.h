// The handlers of the thought tools: each converts its arguments and calls the
// engine.

#pragma once

#include "lamarck/server/thought_tools.h"

namespace lamarck::server {

mcp::Outcome call_session_start(const ThoughtTools& tools,
                                mcp::CallContext& context,
                                const Json& arguments);
mcp::Outcome call_session_control(const ThoughtTools& tools,
                                  mcp::CallContext& context,
                                  const Json& arguments);
mcp::Outcome call_plan_step(const ThoughtTools& tools,
                            mcp::CallContext& context, const Json& arguments);
mcp::Outcome call_branch(const ThoughtTools& tools, mcp::CallContext& context,
                         const Json& arguments);
// In thought_parallel.cc.
mcp::Outcome call_parallel_run(const ThoughtTools& tools,
                               mcp::CallContext& context,
                               const Json& arguments);
mcp::Outcome call_validate_plan(const ThoughtTools& tools,
                                mcp::CallContext& context,
                                const Json& arguments);
mcp::Outcome call_export_plan(const ThoughtTools& tools,
                              mcp::CallContext& context, const Json& arguments);
mcp::Outcome call_receive_evidence(const ThoughtTools& tools,
                                   mcp::CallContext& context,
                                   const Json& arguments);
mcp::Outcome call_export_doc_plan(const ThoughtTools& tools,
                                  mcp::CallContext& context,
                                  const Json& arguments);
mcp::Outcome call_receive_doc_validation(const ThoughtTools& tools,
                                         mcp::CallContext& context,
                                         const Json& arguments);
mcp::Outcome call_digest(const ThoughtTools& tools, mcp::CallContext& context,
                         const Json& arguments);

}  // namespace lamarck::server
