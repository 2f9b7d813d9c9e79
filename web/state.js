// state.js: what the page shows, as its address: #/view?name=value&--option=value. Every picture has a link.

export function read_address() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const state = {view: path || "encodings", options: {}};
  for (const [name, value] of new URLSearchParams(query))
    if (name.startsWith("--")) state.options[name.slice(2)] = value;
    else state[name] = value;
  return state;
}

export function address_of(state) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(state))
    if (name !== "view" && name !== "options" && value !== undefined && value !== "") query.set(name, value);
  for (const [name, value] of Object.entries(state.options ?? {})) query.set("--" + name, value);
  const text = query.toString();
  return "#/" + state.view + (text ? "?" + text : "");
}

// Replaces the address without a new entry in the history; while something is dragged, five times a second, because
// browsers refuse many more.
let kept = -Infinity, waiting = 0;
export function keep_address(state) {
  clearTimeout(waiting);
  const now = performance.now();
  if (now - kept < 200) {
    const here = location.hash;  // who has followed a link by then stays there
    waiting = setTimeout(() => location.hash === here && keep_address(state), 200);
    return;
  }
  kept = now;
  history.replaceState(null, "", address_of(state));
}
addEventListener("hashchange", () => clearTimeout(waiting));

export function options_words(options) {
  return Object.entries(options).flatMap(([name, value]) => ["--" + name, value]);
}

// {"scaling": "yarn", "scaling.factor": "4"} as JSON has it: {scaling: {type: "yarn", factor: 4}}.
export function nested(options) {
  const out = {};
  for (const [name, value] of Object.entries(options)) {
    const dot = name.indexOf(".");
    const read = /^(true|false)$/.test(value) ? value === "true" : value !== "" && !isNaN(value) ? Number(value) : value;
    if (dot < 0) out[name] = Object.keys(options).some((o) => o.startsWith(name + ".")) ? {type: read} : read;
    else out[name.slice(0, dot)] = {...(out[name.slice(0, dot)] ?? {}), [name.slice(dot + 1)]: read};
  }
  return out;
}
