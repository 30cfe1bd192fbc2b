// The policy editor: asks the server about what is typed, and marks what is wrong at its place. Without it the form works all the same.
(() => {
  "use strict";

  const form = document.querySelector("form[data-policy]");
  if (!form) return;
  const area = form.querySelector("textarea");
  const numbers = form.querySelector(".numbers");
  const marks = form.querySelector(".marks");
  const faults = () => [...document.querySelectorAll("#findings li[data-start]")];

  // The marks lie under the text, which is why they repeat it.
  const mark = () => {
    const text = area.value;
    const ranges = faults()
      .map((item) => [Number(item.dataset.start), Number(item.dataset.end)])
      .sort((a, b) => a[0] - b[0]);
    marks.replaceChildren();
    let at = 0;
    for (const [start, end] of ranges) {
      if (start < at) continue;
      const mark = document.createElement("mark");
      const to = Math.max(end, start + 1);
      mark.textContent = text.slice(start, to) || " ";
      marks.append(text.slice(at, start), mark);
      at = to;
    }
    marks.append(text.slice(at), "\n");
    number();
    follow();
  };

  const number = () => {
    const wrong = new Set(faults().map((item) => Number(item.dataset.line)));
    const count = area.value.split("\n").length;
    numbers.replaceChildren(
      ...Array.from({ length: count }, (_, i) => {
        const line = document.createElement("span");
        line.textContent = i + 1;
        line.classList.toggle("wrong", wrong.has(i + 1));
        return line;
      }),
    );
  };

  const follow = () => {
    numbers.scrollTop = marks.scrollTop = area.scrollTop;
    marks.scrollLeft = area.scrollLeft;
  };

  // A fault leads to its place.
  const offerPlaces = () => {
    for (const item of faults()) {
      const place = item.querySelector(".place");
      const button = document.createElement("button");
      button.type = "button";
      button.className = "place";
      button.textContent = place.textContent;
      button.addEventListener("click", () => {
        area.focus();
        area.setSelectionRange(Number(item.dataset.start), Number(item.dataset.end));
        follow();
      });
      place.replaceWith(button);
    }
  };

  const show = () => {
    area.setAttribute("aria-invalid", String(faults().length > 0));
    offerPlaces();
    mark();
  };

  let timer;
  let asked; // what is under way
  const ask = async () => {
    asked?.abort();
    asked = new AbortController();
    const sent = area.value;
    const body = new URLSearchParams({ form_token: form.elements.form_token.value, policy: sent });
    try {
      const answer = await fetch(location.pathname, { method: "POST", body, signal: asked.signal });
      if (!answer.ok || answer.redirected) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = page.getElementById("findings");
      if (!found || area.value !== sent) return;
      document.getElementById("findings").replaceChildren(...found.childNodes);
      show();
    } catch {
      // The next change asks again, and the server checks what is saved in any case.
    }
  };

  area.addEventListener("input", () => {
    for (const item of faults()) delete item.dataset.start; // their places have moved
    mark();
    clearTimeout(timer);
    timer = setTimeout(ask, 350);
  });
  area.addEventListener("scroll", follow, { passive: true });

  numbers.hidden = marks.hidden = false;
  form.querySelector(".editor").classList.add("live");
  show();
})();
