// models.js: which encoding a model has, from its files; nothing leaves the page.
import {diff_code, explain_code, identify_code} from "../code_models.js";
import {positions_code} from "../code_positions.js";
import {moved, of_model, phases, rotated, wavelengths} from "../code_turning.js";
import {entry, slider} from "../controls.js";
import * as engine from "../engine.js";
import {remembered, restored} from "../dropped.js";
import {draw_to_keep, to_keep} from "../give.js";
import {clear, digits, h, next_frame} from "../html.js";
import {t} from "../i18n.js";
import {layout_picture, moved_picture, moved_sentence, mrope_strips, mrope_words, phase_picture, phase_rows, phase_table, wavelength_picture} from "../pictures/model.js";
import {samples} from "../pictures/samples.js";
import {keep_address} from "../state.js";

// What is shown already: another language, theme or width shows it again, and needs no file anew.
let dropped = {files: [], told: ""};  // told: what the address says of them
let shown = 0;  // counts what was asked for: what was dropped later wins

export function models(root, state) {
  const result = h("div"), told = h("p", {class: "hidden", role: "status"});
  const take = async (files, changes) => {
    const now = ++shown;
    Object.assign(state, {sample: "", config: "", other: "", name: "", other_name: "", files: "", kept: ""}, changes);
    dropped = {files: state.sample || state.config ? [] : files, told: state.files || state.kept};
    keep_address(state);
    const mounted = await explain(result, files, state);
    const names = files.map((file) => file.name), more = names.splice(2);
    told.textContent = t("explained", names.join(", ")) + (more.length ? t("left_out", more.join(", ")) : "");
    told.className = more.length ? "quiet" : "hidden";
    if (dropped.files !== files || dropped.told || mounted.length === 0) return;
    const address = await remembered(files.slice(0, 2), mounted);
    if (now !== shown || !root.contains(result)) return;
    dropped.told = address.files ?? address.kept ?? "";
    keep_address(Object.assign(state, address));
  };
  const restore = async () => {
    const now = ++shown, files = await restored(state);
    if (now !== shown) return;
    if (files) take(files, {...state});
    else clear(result, h("p", {class: "quiet", role: "status"}, t("kept_elsewhere")));
  };
  const show = (name) => take([file_of(name, JSON.stringify(samples[name]))], {sample: name});
  const pasted = h("textarea", {rows: 4, id: "pasted", spellcheck: "false"});
  clear(root, h("h1", {}, t("models")), h("p", {}, t("models_about")), drop_zone(async (files) => take(files, await in_address(files))),
    h("p", {}, t("sample") + " "), h("div", {class: "kinds"}, Object.keys(samples).map((name) =>
      h("button", {type: "button", onclick: () => show(name)}, name))),
    h("details", {}, h("summary", {}, t("pasted")), h("label", {for: "pasted", class: "hidden"}, t("pasted")), pasted,
      h("button", {type: "button", onclick: async () => {
        const files = [new File([pasted.value], "config.json")];
        take(files, await in_address(files));
      }}, t("explain"))), told, result);
  if (samples[state.sample]) show(state.sample);
  else if (state.config) take([[state.name, state.config], [state.other_name, state.other]].filter(([, text]) => text)
    .map(([name, text]) => new File([text], name || "config.json")), {...state});
  else if (dropped.files.length > 0 && [dropped.told, ""].includes(state.files || state.kept || "")) take(dropped.files, dropped.told ? {...state} : {});
  else if (state.files || state.kept) restore();
}

const file_of = (name, text) => new File([text], name.replace(/\W+/g, "-") + ".json");

