#include "lamarck/cli/reading_progress.h"

#include "lamarck/base/one_line.h"

namespace lamarck::cli {
namespace {

constexpr std::chrono::seconds kPatience{1};

}  // namespace

data::CsvWatch watch_reading(const CommandContext& context,
                             const std::filesystem::path& path) {
  ProgressOptions options =
      context.progress("Reading " + one_line(data::csv_name(path), 40));
  if (!context.err_is_terminal || options.style != ProgressStyle::Bar) {
    return {};
  }
  options.unit = "kB";
  // Shared, as a callback must be copyable.
  const auto progress = std::make_shared<std::unique_ptr<Progress>>();
  const auto began = context.clock.elapsed();
  return [&context, options, progress, began](std::size_t done,
                                              std::size_t total) mutable {
    if (done == total) return progress->reset();  // Ends the line.
    if (*progress == nullptr) {
      if (context.clock.elapsed() - began < kPatience) return;
      options.total = static_cast<std::int64_t>(total / 1000);
      *progress =
          std::make_unique<Progress>(context.err, context.clock, options);
    }
    (*progress)->update(static_cast<std::int64_t>(done / 1000));
  };
}

}  // namespace lamarck::cli
