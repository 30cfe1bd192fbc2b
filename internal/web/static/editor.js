// Colors for code: in editors, and where it is shown. The text of an editor stays in its textarea, which works without this; the colors lie
// under it. Tab leaves the editor, as it leaves every other field.
(() => {
  "use strict";

  const maxColored = 100_000; // characters; painting more at each key would be slow

  // What the languages are made of: a class, and what has it. The first that fits wins.
  const join = (parts) => new RegExp(Object.entries(parts).map(([name, pattern]) => `(?<${name}>${pattern.source})`).join("|"), "gm");
  const languages = {
    json: join({
      key: /"(?:\\.|[^"\\\n])*"(?=\s*:)/,
      string: /"(?:\\.|[^"\\\n])*"?/,
      number: /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/,
      word: /\b(?:true|false|null)\b/,
    }),
    graphql: join({
      comment: /#.*/,
      string: /"""[^]*?"""|"(?:\\.|[^"\\\n])*"?/,
      key: /[$@]\w+/,
      word: /\b(?:query|mutation|fragment|on|true|false|null)\b/,
      number: /-?\b\d+(?:\.\d+)?\b/,
    }),
    yaml: join({
      comment: /(?<=^|\s)#.*/,
      key: /(?<=^[ \t]*(?:- +)*)(?:"[^"\n]*"|'[^'\n]*'|[^\s#"'\-][^#:\n]*|-[^\s#:][^#:\n]*)(?=:(?:\s|$))/,
      block: /(?<=^(?<indent>[ \t]*)\S.*?)[|>][+-]?\d?[ \t]*(?:\n(?:\k<indent>[ \t]+.*|[ \t]*(?=\n|$)))+/,
      string: /"(?:\\.|[^"\\\n])*"|'(?:''|[^'\n])*'/,
      word: /(?<=[:[,-][ \t]+)(?:true|false|null|~)(?=[ \t]*(?:$|[,\]#}]))/,
      number: /(?<=[:[,-][ \t]+)-?\d+(?:\.\d+)?(?=[ \t]*(?:$|[,\]#}]))/,
    }),
  };

  const paint = (target, text, language) => {
    const parts = [];
    let at = 0;
    if (text.length <= maxColored) {
      for (const found of text.matchAll(languages[language])) {
        const [kind] = Object.entries(found.groups).find(([name, value]) => name !== "indent" && value !== undefined) ?? [];
        if (!kind || !found[0]) continue;
        const span = document.createElement("span");
        span.className = `code-${kind}`;
        span.textContent = found[0];
        parts.push(text.slice(at, found.index), span);
        at = found.index + found[0].length;
      }
    }
    target.replaceChildren(...parts, text.slice(at), "\n");
  };

  for (const code of document.querySelectorAll("code[data-language]")) {
    if (code.dataset.colored) continue;
    code.dataset.colored = "yes";
    const text = code.textContent;
    paint(code, text, code.dataset.language);
    code.lastChild.remove(); // the line that editors need at their end
  }

  for (const area of document.querySelectorAll("textarea[data-language]")) {
    if (area.dataset.colored) continue;
    area.dataset.colored = "yes";
    let place = area.closest(".editor .area");
    if (!place) {
      const editor = document.createElement("div");
      editor.className = "editor";
      place = document.createElement("div");
      place.className = "area";
      editor.append(place);
      area.replaceWith(editor);
      place.append(area);
      area.wrap = "off";
    }
    const colors = document.createElement("pre");
    colors.className = "colors";
    colors.ariaHidden = "true";
    const inner = document.createElement("code");
    colors.append(inner);
    area.before(colors);
    place.closest(".editor").classList.add("colored");

    const follow = () => (inner.style.transform = `translate(${-area.scrollLeft}px, ${-area.scrollTop}px)`);
    const show = () => {
      paint(inner, area.value, area.dataset.language);
      follow();
    };
    area.addEventListener("input", show);
    area.addEventListener("change", show);
    area.addEventListener("scroll", follow, { passive: true });
    area.form.addEventListener("reset", () => setTimeout(show));
    addEventListener("pageshow", show); // browsers restore what was typed

    // A new line begins where the one above it does.
    area.addEventListener("beforeinput", (event) => {
      if (event.inputType !== "insertLineBreak") return;
      const line = area.value.slice(area.value.lastIndexOf("\n", area.selectionStart - 1) + 1, area.selectionStart);
      const indent = /^[ \t]*/.exec(line)[0];
      if (indent && document.execCommand("insertText", false, "\n" + indent)) event.preventDefault();
    });
    show();
  }
})();
