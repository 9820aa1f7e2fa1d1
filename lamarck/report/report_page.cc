#include "lamarck/report/report_page.h"

#include <fmt/format.h>

#include "lamarck/report/markup_text.h"
#include "lamarck/report/run_report_style.h"

namespace lamarck::report {
namespace {

std::string head_of(std::string_view title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n",
      markup_text(title), kRunReportStyle);
}

}  // namespace

std::string report_section(std::string_view heading, std::string_view note,
                           std::string_view content) {
  const std::string below =
      note.empty()
          ? ""
          : fmt::format("<p class=\"note\">{}</p>\n", markup_text(note));
  return fmt::format("<section>\n<h2>{}</h2>\n{}{}</section>\n",
                     markup_text(heading), below, content);
}

std::string report_tiles(const std::vector<ReportFact>& facts) {
  if (facts.empty()) return "";
  std::string html = "<div class=\"tiles\">\n";
  for (const ReportFact& fact : facts) {
    html += fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n",
                        markup_text(fact.value), markup_text(fact.name));
  }
  return html + "</div>\n";
}

std::string report_facts(const std::vector<ReportFact>& facts) {
  if (facts.empty()) return "";
  std::string html = "<table class=\"facts\">\n";
  for (const ReportFact& fact : facts) {
    html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                        markup_text(fact.name), markup_text(fact.value));
  }
  return report_section("The run", "", html + "</table>\n");
}

std::string report_remarks(const std::vector<std::string>& remarks) {
  if (remarks.empty()) return "";
  std::string html = "<ul>\n";
  for (const std::string& remark : remarks) {
    html += "<li>" + markup_text(remark) + "</li>\n";
  }
  return report_section("Remarks", "", html + "</ul>\n");
}

std::string report_page(std::string_view title, std::string_view subtitle,
                        std::string_view body) {
  const std::string below =
      subtitle.empty() ? "" : fmt::format("<p>{}</p>\n", markup_text(subtitle));
  return head_of(title) +
         fmt::format("<body>\n<main>\n<header>\n<h1>{}</h1>\n{}</header>\n",
                     markup_text(title), below) +
         std::string(body) +
         "<footer>Written by Lamarck.</footer>\n</main>\n</body>\n</html>\n";
}

}  // namespace lamarck::report
