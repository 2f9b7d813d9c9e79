// controls.js: a control for each option that the library lists.
import {h} from "./html.js";

export function labelled(label, control, help) {
  const id = "c" + Math.random().toString(36).slice(2);
  control.id = id;
  return h("div", {class: "control"}, h("label", {for: id, title: help}, label), control);
}

export function choice(label, choices, value, change, help) {
  const select = h("select", {onchange: () => change(select.value)}, choices.map((one) => {
    const [name, text] = Array.isArray(one) ? one : [one, one];
    return h("option", {value: name, selected: name === (value ?? "")}, text);
  }));
  return labelled(label, select, help);
}

export function entry(label, value, change, help, attributes = {}) {
  const input = h("input", {type: "text", value: value ?? "", spellcheck: "false", autocapitalize: "off",
    autocomplete: "off", ...attributes, onchange: () => change(input.value.trim())});
  return labelled(label, input, help);
}

export function slider(label, {low, high, step = 1, value}, change) {
  const shown = h("output", {class: "shown"}, String(value));
  const input = h("input", {type: "range", min: low, max: high, step, value: String(value), oninput: () => {
    shown.textContent = input.value;
    change(Number(input.value));
  }});
  input.value = value;
  const control = labelled(label, input);
  control.classList.add("dragged");
  control.append(shown);
  return control;
}

// A number to type, and to drag: the slider goes in tenths of a doubling around the usual value.
function number(field, value, change) {
  const whole = field.kind === "integer", usual = Number(field.default);
  const input = h("input", {type: "text", inputmode: whole ? "numeric" : "decimal", value: value ?? "", placeholder: "–",
    onchange: () => change(input.value.trim())});
  const control = labelled(field.name, input, field.help);
  if (!(usual > 1)) return control;
  const rounded = (v) => (!whole ? Number(v.toPrecision(3)) : usual % 2 ? Math.max(1, Math.round(v)) : Math.max(2, 2 * Math.round(v / 2)));
  const start = Number(value) > 0 ? 10 * Math.log2(Number(value) / usual) : 0;
  const drag = h("input", {type: "range", min: -60, max: 60, step: 1, "aria-label": field.name, tabindex: -1, oninput: () => {
    input.value = rounded(usual * 2 ** (Number(drag.value) / 10));
    change(input.value);
  }});
  drag.value = start;
  control.append(drag);
  return control;
}

// field: {name, kind, help, default, choices}; given: the text that was chosen, or undefined.
function control(field, given, change) {
  const now = given ?? (field.default === null ? "" : Array.isArray(field.default) ? field.default.join(",") : String(field.default));
  if (field.kind === "boolean") {
    const input = h("input", {type: "checkbox", checked: now === "true", onchange: () => change(String(input.checked))});
    return labelled(field.name, input, field.help);
  }
  if (field.kind === "choice")
    return choice(field.name, field.default === null ? [["", "–"], ...field.choices] : field.choices, now, change, field.help);
  return field.kind === "integer" || field.kind === "number" ? number(field, now, change)
    : entry(field.name, now, change, field.help);
}

// fields as the library lists them, with the values they have now; given: {name: text}; change(name, text).
export function option_controls(fields, given, change) {
  return fields.filter((field) => is_taken(field, fields, given)).map((field) =>
    control(field, given[field.name], (text) => change(field.name, text)));
}

function is_taken(field, fields, given) {
  const need = field.only_with;
  if (!need) return true;
  const other = fields.find((one) => one.name === need.option);
  const value = given[need.option] ?? other?.default;
  return String(value) === need.choice && (!other || is_taken(other, fields, given));
}

// Boxes to tick, under one name: {element, show(names)}; entries: [[name, text]]; set(name, on).
export function switches(legend, entries, set) {
  const inputs = entries.map(([name]) => h("input", {type: "checkbox", name, id: "switch-" + name, onchange: (event) => set(name, event.target.checked)}));
  return {
    element: h("fieldset", {class: "switches"}, h("legend", {}, legend), entries.map(([name, text], i) =>
      h("div", {}, inputs[i], h("label", {for: "switch-" + name}, text)))),
    show: (names) => inputs.forEach((input) => { input.checked = names.includes(input.name); }),
  };
}
