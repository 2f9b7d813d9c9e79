// mistakes.js: classic mistakes, and what they do to similarity and scores.
import {choice} from "../controls.js";
import {shell} from "../code.js";
import {draw} from "../draw/draw.js";
import * as engine from "../engine.js";
import {clear, h} from "../html.js";
import {t} from "../i18n.js";
import {listed, make_picture, scheme_words, scores} from "../pictures.js";
import {keep_address} from "../state.js";

const absolute = {family: "absolute", axes: 1, real: false};
const sinusoidal = (options, more = {}) => ({scheme: "sinusoidal", options: {dim: "64", ...options}, positions: "0:96", ...more});
const rope = (options, more = {}) => ({scheme: "rope", options: {layout: "half", dim: "64", ...options}, ...more});

const similar = (asked) => make_picture("similarity", asked, absolute);

// Score of a query and a key of ones, by the distance: the key stands at k_at, the query so far behind it.
function by_distance(asked, {from = 0, key = 0} = {}) {
  const run = `${from}:${from + 257}`;
  const y = scores(asked, run, 64, 1, String(key)), x = listed("0:257");
  return {type: "lines", title: t("score_effect"), x: {label: t("distance")}, y: {label: t("score")}, curves: [{name: "", x, y}]};
}

const alibi = (sign) => {
  const spec = make_picture("curves", {scheme: "alibi", options: {heads: "4"}, positions: "-64:1"}, {family: "relative"});
  return {...spec, curves: spec.curves.map((c) => ({...c, y: Array.from(c.y, (v) => sign * v)}))};
};

// name: {right, wrong: picture, table: the wrong scheme, for identify}
const mistakes_list = {
  m_raw: {right: () => similar(sinusoidal()), wrong: () => similar(sinusoidal({}, {preset: "raw-index"})), table: sinusoidal({}, {preset: "raw-index"})},
  m_percol: {right: () => similar(sinusoidal()), wrong: () => similar(sinusoidal({}, {preset: "per-column"})), table: sinusoidal({}, {preset: "per-column"})},
  m_degrees: {right: () => similar(sinusoidal({dim: "2"})), wrong: () => similar({scheme: "sinusoidal", preset: "degrees", options: {}, positions: "0:96"}),
    table: {scheme: "sinusoidal", preset: "degrees", options: {}, positions: "0:96"}},
  m_base: {right: () => similar(sinusoidal()), wrong: () => similar(sinusoidal({base: "1000"})), table: sinusoidal({base: "1000"})},
  m_scaling: {right: () => by_distance(rope({scaling: "yarn", "scaling.factor": "8"})), wrong: () => by_distance(rope()), table: {...rope(), positions: "0:96"}},
  m_offset: {right: () => by_distance(rope(), {from: 1000, key: 1000}), wrong: () => by_distance(rope(), {from: 0, key: 1000})},
  m_f32: {right: () => by_distance(rope(), {from: 4e7, key: 4e7}), wrong: () => by_distance(rope({numerics: "torch-f32"}), {from: 4e7, key: 4e7})},
  m_alibi: {right: () => alibi(1), wrong: () => alibi(-1)},
};

export function mistakes(root, state) {
  state.mistake = mistakes_list[state.mistake] ? state.mistake : "m_percol";
  keep_address(state);
  const {right, wrong, table} = mistakes_list[state.mistake], boxes = [h("div"), h("div")];
  clear(root, h("h1", {}, t("mistakes")), h("p", {}, t("mistakes_about")),
    h("form", {class: "controls wide", onsubmit: (event) => event.preventDefault()},
      choice(t("mistake"), Object.keys(mistakes_list).map((name) => [name, t(name)]), state.mistake, (mistake) => mistakes(root, {...state, mistake}))),
    h("div", {class: "pair-of"}, ["right", "wrong"].map((name, i) => h("section", {"data-side": name}, h("h2", {}, t(name)), boxes[i]))));
  draw(boxes[0], right());
  draw(boxes[1], wrong());
  if (!table) return;
  const words = ["table", ...scheme_words(table), "--positions", table.positions];
  engine.text([...words, "--out", "/wrong.npy"]);
  root.append(h("h2", {}, t("identify_says")), h("p", {"data-identified": ""}, engine.json(["identify", "/wrong.npy"]).sentence),
    h("pre", {tabindex: 0}, `${shell([...words, "--out", "wrong.npy"])}\nposenc identify wrong.npy`));
}
