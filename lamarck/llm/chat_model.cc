#include "lamarck/llm/chat_model.h"

namespace lamarck::llm {

std::string_view role_name(Role role) {
  switch (role) {
    case Role::System:
      return "system";
    case Role::User:
      return "user";
    case Role::Tool:
      return "tool";
    case Role::Assistant:
      break;
  }
  return "assistant";
}

}  // namespace lamarck::llm
