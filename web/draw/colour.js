// colour.js: colours of the style sheet, for what is drawn.

export function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

// 511 colours from low over the middle to high, as 32-bit pixels; made once for each theme.
const ramps = new Map();
export function ramp() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (!ramps.has(dark)) ramps.set(dark, made_ramp());
  return ramps.get(dark);
}

function made_ramp() {
  const [low, middle, high] = ["--low", "--middle", "--high"].map((name) => channels(css(name)));
  const out = new Uint32Array(511);
  const mixed = (a, b, t) => a.map((c, i) => Math.round(c + (b[i] - c) * t));
  for (let i = 0; i < 511; ++i) {
    const [r, g, b] = i < 255 ? mixed(low, middle, i / 255) : mixed(middle, high, (i - 255) / 255);
    out[i] = (255 << 24) | (b << 16) | (g << 8) | r;
  }
  return out;
}

export const curve_colours = ["--curve-0", "--curve-1", "--curve-2", "--curve-3", "--curve-4", "--curve-5"];
export const dashes = ["", "6 3", "2 3", "8 3 2 3", "1 2", "10 4"];
