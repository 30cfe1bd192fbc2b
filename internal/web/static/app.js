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

  const make = (name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text) element.textContent = text;
    return element;
  };

  // A dialog that is there until it is closed. What had the focus gets it back.
  const openDialog = (label, ...content) => {
    const dialog = make("dialog", "sheet");
    dialog.setAttribute("aria-label", label);
    dialog.append(...content);
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
  };

  const nameOf = (element) => element.title?.replace(/ \(.*\)$/, "") || element.textContent.trim() || element.placeholder;

  // What keys do on this page.
  const showHelp = () => {
    const keys = make("dl", "keys");
    const add = (key, what) => {
      const row = make("div");
      const term = make("dt");
      term.append(make("kbd", "", key));
      row.append(term, make("dd", "", what));
      keys.append(row);
    };
    add("Ctrl K", "Go to a page");
    add("?", "Show this help");
    add("j", "Next item of a list");
    add("k", "Previous item of a list");
    for (const field of document.querySelectorAll("[data-shortcut]")) add(field.dataset.shortcut, nameOf(field));
    for (const element of document.querySelectorAll("[data-key]")) if (element.checkVisibility()) add(element.dataset.key, nameOf(element));
    const close = make("button", "button small", "Close");
    const dialog = openDialog("Keys", make("h2", "", "Keys"), keys, close);
    close.addEventListener("click", () => dialog.close());
  };

  // All pages that this one leads to, by name, and the search.
  const showPalette = () => {
    const field = make("input");
    Object.assign(field, { type: "search", placeholder: "Go to a page, or search", maxLength: 255, autocomplete: "off" });
    const list = make("ul");
    list.id = "palette-list";
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Pages");
    for (const [name, value] of [["role", "combobox"], ["aria-label", "Go to"], ["aria-controls", list.id], ["aria-expanded", "true"], ["aria-autocomplete", "list"]]) field.setAttribute(name, value);
    const places = new Map();
    for (const link of document.querySelectorAll("main .tabs a, main .title-row a, main .build-what > a, main .job-name > a, main td:first-child a, main .picks a.strong, .side a, .crumbs a, .organizations a, .menu.user a, .docs-link")) {
      const name = nameOf(link);
      if (name && !places.has(link.href)) places.set(link.href, name);
    }
    const search = document.querySelector("form.find");
    let current = 0;
    const draw = () => {
      const typed = field.value.trim().toLowerCase();
      const found = [...places].filter(([, name]) => name.toLowerCase().includes(typed)).slice(0, 12);
      if (typed && search) found.push([`${search.action}?q=${encodeURIComponent(field.value.trim())}`, `Search for “${field.value.trim()}”`]);
      current = Math.max(0, Math.min(current, found.length - 1));
      list.replaceChildren(
        ...found.map(([to, name], i) => {
          const item = make("li");
          item.id = `palette-${i}`;
          item.setAttribute("role", "option");
          item.setAttribute("aria-selected", String(i === current));
          const link = make("a", "", name);
          link.href = to;
          link.tabIndex = -1;
          item.append(link);
          return item;
        }),
      );
      field.setAttribute("aria-activedescendant", found.length ? `palette-${current}` : "");
      list.children[current]?.scrollIntoView({ block: "nearest" });
    };
    field.addEventListener("input", () => {
      current = 0;
      draw();
    });
    field.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) {
        event.preventDefault();
        current += step;
        draw();
      } else if (event.key === "Enter") {
        event.preventDefault();
        list.children[current]?.firstElementChild.click();
      }
    });
    openDialog("Go to", field, list);
    draw();
    field.focus();
  };

  // The items of the page's list, from one to the next.
  const moveToItem = (by) => {
    const items = [...document.querySelectorAll("main :is(.build-what > a, .job-name > a, .jobs-beside li > a, #list td:first-child a, .picks a.strong)")].filter((item) => item.checkVisibility());
    const at = items.indexOf(document.activeElement);
    items[at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.max(0, Math.min(items.length - 1, at + by))]?.focus();
  };

  // Keys, wherever nothing is being typed.
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "k" && !event.target.closest(".CodeMirror")) {
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) showPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, [contenteditable], .CodeMirror, dialog")) return;
    const own = { "?": showHelp, j: () => moveToItem(1), k: () => moveToItem(-1) }[event.key];
    const field = document.querySelector(`[data-shortcut="${CSS.escape(event.key)}"]`);
    const element = [...document.querySelectorAll(`[data-key="${CSS.escape(event.key)}"]`)].find((one) => one.checkVisibility());
    if (!own && !field && !element) return;
    event.preventDefault();
    if (own) own();
    else if (element) element.click();
    else if (field.checkVisibility()) field.focus();
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
