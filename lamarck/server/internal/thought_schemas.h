// The schemas of the tools of thought: what goes in and what comes out.

#pragma once

#include <string_view>

namespace lamarck::server {

extern const std::string_view kSessionStartInput;
extern const std::string_view kSessionControlInput;
extern const std::string_view kPlanStepInput;
extern const std::string_view kBranchInput;
extern const std::string_view kParallelRunInput;
extern const std::string_view kValidatePlanInput;
extern const std::string_view kExportInput;
extern const std::string_view kEvidenceInput;
extern const std::string_view kDocValidationInput;
extern const std::string_view kDigestInput;

extern const std::string_view kSessionOutput;
extern const std::string_view kStepOutput;
extern const std::string_view kBranchOutput;
extern const std::string_view kParallelOutput;
extern const std::string_view kValidationOutput;
extern const std::string_view kExportOutput;
extern const std::string_view kEvidenceOutput;
extern const std::string_view kDigestOutput;

}  // namespace lamarck::server
