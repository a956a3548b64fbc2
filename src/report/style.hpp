// Style sheet of the report. Nothing is distinguished by colour alone: lines differ in dash and
// width, so that a greyscale print is complete.
#pragma once

namespace knuckleboom::report {

inline constexpr const char* kStyle = R"CSS(
@page { size: A4; margin: 14mm; }
* { box-sizing: border-box; }
html { background: #fff; color: #1a1a1a; font: 14px/1.4 "DejaVu Sans", Verdana, Arial, sans-serif; }
body { max-width: 736px; margin: 0 auto; padding: 20px 24px 40px; }
h1 { font-size: 24px; line-height: 1.2; margin: 0 0 6px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 26px 0 8px; padding-bottom: 3px; border-bottom: 1px solid #999; }
h3 { font-size: 13px; margin: 10px 0 0; font-weight: 600; }
p { margin: 6px 0; max-width: 76ch; overflow-wrap: anywhere; }
p.result { font-size: 17px; margin: 10px 0; }
.badge { border: 2px solid #1a1a1a; border-radius: 4px; padding: 2px 10px; font-weight: 700; }
.badge.passed { background: #e3f1e0; border-color: #2c6b22; }
.badge.failed { background: #f8e0da; border-color: #9c2a10; }
.remark { border-left: 4px solid #777; padding-left: 10px; }
dl { display: grid; grid-template-columns: max-content 1fr max-content 1fr; gap: 2px 14px; margin: 8px 0; }
dt { color: #555; }
dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: 6px 0; font-size: 13px; }
th, td { text-align: left; padding: 3px 8px; border-bottom: 1px solid #ddd; vertical-align: top;
  overflow-wrap: break-word; }
table + table { margin-top: 16px; }
td:first-child, th:first-child { min-width: 120px; }
th { border-bottom: 1px solid #777; font-weight: 600; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.wrap { white-space: normal; overflow-wrap: anywhere; min-width: 84px; }
tr.beyond td { font-weight: 700; }
.beyond .verdict { color: #9c2a10; }
.within .verdict { color: #2c6b22; }
ul.events { columns: 2; column-gap: 24px; list-style: none; padding: 0; margin: 6px 0; font-size: 12.5px; }
ul.events li { break-inside: avoid; padding: 1px 0 1px 62px; text-indent: -62px; overflow-wrap: anywhere; }
ul.events .t { display: inline-block; min-width: 52px; margin-right: 10px; text-indent: 0; text-align: right;
  font-variant-numeric: tabular-nums; }
figure { margin: 6px 0 0; }
figcaption { font-size: 12px; color: #444; }
svg { display: block; width: 100%; height: auto; overflow: hidden; }
svg.key { display: inline-block; width: 30px; height: 10px; vertical-align: 1px; margin: 0 4px 0 0; }
.keys .item { display: inline-block; margin-right: 14px; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 4px 16px; align-items: start; }
text { font: 10px "DejaVu Sans", Verdana, Arial, sans-serif; fill: #333; }
text.small { font-size: 9.5px; }
text.label { font-size: 11px; }
text.inside { fill: #4a1206; }
text.halo { paint-order: stroke; stroke: #fff; stroke-width: 3px; }
line, polyline { fill: none; }
.grid { stroke: #e2e2e2; stroke-width: 1; }
.axis { stroke: #888; stroke-width: 1; }
.own { stroke: #12406f; stroke-width: 1.5; stroke-linejoin: round; }
.second { stroke: #c25a14; stroke-width: 1.3; stroke-dasharray: 5 2; stroke-linejoin: round; }
.ideal { stroke: #333; stroke-width: 1.4; stroke-dasharray: 7 4; }
.limit { stroke: #9c2a10; stroke-width: 1.2; stroke-dasharray: 2 3; }
.other { stroke: #8a8a8a; stroke-width: 1.1; stroke-linejoin: round; }
.other.o1 { stroke-dasharray: 4 2; }
.other.o2 { stroke-dasharray: 1 2; }
.other.o3 { stroke-dasharray: 8 2 2 2; }
.other.expert { stroke: #2f8f2a; stroke-width: 1.8; stroke-dasharray: 1.5 2.5; }
.relief { fill: #f3c9bd; }
.target { fill: none; stroke: #555; stroke-width: 1; }
.stem { fill: #c9c3b6; stroke: #8b8474; stroke-width: 1; }
.mark { stroke: #12406f; stroke-width: 1.8; }
.mark.bad { stroke: #b3260a; stroke-width: 2; }
.spot { fill: #12406f; stroke: #12406f; }
.spot.bad { fill: #b3260a; stroke: none; }
.spell { fill: #f8ded5; stroke: #b3260a; stroke-width: 1; }
.start { fill: #fff; stroke: #12406f; stroke-width: 1.5; }
footer { margin-top: 26px; font-size: 11.5px; color: #555; border-top: 1px solid #999; padding-top: 6px; }
@media (max-width: 600px) {
  .pair { grid-template-columns: 1fr; }
  ul.events { columns: 1; }
  dl { grid-template-columns: max-content 1fr; }
  body { padding: 12px; }
}
@media print {
  html { font-size: 12px; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  body { max-width: none; padding: 0; }
  h2, h3, p.keys { break-after: avoid; }
  figure, tr, dl, .together, .whole { break-inside: avoid; }
  thead { display: table-header-group; }
}
)CSS";

}  // namespace knuckleboom::report
