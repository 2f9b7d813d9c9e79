// mistakes.js: classic mistakes, and what they do to similarity, to scores and to a model.
import {shell} from "../code.js";
import {choice} from "../controls.js";
import * as engine from "../engine.js";
import {draw_to_keep} from "../give.js";
import {clear, h} from "../html.js";
import {in_language, t} from "../i18n.js";
import {measured, mistakes as list} from "../pictures/mistakes.js";
import {scheme_words} from "../pictures/rows.js";
import {keep_address} from "../state.js";

export function mistakes(root, state) {
  state.mistake = list[state.mistake] ? state.mistake : "m_percol";
  keep_address(state);
  const {table, ...sides} = list[state.mistake], boxes = {right: h("div"), wrong: h("div")}, data = measured();
  clear(root, h("h1", {}, t("mistakes")), h("p", {}, t("mistakes_about")),
    h("form", {class: "controls wide", onsubmit: (event) => event.preventDefault()},
      choice(t("mistake"), Object.keys(list).map((name) => [name, t(name)]), state.mistake, (mistake) => mistakes(root, {...state, mistake}))),
    h("div", {class: "pair-of", "aria-live": "polite"}, Object.keys(boxes).map((name) =>
      h("section", {"data-side": name}, h("h2", {}, t(name)), boxes[name]))));
  const right = sides.right();
  draw_to_keep(boxes.right, right);
  draw_to_keep(boxes.wrong, over(sides.wrong(), right));
  if (table) root.append(...identified(table));
  if (data) root.append(...bits_table(data, state.mistake));
}

// A single curve is drawn over the one that is right.
function over(wrong, right) {
  if (wrong.type !== "lines" || wrong.curves.length > 1) return wrong;
  return {...wrong, curves: [{...wrong.curves[0], name: t("wrong")}, {...right.curves[0], name: t("right")}]};
}

function identified(table) {
  const words = ["table", ...scheme_words(table), "--positions", table.positions];
  engine.text([...words, "--out", "/wrong.npy"]);
  return [h("h2", {}, t("identify_says")), h("p", {"data-identified": ""}, engine.json(["identify", "/wrong.npy"]).sentence),
    h("pre", {tabindex: 0}, `${shell([...words, "--out", "wrong.npy"])}\nposenc identify wrong.npy`)];
}

// What was measured, the mistake that is shown first.
function bits_table({mistakes: rows, about, unit, source}, chosen) {
  const sorted = [...rows].sort((a, b) => (b.key === chosen) - (a.key === chosen));
  const bits = (value) => value?.toFixed(3) ?? "–";
  const spread = (row) => (row.low === undefined ? "" : ` (${bits(row.low)} – ${bits(row.high)})`);
  const line = (row) => h("tr", {class: row.key === chosen ? "chosen" : undefined},
    h("th", {scope: "row"}, row.name ? in_language(row.name) : t(row.key)), h("td", {}, row.scheme ?? ""), h("td", {}, bits(row.right)),
    h("td", {}, bits(row.mean) + spread(row)));
  return [h("h2", {}, t("bits", unit)), h("p", {class: "quiet"}, `${in_language(about)} ${source ?? ""}`),
    h("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": t("bits", unit)}, h("table", {"data-bits": "", "aria-label": t("bits", unit)},
      h("thead", {}, h("tr", {}, ["mistake", "scheme", "right", "wrong"].map((name) => h("th", {scope: "col"}, t(name))))),
      h("tbody", {}, sorted.map(line))))];
}
