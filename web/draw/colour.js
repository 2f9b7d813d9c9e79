// colour.js: colours of the style sheet, for what is drawn.

// A colour by its name, as "rgb(r, g, b)" in the theme of the page.
export function css(name) {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

const channels = (colour) => colour.match(/\d+/g).slice(0, 3).map(Number);

// 511 colours from low over the middle to high, as 32-bit pixels; made once for each theme, which its paper tells.
const ramps = new Map();
export function ramp() {
  const {backgroundColor} = getComputedStyle(document.body);
  if (!ramps.has(backgroundColor)) ramps.set(backgroundColor, made_ramp());
  return ramps.get(backgroundColor);
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