// Configurations that fit go into the address, so that a link shows them again; browsers send what is behind # to nobody.
async function in_address(files) {
  const texts = await Promise.all(files.slice(0, 2).map(async (file) => {
    if (file.size > 20000 || !/\.json$/.test(file.name)) return "";
    try {
      return JSON.stringify(JSON.parse(await file.text()));
    } catch {
      return "";
    }
  }));
  if (texts.some((text) => !text || text.length > 6000)) return {};
  return {config: texts[0], name: files[0].name, other: texts[1] ?? "", other_name: files[1]?.name ?? ""};
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

// The files as the engine has them.
async function explain(result, files, state) {
  const mounted = [];
  clear(result);
  try {
    await tell(result, files.slice(0, 2), state, mounted);
  } catch (error) {
    result.append(alert(error.message));
  }
  return mounted;
}

// One file is explained or identified; of two, the differences are told too.
async function tell(result, files, state, mounted) {
  const turning = [];
  for (const file of files) {
    mounted.push(await engine.mount(file.name, file));
    const {path} = mounted.at(-1), table = /\.npy$/.test(file.name);
    const {code, out, err} = await engine.run_on(mounted, [table ? "identify" : "explain", path, "--json"]);
    result.append(h("h2", {}, file.name));
    if (code !== 0 && !out) result.append(alert(err));
    else if (table) result.append(...identified(JSON.parse(out), file.name));
    else {
      const model = JSON.parse(out), linted = await engine.run_on(mounted, ["lint", path, "--json"]);
      show_model(result, model, JSON.parse(linted.out || "null"), file.name);
      const index = model.components.findIndex((one) => one.options_of === "rope" && one.runnable), part = model.components[index];
      if (part) turning.push({name: file.name, part, family: model.family, words: ["--model", path, "--part", part.where],
        source: of_model({path: file.name, where: part.where, index, axes: part.options.axes?.sections?.length ?? 1})});
      if (part && files.length === 1) show_turning(result, turning[0], state);
    }
  }
  if (mounted.length < 2 || files.some((file) => /\.npy$/.test(file.name))) return;
  const {out, err} = await engine.run_on(mounted, ["diff", mounted[0].path, mounted[1].path]);
  result.append(h("h2", {}, t("differences")), h("pre", {tabindex: 0, "data-diff": ""}, out || err),
    to_keep(text_table(t("differences"), out || err), () => diff_code(...files.map((file) => file.name))));
  if (turning.length === 2) show_picture(result, t("wavelengths"), "", () => wavelength_picture(turning),
    () => wavelengths(turning.map(({source}) => source)));
}

// Lines of text as what is given away.
const text_table = (title, text) => ({type: "table", title, head: [title], rows: text.trimEnd().split("\n").map((line) => [line])});

function identified(match, name) {
  return [h("h3", {}, t("identified")), h("p", {}, match.sentence), ...(match.command ? [h("pre", {tabindex: 0}, match.command)] : []),
    to_keep(text_table(t("identified"), [match.sentence, match.command].filter(Boolean).join("\n")), () => identify_code(name))];
}

// Members that have a line of their own, or are for programs.
const apart = new Set(["where", "scheme", "runnable", "layers", "keys", "options", "options_of", "positions"]);

function fact_text(value) {
  if (Array.isArray(value)) return value.length > 8 ? `[${value.slice(0, 4).map((v) => digits(v)).join(", ")}, … ${value.length}]` : `[${value.join(", ")}]`;
  if (value && typeof value === "object") return Object.entries(value).map(([name, v]) => (name === "type" ? v : `${name} ${fact_text(v)}`)).join(", ");
  return typeof value === "number" ? digits(value) : String(value);
}

function show_model(result, model, linted, name) {
  const told = [];  // all of it, to be taken along
  result.append(h("p", {class: "quiet"}, `${model.family}, ${model.format}`));
  for (const part of model.components) {
    const facts = Object.entries(part).filter(([name]) => !apart.has(name)).map(([name, value]) => [name, fact_text(value)]);
    if (part.positions) facts.push([t("positions"), part.positions]);
    if (part.layers) facts.push([t("layers"), part.layers.join(", ")]);
    facts.push([t("decided"), part.keys.join(", ")]);
    told.push([part.where, t("scheme"), part.scheme], ...facts.map((fact) => [part.where, ...fact]));
    result.append(h("h3", {}, `${part.where}: ${part.scheme}`),
      h("dl", {class: "facts"}, facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])));
  }
  const findings = linted?.findings ?? [], where = (note) => (note.where ? note.where + ": " : "");
  const same = (a, b) => a.kind === b.kind && where(a) === where(b) && a.text === b.text;
  const line = (note) => h("p", {class: "note"}, h("b", {}, t(note.kind)), " ", where(note), note.text);
  if (linted) result.append(h("h3", {}, "posenc lint"), h("div", {"data-lint": findings.length},
    h("p", {class: findings.length ? undefined : "quiet"}, t("lint", findings.length, linted.traps.length)), findings.map(line)));
  const others = model.notes.filter((note) => !findings.some((found) => same(found, note)));
  result.append(h("h3", {}, t("notes")), ...(others.length ? others.map(line) : [h("p", {class: "quiet"}, t(findings.length ? "no_other_notes" : "no_notes"))]));
  told.push(...model.notes.map((note) => [note.where ?? "", t(note.kind), note.text]));
  result.append(to_keep({type: "table", title: name, head: [t("part"), t("what"), t("value")], rows: told}, () => explain_code(name)));
}

