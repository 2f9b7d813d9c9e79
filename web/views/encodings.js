// encodings.js: every scheme with its options, as pictures.
import {choice, entry, option_controls, slider} from "../controls.js";
import {code_of} from "../code.js";
import {convolution_code, graph_code, term_code} from "../code_live.js";
import {draw} from "../draw/draw.js";
import * as engine from "../engine.js";
import {give_bar} from "../give.js";
import {clear, h, next_frame} from "../html.js";
import {about_of, t} from "../i18n.js";
import {make_picture, probe} from "../pictures/all.js";
import {count_of_text, is_causal} from "../pictures/content.js";
import {grid_of_convolution} from "../pictures/convolution.js";
import {usual_graph} from "../pictures/nodes.js";
import {scheme_words} from "../pictures/rows.js";
import {keep_address} from "../state.js";

let schemes = null;  // what `posenc list --json` says

// What a scheme cannot do without, and what fits a page.
const starts = {rope: {layout: "half", dim: "64"}, sinusoidal: {dim: "128"}, convolution: {dim: "64", kernel: "16"}, laplacian: {dim: "8"}};

// Families whose pictures ask what is given to them: their sizes are those of the options as they are.
const live = new Set(["content", "convolution", "graph"]);

export function encodings(root, state) {
  schemes ??= engine.schemes();
  const named = schemes.find((one) => one.name === state.scheme);
  if (!named) Object.assign(state, {scheme: "sinusoidal", preset: "", options: {}});
  else if (!named.presets.some((one) => one.name === state.preset)) state.preset = "";  // an address may be old, or mistyped
  if (!state.preset && Object.keys(state.options).length === 0) state.options = {...starts[state.scheme]};
  const controls = h("form", {class: "controls", onsubmit: (event) => event.preventDefault()});
  const about = h("div", {class: "about"}), bar = give_bar();
  const picture = {box: h("div"), told: h("p", {class: "told", "aria-live": "polite"}), error: h("p", {class: "error", role: "alert"}),
    weights: h("p", {class: "quiet"})};
  const kinds = h("div", {class: "kinds", role: "group", "aria-label": t("picture")});
  clear(root, h("h1", {class: "hidden"}, t("encodings")), h("div", {class: "split"}, controls,
    h("section", {class: "sight", "aria-label": t("picture")}, about, kinds,
      h("div", {class: "picture"}, Object.values(picture)), bar.element)));
  show_controls({controls, picture, about, bar, kinds}, state);
}

// The scheme with its options as they are now; where they contradict each other, as it is without them.
function described(state) {
  try {
    const scheme = engine.schemes(scheme_words(state))[0];
    return fits(state, scheme) ? scheme : described(state);
  } catch {
    return engine.schemes(scheme_words({...state, options: {}}))[0];
  }
}

// Tables of a preset that would take a page minutes to fill are shown with fewer rows: the numbers of these are the same.
const most_numbers = 2 ** 20;
function fits(state, {family, fields, learned}) {
  if (family === "convolution") return is_narrow(state, fields);
  const [rows, columns] = learned[0]?.shape ?? [0, 0];
  if (rows * columns <= most_numbers || state.options.rows || !fields.some((field) => field.name === "rows")) return true;
  state.options.rows = String(Math.floor(most_numbers / columns));
  return false;
}

// Convolutions of a preset are shown with fewer columns.
function is_narrow({options}, fields) {
  const wide = ["dim", "groups"].filter((name) => !(name in options) && Number(fields.find((field) => field.name === name).default) > 64);
  if (options.dim) return true;
  for (const name of wide) options[name] = "64";
  return wide.length === 0;
}

function show_controls(parts, state) {
  const change = (changes) => {
    Object.assign(state, changes);
    show_controls(parts, state);
  };
  const listed = schemes.find((one) => one.name === state.scheme) ?? schemes[0];
  const now = described(state), {fields} = now, scheme = {...listed, fields, ...probe(state, now)}, {kinds} = scheme;
  if (!kinds.includes(state.kind)) state.kind = kinds[0];
  // Choices bring other controls; numbers change the picture alone.
  const set = (name, text) => {
    if (text === "") delete state.options[name];
    else state.options[name] = text;
    const {kind} = fields.find((field) => field.name === name);
    kind === "choice" || kind === "boolean" ? change({}) : next_frame(() => show_picture(parts, state, scheme));
  };
  const focused = document.activeElement?.closest?.(".control")?.querySelector("label")?.textContent;
  clear(parts.controls,
    scheme_choice(state.scheme, (name) =>
      change({scheme: name, preset: "", options: {...starts[name]}, positions: "", compare: "", kind: ""})),
    choice(t("preset"), [["", t("none")], ...scheme.presets.map((p) => p.name)], state.preset ?? "",
      (preset) => change({preset, options: preset ? {} : {...starts[state.scheme]}}),
      scheme.presets.find((p) => p.name === state.preset)?.help),
    ...asked_controls(parts, state, scheme),
    h("details", {open: matchMedia("(min-width: 760px)").matches || parts.controls.querySelector("details")?.open},
      h("summary", {}, t("options")), option_controls(fields, state.options, set)));
  for (const label of focused ? parts.controls.querySelectorAll("label") : [])
    if (label.textContent === focused) document.getElementById(label.htmlFor)?.focus();
  clear(parts.about, h("h2", {}, scheme.name), h("p", {}, about_of(scheme) + t("stop")),
    h("p", {class: "quiet"}, `${t("used_by")}: ${scheme.used_by}.`));
  clear(parts.kinds, kinds.map((kind) => h("button", {type: "button", "aria-pressed": String(kind === state.kind),
    onclick: () => change({kind, positions: "", compare: ""})}, t(kind))));
  show_picture(parts, state, scheme);
}

