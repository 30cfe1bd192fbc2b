// The GraphQL console: GraphiQL, in the place of the form with which the page works without it.
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { GraphiQL } from "graphiql";

// The page's policy allows the styles that have the nonce of this script; this is where dialogs look for it.
window.__webpack_nonce__ = document.currentScript.nonce;

const place = document.getElementById("console");

// Requests go to the page itself, as the form's would, with the session's cookie and the form's token.
async function fetcher(request) {
  const answer = await fetch(place.dataset.action, {
    method: "POST",
    headers: { Accept: "application/json" },
    body: new URLSearchParams({ form_token: place.dataset.token, request: JSON.stringify(request) }),
  });
  if (!answer.headers.get("Content-Type")?.startsWith("application/json")) {
    throw new Error("You may be signed out. Load the page again.");
  }
  return answer.json();
}

// What was written is kept for each user of the browser by themselves.
const prefix = `penstock:${place.dataset.user}:`;
const storage = {
  get length() {
    return localStorage.length;
  },
  getItem: (key) => localStorage.getItem(prefix + key),
  setItem: (key, value) => localStorage.setItem(prefix + key, value),
  removeItem: (key) => localStorage.removeItem(prefix + key),
  clear: () => Object.keys(localStorage).filter((key) => key.startsWith(prefix)).forEach((key) => localStorage.removeItem(key)),
};

// The editors have no names of their own, but stand in sections that have.
new MutationObserver(() => {
  for (const area of place.querySelectorAll("textarea:not([aria-label])")) {
    area.ariaLabel = area.closest("section")?.ariaLabel ?? "Editor";
  }
}).observe(place, { childList: true, subtree: true });

// Tab leaves an editor, as it leaves every other field, instead of indenting.
place.addEventListener(
  "keydown",
  (event) => {
    if (event.key === "Tab" && event.target.closest(".CodeMirror")) event.stopImmediatePropagation();
  },
  { capture: true },
);

createRoot(place).render(
  createElement(
    GraphiQL,
    {
      fetcher,
      storage,
      defaultQuery: place.dataset.query,
      forcedTheme: document.documentElement.dataset.theme || "system",
      isHeadersEditorEnabled: false,
    },
    createElement(GraphiQL.Logo, null, null),
  ),
);
