// What makes pages pleasant where there is JavaScript. All of them work without.
(() => {
  "use strict";

  // The exact time, which shows when one points at it, is in UTC; the reader's zone is known here.
  const exact = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "long" });
  const minute = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" });
  const showTimes = (root) => {
    for (const element of root.querySelectorAll("time[data-minute]")) element.textContent = minute.format(new Date(element.dateTime));
    for (const element of root.querySelectorAll("time[title]")) {
      if (element.dateTime.length <= 10) continue; // a day, which is the same everywhere
      const at = new Date(element.dateTime);
      if (!Number.isNaN(at.getTime())) element.title = exact.format(at);
    }
  };

  // Browsers have a clipboard for https and localhost alone. Elsewhere the selection is copied.
  const copy = async (element) => {
    if (navigator.clipboard) {
      try {
        await navigator.clipboard.writeText(element.textContent);
        return true;
      } catch {
        // It may be forbidden.
      }
    }
    getSelection().selectAllChildren(element);
    return document.execCommand("copy");
  };

  const offerCopies = (root) => {
    for (const block of root.querySelectorAll(".doc pre:has(> code), pre.source:has(> code)")) {
      if (block.parentElement.classList.contains("copyable")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button small";
      button.textContent = "Copy";
      button.dataset.copy = "";
      const both = document.createElement("div");
      both.className = "copyable";
      block.replaceWith(both);
      both.append(block, button);
    }
    for (const button of root.querySelectorAll("button[data-copy]")) {
      const label = button.textContent;
      const source = button.dataset.copy ? document.getElementById(button.dataset.copy) : button.parentElement.querySelector("code");
      button.hidden = false;
      button.addEventListener("click", async () => {
        button.textContent = (await copy(source)) ? "Copied" : "Press Ctrl+C";
        setTimeout(() => (button.textContent = label), 3000);
      });
    }
  };

  // A picker beside a field for a color, which stays a field for text: it can be empty.
  for (const field of document.querySelectorAll("input[data-color]")) {
    const picker = document.createElement("input");
    picker.type = "color";
    picker.ariaLabel = "Choose a color";
    const follow = () => (picker.value = /^#[0-9a-f]{6}$/i.test(field.value) ? field.value : "#888888");
    follow();
    field.addEventListener("input", follow);
    picker.addEventListener("input", () => {
      field.value = picker.value;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    const both = document.createElement("div");
    both.className = "picker";
    field.replaceWith(both);
    both.append(field, picker);
  }

  // Choosing an operation fills in its variables, unless something else was written there.
  for (const choice of document.querySelectorAll("select:has(> option[data-example])")) {
    const variables = choice.form.elements.variables;
    choice.addEventListener("change", () => {
      const exampleOf = (option) => option.dataset.example ?? "{}";
      if ([...choice.options].map(exampleOf).includes(variables.value.trim())) variables.value = exampleOf(choice.selectedOptions[0]);
    });
  }

  // Forms in which much is written say so before one leaves them unsaved.
  for (const form of document.querySelectorAll("form[data-guard]")) {
    const written = () => new URLSearchParams(new FormData(form)).toString();
    const first = written();
    let sent = false;
    form.addEventListener("submit", () => (sent = true));
    form.addEventListener("input", () => {
      for (const mark of form.querySelectorAll("[data-unsaved]")) mark.hidden = written() === first;
    });
    addEventListener("beforeunload", (event) => {
      if (!sent && written() !== first) event.preventDefault();
    });
  }

  const enhance = (root) => {
    showTimes(root);
    offerCopies(root);
  };

  enhance(document);
  document.querySelector("[data-focus]")?.focus();

  // The tabs of a page scroll where they are too many for the screen; the current one is in sight.
  const tab = document.querySelector(".tabs a[aria-current]");
  const tabs = tab?.closest("ul");
  if (tab) tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft + tab.offsetWidth + 32 - tabs.clientWidth;
  document.addEventListener("htmx:afterSwap", (event) => enhance(event.target));

  // A key leads to the search, wherever nothing is being typed.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, [contenteditable], .CodeMirror")) return;
    const field = document.querySelector(`[data-shortcut="${CSS.escape(event.key)}"]`);
    if (!field) return;
    event.preventDefault();
    if (field.checkVisibility()) field.focus();
    else location.href = field.form.action;
  });

  // An open menu closes when something else is clicked, or with Escape.
  const closeMenus = (except) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== except) menu.open = false;
  };
  document.addEventListener("click", (event) => closeMenus(event.target.closest("details.menu")));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const open = document.querySelector("details.menu[open]");
    closeMenus(null);
    open?.querySelector("summary").focus();
  });
})();
