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

  // A group whose lines the page shows: they stay. Where it shows the last one, what has been written since comes below, wherever the reader is.
  const append = (old, fresh) => {
    if (old.hasAttribute("aria-busy")) return; // the next time
    const lines = old.querySelector(".lines");
    if (showsEnd(old)) old.setAttribute("data-tail", "");
    const grows = old.hasAttribute("data-tail");
    old.dataset.last = fresh.dataset.last;
    for (const line of fresh.querySelectorAll(".line")) {
      const known = document.getElementById(line.id);
      if (known) update(known, line);
      else if (lines && grows && room > 0 && numberOf(line) === numberOf(lines.lastElementChild) + 1) {
        lines.append(document.importNode(line, true));
        room--;
      }
    }
    drawLinks(old);
    if (grows && !showsEnd(old)) behind.push(old);
    if (atEnd && old.nodeName === "DETAILS" && fresh.nextElementSibling && !touched.has(old)) old.open = fresh.hasAttribute("open");
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
  const refresh = async (event, known) => {
    if (asking) {
      askAgain = true;
      return;
    }
    asking = true;
    const awaited = document.querySelector('[data-notify][aria-pressed="true"]');
    try {
      const headers = { Accept: "text/html" };
      if (known) headers["Penstock-Known-Log"] = known;
      const answer = await fetch(location.pathname + location.search, { headers });
      if (answer.status !== 200 || answer.redirected) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      document.title = page.title;
      const [icon, present] = [page, document].map((from) => from.querySelector('link[rel="icon"]'));
      if (icon && icon.href !== present.href) present.href = icon.href;
      prepareLines();
      for (const part of document.querySelectorAll("[data-live-part]")) {
        const fresh = page.getElementById(part.id);
        if (fresh) update(part, fresh);
        part.dispatchEvent(new CustomEvent("htmx:afterSwap", { bubbles: true }));
      }
      dress();
      connect();
      await catchUp();
      if (awaited && !document.querySelector("[data-notify]") && !document.hasFocus()) {
        new Notification(document.title, { tag: location.pathname }).addEventListener("click", () => focus());
      }
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
    if (!address || (document.hidden && !document.querySelector('[data-notify][aria-pressed="true"]'))) {
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
  const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  let following = false;
  let atEnd = false; // the reader is at the end of what is shown, as long as the page is made anew
  let room = 0; // how many more lines the page may show
  const behind = []; // groups whose end was shown, and has been written on farther than the page that came
  const toEnd = () => log.lastElementChild?.scrollIntoView({ block: "end" });

  // Whoever wants it is notified, in this browser, when a build ends whose page is open.
  const notices = {
    get offered() {
      return isSecureContext && "Notification" in window && Notification.permission !== "denied";
    },
    get wanted() {
      return this.offered && Notification.permission === "granted" && localStorage.getItem("penstock-notify") === "on";
    },
    set wanted(wanted) {
      localStorage.setItem("penstock-notify", wanted ? "on" : "off");
    },
  };
  const offerNotices = () => {
    const button = document.querySelector("[data-notify]");
    if (!button || !notices.offered) return;
    button.hidden = false;
    button.setAttribute("aria-pressed", String(notices.wanted));
  };
  document.addEventListener("click", async ({ target }) => {
    if (!target.closest("[data-notify]")) return;
    const wanted = !notices.wanted;
    if (wanted) await Notification.requestPermission();
    notices.wanted = wanted;
    offerNotices();
  });

  // A chart says the values of a step: of the one below the pointer, or where its slider is.
  const pointAt = (plot, step) => {
    const slots = [...plot.querySelectorAll(".slot")];
    const slider = plot.querySelector("input");
    const words = plot.querySelector("output");
    slider.parentElement.hidden = words.hidden = false;
    slider.value = step;
    const chosen = slots[slider.value];
    for (const slot of slots) slot.classList.toggle("pointed", slot === chosen);
    slider.ariaValueText = words.textContent = chosen.textContent;
  };
  const readPlots = () => {
    for (const plot of document.querySelectorAll(".plot:has(.slot)")) pointAt(plot, plot.querySelector("input").value);
  };
  document.addEventListener("input", ({ target }) => target.matches(".plot input") && pointAt(target.closest(".plot"), target.value));
  document.addEventListener("pointerover", ({ target }) => {
    const plot = target.matches(".plot .slot") && target.closest(".plot");
    if (plot) pointAt(plot, [...plot.querySelectorAll(".slot")].indexOf(target));
  });

  // Shows times of day in the reader's zone, and offers what needs a script.
  const dress = () => {
    readPlots();
    offerNotices();
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
    const full = log.querySelector("[data-full]");
    if (full) {
      full.hidden = false;
      full.setAttribute("aria-pressed", String(document.body.classList.contains("log-full")));
      log.querySelector("[data-copy-lines]").hidden = false;
    }
    showPicked();
    const follow = log.querySelector("[data-follow]");
    if (follow) {
      follow.hidden = !log.dataset.grows;
      follow.setAttribute("aria-pressed", String(following));
    }
  };

  // Lines that the address asks for. A click on a number with Shift adds all lines up to there.
  const pickedLines = () => {
    const [first, last] = (new URLSearchParams(location.search).get("line") ?? "").split("-").map(Number);
    return first ? [first, Math.max(first, last || first)] : null;
  };
  const showPicked = () => {
    const picked = pickedLines();
    for (const line of log.querySelectorAll(".line")) {
      const number = numberOf(line);
      line.classList.toggle("picked", Boolean(picked) && number >= picked[0] && number <= picked[1]);
    }
  };
  const pick = (number, extend) => {
    const before = pickedLines();
    const [first, last] = extend && before ? [Math.min(before[0], number), Math.max(before[0], number)] : [number, number];
    const query = new URLSearchParams(location.search);
    query.set("line", first === last ? String(first) : `${first}-${last}`);
    history.replaceState(null, "", `?${query}#L${first}`);
    showPicked();
  };

  // Copies the lines that were picked, or all that the page shows, without their numbers.
  const copyLines = async (button) => {
    const picked = pickedLines();
    const chosen = [...log.querySelectorAll(".line:not([hidden])")].filter((line) => !picked || picked[0] === picked[1] || line.classList.contains("picked"));
    const text = chosen.map((line) => line.querySelector(".t").textContent).join("\n");
    let copied = false;
    try {
      await navigator.clipboard.writeText(text);
      copied = true;
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      log.append(area);
      area.select();
      copied = document.execCommand("copy");
      area.remove();
    }
    button.textContent = copied ? "Copied" : "Press Ctrl+C";
    setTimeout(() => (button.textContent = "Copy"), 3000);
  };

  // A group shows some of its lines, one after the other. Those before and after them are behind links. However long a log is, the page keeps a
  // bounded number of lines: those that are farthest away give way to what is loaded.
  const [linesAtOnce, mostLines] = [1000, 3000];
  const numberOf = (line) => Number(line.id.slice(1));
  const thousands = new Intl.NumberFormat("en-US");
  const countLines = (count) => `${thousands.format(count)} ${count === 1 ? "line" : "lines"}`;

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
    drawLink(group, "before", from > first && `Show earlier lines (${thousands.format(from - first)})`, Math.max(first, from - 400), (more) => lines.before(more));
    drawLink(group, "after", to < last && `Show later lines (${thousands.format(last - to)})`, to + 1, (more) => lines.after(more));
  };

  // Takes so many lines of a group away, from one side, and returns how many are left to take.
  const trimGroup = (group, side, left) => {
    const lines = group.querySelector(".lines");
    for (; left > 0 && lines?.firstElementChild; left--) {
      lines[side].remove();
      if (side === "lastElementChild" || !lines.firstElementChild) group.removeAttribute("data-tail");
    }
    group.setAttribute("data-kept", "");
    drawLinks(group);
    return left;
  };
  const surplus = () => log.querySelectorAll(".line").length - mostLines;

  // Takes lines away until the page has no more than it keeps: of other groups first, the farthest ones, and then of this one from that end.
  const trimLines = (group, end) => {
    const groups = [...log.querySelectorAll(".log-group")];
    const distance = (other) => groups.indexOf(other) - groups.indexOf(group);
    let left = surplus();
    for (const other of groups.filter((one) => one !== group && one.querySelector(".line")).sort((a, b) => Math.abs(distance(b)) - Math.abs(distance(a)))) {
      if (left > 0) left = trimGroup(other, distance(other) < 0 ? "firstElementChild" : "lastElementChild", left);
    }
    trimGroup(group, end, left);
  };

  // Takes lines away of groups that have begun below the screen.
  const trimBelow = () => {
    let left = surplus();
    for (const group of [...log.querySelectorAll(".log-group")].reverse()) {
      if (left <= 0 || group.getBoundingClientRect().top < innerHeight) return;
      if (group.querySelector(".line")) left = trimGroup(group, "lastElementChild", left);
    }
  };

  // Whether the page shows the last line of a group.
  const showsEnd = (group) => {
    const last = group.querySelector(".lines")?.lastElementChild;
    return last ? numberOf(last) >= Number(group.dataset.last) : Number(group.dataset.last) < Number(group.dataset.first);
  };

  // What is shown of the log stays. At the end, the oldest lines give way to new ones; elsewhere nothing goes that the reader may be looking at.
  const prepareLines = () => {
    if (!log) return;
    atEnd = following || log.getBoundingClientRect().bottom <= innerHeight + 120;
    room = atEnd ? Infinity : mostLines - log.querySelectorAll(".line").length;
    behind.length = 0;
    for (const group of log.querySelectorAll(".log-group")) if (group.querySelector(".line")) group.setAttribute("data-kept", "");
  };

  // Shows what the page that came did not have, and goes to the end if the reader follows it.
  const catchUp = async () => {
    for (const group of behind) {
      const link = group.querySelector(':scope > [data-more="after"] a[data-load]');
      if (!atEnd) room = mostLines - log.querySelectorAll(".line").length;
      if (link && room > 0) await load(link, Math.min(linesAtOnce, room + 1)); // the last line that is shown comes again
    }
    const last = log && [...log.querySelectorAll(".log-group")].at(-1);
    if (!last) return;
    if (following && !showsEnd(last)) await showEnd(last);
    if (!atEnd) trimBelow();
    else if (last.querySelector(".line")) trimLines(last, "firstElementChild");
    if (following) toEnd();
    if (following && !log.dataset.grows) follow(false);
  };

  // Shows the last lines of a group in the place of those that it shows.
  const showEnd = async (group) => {
    if (group.hasAttribute("aria-busy")) return;
    group.setAttribute("aria-busy", "true");
    try {
      const fetched = await fetchLinesBefore(Number(group.dataset.first), Number(group.dataset.last) + 1);
      if (!fetched.length) return;
      linesOf(group).replaceChildren(...fetched);
      group.setAttribute("data-kept", "");
      if (group.nodeName === "DETAILS") group.open = true;
      trimLines(group, "firstElementChild");
      dress();
    } catch {
      // The next time.
    } finally {
      group.removeAttribute("aria-busy");
    }
  };

  // Returns the place of a group's lines, and makes it if the group shows none.
  const linesOf = (group) => {
    let lines = group.querySelector(".lines");
    if (!lines) {
      lines = document.createElement("div");
      lines.className = "lines";
      lines.tabIndex = 0;
      lines.setAttribute("role", "group");
      lines.setAttribute("aria-label", "Lines");
      const more = group.querySelector(":scope > .log-more");
      if (more) more.before(lines);
      else group.append(lines);
    }
    return lines;
  };

  const fetchLines = async (from, count) => {
    const answer = await fetch(`${location.pathname.replace(/\/$/, "")}/log?${new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(location.search)), from, count })}`);
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

  // Loads the lines that a link leads to, or the first of them.
  const load = async (link, most = linesAtOnce) => {
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
        : fetchLines(from, Math.min(most, Number(group.dataset.last) - from + 1)));
      if (!fetched.length) return;
      lines = linesOf(group);
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
    const number = event.target.closest("a.n");
    if (number && event.shiftKey) {
      event.preventDefault();
      getSelection().removeAllRanges();
      pick(numberOf(number.parentElement), true);
    } else if (number && !event.metaKey && !event.ctrlKey) {
      event.preventDefault();
      pick(numberOf(number.parentElement), false);
    }
    if (event.target.closest("[data-copy-lines]")) copyLines(event.target.closest("[data-copy-lines]"));
    if (event.target.closest("[data-full]")) {
      document.body.classList.toggle("log-full");
      dress();
    }
    if (event.target.closest("[data-times]")) {
      document.body.classList.toggle("log-times");
      dress();
    }
    if (event.target.closest("[data-follow]")) {
      follow(!following);
      if (following) {
        prepareLines();
        catchUp();
      }
    }
  });

  // Who follows is taken to the end of the log whenever it grows, until they scroll back.
  const follow = (on) => {
    following = on;
    dress();
  };
  addEventListener("wheel", (event) => event.deltaY < 0 && following && follow(false), { passive: true });
  addEventListener("touchmove", () => following && follow(false), { passive: true });
  addEventListener("keydown", (event) => following && ["ArrowUp", "PageUp", "Home"].includes(event.key) && follow(false));
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !document.body.classList.contains("log-full")) return;
    document.body.classList.remove("log-full");
    dress();
  });
  log?.addEventListener(
    "toggle",
    (event) => {
      const link = event.target.open && touched.has(event.target) && event.target.querySelector(':scope > [data-more="all"] a[data-load]');
      if (link) load(link);
    },
    true,
  );

  // While the job runs, its log is asked for every other second, and shown again if it has grown.
  const grow = async () => {
    const known = log?.dataset.grows;
    if (known && !document.hidden) await refresh(null, known);
    if (log) setTimeout(grow, 1500);
  };

  // In a long list of jobs, the present one is in sight.
  const jobs = document.getElementById("jobs-beside");
  const present = jobs?.querySelector("[aria-current]");
  if (present) jobs.scrollTop = present.offsetTop - (innerHeight - jobs.getBoundingClientRect().top) / 2;

  dress();
  connect();
  grow();
})();
