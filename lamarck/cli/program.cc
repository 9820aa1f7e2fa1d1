#include "lamarck/cli/program.h"

#include <fmt/format.h>

#include <cerrno>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <CLI/CLI.hpp>

#include "lamarck/base/interrupt.h"
#include "lamarck/base/log.h"
#include "lamarck/base/one_line.h"
#include "lamarck/cli/command_grammar.h"
#include "lamarck/cli/command_option.h"
#include "lamarck/cli/usage_message.h"
#include "lamarck/tensor/simd_target.h"

namespace lamarck::cli {
namespace {

void explain(const ProgramStreams& streams, const Error& error) {
  streams.err << "lamarck: " << safe_lines(error.message()) << std::endl;
  if (streams.error != nullptr) *streams.error = error;
}

int report(const ProgramStreams& streams, const Error& error,
           const InterruptScope& interrupt) {
  explain(streams, error);
  if (error.code() == ErrorCode::InvalidArgument) return kWrongUsage;
  if (error.code() != ErrorCode::Cancelled) return kFailed;
  return interrupt.signal() == 0
             ? kInterrupted
             : InterruptScope::exit_code(interrupt.signal());
}

// Results that could not be written are a failure. If the reader closed the
// pipe, as in `lamarck ... | head`, no message is printed.
int flush_results(const ProgramStreams& streams, int exit_code) {
  // If an earlier write failed, keep its errno, which says why.
  if (streams.out) errno = 0;
  streams.out.flush();
  if (streams.out) return exit_code;
  if (errno == ENOSPC || errno == EDQUOT) {
    streams.err << "lamarck: Cannot write the result to standard output: the "
                   "disk is full; free some space or redirect the output."
                << std::endl;
  } else if (errno != EPIPE) {
    streams.err << "lamarck: Cannot write the result to standard output; check "
                   "that it is open and that the disk is not full."
                << std::endl;
  }
  return exit_code == kDone ? kFailed : exit_code;
}

int run_command(const Grammar& grammar, const CLI::App& command,
                const Environment& environment, const ProgramStreams& streams) {
  const InterruptScope interrupt;
  SettingSources sources{.flags = grammar.given_flags(),
                         .environment = environment};
  if (grammar.config) sources.file = *grammar.config;
  const Result<Settings> settings = Settings::resolve(sources);
  if (!settings) {
    return report(streams, settings.error(), interrupt);
  }
  set_log_level(parse_log_level(settings->text("log_level")).value());
  if (const auto chosen = choose_simd_target(settings->text("simd")); !chosen) {
    return report(streams, chosen.error().within((*settings)["simd"].origin),
                  interrupt);
  }

  SystemClock clock;
  CommandContext context{.out = streams.out,
                         .err = streams.err,
                         .settings = *settings,
                         .clock = clock,
                         .began = clock.elapsed(),
                         .cancel = interrupt.token(),
                         .json = grammar.json,
                         .out_is_terminal = streams.out_is_terminal,
                         .err_is_terminal = streams.err_is_terminal,
                         .err_width = streams.err_width,
                         .program = grammar.app};
  const Result<void> result = grammar.actions.at(&command)(context);
  if (!result) {
    return flush_results(streams, report(streams, result.error(), interrupt));
  }
  if (interrupt.signal() != 0) {
    // The command succeeded, but a signal ended it early. Nothing is said about
    // progress: commands that save it, such as `evolve`, return an error.
    return flush_results(
        streams,
        report(streams,
               Error(ErrorCode::Cancelled,
                     InterruptScope::describe(interrupt.signal()) + "."),
               interrupt));
  }
  return flush_results(streams, kDone);
}

int parse_and_run(const std::vector<std::string>& words,
                  std::span<const Command> commands,
                  const Environment& environment,
                  const ProgramStreams& streams) {
  Grammar grammar(commands);
  try {
    // CLI11 expects the words in reverse order.
    grammar.app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    const CLI::App& command = parsed_command(grammar.app);
    const CLI::App* parent = command.get_parent();
    streams.out << command.help(parent == nullptr ? "" : full_name(*parent));
    return flush_results(streams, kDone);
  } catch (const CLI::CallForVersion& version) {
    streams.out << version.what() << '\n';
    return flush_results(streams, kDone);
  } catch (const CLI::ParseError& error) {
    const std::string sentence = usage_sentence(grammar.app, error);
    streams.err << safe_lines(sentence) << std::endl;
    if (streams.error != nullptr) {
      constexpr std::string_view kProgram = "lamarck: ";
      *streams.error = invalid_argument(sentence.starts_with(kProgram)
                                            ? sentence.substr(kProgram.size())
                                            : sentence);
    }
    return kWrongUsage;
  }
  const CLI::App& command = parsed_command(grammar.app);
  if (command.get_parent() == nullptr) {
    streams.out << grammar.app.help();
    return flush_results(streams, kDone);
  }
  if (!grammar.actions.contains(&command)) {
    explain(streams,
            invalid_argument(fmt::format(
                "`{0}` requires a kind: {1}. See `{0} --help`.",
                full_name(command), join_choices(subcommand_names(command)))));
    return kWrongUsage;
  }
  return run_command(grammar, command, environment, streams);
}

}  // namespace

int run_program(const std::vector<std::string>& words,
                std::span<const Command> commands,
                const Environment& environment, const ProgramStreams& streams) {
  try {
    return parse_and_run(words, commands, environment, streams);
  } catch (const std::bad_alloc&) {
    explain(streams, Error(ErrorCode::Unavailable,
                           "There is not enough memory for this command."));
  } catch (const std::exception& failure) {
    explain(streams, Error(ErrorCode::Internal, failure.what()));
  }
  return kFailed;
}

}  // namespace lamarck::cli
