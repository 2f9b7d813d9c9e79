// strip.js: where tokens stand: a cell for each token, with its position on each axis below it.
import {h} from "../html.js";

// {rows: [{name, kinds: [letter], axes: [[number]]}], axis_names, title}
export function strip(box, spec) {
  const table = h("table", {class: "strip", "aria-label": spec.title});
  for (const row of spec.rows) {
    if (row.kinds) table.append(h("tr", {class: "parts"}, h("th", {scope: "row"}, row.name ?? ""),
      row.kinds.map((k) => h("td", {class: "kind-" + k}, spec.kind_names?.[k] ?? k))));
    row.axes.forEach((numbers, a) => table.append(h("tr", {},
      h("th", {scope: "row"}, row.kinds ? spec.axis_names[a] : (row.name ?? "") + " " + spec.axis_names[a]),
      numbers.map((n) => h("td", {}, String(n))))));
  }
  box.replaceChildren(h("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": spec.title}, table));
  return {svg: null};
}
