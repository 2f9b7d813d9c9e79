// variants.js: schemes over each other, 'none; linear factor=4; base=500000'. The tool's own --compare draws them; here each
// part becomes a scheme: a word alone is a length rule, name=value an option, of the rule where it has one of that name.

export const usual_rules = "linear factor=4; ntk factor=4; yarn factor=4; llama3 factor=4 original=4096";

// What a picture is asked, with the rules that it shows where none are given.
export const rule_text = (kind, asked) => ({...asked, compare: asked.compare || (kind === "rules" ? usual_rules : "")});

export function variants(asked) {
  if (!asked.compare) return [{name: "", asked}];
  return asked.compare.split(";").map((part) => part.trim()).filter(Boolean).map((part) => {
    const options = {...asked.options};
    let rule = null;
    for (const word of part.split(/\s+/)) {
      const [name, value] = word.split("=");
      if (value === undefined) {
        rule = name;
        for (const key of Object.keys(options)) if (key.startsWith("scaling.")) delete options[key];
        options.scaling = name;
      } else {
        const long = name === "original" ? "original_max_position_embeddings" : name;
        options[rule && rule !== "none" && long !== "base" && long !== "dim" ? "scaling." + long : long] = value;
      }
    }
    return {name: part, asked: {...asked, options}};
  });
}
