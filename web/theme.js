// theme.js: light, dark, or what the system prefers. The style sheet has both colours of everything; which is taken follows
// from data-theme.
import {keep, kept} from "./kept.js";

export const themes = ["system", "light", "dark"];

export const theme = () => (themes.includes(kept("theme")) ? kept("theme") : document.documentElement.dataset.theme ?? "system");

export function choose_theme(name) {
  document.documentElement.dataset.theme = name;
  keep("theme", name);
}
