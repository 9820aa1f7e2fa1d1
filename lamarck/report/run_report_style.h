// The style sheet of the report pages.

#pragma once

#include <string_view>

namespace lamarck::report {

inline constexpr std::string_view kRunReportStyle = R"(
:root {
  color-scheme: light dark;
  --page: #f4f6f9; --card: #ffffff; --ink: #1b2330; --muted: #5b6675;
  --line: #e3e7ed; --grid: #e8ecf1; --accent: #2a5fd0; --tint: #eaf0fc;
  --cell: #f1f3f6; --on-cell: #ffffff;
  --chart-1: #2a5fd0; --chart-2: #d9730d; --chart-3: #7d8896;
  --chart-pale: #8fabdf; --chart-good: #2a5fd0; --chart-bad: #d9730d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e131a; --card: #161d27; --ink: #e7ecf3; --muted: #9aa6b6;
    --line: #273140; --grid: #243040; --accent: #7fa8ff; --tint: #1c2940;
    --cell: #1d2632; --on-cell: #0c1220;
    --chart-1: #7fa8ff; --chart-2: #f0a04b; --chart-3: #8793a3;
    --chart-pale: #4f6ea8; --chart-good: #7fa8ff; --chart-bad: #f0a04b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main { max-width: 860px; margin: 0 auto; padding: 40px 20px 56px; }
header { margin-bottom: 24px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0; letter-spacing: -0.01em; }
header p { color: var(--muted); margin: 8px 0 0; }
h2 { font-size: 18px; margin: 0 0 10px; }
section {
  background: var(--card); border: 1px solid var(--line);
  border-radius: 14px; padding: 20px 22px; margin-top: 18px;
}
.note { color: var(--muted); font-size: 14px; margin: -8px 0 14px; }
.tiles {
  display: grid; gap: 12px;
  grid-template-columns: repeat(auto-fit, minmax(150px, 1fr));
}
.tile {
  background: var(--card); border: 1px solid var(--line);
  border-radius: 14px; padding: 14px 18px;
}
.tile b {
  display: block; font-size: 26px; line-height: 1.25; color: var(--accent);
  overflow-wrap: anywhere;
}
.tile span { color: var(--muted); font-size: 14px; }
table { border-collapse: collapse; width: 100%; font-size: 15px; }
th, td {
  text-align: left; padding: 7px 14px 7px 0; vertical-align: top;
  border-top: 1px solid var(--line);
}
tr:first-child th, tr:first-child td { border-top: 0; }
.facts th { font-weight: 400; color: var(--muted); width: 38%; }
.facts td { overflow-wrap: anywhere; }
.scroll { overflow: auto; max-height: 460px; }
.growth thead th {
  position: sticky; top: 0; background: var(--card); color: var(--muted);
  font-weight: 500; font-size: 14px; border-bottom: 1px solid var(--line);
}
.growth .number { text-align: right; font-variant-numeric: tabular-nums; }
.growth td.number, .growth th.number { white-space: nowrap; }
.bar { display: flex; align-items: center; gap: 8px; justify-content: end; }
.bar i {
  display: block; height: 6px; border-radius: 3px; background: var(--accent);
  opacity: 0.75;
}
.chart { display: block; width: 100%; height: auto; margin: 0 auto; }
.chart.square { max-width: 520px; }
.picture {
  background: #ffffff; color: #1b2330; border-radius: 10px; overflow: auto;
  padding: 8px; text-align: center;
}
.picture svg { max-width: max(100%, 700px); height: auto; }
ul { margin: 0; padding-left: 20px; }
li { margin: 4px 0; overflow-wrap: anywhere; }
footer { color: var(--muted); font-size: 13px; margin-top: 22px; }
@media (max-width: 560px) {
  main { padding: 24px 12px 40px; }
  h1 { font-size: 24px; }
  section { padding: 16px 14px; }
  table { font-size: 14px; }
  th, td { padding-right: 9px; }
  .growth thead th { font-size: 12px; }
  .chart:not(.heat) text { font-size: 20px; }
  .chart.square text { font-size: 16px; }
  .bar i { display: none; }
}
@media print {
  section, .tile { break-inside: avoid; }
  .scroll { max-height: none; }
}
)";

}  // namespace lamarck::report
