// models.js: which encoding a model has, from its files; nothing leaves the page.
import {shell} from "../code.js";
import {slider} from "../controls.js";
import {draw} from "../draw/draw.js";
import * as engine from "../engine.js";
import {draw_to_keep} from "../give.js";
import {clear, digits, h} from "../html.js";
import {t} from "../i18n.js";
import {layout_picture, moved_picture, moved_sentence, mrope_strips, phase_picture, wavelength_picture} from "../pictures/model.js";
import {samples} from "../pictures/samples.js";
import {keep_address} from "../state.js";

export function models(root, state) {
  const result = h("div", {"aria-live": "polite"});
  const show = (name) => {
    state.sample = name;
    keep_address(state);
    explain(result, [new File([JSON.stringify(samples[name])], name.replace(/\W+/g, "-") + ".json")]);
  };
  const pasted = h("textarea", {rows: 4, id: "pasted", spellcheck: "false"});
  clear(root, h("h1", {}, t("models")), h("p", {}, t("models_about")), drop_zone((files) => explain(result, files)),
    h("p", {}, t("sample") + " "), h("div", {class: "kinds"}, Object.keys(samples).map((name) =>
      h("button", {type: "button", onclick: () => show(name)}, name))),
    h("details", {}, h("summary", {}, t("pasted")), h("label", {for: "pasted", class: "hidden"}, t("pasted")), pasted,
      h("button", {type: "button", onclick: () => explain(result, [new File([pasted.value], "config.json")])}, t("explain"))),
    result);
  if (samples[state.sample]) show(state.sample);
}

function drop_zone(take) {
  const input = h("input", {type: "file", multiple: true, id: "files", class: "hidden", onchange: () => take([...input.files])});
  const zone = h("div", {class: "drop"}, input, h("label", {for: "files"}, t("drop")));
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    take([...event.dataTransfer.files]);
  });
  return zone;
}

const alert = (sentence) => h("p", {class: "error", role: "alert"}, sentence.replace(/^posenc: /, ""));

async function explain(result, files) {
  clear(result);
  try {
    await tell(result, files.slice(0, 2));
  } catch (error) {
    result.append(alert(error.message));
  }
}

// One file is explained or identified; of two, the differences are told too.
async function tell(result, files) {
  const mounted = [], turning = [];
  for (const file of files) {
    mounted.push(await engine.mount(file.name, file));
    const {path} = mounted.at(-1), table = /\.npy$/.test(file.name);
    const {code, out, err} = await engine.run_on(mounted, [table ? "identify" : "explain", path, "--json"]);
    result.append(h("h2", {}, file.name));
    if (code !== 0 && !out) result.append(alert(err));
    else if (table) result.append(...identified(JSON.parse(out)));
    else {
      const model = JSON.parse(out), linted = await engine.run_on(mounted, ["lint", path, "--json"]);
      show_model(result, model, JSON.parse(linted.out || "null"));
      const part = model.components.find((one) => one.options_of === "rope" && one.runnable);
      if (part) turning.push({name: file.name, part, words: ["--model", path, "--part", part.where]});
      if (part && files.length === 1) show_turning(result, turning[0]);
    }
  }
  if (mounted.length < 2 || files.some((file) => /\.npy$/.test(file.name))) return;
  const {out, err} = await engine.run_on(mounted, ["diff", mounted[0].path, mounted[1].path]);
  result.append(h("h2", {}, t("differences")), h("pre", {tabindex: 0, "data-diff": ""}, out || err));
  if (turning.length === 2) show_picture(result, t("wavelengths"), "", () => wavelength_picture(turning),
    turning.map(({words}) => shell(["frequencies", ...words])).join("\n"));
}

function identified(match) {
  return [h("h3", {}, t("identified")), h("p", {}, match.sentence), ...(match.command ? [h("pre", {tabindex: 0}, match.command)] : [])];
}

// Members that have a line of their own, or are for programs.
const apart = new Set(["where", "scheme", "runnable", "layers", "keys", "options", "options_of", "positions"]);

