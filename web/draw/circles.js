// circles.js: pairs of a query and a key as hands of clocks.
import {digits, s} from "../html.js";
import {finish} from "./frame.js";

// {pairs: [{name, q: [cos, sin], k: [cos, sin]}], title, tell(pair)}; y is up, as in the plane.
export function circles(box, spec) {
  const room = Math.max(240, box.clientWidth), size = room < 500 ? 70 : 92, tall = size + 18, r = 0.4 * size;
  const columns = Math.min(Math.max(2, Math.floor(room / size)), spec.pairs.length), rows = Math.ceil(spec.pairs.length / columns);
  const width = columns * size, height = rows * tall;
  const svg = s("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": spec.title});
  const clocks = spec.pairs.map((pair, i) => {
    const clock = {cx: (i % columns) * size + size / 2, cy: Math.floor(i / columns) * tall + size / 2};
    clock.ring = s("circle", {cx: clock.cx, cy: clock.cy, r, class: "circle"});
    clock.k = s("path", {class: "hand k"}), clock.q = s("path", {class: "hand q"});
    svg.append(clock.ring, clock.k, clock.q, s("text", {x: clock.cx, y: clock.cy + r + 14, "text-anchor": "middle"}, pair.name));
    return clock;
  });
  const turn = () => clocks.forEach(({cx, cy, q, k}, i) => {
    const pair = spec.pairs[i], length = Math.max(Math.hypot(...pair.q), Math.hypot(...pair.k), 1);
    const to = ([c, v]) => `M${cx} ${cy}L${(cx + (r * c) / length).toFixed(2)} ${(cy - (r * v) / length).toFixed(2)}`;
    q.setAttribute("d", to(pair.q)), k.setAttribute("d", to(pair.k));
  });
  turn();
  const last = clocks.length - 1, within = (i) => Math.min(Math.max(i, 0), last);
  const again = finish({box, svg, width, at: {left: 0, top: 0, right: width, bottom: height}}, {
    first: 0,
    place: (px, py) => {
      const i = Math.floor(py / tall) * columns + Math.floor(px / size);
      return i <= last ? i : null;
    },
    step: (i, dx, dy) => within(i + dx + dy * columns),
    show: (i) => {
      clocks.forEach(({ring}, c) => ring.classList.toggle("told-of", c === i));
      return spec.tell(spec.pairs[i]);
    },
  });
  const redraw = (next) => {
    if (next.pairs.length !== clocks.length || next.pairs[0].name !== spec.pairs[0].name) return false;
    spec = next;
    turn();
    again(spec.title);
    return true;
  };
  return {svg, redraw};
}

export function angle([cosine, sine]) {
  return digits((Math.atan2(sine, cosine) * 180) / Math.PI, 4) + "°";
}
