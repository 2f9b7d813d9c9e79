// frame.js: the axes of a picture, and the place under the pointer or the arrow keys.
import {digits, h, s} from "../html.js";

function nice_step(span, count) {
  const rough = span / count, power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((m) => m * power >= rough);
}

export function ticks(low, high, log, count) {
  const out = [];
  if (log) {
    const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first) / count));
    for (let e = first; e <= last; e += step) out.push(10 ** e);
    return out;
  }
  const step = nice_step(high - low || 1, count);
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) out.push(i * step);
  return out;
}

function tick_text(value, log) {
  const power = Math.round(Math.log10(Math.abs(value)));
  if (log && Math.abs(power) >= 4) return `10${[...String(power)].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻").join("")}`;
  return digits(Number(value.toPrecision(6)), 3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}

// What stands at an axis: [[value, text], ...]; its names, where it has some.
function tick_list(axis, count) {
  if (axis.names) return axis.names.map((name, i) => [i, name]);
  return ticks(axis.low, axis.high, axis.log, count).map((v) => [v, tick_text(v, axis.log)]);
}

// Maps low .. high to from .. to.
function scale(axis, from, to) {
  const f = axis.log ? Math.log10 : (v) => v;
  const low = f(axis.low), span = f(axis.high) - low || 1;
  return (v) => from + ((f(v) - low) / span) * (to - from);
}

// x, y: {label, low, high, log, names}. Returns what a picture draws into.
export function frame(box, {x, y, width = Math.max(200, Math.floor(box.clientWidth)), height, title}) {
  const tall = Math.round(height ?? Math.min(width * 0.62, 460));
  const at = {left: 54, top: 8, right: width - 10, bottom: tall - 40};
  const svg = s("svg", {viewBox: `0 0 ${width} ${tall}`, width, height: tall, role: "img", "aria-label": title});
  const sx = scale(x, at.left, at.right), sy = scale(y, y.down ? at.top : at.bottom, y.down ? at.bottom : at.top);
  const axes = s("g", {class: "axes"});
  for (const [v, text] of tick_list(x, Math.max(2, width / 110)))
    axes.append(s("path", {d: `M${sx(v)} ${at.bottom}v4`}),
      s("text", {x: sx(v), y: at.bottom + 16, "text-anchor": "middle"}, text));
  for (const [v, text] of tick_list(y, Math.max(2, tall / 70)))
    axes.append(s("path", {d: `M${at.left - 4} ${sy(v)}h4`}),
      s("text", {x: at.left - 7, y: sy(v) + 4, "text-anchor": "end"}, text));
  axes.append(s("text", {class: "label", x: at.right, y: at.bottom + 33, "text-anchor": "end"}, x.label),
    s("text", {class: "label", x: 12, y: at.top, "text-anchor": "end", transform: `rotate(-90 12 ${at.top})`}, y.label));
  svg.append(axes);
  return {box, svg, at, sx, sy, width, height: tall};
}

// Puts the picture into its box. place(px, py) and step(place, dx, dy) give a place; show(place) marks it and
// returns its sentence; a picture without places has none of them. Returns again(title), for numbers that have changed.
export function finish(frame, {canvas, place, step, first, show}) {
  const {box, svg, at} = frame;
  const readout = h("output", {class: "readout", "aria-live": "polite"});
  const stage = h("div", {class: "stage", tabindex: show ? 0 : undefined, role: "group",
    "aria-label": svg.getAttribute("aria-label")}, ...(canvas ? [canvas] : []), svg);
  let now = null;
  const move = (next) => {
    if (next === null || next === undefined) return;
    now = next;
    readout.textContent = show(now);
  };
  if (show) {
    const pointed = (event) => {
      const rect = svg.getBoundingClientRect(), ratio = frame.width / rect.width;
      const px = (event.clientX - rect.left) * ratio, py = (event.clientY - rect.top) * ratio;
      if (px >= at.left && px <= at.right && py >= at.top && py <= at.bottom) move(place(px, py));
    };
    stage.addEventListener("pointermove", pointed);
    stage.addEventListener("pointerdown", pointed);  // a finger that taps does not move
    stage.addEventListener("keydown", (event) => {
      const [dx, dy] = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key] ?? [];
      if (dx === undefined) return;
      event.preventDefault();
      move(now !== null ? step(now, dx * (event.shiftKey ? 10 : 1), dy * (event.shiftKey ? 10 : 1)) : first);
    });
  }
  box.replaceChildren(stage, readout);
  return (title) => {
    for (const one of [svg, stage]) one.setAttribute("aria-label", title);
    if (now !== null) readout.textContent = show(now);
  };
}
