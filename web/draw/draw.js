// draw.js: a picture is data, {type, ...}; this draws it and gives it away as PNG, SVG and CSV.
import {s} from "../html.js";
import {circles} from "./circles.js";
import {css} from "./colour.js";
import {heat} from "./heat.js";
import {lines} from "./lines.js";
import {network} from "./network.js";
import {strip} from "./strip.js";
import {table} from "./table.js";

const kinds = {heat, lines, circles, network, strip, table};

// A box that holds a picture of that type already keeps it where the numbers alone are others.
const drawn = new WeakMap();
export function draw(box, spec) {
  const before = drawn.get(box);
  if (before?.type === spec.type && before.redraw?.(spec)) return before;
  const chart = {type: spec.type, ...kinds[spec.type](box, spec)};
  drawn.set(box, chart);
  return chart;
}

const quoted = (value) => (/[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value);
const rows_text = (rows) => rows.map((row) => row.map(quoted).join(",")).join("\n") + "\n";
const csv_of = {
  heat: ({rows, cols, values, x, y}) => {
    const name = (axis, i) => axis.names?.[i] ?? (axis.at ? axis.at(i) : i);
    const out = [[`${y.label} \\ ${x.label}`, ...Array.from({length: cols}, (_, c) => name(x, c))]];
    for (let r = 0; r < rows; ++r) out.push([name(y, r), ...values.subarray(r * cols, (r + 1) * cols)]);
    return rows_text(out);
  },
  lines: ({curves, x}) => rows_text([["curve", x.label, "value"],
    ...curves.flatMap((c) => Array.from(c.x, (v, i) => [c.name, v, c.y[i]]))]),
  circles: ({pairs}) => rows_text([["pair", "q_cos", "q_sin", "k_cos", "k_sin"],
    ...pairs.map((p) => [p.name, ...p.q, ...p.k])]),
  network: ({values, label}) => rows_text([["node", label], ...Array.from(values, (v, i) => [i, v])]),
  strip: ({rows, axis_names}) => rows_text(rows.flatMap((row, r) =>
    row.axes.map((numbers, a) => [row.name ?? r, axis_names[a], ...numbers]))),
  table: ({head, rows}) => rows_text([head, ...rows]),
};

export function to_csv(spec) {
  return csv_of[spec.type](spec);
}

const drawn_styles = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "stop-color", "font-family", "font-size", "visibility"];

// A picture that needs no style sheet: what the page's one gives is written into it.
export function to_svg({svg, canvas, at}) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const from = svg.querySelectorAll("*"), to = copy.querySelectorAll("*");
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    to[i].setAttribute("style", drawn_styles.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  if (canvas) copy.prepend(s("image", {href: canvas.toDataURL(), x: at.left, y: at.top, width: at.right - at.left,
    height: at.bottom - at.top, preserveAspectRatio: "none", style: "image-rendering:pixelated"}));
  copy.prepend(s("rect", {width: "100%", height: "100%", fill: css("--paper")}));
  return new XMLSerializer().serializeToString(copy);
}

// Twice the size on the page.
export async function to_png(chart) {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(to_svg(chart));
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * chart.svg.width.baseVal.value, canvas.height = 2 * chart.svg.height.baseVal.value;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
