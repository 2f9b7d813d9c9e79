// lines.js: curves over an axis.
import {digits, h, s} from "../html.js";
import {curve_colours, dashes} from "./colour.js";
import {finish, frame} from "./frame.js";

function bounds(lists, {low, high, log}) {
  let least = low ?? Infinity, most = high ?? -Infinity;
  for (const list of lists)
    for (const v of list)
      if (Number.isFinite(v) && !(log && v <= 0)) least = Math.min(least, low ?? v), most = Math.max(most, high ?? v);
  if (!(least <= most)) return {low: log ? 1 : 0, high: log ? 10 : 1};
  if (least === most) return log ? {low: least / 2, high: least * 2} : {low: least - 0.5, high: least + 0.5};
  if (log) return {low: low ?? least * (least / most) ** 0.04, high: high ?? most * (most / least) ** 0.04};
  const margin = 0.04 * (most - least);
  return {low: low ?? least - margin, high: high ?? most + margin};
}

function path(curve, f, log) {
  let d = "", pen = "M";
  for (let i = 0; i < curve.x.length; ++i) {
    const v = curve.y[i];
    if (!Number.isFinite(v) || (log && v <= 0)) { pen = "M"; continue; }
    d += `${pen}${f.sx(curve.x[i]).toFixed(1)} ${f.sy(v).toFixed(1)}`;
    pen = "L";
  }
  return d;
}

// {curves: [{name, x, y}], x, y: {label, low, high, log}, dots, marks: [{y, name}], bands: [{from, to, name}], title}
export function lines(box, spec) {
  const {curves, marks = [], bands = []} = spec;
  const ys = [...curves.map((c) => c.y), marks.map((m) => m.y)];
  const f = frame(box, {title: spec.title, height: spec.height,
    x: {...spec.x, ...bounds(curves.map((c) => c.x), {...spec.x, ...tight(curves)})},
    y: {...spec.y, ...bounds(ys, spec.y)}});
  for (const band of bands) {
    const [left, right] = [band.from, band.to].map((v) => Math.min(Math.max(f.sx(v), f.at.left), f.at.right));
    f.svg.append(s("rect", {class: "band", x: left, y: f.at.top, width: right - left, height: f.at.bottom - f.at.top}),
      s("text", {class: "label", x: right - 4, y: f.at.bottom - 6, "text-anchor": "end"}, band.name));
  }
  for (const mark of marks)
    f.svg.append(s("path", {class: "limit", d: `M${f.at.left} ${f.sy(mark.y)}H${f.at.right}`}),
      s("text", {class: "label", x: f.at.left + 4, y: f.sy(mark.y) - 4}, mark.name));
  curves.forEach((curve, i) => {
    const colour = `var(${curve_colours[i % 6]})`;
    f.svg.append(s("path", {class: "curve", d: path(curve, f, spec.y.log), style: `stroke:${colour}`,
      "stroke-dasharray": spec.dots ? "" : dashes[i % 6]}));
    if (spec.dots) curve.x.forEach((v, j) => Number.isFinite(curve.y[j]) && !(spec.y.log && curve.y[j] <= 0) &&
      f.svg.append(s("circle", {cx: f.sx(v), cy: f.sy(curve.y[j]), r: 2.2, style: `fill:${colour}`})));
  });
  const rule = s("path", {class: "rule"});
  f.svg.append(rule);
  const longest = curves.reduce((a, b) => (b.x.length > a.x.length ? b : a), curves[0] ?? {x: []});
  const last = longest.x.length - 1, within = (i) => Math.min(Math.max(i, 0), last);
  finish(f, {
    first: 0,
    place: (px) => nearest(longest.x, f.sx, px),
    step: (i, dx) => within(i + dx),
    show: last < 0 ? undefined : (i) => {
      rule.setAttribute("d", `M${f.sx(longest.x[i])} ${f.at.top}V${f.at.bottom}`);
      const parts = curves.slice(0, 12).map((c) => (c.name ? c.name + " " : "") + digits(value_at(c, longest.x[i])));
      return `${spec.x.label} ${digits(longest.x[i])}: ${parts.join(" · ")}`;
    },
  });
  box.append(legend(curves, spec.dots));
  return {svg: f.svg, at: f.at};
}

function tight(curves) {
  const xs = curves.flatMap((c) => [c.x[0], c.x[c.x.length - 1]]).filter(Number.isFinite);
  return xs.length && Math.min(...xs) < Math.max(...xs) ? {low: Math.min(...xs), high: Math.max(...xs)} : {};
}

function nearest(xs, sx, px) {
  let best = 0;
  xs.forEach((v, i) => { if (Math.abs(sx(v) - px) < Math.abs(sx(xs[best]) - px)) best = i; });
  return best;
}

function value_at(curve, x) {
  const i = curve.x.indexOf(x);
  return i < 0 ? null : curve.y[i];
}

function legend(curves, dots) {
  if (curves.length < 2) return "";
  return h("ul", {class: "legend"}, curves.map((c, i) =>
    h("li", {}, s("svg", {width: 26, height: 8, "aria-hidden": "true"}, s("path", {d: "M0 4H26", class: "curve",
      style: `stroke:var(${curve_colours[i % 6]})`, "stroke-dasharray": dots ? "" : dashes[i % 6]})), c.name)));
}
