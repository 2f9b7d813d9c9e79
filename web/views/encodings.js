// encodings.js: every scheme with its options, as pictures.
import {choice, entry, option_controls, slider} from "../controls.js";
import {code_of} from "../code.js";
import {draw} from "../draw/draw.js";
import * as engine from "../engine.js";
import {give_bar} from "../give.js";
import {clear, h, next_frame} from "../html.js";
import {about_of, t} from "../i18n.js";
import {make_picture, probe} from "../pictures/all.js";
import {scheme_words} from "../pictures/rows.js";
import {keep_address} from "../state.js";

let schemes = null;  // what `posenc list --json` says

// What a scheme cannot do without, and what fits a page.
const starts = {rope: {layout: "half", dim: "64"}, sinusoidal: {dim: "128"}};

export function encodings(root, state) {
  schemes ??= engine.schemes();
  state.scheme ??= "sinusoidal";
  if (!state.preset && Object.keys(state.options).length === 0) state.options = {...starts[state.scheme]};
  const controls = h("form", {class: "controls", onsubmit: (event) => event.preventDefault()});
  const about = h("div", {class: "about"}), bar = give_bar();
  const picture = {box: h("div"), told: h("p", {class: "told", "aria-live": "polite"}), error: h("p", {class: "error", role: "alert"}),
    weights: h("p", {class: "quiet"}, t("start_values"))};
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
function fits(state, {fields, learned}) {
  const [rows, columns] = learned[0]?.shape ?? [0, 0];
  if (rows * columns <= most_numbers || state.options.rows || !fields.some((field) => field.name === "rows")) return true;
  state.options.rows = String(Math.floor(most_numbers / columns));
  return false;
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
  ["patch", "patch", {patches: "7,10", directions: "7,10"}],
];

function asked_controls(parts, state, scheme) {
  const again = (name) => (value) => {
    state[name] = value;
    next_frame(() => show_picture(parts, state, scheme));
  };
  const out = entries.filter(([, , kinds]) => kinds[state.kind]).map(([name, label, kinds]) =>
    entry(t(label), state[name], again(name), name === "compare" ? t("compare_help") : "", {placeholder: kinds[state.kind]}));
  if (state.kind === "circles")
    for (const [name, usual] of [["q", 7], ["k", 3]])
      out.push(slider(t("at_" + name), {low: 0, high: 512, value: Number(state[name] ?? usual)}, again(name)));
  if (state.kind === "square") {
    const heads = Number(state.options.heads ?? scheme.fields.find((field) => field.name === "heads")?.default ?? 1);
    out.push(slider(t("head"), {low: 0, high: heads - 1, value: Number(state.head ?? 0)}, again("head")));
  }
  return out;
}

const unseen = new Set(["content", "convolution", "graph"]);  // families of which positions alone give no numbers

function show_picture({picture, bar}, state, scheme) {
  if (!picture.box.isConnected) return;  // another view was opened before the frame came
  keep_address(state);
  picture.box.hidden = false;  // what is hidden has no width to draw in
  try {
    if (!state.kind && unseen.has(scheme.family)) {
      tell(picture, {about: t("unseen_" + scheme.family)});
      clear(picture.box);
      return bar.show(null);
    }
    if (!state.kind) throw Error(scheme.error);
    // shapes of what is learned are those of the options as they are
    const info = state.kind === "buckets" ? {...scheme, ...engine.schemes(scheme_words(state))[0]} : scheme;
    const spec = make_picture(state.kind, state, info), chart = draw(picture.box, spec);
    tell(picture, {about: spec.about, initial: scheme.initial && state.kind !== "buckets"});
    bar.show({chart, spec, code: () => code_of(state.kind, state, scheme)});
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
  weights.hidden = !what.initial;
}
