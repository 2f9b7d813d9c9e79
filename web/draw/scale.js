// scale.js: which colour is which number, below a picture.
import {digits, s} from "../html.js";

const wide = 72, tall = 7;
let made = 0;

const short = (value) => digits(Number(value.toPrecision(3)), 3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

// A bar at x, y; show(low, high) writes its ends.
export function scale_bar(x, y) {
  const id = `scale-${++made}`, low = s("text", {x, y: y + tall}), high = s("text", {y: y + tall}), bar = s("rect", {class: "scale", y, width: wide, height: tall, fill: `url(#${id})`});
  const stops = ["--low", "--middle", "--high"].map((name, i) => s("stop", {offset: i / 2, style: `stop-color: var(${name})`}));
  const element = s("g", {class: "scale-bar", "aria-hidden": "true"}, s("linearGradient", {id}, stops), low, bar, high);
  const write = (text, value) => text.textContent === value || (text.textContent = value);
  const show = (from, to) => {
    write(low, short(from)), write(high, short(to));
    const start = x + 7.6 * low.textContent.length + 6;
    bar.setAttribute("x", start), high.setAttribute("x", start + wide + 5);
  };
  return {element, show};
}
