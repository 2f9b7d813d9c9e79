// course.js: the way from "why order is lost" to graphs, one step at a time.
import {slider} from "../controls.js";
import {commands, figures, tables} from "../pictures/course.js";
import {draw_to_keep} from "../give.js";
import {clear, h} from "../html.js";
import {steps, t} from "../i18n.js";
import {address_of, keep_address} from "../state.js";

// What each step shows: "f3" is figure 3, "t3" table 3; with "@name low high start" a number can be dragged, for all that
// are joined by "+".
const shown = [
  ["f1", "f2", "t2"], ["f3", "t3", "f4@columns 1 64 64", "t4"], ["t1", "t7"], ["f6+t6@k 0 64 3", "f5"],
  ["flearned", "t5"], ["frelative"], ["frotary"], ["fwavelengths", "f7", "t8"], ["t9"], ["f8", "t10"], ["f9", "t11"],
  ["f10", "t12"], ["fgraph"],
];

export function course(root, state) {
  const last = steps().length - 1, at = Math.min(Math.max(Number(state.step ?? 1) - 1, 0), last), step = steps()[at];
  keep_address(state);
  const link = (i, text) => h("a", {href: address_of({view: "course", step: String(i + 1)}), "aria-current": i === at ? "step" : undefined}, text);
  clear(root, h("h1", {}, t("course")), h("details", {class: "contents"}, h("summary", {}, `${t("contents")} · ${t("step", at + 1, last + 1)}`),
    h("ol", {}, steps().map((one, i) => h("li", {}, link(i, one.title))))),
    h("h2", {}, step.title), ...step.text.map((text) => h("p", {}, text)), ...shown[at].map(show),
    h("nav", {class: "steps", "aria-label": t("contents")}, at > 0 ? link(at - 1, "← " + t("previous")) : "", at < last ? link(at + 1, t("next") + " →") : ""));
  for (const one of root.querySelectorAll("[data-drawn]")) one.dispatchEvent(new Event("draw"));
}

function show(name) {
  const [all, dragged] = name.split("@"), [label, low, high, start] = dragged?.split(" ") ?? [];
  const parts = all.split("+").map((what) => {
    const number = what.slice(1), is_table = what[0] === "t", make = (is_table ? tables : figures)[number];
    const box = h("div", {"data-drawn": what}), title = (/\d/.test(number) ? `${t(is_table ? "table" : "figure")} ${number}. ` : "") + t((is_table ? "table_" : "figure_") + number);
    const drawn = (value) => (is_table ? clear(box, table_of(make(value), title)) : draw_all(box, make(value)));
    box.addEventListener("draw", () => drawn(Number(start)));
    return {drawn, figure: h("figure", {id: what}, h("figcaption", {}, title), box,
      ...(commands[what] ? [h("pre", {class: "command", tabindex: 0}, h("code", {}, commands[what]))] : []))};
  });
  const drag = (value) => parts.forEach((part) => part.drawn(value));
  return h("div", {class: "shown-parts"}, ...(dragged ? [slider(t(label), {low: Number(low), high: Number(high), value: Number(start)}, drag)] : []),
    parts.map((part) => part.figure));
}

function draw_all(box, specs) {
  const boxes = specs.map(() => h("div"));
  clear(box, specs.length > 1 ? h("div", {class: "row-of"}, boxes.map((one, i) =>
    h("div", {}, specs[i].caption ? h("p", {class: "quiet"}, specs[i].title) : "", one))) : boxes[0]);
  specs.forEach((spec, i) => {
    draw_to_keep(boxes[i], first_columns(spec));
  });
}

// The formula, column by column: those not yet reached are left blank.
function first_columns(spec) {
  if (!spec.shown) return spec;
  return {...spec, values: spec.values.map((v, i) => (i % spec.cols < spec.shown ? v : NaN))};
}

function table_of({head, rows}, title) {
  return h("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": title}, h("table", {"aria-label": title}, h("thead", {}, h("tr", {}, head.map((text) => h("th", {scope: "col"}, text)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, row.map((text, i) => (i ? h("td", {}, text) : h("th", {scope: "row"}, text))))))));
}
