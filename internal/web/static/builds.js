// Pages of builds and jobs: they follow what happens. Without this script they load themselves again every few seconds.
(() => {
  "use strict";

  // What the reader opened or closed stays so.
  const touched = new WeakSet();
  document.addEventListener("click", (event) => {
    const summary = event.target.closest("summary");
    if (summary) touched.add(summary.parentElement);
  });

  const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.id : "");

  // Makes a part of the page what the server says it is now, and leaves alone what is the same, so that focus, selection and what was opened stay.
  const update = (old, fresh) => {
    if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) {
      old.replaceWith(fresh.cloneNode(true));
      return;
    }
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
      return;
    }
    if (old.hasAttribute("data-kept")) {
      append(old, fresh);
      return;
    }
    const shown = fresh.matches("time.at, time[data-minute]") ? "datetime" : fresh.hasAttribute("data-since") && "data-since";
    if (shown && old.getAttribute(shown) === fresh.getAttribute(shown)) return; // is shown in the reader's way
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== "open") old.removeAttribute(name);
    for (const { name, value } of [...fresh.attributes]) if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
    if (old.nodeName === "DETAILS" && !touched.has(old)) old.open = fresh.hasAttribute("open");
    if (old.matches("input, textarea, select")) return;
    updateChildren(old, fresh);
  };

  // A group of lines to which the reader has added others: what is new comes to its end.
  const append = (old, fresh) => {
    old.dataset.last = fresh.dataset.last;
    const lists = old.querySelectorAll(".lines");
    for (const line of fresh.querySelectorAll(".line")) {
      const known = document.getElementById(line.id);
      if (known) update(known, line);
      else if (!old.querySelector(".log-more a:not([data-to])")) lists[lists.length - 1]?.append(line.cloneNode(true));
    }
  };

  const updateChildren = (old, fresh) => {
    const keyed = new Map([...old.childNodes].filter(keyOf).map((node) => [node.id, node]));
    const wanted = new Set([...fresh.childNodes].map(keyOf));
    for (const [id, node] of keyed) if (!wanted.has(id)) node.remove();
    let at = old.firstChild;
    for (const node of [...fresh.childNodes]) {
      const same = keyOf(node) ? keyed.get(node.id) : at && !keyOf(at) ? at : null;
      if (!same) {
        old.insertBefore(node.cloneNode(true), at);
        continue;
      }
      if (same === at) at = at.nextSibling;
      else old.insertBefore(same, at);
      update(same, node);
    }
    while (at) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
  };

  let asking = false;
  let askAgain = false;
  const refresh = async () => {
    if (asking) {
      askAgain = true;
      return;
    }
    asking = true;
    try {
      const answer = await fetch(location.pathname + location.search, { headers: { Accept: "text/html" } });
      if (!answer.ok || answer.redirected) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const atEnd = isAtEnd();
      for (const part of document.querySelectorAll("[data-live-part]")) {
        const fresh = page.getElementById(part.id);
        if (fresh) update(part, fresh);
        part.dispatchEvent(new CustomEvent("htmx:afterSwap", { bubbles: true }));
      }
      dress();
      connect();
      if (following && atEnd) toEnd();
    } catch {
      // The next event asks again.
    } finally {
      asking = false;
      if (askAgain) {
        askAgain = false;
        refresh();
      }
    }
  };

  // Events only say that something may have changed. A browser opens the stream again by itself when it breaks off.
  let stream;
  const connect = () => {
    const address = document.querySelector("[data-live]")?.dataset.live;
    if (!address || document.hidden) {
      stream?.close();
      stream = undefined;
    } else if (!stream || stream.readyState === EventSource.CLOSED) {
      stream?.close();
      stream = new EventSource(address);
      stream.addEventListener("open", refresh);
      stream.addEventListener("changed", refresh);
    }
  };
  document.addEventListener("visibilitychange", connect);
  setInterval(connect, 5000); // also after an answer that the browser does not try again after

  // Durations go on while one looks.
  const words = (seconds) => {
    const [d, h, m, s] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
    if (d) return `${d}d ${h}h`;
    if (h) return `${h}h ${m}m`;
    return m ? `${m}m ${s}s` : `${s}s`;
  };
  setInterval(() => {
    for (const element of document.querySelectorAll("[data-since]")) {
      const seconds = Math.round((Date.now() - new Date(element.dataset.since)) / 1000);
      if (seconds >= 0) element.textContent = words(seconds);
    }
  }, 1000);

  // The log.
  const log = document.getElementById("log");
  const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
  let following = false;
  const isAtEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 120;
  const toEnd = () => log.lastElementChild?.scrollIntoView({ block: "end" });

  // Shows times of day in the reader's zone, and offers what needs a script.
  const dress = () => {
    if (!log) return;
    for (const time of log.querySelectorAll("time[data-clock]")) {
      time.textContent = clock.format(new Date(time.dateTime));
      time.removeAttribute("data-clock");
    }
    const times = log.querySelector("[data-times]");
    if (times) {
      times.hidden = false;
      times.setAttribute("aria-pressed", String(document.body.classList.contains("log-times")));
    }
    const follow = log.querySelector("[data-follow]");
    if (follow) {
      follow.hidden = !log.dataset.grows;
      follow.setAttribute("aria-pressed", String(following));
    }
  };

  // Lines that are not shown yet are put in the place of the link that leads to them.
  const most = 1000;
  const load = async (link) => {
    const group = link.closest(".log-group");
    const last = Number(group.dataset.last);
    let from = Number(link.dataset.from);
    let count = most;
    if (link.dataset.to) { // those before: the nearest of them
      const to = Number(link.dataset.from) + Number(link.dataset.to) - 1;
      from = Math.max(from, to - most + 1);
      count = to - from + 1;
    }
    const address = new URL(location.href);
    address.pathname = address.pathname.replace(/\/$/, "") + "/log";
    address.search = `?from=${from}&count=${count}`;
    const answer = await fetch(address.pathname + address.search);
    if (!answer.ok) return;
    const lines = new DOMParser().parseFromString(`<div class="lines" tabindex="0" role="group" aria-label="Lines">${await answer.text()}</div>`, "text/html").body.firstElementChild;
    const more = link.closest(".log-more");
    group.setAttribute("data-kept", "");
    if (link.dataset.to) {
      const left = from - Number(link.dataset.from);
      more.after(lines);
      if (left > 0) {
        link.dataset.to = left;
        link.textContent = `${left} lines before`;
      } else more.remove();
    } else {
      const next = from + lines.childElementCount;
      more.before(lines);
      if (next <= last && lines.childElementCount > 0) {
        link.dataset.from = next;
        link.textContent = `${last - next + 1} lines after`;
      } else more.remove();
    }
    dress();
  };
  log?.addEventListener("click", (event) => {
    const link = event.target.closest(".log-more a");
    if (link && !event.metaKey && !event.ctrlKey) {
      event.preventDefault();
      load(link);
    }
    if (event.target.closest("[data-times]")) {
      document.body.classList.toggle("log-times");
      dress();
    }
    if (event.target.closest("[data-follow]")) {
      following = !following;
      dress();
      if (following) toEnd();
    }
  });
  log?.addEventListener(
    "toggle",
    (event) => {
      const link = event.target.open && event.target.querySelector(":scope > .log-more a[data-open]");
      if (link) load(link);
    },
    true,
  );

  // While the job runs, its log is asked for every other second, and shown again if it has grown.
  const grow = async () => {
    const address = log?.dataset.grows;
    if (address && !document.hidden) {
      try {
        const answer = await fetch(address + "&from=1&count=1");
        if (answer.status === 200) await refresh();
      } catch {
        // The server may be away for a moment.
      }
    }
    if (log) setTimeout(grow, 1500);
  };

  dress();
  connect();
  grow();
})();
