// heat.js: a table of numbers as a picture: a cell for each, blue below zero, the accent above.
import {digits, s} from "../html.js";
import {ramp} from "./colour.js";
import {finish, frame} from "./frame.js";
import {scale_bar} from "./scale.js";

// {rows, cols, values, low, high, x: {label, at, names}, y: {label, at, names}, square, tell(row, col, value)}; x.at(col) is the
// number at the axis, its own unless given.
export function heat(box, spec) {
  const {rows, cols} = spec;
  const numbers = (axis, count) => {
    const at = axis.at ?? ((i) => i), half = count > 1 ? (at(count - 1) - at(0)) / (count - 1) / 2 : 0.5;
    return {label: axis.label, names: axis.names, low: at(0) - half, high: at(count - 1) + half};
  };
  const room = Math.max(200, box.clientWidth), size = spec.square ? Math.min(room, rows > 8 ? 560 : 360) : undefined;
  const f = frame(box, {title: spec.title, x: numbers(spec.x, cols), y: {...numbers(spec.y, rows), down: true}, width: size,
    height: size && size - 16});
  const {left, top, right, bottom} = f.at, wide = right - left, tall = bottom - top;
  const cell = {w: wide / cols, h: tall / rows};
  const canvas = document.createElement("canvas"), image = new ImageData(cols, rows);
  canvas.width = cols, canvas.height = rows;
  paint(canvas, image, spec);
  canvas.style.cssText = `left:${left}px;top:${top}px;width:${wide}px;height:${tall}px`;
  const mark = s("rect", {class: "mark", width: Math.max(cell.w, 3), height: Math.max(cell.h, 3), visibility: "hidden"});
  const bar = scale_bar(left, bottom + 26);
  bar.show(spec.low, spec.high);
  f.svg.append(mark, bar.element);
  const within = (v, most) => Math.min(Math.max(Math.floor(v), 0), most - 1);
  const again = finish(f, {
    canvas,
    first: [0, 0],
    place: (px, py) => [within((py - top) / cell.h, rows), within((px - left) / cell.w, cols)],
    step: ([r, c], dx, dy) => [within(r + dy, rows), within(c + dx, cols)],
    show: ([r, c]) => {
      mark.setAttribute("x", left + c * cell.w), mark.setAttribute("y", top + r * cell.h);
      mark.setAttribute("visibility", "visible");
      return spec.tell(r, c, digits(spec.values[r * cols + c]));
    },
  });
  // Other numbers on the same axes: the canvas alone is painted.
  const redraw = (next) => {
    if (axes_of(next) !== axes_of(spec)) return false;
    spec = next;
    paint(canvas, image, spec);
    bar.show(spec.low, spec.high);
    again(spec.title);
    return true;
  };
  return {svg: f.svg, canvas, at: f.at, redraw};
}

function axes_of({rows, cols, square, x, y}) {
  const ends = ({label, names, at = (i) => i}, count) => [label, names, at(0), at(count - 1)];
  return JSON.stringify([rows, cols, square, ends(x, cols), ends(y, rows)]);
}

// One pixel for each cell; the browser enlarges it. What is not a number stays clear.
function paint(canvas, image, {values, low, high}) {
  const pixels = new Uint32Array(image.data.buffer), colours = ramp(), last = colours.length - 1;
  const factor = last / (high - low || 1), zero = 0.5 - low * factor;
  for (let i = 0; i < pixels.length; ++i) {
    const shade = values[i] * factor + zero;
    pixels[i] = shade >= last ? colours[last] : shade >= 0 ? colours[shade | 0] : shade < 0 ? colours[0] : 0;
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
}
