// mistakes.js: classic mistakes, one or several at once, and what they do to similarity, to scores and to a model.
import {code_of, shell} from "../code.js";
import {by_name, rotated} from "../code_turning.js";
import {choice, switches} from "../controls.js";
import * as engine from "../engine.js";
import {draw_to_keep} from "../give.js";
import {clear, h} from "../html.js";
import {in_language, t} from "../i18n.js";
import {exclude, keys_at, measured, pictures, queries_at, schemes, sides} from "../pictures/mistakes.js";
import {scheme_words} from "../pictures/rows.js";
import {keep_address} from "../state.js";

export function mistakes(root, state) {
  if (!schemes[state.scheme]) Object.assign(state, {scheme: "rope", on: "m_layout"});
  const {mistakes: list} = schemes[state.scheme], result = h("div");
  const chosen = () => (state.on ?? "").split(",").filter((name) => list[name]);
  const set = (name, on) => {
    const left = chosen().filter((other) => other !== name && !(on && exclude(list[name], list[other])));
    state.on = [...left, ...(on ? [name] : [])].join(",");
    show();
  };
  const which = switches(t("which"), Object.keys(list).map((name) => [name, t(name)]), set);
  const show = () => {
    keep_address(state);
    which.show(chosen());
    show_effects(result, state.scheme, chosen());
  };
  clear(root, h("h1", {}, t("mistakes")), h("p", {}, t("mistakes_about")),
    h("form", {class: "controls wide", onsubmit: (event) => event.preventDefault()},
      choice(t("scheme"), Object.keys(schemes), state.scheme, (scheme) =>
        mistakes(root, {...state, scheme, on: Object.keys(schemes[scheme].mistakes)[0]})),
      which.element), result);
  show();
}

function show_effects(result, scheme, names) {
  const both = sides(scheme, names), data = measured();
  clear(result, h("p", {class: "quiet", role: "status"}, names.length ? names.map((name) => t(name)).join(" + ") : t("no_mistake")));
  for (const [name, make] of Object.entries(pictures[scheme])) {
    const [right, wrong] = to_one_scale(make(both.right, both.right), make(both.wrong, both.right)), boxes = {right: h("div"), wrong: h("div")};
    result.append(h("h2", {}, right.title), h("div", {class: "pair-of", "data-panel": name}, Object.keys(boxes).map((side) =>
      h("section", {"data-side": side}, h("h3", {}, t(side)), boxes[side]))));
    draw_to_keep(boxes.right, right, () => code(name, both.right));
    draw_to_keep(boxes.wrong, over(wrong, right), () => code(name, both.wrong));
  }
  if (scheme === "sinusoidal" && names.length) result.append(...identified(both.wrong));
  if (!data) return;
  const bits = bits_table(data, scheme, names);
  result.append(...bits.elements);
  bits.show();
}

// What makes the numbers of one side outside of the page.
function code(name, side) {
  if (side.family === "rotary") return rotated(by_name(side), name === "score" ? queries_at(side, 129) : keys_at(side, 64), keys_at(side, name === "score" ? 1 : 64));
  if (side.family === "relative") return code_of("curves", {...side, positions: "-64:1"}, side);
  return code_of("similarity", {...side, positions: `${side.key}:${side.key + (name === "place" ? 8 : 64)}`}, side);
}

// Curves of both sides between the same ends.
function to_one_scale(...specs) {
  if (specs[0].type !== "lines") return specs;
  const all = specs.flatMap(({curves}) => curves.flatMap(({y}) => [...y])), low = Math.min(...all), high = Math.max(...all);
  const margin = 0.04 * (high - low);
  return specs.map((spec) => ({...spec, y: {...spec.y, low: low - margin, high: high + margin}}));
}

// A single curve is drawn over the one that is right.
function over(wrong, right) {
  if (wrong.type !== "lines" || wrong.curves.length > 1) return wrong;
  return {...wrong, curves: [{...wrong.curves[0], name: t("wrong")}, {...right.curves[0], name: t("right")}]};
}

function identified(side) {
  const words = ["table", ...scheme_words(side), "--positions", `${side.key}:${side.key + 96}`];
  engine.text([...words, "--out", "/wrong.npy"]);
  return [h("h2", {}, t("identify_says")), h("p", {"data-identified": ""}, engine.json(["identify", "/wrong.npy"]).sentence),
    h("pre", {tabindex: 0}, `${shell([...words, "--out", "wrong.npy"])}\nposenc identify wrong.npy`)];
}

// What was measured, the mistakes that are switched on first; of those without a measurement that there is none.
function bits_table({mistakes: rows, baseline: right, about, unit, source}, scheme, names) {
  const is_on = (row) => row.scheme === scheme && names.includes(row.key);
  const unknown = names.filter((key) => !rows.some((row) => row.scheme === scheme && row.key === key)).map((key) => ({key, scheme, right: right[scheme], unknown: true}));
  const sorted = [...rows, ...unknown].sort((a, b) => is_on(b) - is_on(a) || (b.scheme === scheme) - (a.scheme === scheme));
  const bits = (value) => value?.toFixed(3) ?? "–";
  const spread = (row) => (row.low === undefined ? "" : ` (${bits(row.low)} – ${bits(row.high)})`);
  const line = (row) => [row.name ? in_language(row.name) : t(row.key), row.scheme ?? "", bits(row.right), row.unknown ? t("not_measured") : bits(row.mean) + spread(row)];
  const box = h("div", {"data-bits": ""});
  const show = () => draw_to_keep(box, {type: "table", title: t("bits", unit), head: ["mistake", "scheme", "right", "wrong"].map((name) => t(name)),
    rows: sorted.map(line), chosen: sorted.filter(is_on).length}, () => ({shell: "python -m posenc.lab --full --question mistakes"}));
  return {show, elements: [h("h2", {}, t("bits", unit)),
    h("p", {class: "quiet"}, [in_language(about), names.length > 1 ? t("together") : "", source ?? ""].filter(Boolean).join(" ")), box]};
}
