#include "lamarck/llm/chat_model.h"

#include "lamarck/base/ensure.h"

namespace lamarck::llm {

std::string_view role_name(Role role) {
  switch (role) {
    case Role::System:
      return "system";
    case Role::User:
      return "user";
    case Role::Assistant:
      return "assistant";
  }
  ENSURE(false, "every role has a name");
}

}  // namespace lamarck::llm
