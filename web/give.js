// give.js: a picture as a link, as files and as code.
import {draw, to_csv, to_png, to_svg} from "./draw/draw.js";
import {clear, digits, h} from "./html.js";
import {t} from "./i18n.js";

function save(name, type, content) {
  const link = h("a", {href: URL.createObjectURL(new Blob([content], {type})), download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function copy_button(label, text) {
  const button = h("button", {type: "button", onclick: async () => {
    button.textContent = t(await copied(text()) ? "copied" : "not_copied");
    setTimeout(() => { button.textContent = label; }, 1500);
  }}, label);
  return button;
}

// Whether the text is on the clipboard now. Browsers have navigator.clipboard only on pages from https, localhost or a file; on
// others the text is selected in a field and copied from there.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h("textarea", {class: "hidden", "aria-hidden": "true", value: text}), focused = document.activeElement;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    focused?.focus();
    return done;
  }
}

export const save_button = (label, name, type, content) => h("button", {type: "button", onclick: () => save(name, type, content())}, label);

// What is folded away is made when someone opens it: {element, again()}.
function folded(name, make) {
  const content = h("div");
  const fill = () => clear(content, element.open ? make() : []);
  const element = h("details", {class: name, ontoggle: fill}, h("summary", {}, t(name)), content);
  return {element, again: fill};
}

// {element, show({chart, spec, code})}: gives away the picture that was shown last; code() is {shell, cpp, python}, and null
// hides all of it.
export function give_bar() {
  let now = null;
  const file = (name, action) => h("button", {type: "button", onclick: action}, t(name));
  const parts = [folded("code", () => code_blocks(now.code())), folded("numbers", () => number_table(now.spec))];
  const element = h("div", {hidden: true}, h("div", {class: "give", role: "group", "aria-label": t("give")},
    copy_button(t("link"), () => location.href),
    file("png", async () => save("posenc.png", "image/png", await to_png(now.chart))),
    file("svg", () => save("posenc.svg", "image/svg+xml", to_svg(now.chart))),
    file("csv", () => save("posenc.csv", "text/csv", to_csv(now.spec)))), parts.map((part) => part.element));
  return {element, show: (next) => {
    now = next;
    element.hidden = now === null;
    if (now) for (const part of parts) part.again();
    parts[1].element.hidden = now?.spec.type === "table";  // it shows its numbers already
  }};
}

// The same for what is shown otherwise: spec is a table of it.
export function to_keep(spec, code) {
  const bar = give_bar(), hidden = h("div");
  const {svg} = draw(hidden, spec);
  hidden.className = "hidden", hidden.ariaHidden = "true";
  hidden.replaceChildren(svg);  // its style is read when it is given away
  bar.show({chart: {svg}, spec, code});
  return h("details", {class: "keep"}, h("summary", {}, t("give")), bar.element, hidden);
}

function code_blocks(code) {
  return Object.keys(code).flatMap((name) =>
    [h("h3", {}, t(name)), h("pre", {tabindex: 0, "aria-label": t(name)}, h("code", {"data-code": name}, code[name]))]);
}

// A picture in its box with what it tells; below it, folded, what one can take along. code: as above. Called again for the
// same box, it draws what is new.
const kept = new WeakMap();
export function draw_to_keep(box, spec, code) {
  if (!kept.has(box)) {
    const parts = {stage: h("div"), told: h("p", {class: "told"}), bar: give_bar()};
    parts.keep = h("details", {class: "keep"}, h("summary", {}, t("give")), parts.bar.element);
    clear(box, parts.stage, parts.told, parts.keep);
    kept.set(box, parts);
  }
  const {stage, told, bar} = kept.get(box);
  told.textContent = spec.about ?? "";
  told.hidden = !spec.about;
  bar.show({chart: draw(stage, spec), spec, code});
}

// The first numbers as a table, for those who cannot see the picture.
function number_table(spec) {
  const rows = to_csv(spec).trim().split("\n").slice(0, 21).map((line) => line.split(",").slice(0, 13));
  const cell = (text) => (text !== "" && !isNaN(text) ? digits(Number(text)) : text);
  return h("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": t("numbers")}, h("table", {"aria-label": spec.title},
    h("thead", {}, h("tr", {}, rows[0].map((text) => h("th", {scope: "col"}, cell(text))))),
    h("tbody", {}, rows.slice(1).map((row) => h("tr", {}, row.map((text) => h("td", {}, cell(text))))))));
}