function fact_text(value) {
  if (Array.isArray(value)) return value.length > 8 ? `[${value.slice(0, 4).map((v) => digits(v)).join(", ")}, … ${value.length}]` : `[${value.join(", ")}]`;
  if (value && typeof value === "object") return Object.entries(value).map(([name, v]) => (name === "type" ? v : `${name} ${fact_text(v)}`)).join(", ");
  return typeof value === "number" ? digits(value) : String(value);
}

function show_model(result, model, linted) {
  result.append(h("p", {class: "quiet"}, `${model.family}, ${model.format}`));
  for (const part of model.components) {
    const facts = Object.entries(part).filter(([name]) => !apart.has(name)).map(([name, value]) => [name, fact_text(value)]);
    if (part.positions) facts.push([t("positions"), part.positions]);
    if (part.layers) facts.push([t("layers"), part.layers.join(", ")]);
    facts.push([t("decided"), part.keys.join(", ")]);
    result.append(h("h3", {}, `${part.where}: ${part.scheme}`),
      h("dl", {class: "facts"}, facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])));
  }
  if (linted) result.append(h("p", {"data-lint": linted.findings.length}, t("lint", linted.findings.length, linted.traps.length)));
  result.append(h("h3", {}, t("notes")), ...(model.notes.length === 0 ? [h("p", {class: "quiet"}, t("no_notes"))]
    : model.notes.map((note) => h("p", {class: "note"}, h("b", {}, t(note.kind)), " ", note.where ? note.where + ": " : "", note.text))));
}

function show_picture(result, title, about, make, code) {
  const box = h("div");
  result.append(h("h3", {}, title), ...(about ? [h("p", {class: "quiet"}, about)] : []), box);
  try {
    draw_to_keep(box, make(), code ? {shell: code} : {});
  } catch (error) {
    clear(box, alert(error.message));
  }
}

// What follows from a rotary part.
function show_turning(result, one) {
  const {words, part} = one;
  show_picture(result, t("wavelengths"), "", () => wavelength_picture([{...one, name: ""}]), shell(["frequencies", ...words]));
  show_picture(result, t("phase"), t("phase_about"), () => phase_picture(words, part),
    shell(["table", ...words, "--positions", "1000:1032", "--numerics", "torch-f32"]));
  if (["half", "interleaved"].includes(part.layout)) {
    show_picture(result, t("layouts"), t("layouts_about"), () => layout_picture(words, part));
    show_moved(result, words, part);
  }
  if (part.options?.axes?.type && part.options.axes.type !== "one") show_mrope(result);
}

// A cached key, moved by the reader.
function show_moved(result, words, part) {
  const box = h("div"), sentence = h("p"), from = 100;
  const show = (to) => {
    const spec = moved_picture(words, part, {from, to});
    draw(box, spec);
    sentence.textContent = moved_sentence(spec, {from, to});
    sentence.dataset.error = spec.error;
  };
  result.append(h("h3", {}, t("moved")), sentence, slider(t("moved_to"), {low: 0, high: 1000, value: 1000}, show), box);
  show(1000);
}

function show_mrope(result) {
  const segments = "text:3,image:1x4x6,text:4", box = h("div"), wrong = h("div"), told = h("p", {class: "told", "aria-live": "polite"});
  const show = (chunk) => {
    const strips = mrope_strips("qwen2-vl", segments, chunk);
    told.textContent = t("delta", strips.delta);
    draw_to_keep(box, strips.right, {shell: shell(["positions", "segments", "--segments", segments, "--model", "qwen2-vl"])});
    draw_to_keep(wrong, strips.wrong);
  };
  result.append(h("h3", {}, t("mrope")), h("p", {class: "quiet"}, t("mrope_about")), box, told,
    h("p", {class: "quiet"}, t("mrope_chunk")), slider(t("chunk"), {low: 1, high: 15, value: 9}, show), wrong);
  show(9);
}
