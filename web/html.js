// html.js: elements in one line.

const svg_space = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function h(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function s(name, attributes = {}, ...children) {
  return filled(document.createElementNS(svg_space, name), attributes, children);
}

export function clear(element, ...children) {
  element.replaceChildren(...children.flat());
  return element;
}

// A number as people read it: six digits, or as many as asked for.
export function digits(value, count = 6) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return String(value).replace("Infinity", "∞");
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value).replace("-", "−");
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-4 || size >= 1e7) ? value.toExponential(count - 3) : value.toPrecision(count);
  return text.replace("-", "−").replace(/e\+?([−-]?\d+)/, "e$1").replace("e-", "e−");
}

// Does the last of what was asked for before the next frame: a pointer that is dragged moves more often than a screen draws.
let waiting = null;
export function next_frame(action) {
  if (!waiting)
    requestAnimationFrame(() => {
      const last = waiting;
      waiting = null;
      last();
    });
  waiting = action;
}
