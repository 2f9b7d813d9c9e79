// network.js: nodes of a graph with the edges between them, coloured by their numbers.
import {digits, s} from "../html.js";
import {ramp} from "./colour.js";
import {finish} from "./frame.js";
import {scale_bar} from "./scale.js";

const colour_of = (value, high) => {
  const colours = ramp(), pixel = colours[Math.round(((value / high + 1) / 2) * (colours.length - 1))] ?? colours[255];
  return `rgb(${pixel & 255}, ${(pixel >> 8) & 255}, ${(pixel >> 16) & 255})`;
};

// {places: [{x, y}] between 0 and 1, edges: [[from, to]], values, high, ratio: height by width, title, tell(node, text)}
export function network(box, spec) {
  const {places, edges, values, high, ratio} = spec, width = Math.min(Math.max(240, box.clientWidth), 640), margin = 24;
  const inner = width - 2 * margin, tall = Math.min(Math.max(ratio * inner, 40), 480), height = tall + 2 * margin + 24;
  const wide = Math.min(inner, ratio ? tall / ratio : inner), left = (width - wide) / 2;
  const at = places.map(({x, y}) => ({x: left + x * wide, y: margin + y * tall})), r = Math.min(12, Math.max(4, (0.28 * wide) / Math.sqrt(places.length)));
  const svg = s("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": spec.title});
  for (const [a, b] of edges) svg.append(s("path", {class: "edge", d: `M${at[a].x.toFixed(1)} ${at[a].y.toFixed(1)}L${at[b].x.toFixed(1)} ${at[b].y.toFixed(1)}`}));
  const dots = at.map(({x, y}, i) => s("circle", {class: "node", cx: x.toFixed(1), cy: y.toFixed(1), r, style: `fill:${colour_of(values[i], high)}`}));
  const bar = scale_bar(left, height - 14);
  bar.show(-high, high);
  svg.append(...dots, bar.element);
  const last = places.length - 1, nearest = (px, py) => at.reduce((best, p, i) =>
    (Math.hypot(p.x - px, p.y - py) < Math.hypot(at[best].x - px, at[best].y - py) ? i : best), 0);
  finish({box, svg, width, at: {left: 0, top: 0, right: width, bottom: height}}, {
    first: 0,
    place: nearest,
    step: (i, dx, dy) => Math.min(Math.max(i + dx + dy, 0), last),
    show: (i) => {
      dots.forEach((dot, n) => dot.classList.toggle("told-of", n === i));
      return spec.tell(i, digits(values[i]));
    },
  });
  return {svg};
}
