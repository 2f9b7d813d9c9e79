// strip.js: where tokens stand: a cell for each token, with its position on each axis below what it is a part of.
import {h, s} from "../html.js";

// {rows: [{name, kinds: [kind], axes: [[number]]}], axis_names, title, kind_name(kind)}
export function strip(box, spec) {
  const table = h("table", {class: "strip", "aria-label": spec.title});
  for (const {parts, cells, name} of lines_of(spec))
    table.append(h("tr", {class: parts ? "parts" : undefined}, h("th", {scope: "row"}, name),
      cells.map(({text, kind, span}) => h("td", {class: kind && "kind-" + kind, colspan: span}, text))));
  const hidden = h("div", {class: "hidden", "aria-hidden": "true"}, as_svg(spec));  // its style is read when it is given away
  box.replaceChildren(h("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": spec.title}, table), hidden);
  return {svg: hidden.firstChild};
}

// What stands in each line: {name, cells: [{text, span, kind}]}; the parts of a row come before its axes.
function lines_of({rows, axis_names, kind_name = (kind) => kind}) {
  return rows.flatMap((row) => [
    ...(row.kinds ? [{name: row.name ?? "", parts: true, cells: runs(row.kinds).map((run) => ({...run, text: kind_name(run.kind)}))}] : []),
    ...row.axes.map((numbers, a) => ({name: row.kinds ? axis_names[a] : `${row.name ?? ""} ${axis_names[a]}`,
      cells: numbers.map((n) => ({text: String(n), span: 1}))})),
  ]);
}

function runs(kinds) {
  const out = [];
  for (const kind of kinds)
    if (out.at(-1)?.kind === kind) ++out.at(-1).span;
    else out.push({kind, span: 1});
  return out;
}

function as_svg(spec) {
  const lines = lines_of(spec), cell = 38, line = 24, left = 70;
  const width = left + cell * Math.max(...lines.map(({cells}) => cells.reduce((sum, {span}) => sum + span, 0)));
  const svg = s("svg", {viewBox: `0 0 ${width} ${lines.length * line + 8}`, width, height: lines.length * line + 8});
  lines.forEach(({name, cells, parts}, r) => {
    let at = left;
    svg.append(s("text", {x: 4, y: r * line + 18}, name));
    for (const {text, span} of cells) {
      svg.append(s("text", {class: "label", x: at + (span * cell) / 2, y: r * line + 18, "text-anchor": "middle"}, text));
      at += span * cell;
      if (parts) svg.append(s("path", {class: "circle", d: `M${at - span * cell + 3} ${r * line + 24}H${at - 3}`}));
    }
  });
  return svg;
}
