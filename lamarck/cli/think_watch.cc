#include "lamarck/cli/think_watch.h"

#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>

#include "lamarck/base/macros.h"
#include "lamarck/cli/output_reader.h"
#include "lamarck/cli/think_views.h"

namespace lamarck::cli {

Result<void> watch_session(const ThinkContext& think) {
  RETURN_IF_ERROR(check_session(think, think.flags.session));
  const bool is_terminal = think.context.out_is_terminal && !think.context.json;
  constexpr int kTerminalTicks = 5;
  std::uint64_t drawn = 0;
  auto drawn_state = thought::SessionState::Init;
  for (int tick = 0;; ++tick) {
    ASSIGN_OR_RETURN(const thought::Session session,
                     think.engine.session_now(think.flags.session));
    const bool is_due = session.head != drawn || session.state != drawn_state ||
                        (is_terminal && tick % kTerminalTicks == 0);
    if (is_due) {
      ASSIGN_OR_RETURN(const store::Run run, think.journal.run(session.id));
      ASSIGN_OR_RETURN(const std::vector<store::Event> last,
                       last_events(think, run, 8));
      if (is_terminal) think.context.out << "\x1b[H\x1b[J";
      if (!is_terminal && drawn != 0) think.context.out << "\n";
      think.print(think.shown(session),
                  watch_text(session, last, think.flags.with_private));
      think.context.out.flush();
      drawn = session.head;
      drawn_state = session.state;
    }
    const bool is_over = is_final(session.state) || !think.context.out ||
                         !has_reader(STDOUT_FILENO);
    if (is_over ||
        think.context.cancel.wait_for(std::chrono::milliseconds(200))) {
      return {};
    }
  }
}

Result<void> show_healing(const ThinkContext& think) {
  if (think.flags.reset) {
    RETURN_IF_ERROR(think.engine.reset_history());
    think.context.err << "The history is reset.\n";
  }
  ASSIGN_OR_RETURN(const std::string text, think.engine.history());
  ASSIGN_OR_RETURN(const Json history, parse_json(text));
  think.print(history, healing_text(history));
  return {};
}

}  // namespace lamarck::cli
