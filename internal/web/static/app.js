// What makes pages pleasant where there is JavaScript. All of them work without.
(() => {
  "use strict";

  // The exact time, which shows when one points at it, is in UTC; the reader's zone is known here.
  const exact = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "long" });
  const showTimes = (root) => {
    for (const element of root.querySelectorAll("time[title]")) {
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

  const enhance = (root) => {
    showTimes(root);
    offerCopies(root);
  };

  enhance(document);
  document.querySelector("[data-focus]")?.focus();
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