function show_picture(result, title, about, make, code) {
  const box = h("div");
  result.append(h("h3", {}, title), ...(about ? [h("p", {class: "quiet"}, about)] : []), box);
  try {
    draw_to_keep(box, make(), code);
  } catch (error) {
    clear(box, alert(error.message));
  }
}

// A value that is made when it is first asked for.
function once(make) {
  let made = null;
  return () => (made ??= make());
}

// What follows from a rotary part.
function show_turning(result, one, state) {
  const {words, part, source} = one;
  show_picture(result, t("wavelengths"), "", () => wavelength_picture([{...one, name: ""}]), () => wavelengths([source]));
  const found = once(() => phase_rows(words, part)), code = () => phases(source, 1000, 32);
  show_picture(result, t("phase"), t("phase_about"), () => phase_picture(found()), code);
  show_picture(result, t("phase_worst"), "", () => phase_table(found()), code);
  if (["half", "interleaved"].includes(part.layout)) {
    const run = Array.from({length: 65}, (_, i) => i).join(",");
    show_picture(result, t("layouts"), t("layouts_about"), () => layout_picture(words, part), () => rotated(source, run, "0"));
    show_moved(result, one, state);
  }
  if (part.options?.axes?.type && part.options.axes.type !== "one") show_mrope(result, one, state);
}

// A cached key, moved by the reader.
function show_moved(result, {words, part, source}, state) {
  const box = h("div"), sentence = h("p", {"aria-live": "polite"}), from = 100, start = Number(state.to ?? 1000);
  const show = (to) => {
    const spec = moved_picture(words, part, {from, to});
    draw_to_keep(box, spec, () => moved(source, from, to));
    sentence.textContent = moved_sentence(spec, {from, to});
    sentence.dataset.error = spec.error;
  };
  const drag = (to) => next_frame(() => {
    keep_address(Object.assign(state, {to}));
    show(to);
  });
  result.append(h("h3", {}, t("moved")), sentence, slider(t("moved_to"), {low: 0, high: 1000, value: start}, drag), box);
  show(start);
}

// Where the tokens of a text with images stand by the model's own rule, how decoding goes on, and what a prefill in chunks does
// that counts tokens instead.
function show_mrope(result, {family}, state) {
  const box = h("div"), wrong = h("div"), told = h("p", {class: "told", "aria-live": "polite"}), chunks = h("div"), refused = h("p", {class: "error", role: "alert"});
  const show = (first) => {
    try {
      const words = mrope_words(family, state.segments || "text:3,image:1x4x6,text:4"), strips = mrope_strips(words, Number(state.chunk ?? 9));
      refused.textContent = "";
      told.textContent = t("delta", strips.delta);
      draw_to_keep(box, strips.right, () => positions_code(words));
      draw_to_keep(wrong, strips.wrong, () => positions_code(["range", "--start", String(state.chunk ?? 9), "--tokens", String(strips.count - Number(state.chunk ?? 9))]));
      if (first) clear(chunks, slider(t("chunk"), {low: 1, high: strips.count - 1, value: Math.min(Number(state.chunk ?? 9), strips.count - 1)}, (chunk) => next_frame(() => set({chunk}))));
    } catch (error) {
      refused.textContent = error.message;
    }
  };
  const set = (changes) => {
    keep_address(Object.assign(state, changes));
    show("segments" in changes);
  };
  result.append(h("h3", {}, t("mrope")), h("p", {class: "quiet"}, t("mrope_about")),
    entry(t("segments"), state.segments || "text:3,image:1x4x6,text:4", (segments) => set({segments})), refused, box, told,
    h("p", {class: "quiet"}, t("mrope_chunk")), chunks, wrong);
  show(true);
}
