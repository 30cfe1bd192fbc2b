// Completes the keys of steps while one types them. The arrow keys choose one, Enter or a click takes it, and Escape closes the list.
(() => {
  "use strict";

  const ofPipeline = "agents cache env image notify priority secrets steps";
  const ofStep =
    "agents allow_dependency_failure allowed_teams artifact_paths async block blocked_state branches build cache cancel_on_build_failing checkout command commands concurrency concurrency_group concurrency_method continue_on_failure depends_on env fields group if if_changed image input key label matrix notify parallelism plugins priority prompt retry secrets signature skip soft_fail steps timeout_in_minutes trigger wait";
  const most = 8;

  for (const area of document.querySelectorAll('textarea[name="configuration"]')) {
    const list = document.createElement("ul");
    list.className = "completions";
    list.id = `${area.id}-keys`;
    list.role = "listbox";
    list.ariaLabel = "Keys";
    list.hidden = true;
    const status = document.createElement("p");
    status.className = "sr";
    status.role = "status";
    area.after(list, status);
    area.ariaAutoComplete = "list";
    area.setAttribute("aria-controls", list.id);

    let word = "";
    let chosen = -1;
    const close = () => {
      list.hidden = true;
      list.replaceChildren();
      status.textContent = "";
      chosen = -1;
      area.removeAttribute("aria-activedescendant");
    };
    const choose = (at) => {
      chosen = (at + list.children.length) % list.children.length;
      for (const [i, option] of [...list.children].entries()) option.ariaSelected = String(i === chosen);
      area.setAttribute("aria-activedescendant", list.children[chosen].id);
    };
    const take = (key) => {
      area.setSelectionRange(area.selectionStart - word.length, area.selectionStart);
      document.execCommand("insertText", false, `${key}: `);
      close();
    };

    area.addEventListener("input", () => {
      close();
      const before = area.value.slice(0, area.selectionStart);
      const line = before.slice(before.lastIndexOf("\n") + 1);
      const [, indent, typed] = /^([ \t]*(?:- +)*)([a-z_]+)$/.exec(line) ?? [];
      if (!typed || /^\S/.test(area.value.slice(area.selectionStart))) return;
      word = typed;
      const keys = (indent ? ofStep : ofPipeline).split(" ").filter((key) => key.startsWith(typed) && key !== typed);
      for (const [i, key] of keys.slice(0, most).entries()) {
        const option = document.createElement("li");
        option.role = "option";
        option.id = `${list.id}-${i}`;
        option.ariaSelected = "false";
        option.textContent = key;
        list.append(option);
      }
      if (!list.children.length) return;
      const row = before.split("\n").length;
      list.hidden = false;
      const height = parseFloat(getComputedStyle(area).lineHeight);
      const below = 12 + row * height - area.scrollTop;
      list.style.left = `calc(12px + ${indent.length}ch - ${area.scrollLeft}px)`;
      list.style.top = `${below + list.offsetHeight < area.clientHeight ? below : below - height - list.offsetHeight}px`;
      status.textContent = `${list.children.length} ${list.children.length === 1 ? "key" : "keys"}, choose with the arrow keys`;
    });
    area.addEventListener("keydown", (event) => {
      if (list.hidden || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) choose(chosen < 0 && step < 0 ? -1 : chosen + step);
      else if (event.key === "Escape") close();
      else return;
      event.preventDefault();
    });
    area.addEventListener(
      "beforeinput",
      (event) => {
        if (chosen < 0 || event.inputType !== "insertLineBreak") return;
        event.preventDefault();
        event.stopImmediatePropagation();
        take(list.children[chosen].textContent);
      },
      true,
    );
    for (const name of ["blur", "scroll"]) area.addEventListener(name, close);
    list.addEventListener("mousedown", (event) => {
      event.preventDefault(); // the focus stays in the editor
      if (event.target.role === "option") take(event.target.textContent);
    });
  }
})();
