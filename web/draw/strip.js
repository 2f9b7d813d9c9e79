// strip.js: where tokens stand: a cell for each token, with its position on each axis below it.
import {h, s} from "../html.js";

// {rows: [{name, kinds: [letter], axes: [[number]]}], axis_names, title, kind_names: {kind: text}}
export function strip(box, spec) {
  const table = h("table", {class: "strip", "aria-label": spec.title});
  for (const {kinds, cells, name} of lines_of(spec))
    table.append(h("tr", {class: kinds ? "parts" : undefined}, h("th", {scope: "row"}, name),
      cells.map((text, i) => h("td", {class: kinds ? "kind-" + kinds[i] : undefined}, text))));
  box.replaceChildren(h("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": spec.title}, table));
  const hidden = h("div", {class: "hidden", "aria-hidden": "true"}, as_svg(spec));
  box.append(hidden);  // its style is read when it is given away
  return {svg: hidden.firstChild};
}

// What stands in each line: {name, cells}; with kinds, a line that names them.
function lines_of({rows, axis_names, kind_names}) {
  return rows.flatMap((row) => [
    ...(row.kinds ? [{name: row.name ?? "", kinds: row.kinds, cells: row.kinds.map((kind) => kind_names?.[kind] ?? kind)}] : []),
    ...row.axes.map((numbers, a) => ({name: row.kinds ? axis_names[a] : `${row.name ?? ""} ${axis_names[a]}`, cells: numbers.map(String)})),
  ]);
}

function as_svg(spec) {
  const lines = lines_of(spec), cell = 38, line = 24, left = 70, most = Math.max(...lines.map((l) => l.cells.length));
  const width = left + most * cell, height = lines.length * line + 8;
  return s("svg", {viewBox: `0 0 ${width} ${height}`, width, height}, lines.flatMap(({name, cells, kinds}, r) => [
    s("text", {x: 4, y: r * line + 18}, name),
    ...cells.map((text, i) => s("text", {class: "label", x: left + (i + 0.5) * cell, y: r * line + 18, "text-anchor": "middle"}, text)),
    ...(kinds ? [] : [s("path", {class: "circle", d: `M${left} ${r * line + 25}H${width}`})])]));
}
