// circles.js: pairs of a query and a key as hands of clocks.
import {digits, h, s} from "../html.js";

// {pairs: [{name, q: [cos, sin], k: [cos, sin]}], title, tell(pair)}; y is up, as in the plane.
export function circles(box, spec) {
  const room = Math.max(240, box.clientWidth), size = room < 500 ? 70 : 92;
  const columns = Math.max(2, Math.floor(room / size)), rows = Math.ceil(spec.pairs.length / columns);
  const svg = s("svg", {viewBox: `0 0 ${columns * size} ${rows * (size + 18)}`, width: columns * size,
    height: rows * (size + 18), role: "img", "aria-label": spec.title});
  const readout = h("output", {class: "readout", "aria-live": "polite"});
  spec.pairs.forEach((pair, i) => {
    const cx = (i % columns) * size + size / 2, cy = Math.floor(i / columns) * (size + 18) + size / 2, r = 0.4 * size;
    const length = Math.max(Math.hypot(...pair.q), Math.hypot(...pair.k), 1);
    const hand = (name, [c, v]) => s("path", {class: "hand " + name,
      d: `M${cx} ${cy}L${(cx + (r * c) / length).toFixed(2)} ${(cy - (r * v) / length).toFixed(2)}`});
    const group = s("g", {class: "pair", tabindex: 0, role: "img", "aria-label": spec.tell(pair)},
      s("circle", {cx, cy, r, class: "circle"}), hand("k", pair.k), hand("q", pair.q),
      s("text", {x: cx, y: cy + r + 14, "text-anchor": "middle"}, pair.name));
    for (const event of ["pointerenter", "focus"])
      group.addEventListener(event, () => { readout.textContent = spec.tell(pair); });
    svg.append(group);
  });
  box.replaceChildren(h("div", {class: "stage scroll"}, svg), readout);
  return {svg};
}

export function angle([cosine, sine]) {
  return digits((Math.atan2(sine, cosine) * 180) / Math.PI, 4) + "°";
}
