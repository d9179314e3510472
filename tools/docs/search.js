// SPDX-License-Identifier: Apache-2.0
// The search box. The index is a script, loaded at the first use, because a page opened from a file may not fetch one.
"use strict";
(() => {
  const root = document.documentElement.dataset.root;
  const box = document.querySelector(".search input");
  const list = document.querySelector(".search ol");
  const shownMax = 25;
  let chosen = -1;

  // A phone begins with the menu closed; a wide page has it open, without a summary to open it.
  const menu = document.querySelector(".side details");
  const wide = matchMedia("(min-width: 60.01rem)");
  const setMenu = () => { menu.open = wide.matches; };
  wide.addEventListener("change", setMenu);
  setMenu();
  document.querySelector(".side .here")?.scrollIntoView({block: "nearest"});

  function load() {
    if (document.getElementById("search-index")) return;
    const script = document.createElement("script");
    script.id = "search-index";
    script.src = root + "search-index.js";
    script.onload = show;
    document.head.append(script);
  }

  // 0: a word of the query is nowhere in the entry.
  function score([title, kind, , text], words) {
    const name = title.toLowerCase();
    const last = name.split("::").pop();
    const rest = text.toLowerCase();
    let sum = 0;
    for (const word of words) {
      if (name === word || last === word) sum += 100;
      else if (last.startsWith(word) || name.startsWith(word)) sum += 60;
      else if (name.includes(word)) sum += 40;
      else if (rest.includes(word)) sum += kind === "guide" ? 30 : 10;
      else return 0;
    }
    const depth = name.split("::").length - 1;
    return sum + ({guide: 25, class: 9, function: 8, header: 6, member: -30}[kind] ?? 0) - 3 * depth - name.length / 50;
  }

  function show() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    chosen = -1;
    if (!words.length || !window.searchIndex) return;
    const found = window.searchIndex.map((entry) => [score(entry, words), entry]).filter(([points]) => points > 0);
    found.sort((a, b) => b[0] - a[0]);
    list.append(...found.slice(0, shownMax).map(([, entry]) => row(entry, words[0])));
    if (!found.length) {
      const none = document.createElement("li");
      none.className = "none";
      none.textContent = "Nothing found for “" + box.value + "”.";
      list.append(none);
    }
  }

  function row([title, kind, address, text], word) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = root + address;
    const place = text.toLowerCase().indexOf(word);
    const excerpt = place > 60 ? "…" + text.slice(place - 40, place + 100) : text.slice(0, 120);
    for (const [tag, content] of [["i", kind], ["b", title], ["small", excerpt]]) {
      const part = document.createElement(tag);
      part.textContent = content;
      link.append(part);
    }
    item.append(link);
    return item;
  }

  function choose(step) {
    const rows = list.querySelectorAll("li:not(.none)");
    if (!rows.length) return;
    rows[chosen]?.classList.remove("chosen");
    chosen = (chosen + step + rows.length) % rows.length;
    rows[chosen].classList.add("chosen");
    rows[chosen].scrollIntoView({block: "nearest"});
  }

  box.addEventListener("focus", load);
  box.addEventListener("input", () => { load(); show(); });
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? 0 : -1);
    else if (event.key === "Enter") list.querySelector("li.chosen a, li a")?.click();
    else if (event.key === "Escape") { box.value = ""; show(); box.blur(); }
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", () => { box.value = ""; show(); });
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) list.replaceChildren(); });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, textarea")) return;
    event.preventDefault();
    box.focus();
  });
})();
