#include "lamarck/report/report_text.h"

#include "lamarck/base/one_line.h"

namespace lamarck::report {

std::string labelled_row(std::string_view name, const std::string& value) {
  return fmt::format("  {:<14}{}\n", name, value);
}

std::string html_code_block(std::string_view text) {
  return "<pre style=\"overflow:auto;margin:0 0 12px\"><code>" +
         markup_text(text) + "</code></pre>\n";
}

double seconds_of(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace lamarck::report
