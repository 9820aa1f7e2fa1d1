#include "lamarck/report/report_text.h"

#include <gtest/gtest.h>

namespace lamarck::report {
namespace {

TEST(HtmlCodeBlock, EscapesMarkupAndKeepsLines) {
  const std::string html = html_code_block("if a < b:\n\treturn 'x'\n");
  EXPECT_NE(html.find("if a &lt; b:\n\treturn &#39;x&#39;\n"),
            std::string::npos)
      << html;
}

TEST(Counted, UsesSingularOnlyForOne) {
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
}

}  // namespace
}  // namespace lamarck::report