function scheme_choice(value, change) {
  const families = [...new Set(schemes.map((one) => one.family))];
  const select = h("select", {id: "scheme", onchange: () => change(select.value)}, families.map((family) =>
    h("optgroup", {label: t(family)}, schemes.filter((one) => one.family === family).map((one) =>
      h("option", {value: one.name, selected: one.name === value}, one.name)))));
  return h("div", {class: "control"}, h("label", {for: "scheme"}, t("scheme")), select);
}

// What a kind of picture is asked, beside the scheme: [name in the address, label, kinds, usual value].
const entries = [
  ["positions", "positions_of", {heatmap: "0:128", waves: "0:64:0.25", similarity: "0:128", decay: "0:128"}],
  ["positions", "distances", {curves: "-64:65", buckets: "-160:161"}],
  ["tokens", "tokens", {square: "0:64"}],
  ["compare", "compare", {wavelengths: "base=10000; base=500000", rules: "linear factor=4; yarn factor=4", decay: "base=10000; base=500000"}],
  ["length", "length", {wavelengths: "4096"}],
  ["trained", "trained", {rules: "4096"}],
  ["grid", "grid", {patches: "14x20", directions: "14x20"}],
  ["patch", "patch", {patches: "7,10", directions: "7,10", cells_of_term: "7,7"}],
  ["tokens", "positions_of", {square_of_term: "0:48", row_of_term: "0:48"}],
  ["text", "words", {square_of_term: "made up", row_of_term: "made up"}],
  ["count", "tokens", {tokens_convolved: "64", ends: "64"}],
  ["graph", "graph_name", {network: usual_graph, nodes: usual_graph}],
];

function asked_controls(parts, state, scheme) {
  const again = (name) => (value) => {
    state[name] = value;
    next_frame(() => show_picture(parts, state, scheme));
  };
  const on_grid = scheme.grid && state.kind !== "kernel";
  const out = entries.filter(([name, , kinds]) => kinds[state.kind] && !(name === "count" && on_grid)).map(([name, label, kinds]) =>
    entry(t(label), state[name], again(name), t(helps[name] ?? ""), {placeholder: t(kinds[state.kind])}));
  if (on_grid) out.push(entry(t("grid"), state.grid, again("grid"), "", {placeholder: "14x20"}));
  if (state.kind === "circles")
    for (const [name, usual] of [["q", 7], ["k", 3]])
      out.push(slider(t("at_" + name), {low: 0, high: 512, value: Number(state[name] ?? usual)}, again(name)));
  const sized = (name, usual) => Number(state.options[name] ?? scheme.fields.find((field) => field.name === name)?.default ?? usual);
  const slide = (name, label, count, usual = 0) => out.push(slider(t(label), {low: 0, high: Math.max(count - 1, 0), value: Math.min(Number(state[name] ?? usual), count - 1)}, again(name)));
  if (state.kind === "row_of_term") {
    const count = count_of_text(state, scheme);
    slide("q", "at_q", count, count - 1);
  }
  if (["square", "square_of_term", "cells_of_term"].includes(state.kind)) slide("head", "head", sized("heads", state.kind === "square" ? 1 : 2));
  if (state.kind === "kernel" || on_grid) slide("column", "column_shown", sized("dim", 1));
  if (state.kind === "network") slide("column", "column_shown", scheme.columns, scheme.column);
  if (scheme.family === "content")
    out.push(choice(t("causal"), [["true", t("yes")], ["false", t("no")]], String(is_causal(state, scheme)), again("causal"), t("causal_help")));
  return out;
}

const helps = {compare: "compare_help", text: "words_help", graph: "graph_help"};

// What makes a picture outside of the page.
function code_for(state, info, spec) {
  if (info.family === "content") return term_code(state, info, is_causal(state, info));
  if (info.family === "convolution") return convolution_code(state, grid_of_convolution(state, info));
  return info.family === "graph" ? graph_code(state, state.kind, spec) : code_of(state.kind, state, info);
}

function show_picture({picture, bar}, state, scheme) {
  if (!picture.box.isConnected) return;  // another view was opened before the frame came
  keep_address(state);
  picture.box.hidden = false;  // what is hidden has no width to draw in
  try {
    if (!state.kind) throw Error(scheme.error);
    // shapes of what is learned are those of the options as they are
    const info = state.kind === "buckets" || live.has(scheme.family) ? {...scheme, ...engine.schemes(scheme_words(state))[0]} : scheme;
    const spec = make_picture(state.kind, state, info), chart = draw(picture.box, spec);
    tell(picture, {about: spec.about, weights: scheme.made_up ? t("made_up_values") : scheme.initial && state.kind !== "buckets" ? t("start_values") : ""});
    bar.show({chart, spec, code: () => code_for(state, info, spec)});
  } catch (error) {
    tell(picture, {error: error.message});
    bar.show(null);
  }
}

function tell({box, told, error, weights}, what) {
  for (const [element, text] of [[told, what.about], [error, what.error]]) {
    if (element.textContent !== (text ?? "")) element.textContent = text ?? "";
    element.hidden = !text;
  }
  if (what.error) box.hidden = true;
  weights.textContent = what.weights ?? "";
  weights.hidden = !what.weights;
}
