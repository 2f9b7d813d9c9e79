// table.js: a table of texts: on the page as HTML, and, to be taken along, as a picture of its lines.
import {h, s} from "../html.js";

// {head: [text], rows: [[text]], title, chosen: how many of the first rows stand out}
export function table(box, spec) {
  const {head, rows, title, chosen = 0} = spec;
  const kept_whole = (text) => wide(text) < 95 || /^[\d −-]+$/.test(text);  // on one line: short texts, lists of numbers
  const cells = (row) => row.map((text, i) => h(i ? "td" : "th", {scope: i ? undefined : "row", class: kept_whole(text) ? "short" : undefined}, text));
  const hidden = h("div", {class: "hidden", "aria-hidden": "true"}, as_svg(spec));  // its style is read when it is given away
  box.replaceChildren(h("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": title}, h("table", {"aria-label": title, class: head.length > 3 ? "texts many" : "texts"},
    h("thead", {}, h("tr", {}, head.map((text) => h("th", {scope: "col"}, text)))),
    h("tbody", {}, rows.map((row, r) => h("tr", {class: r < chosen ? "chosen" : undefined}, cells(row)))))), hidden);
  return {svg: hidden.firstChild};
}

const line = 18, gap = 18;
const wide = (text) => [...text].reduce((sum, c) => sum + (c > "\u2e7f" ? 12 : 6.6), 0);  // of type of 12 px

function as_svg({head, rows}) {
  const all = [head, ...rows].map((row) => row.map((text) => wrapped(text)));
  const widths = head.map((_, c) => Math.max(...all.map((row) => Math.max(...row[c].map(wide)))) + gap);
  const heights = all.map((row) => Math.max(...row.map((lines) => lines.length)) * line + 8);
  const width = widths.reduce((a, b) => a + b, 0), height = heights.reduce((a, b) => a + b, 0) + 8;
  const svg = s("svg", {viewBox: `0 0 ${width} ${height}`, width, height});
  let y = 0;
  all.forEach((row, r) => {
    let x = 4;
    row.forEach((lines, c) => {
      lines.forEach((text, i) => svg.append(s("text", {class: r && c ? "label" : undefined, x, y: y + (i + 1) * line}, text)));
      x += widths[c];
    });
    y += heights[r];
    svg.append(s("path", {class: "circle", d: `M4 ${y}H${width - 4}`}));
  });
  return svg;
}

// Lines of at most sixty characters or so, broken between words.
function wrapped(text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1) && wide(lines.at(-1) + word) > 400) lines.push("");
    lines[lines.length - 1] += (lines.at(-1) && " ") + word;
  }
  return lines;
}
