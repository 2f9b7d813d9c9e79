// console.js: the tool's command line.
import {shell} from "../code.js";
import * as engine from "../engine.js";
import {copy_button, save_button} from "../give.js";
import {clear, h} from "../html.js";
import {t} from "../i18n.js";
import {keep_address} from "../state.js";

// Words as a shell splits them, quotes included.
export function split(line) {
  const words = [];
  for (const [, double, single, plain] of line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)) words.push(double ?? single ?? plain);
  return words[0] === "posenc" ? words.slice(1) : words;
}

export function console_view(root, state) {
  const output = h("pre", {class: "terminal", tabindex: 0, role: "log", "aria-label": t("console")});
  const input = h("input", {type: "text", id: "command", value: state.command ?? "posenc list", spellcheck: "false",
    autocapitalize: "off", autocomplete: "off"});
  const enter = (event) => {
    event?.preventDefault();
    state.command = input.value;
    keep_address(state);
    const {code, out, err} = engine.run(split(input.value));
    clear(output, h("span", {}, out + (out && err ? "\n" : "")), h("span", {class: code ? "error" : "quiet"}, err));
  };
  clear(root, h("h1", {}, t("console")), h("p", {}, t("console_about")),
    h("form", {class: "line", onsubmit: enter}, h("label", {for: "command", class: "hidden"}, t("command")), input,
      h("button", {type: "submit"}, t("run"))), output,
    h("div", {class: "give", role: "group", "aria-label": t("give")}, copy_button(t("link"), () => location.href),
      copy_button(t("copy_command"), () => shell(split(input.value))), save_button(t("txt"), "posenc.txt", "text/plain", () => output.textContent)));
  enter();
}
