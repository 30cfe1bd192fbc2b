// What makes pages pleasant where there is JavaScript. All of them work without.
(() => {
  "use strict";

  // Times are written in UTC; the reader's zone is known here.
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const showTimes = (root) => {
    for (const element of root.querySelectorAll("time[datetime]")) {
      const at = new Date(element.dateTime);
      if (!Number.isNaN(at.getTime())) element.textContent = format.format(at);
    }
  };

  const offerCopies = (root) => {
    if (!navigator.clipboard) return;
    for (const button of root.querySelectorAll("button[data-copy]")) {
      button.hidden = false;
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
        button.textContent = "Copied";
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
