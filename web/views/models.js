// models.js: which encoding a model has, from its files; nothing leaves the page.
import {draw} from "../draw/draw.js";
import * as engine from "../engine.js";
import {clear, digits, h} from "../html.js";
import {t} from "../i18n.js";
import {samples} from "../samples.js";
import {layout_picture, moved_key, phase_picture, wavelength_picture} from "../model_pictures.js";
import {keep_address} from "../state.js";
import {strip_of} from "./positions.js";

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
  const input = h("input", {type: "file", multiple: true, id: "files", onchange: () => take([...input.files])});
  const zone = h("div", {class: "drop"}, h("label", {for: "files"}, t("drop")), " ", input);
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
  const mounted = [];
  for (const file of files) {
    mounted.push(await engine.mount(file.name, file));
    const table = /\.npy$/.test(file.name);
    const {code, out, err} = await engine.run_on(mounted, [table ? "identify" : "explain", mounted.at(-1).path, "--json"]);
    result.append(h("h2", {}, file.name));
    if (code !== 0 && !out) result.append(alert(err));
    else if (table) result.append(...identified(JSON.parse(out)));
    else show_model(result, JSON.parse(out), mounted.at(-1).path);
  }
  if (mounted.length < 2 || files.some((file) => /\.npy$/.test(file.name))) return;
  const {out, err} = await engine.run_on(mounted, ["diff", mounted[0].path, mounted[1].path]);
  result.append(h("h2", {}, t("differences")), h("pre", {tabindex: 0}, out || err));
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

function show_model(result, model, path) {
  result.append(h("p", {class: "quiet"}, `${model.family}, ${model.format}`));
  for (const part of model.components) {
    const facts = Object.entries(part).filter(([name]) => !apart.has(name)).map(([name, value]) => [name, fact_text(value)]);
    if (part.positions) facts.push([t("positions"), part.positions]);
    if (part.layers) facts.push([t("layers"), part.layers.join(", ")]);
    facts.push([t("decided"), part.keys.join(", ")]);
    result.append(h("h3", {}, `${part.where}: ${part.scheme}`),
      h("dl", {class: "facts"}, facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])));
  }
  result.append(h("h3", {}, t("notes")), ...(model.notes.length === 0 ? [h("p", {class: "quiet"}, t("no_notes"))]
    : model.notes.map((note) => h("p", {class: "note"}, h("b", {}, t(note.kind)), " ", note.where ? note.where + ": " : "", note.text))));
  const rotary = model.components.find((part) => part.options_of === "rope" && part.runnable);
  if (rotary) show_turning(result, path, rotary);
}

function show_turning(result, path, part) {
  const words = ["--model", path, "--part", part.where];
  const picture = (title, about, make) => {
    const box = h("div");
    result.append(h("h3", {}, title), ...(about ? [h("p", {class: "quiet"}, about)] : []), box);
    try {
      const spec = make();
      draw(box, spec);
      if (spec.about) box.append(h("p", {class: "told"}, spec.about));
    } catch (error) {
      clear(box, alert(error.message));
    }
  };
  picture(t("wavelengths"), "", () => wavelength_picture(words, part));
  picture(t("phase"), t("phase_about"), () => phase_picture(words, part));
  if (["half", "interleaved"].includes(part.layout)) {
    picture(t("layouts"), t("layouts_about"), () => layout_picture(words, part));
    const moved = moved_key(words, part);
    result.append(h("h3", {}, t("moved")), h("p", {"data-error": moved.error}, t("moved_about", moved.from, moved.to, digits(moved.error, 3))));
  }
  if (part.options?.axes?.type && part.options.axes.type !== "one") show_mrope(result);
}

function show_mrope(result) {
  const spec = strip_of(["segments", "--segments", "text:3,image:1x4x6,text:4", "--model", "qwen2-vl"]);
  const box = h("div"), wrong = h("div"), from = 9;
  result.append(h("h3", {}, t("mrope")), h("p", {class: "quiet"}, t("mrope_about")), box,
    h("p", {class: "told"}, t("delta", spec.told.rope_delta)), h("p", {class: "quiet"}, t("mrope_chunk")), wrong);
  draw(box, spec);
  const [row] = spec.rows;
  const counted = row.axes.map((axis) => axis.map((n, i) => (i < from ? n : i)));
  draw(wrong, {...spec, rows: [{...row, axes: counted, kinds: row.kinds.map((kind, i) => (i < from ? kind : "wrong"))}],
    kind_names: {wrong: "×"}});
}
