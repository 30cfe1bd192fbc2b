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

  // A group whose lines the reader has chosen: they stay, and what has come after them is behind a link.
  const append = (old, fresh) => {
    old.dataset.last = fresh.dataset.last;
    for (const line of fresh.querySelectorAll(".line")) {
      const known = document.getElementById(line.id);
      if (known) update(known, line);
    }
    drawLinks(old);
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
      keepLines(!atEnd);
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
  const isAtEnd = () => log?.getBoundingClientRect().bottom <= innerHeight + 120 && !log.lastElementChild.querySelector(':scope > [data-more="after"]');
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

  // A group shows some of its lines, one after the other. Those before and after them are behind links. However long a log is, the page keeps a
  // bounded number of lines: those that are farthest away give way to what is loaded.
  const [linesAtOnce, mostLines] = [1000, 3000];
  const numberOf = (line) => Number(line.id.slice(1));
  const countLines = (count) => `${count} ${count === 1 ? "line" : "lines"}`;

  const drawLink = (group, kind, text, to, place) => {
    let more = group.querySelector(`:scope > [data-more="${kind}"]`);
    if (!text) {
      more?.remove();
      return;
    }
    if (!more) {
      more = document.createElement("p");
      more.className = "log-more";
      more.dataset.more = kind;
      const link = document.createElement("a");
      link.dataset.load = "";
      more.append(link);
      place(more);
    }
    more.firstElementChild.href = `?line=${to}#L${to}`;
    if (more.firstElementChild.textContent !== text) more.firstElementChild.textContent = text;
  };

  // Makes the links of a group say what is not shown of it.
  const drawLinks = (group) => {
    const [first, last] = [Number(group.dataset.first), Number(group.dataset.last)];
    const lines = group.querySelector(".lines");
    if (!lines?.firstElementChild) {
      lines?.remove();
      for (const kind of ["before", "after"]) drawLink(group, kind);
      drawLink(group, "all", last >= first && `Show ${countLines(last - first + 1)}`, first, (more) => group.append(more));
      return;
    }
    const [from, to] = [numberOf(lines.firstElementChild), numberOf(lines.lastElementChild)];
    drawLink(group, "all");
    drawLink(group, "before", from > first && `${countLines(from - first)} before`, Math.max(first, from - 400), (more) => lines.before(more));
    drawLink(group, "after", to < last && `${countLines(last - to)} after`, to + 1, (more) => lines.after(more));
  };

  // Takes lines away until the page has no more than it keeps: of other groups first, the farthest ones, and then of this one from that end.
  const trimLines = (group, end) => {
    const groups = [...log.querySelectorAll(".log-group")];
    const distance = (other) => groups.indexOf(other) - groups.indexOf(group);
    let left = log.querySelectorAll(".line").length - mostLines;
    const trim = (from, side) => {
      const lines = from.querySelector(".lines");
      for (; left > 0 && lines.firstElementChild; left--) lines[side].remove();
      from.setAttribute("data-kept", "");
      drawLinks(from);
    };
    for (const other of groups.filter((one) => one !== group && one.querySelector(".line")).sort((a, b) => Math.abs(distance(b)) - Math.abs(distance(a)))) {
      if (left > 0) trim(other, distance(other) < 0 ? "firstElementChild" : "lastElementChild");
    }
    trim(group, end);
  };

  // While the reader is not at the end of a log that grows, what is shown of it stays.
  const keepLines = (keep) => {
    for (const group of log?.querySelectorAll(".log-group") ?? []) {
      if (keep && group.querySelector(".line")) group.setAttribute("data-kept", "");
      else if (log.dataset.grows && !group.nextElementSibling && !group.hasAttribute("aria-busy")) group.removeAttribute("data-kept");
    }
  };

  const fetchLines = async (from, count) => {
    const answer = await fetch(`${location.pathname.replace(/\/$/, "")}/log?from=${from}&count=${count}`);
    if (!answer.ok) throw new Error(answer.statusText);
    return [...new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll(".line")].map((line) => document.adoptNode(line));
  };

  // Returns lines that end before another one, or fewer of them if they are long.
  const fetchLinesBefore = async (first, end) => {
    for (let count = Math.min(linesAtOnce, end - first); count > 0; count = Math.floor(count / 2)) {
      const fetched = await fetchLines(end - count, count);
      if (fetched.length === count) return fetched;
    }
    return [];
  };

  // Loads the lines that a link leads to.
  const load = async (link) => {
    const group = link.closest(".log-group");
    const kind = link.closest(".log-more").dataset.more;
    if (group.hasAttribute("aria-busy")) return;
    group.setAttribute("aria-busy", "true");
    group.setAttribute("data-kept", "");
    try {
      let lines = group.querySelector(".lines");
      const [top, bottom] = [lines?.firstElementChild, lines?.lastElementChild];
      const first = Number(group.dataset.first);
      const from = bottom ? numberOf(bottom) : first; // the last line may have been written on
      const fetched = await (kind === "before"
        ? fetchLinesBefore(first, numberOf(top))
        : fetchLines(from, Math.min(linesAtOnce, Number(group.dataset.last) - from + 1)));
      if (!fetched.length) return;
      if (!lines) {
        lines = document.createElement("div");
        lines.className = "lines";
        lines.tabIndex = 0;
        lines.setAttribute("role", "group");
        lines.setAttribute("aria-label", "Lines");
        link.closest(".log-more").before(lines);
      }
      const shown = kind === "before" ? top : bottom;
      const place = shown?.getBoundingClientRect().top;
      if (kind === "before") lines.prepend(...fetched);
      else {
        if (shown) update(shown, fetched.shift());
        lines.append(...fetched);
      }
      trimLines(group, kind === "before" ? "lastElementChild" : "firstElementChild");
      dress();
      if (shown) scrollBy(0, shown.getBoundingClientRect().top - place);
    } catch {
      // The link can be used again.
    } finally {
      group.removeAttribute("aria-busy");
    }
  };
  log?.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-load]");
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
      const link = event.target.open && event.target.querySelector(':scope > [data-more="all"] a[data-load]');
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
