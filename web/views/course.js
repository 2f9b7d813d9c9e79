// course.js: the way from "why order is lost" to graphs, one step at a time.
import {entry, slider} from "../controls.js";
import {figure} from "../pictures/course.js";
import {table} from "../pictures/course_tables.js";
import {usual_words, words_pattern} from "../pictures/two_orders.js";
import {draw_to_keep} from "../give.js";
import {clear, h, next_frame} from "../html.js";
import {steps, t} from "../i18n.js";
import {address_of, keep_address} from "../state.js";

// What each step shows: "f3" is figure 3, "t3" table 3; with "@name low high start" a number can be dragged, with "@words" words
// can be typed, for all that are joined by "+".
const shown = [
  ["f1+f2+t2@words"], ["f3", "t3", "f4@columns 1 64 64", "t4", "twaves"], ["t1", "t7"], ["f6+t6@k 0 64 3", "f5"],
  ["flearned", "t5"], ["frelative"], ["frotary"], ["fwavelengths", "f7", "t8"], ["t9"], ["f8", "t10"], ["f9", "fconvolution", "t11"],
  ["f10", "t12"], ["fnetwork", "fgraph"],
];

export function course(root, state) {
  const last = steps().length - 1, at = Math.min(Math.max(Number(state.step ?? 1) - 1, 0), last), step = steps()[at];
  keep_address(state);
  const link = (i, text) => h("a", {href: address_of({view: "course", step: String(i + 1)}), "aria-current": i === at ? "step" : undefined}, text);
  clear(root, h("h1", {}, t("course")), h("details", {class: "contents"}, h("summary", {}, `${t("contents")} · ${t("step", at + 1, last + 1)}`),
    h("ol", {}, steps().map((one, i) => h("li", {}, link(i, one.title))))),
    h("h2", {}, step.title), ...step.text.map((text) => h("p", {}, text)), ...shown[at].map((what) => show(what, state)),
    h("nav", {class: "steps", "aria-label": t("contents")}, at > 0 ? link(at - 1, "← " + t("previous")) : "", at < last ? link(at + 1, t("next") + " →") : ""));
  for (const one of root.querySelectorAll("[data-drawn]")) one.dispatchEvent(new Event("draw"));
}

// A control, drawn with what the address holds under its label: {element, start}; it calls change() with what is dragged or typed.
function control_of(label, [low, high, usual], given, change) {
  if (label === "words") {
    const start = new RegExp(`^${words_pattern}$`, "u").test(given ?? "") ? given : usual_words;
    const element = entry(t("words"), start, (words) => input.reportValidity() && change(words), t("two_orders_help"),
      {required: true, pattern: words_pattern, title: t("two_orders_help")});
    const input = element.querySelector("input");
    return {element, start};
  }
  const start = Number(given ?? usual);
  return {element: slider(t(label), {low: Number(low), high: Number(high), value: start}, change), start};
}

// Figures and tables under one control, if any; what was dragged or typed stands in the address.
function show(name, state) {
  const [all, asked] = name.split("@"), [label, ...range] = asked?.split(" ") ?? [];
  const change = (value) => next_frame(() => {
    keep_address(Object.assign(state, {[label]: value}));
    parts.forEach((part) => part.drawn(value));
  });
  const control = label && control_of(label, range, state[label], change);
  const parts = all.split("+").map((what) => {
    const number = what.slice(1), is_table = what[0] === "t";
    const title = (/\d/.test(number) ? `${t(is_table ? "table" : "figure")} ${number}. ` : "") + t((is_table ? "table_" : "figure_") + number);
    const box = h("div", {"data-drawn": what});
    const drawn = (value) => draw_all(box, is_table ? [table(number, title, value)] : figure(number, value));
    box.addEventListener("draw", () => drawn(control?.start));
    return {drawn, figure: h("figure", {id: what}, h("figcaption", {}, title), box)};
  });
  return h("div", {class: "shown-parts"}, control?.element ?? "", parts.map((part) => part.figure));
}

// Pictures side by side; those that are there already are drawn anew, under their new titles.
function draw_all(box, pictures) {
  if (!box.firstChild)
    clear(box, h("div", {class: {1: undefined, 4: "pair-of"}[pictures.length] ?? "row-of"}, pictures.map(({spec}) =>
      h("div", {}, spec.caption ? h("p", {class: "quiet"}, spec.title) : "", h("div", {class: "drawn"})))));
  box.querySelectorAll(".drawn").forEach((one, i) => {
    if (pictures[i].spec.caption) one.previousElementSibling.textContent = pictures[i].spec.title;
    draw_to_keep(one, pictures[i].spec, pictures[i].code);
  });
}
