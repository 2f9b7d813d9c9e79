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

function copy_button(label, text) {
  const button = h("button", {type: "button", onclick: async () => {
    await navigator.clipboard.writeText(text());
    button.textContent = t("copied");
    setTimeout(() => { button.textContent = label; }, 1500);
  }}, label);
  return button;
}

// code: {shell, cpp, python}
export function give_away(box, chart, spec, code) {
  const open = box.querySelector("details.code")?.open ?? false;
  const file = (name, action) => h("button", {type: "button", onclick: action}, t(name));
  clear(box, h("div", {class: "give", role: "group", "aria-label": t("give")}, copy_button(t("link"), () => location.href),
    file("png", async () => save("posenc.png", "image/png", await to_png(chart))),
    file("svg", () => save("posenc.svg", "image/svg+xml", to_svg(chart))),
    file("csv", () => save("posenc.csv", "text/csv", to_csv(spec)))),
    ...(Object.keys(code).length === 0 ? [] : [h("details", {class: "code", open}, h("summary", {}, t("code")),
      Object.keys(code).flatMap((name) => [h("h3", {}, t(name)), h("pre", {tabindex: 0}, h("code", {"data-code": name}, code[name]))]))]),
    numbers(spec));
}

// A picture in its box with what it tells; below it, closed, what one can take along. code: as above.
export function draw_to_keep(box, spec, code = {}) {
  const stage = h("div"), give = h("div");
  const keep = h("details", {class: "keep", ontoggle: () => {
    if (keep.open && !give.firstChild) give_away(give, chart, spec, code);
  }}, h("summary", {}, t("give")), give);
  clear(box, stage, ...(spec.about ? [h("p", {class: "told"}, spec.about)] : []), keep);
  const chart = draw(stage, spec);
}

// The first numbers as a table, for those who cannot see the picture; made when it is opened.
function numbers(spec) {
  const details = h("details", {class: "numbers", ontoggle: () => {
    if (!details.open || details.querySelector("table")) return;
    const rows = to_csv(spec).trim().split("\n").slice(0, 21).map((line) => line.split(",").slice(0, 13));
    const cell = (text) => (text !== "" && !isNaN(text) ? digits(Number(text)) : text);
    details.append(h("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": t("numbers")}, h("table", {"aria-label": spec.title},
      h("thead", {}, h("tr", {}, rows[0].map((text) => h("th", {scope: "col"}, cell(text))))),
      h("tbody", {}, rows.slice(1).map((row) => h("tr", {}, row.map((text) => h("td", {}, cell(text)))))))));
  }}, h("summary", {}, t("numbers")));
  return details;
}
