"use strict";
// Links each page's image with its text. Everything shown here comes from the document and is set as text or as numbers,
// never as markup; what a page needs is built when the page comes near.
(() => {
  const $ = (id) => document.getElementById(id);
  const pages = [...document.querySelectorAll(".page")];
  const tip = $("tip");
  const known = new WeakMap(); // article -> what its JSON says
  const built = new WeakSet();
  let active = null; // the block that was picked
  let last = null; // what n and p came to last

  function dataOf(page) {
    if (!known.has(page)) known.set(page, JSON.parse(page.querySelector(".data").textContent));
    return known.get(page);
  }

  // A page that comes near: its image, its boxes, its formulas, its pictures.
  function build(page) {
    if (built.has(page)) return;
    built.add(page);
    const data = dataOf(page);
    const paper = page.querySelector(".paper");
    if (!data.image) {
      page.querySelector(".sheet").hidden = true;
    } else {
      const ratio = data.width / data.height;
      paper.style.aspectRatio = `${data.width} / ${data.height}`;
      if (matchMedia("(min-width: 60.01rem)").matches)
        paper.style.width = `min(100%, calc((100vh - var(--bar) - 2rem) * ${ratio}))`;
      const image = new Image();
      image.alt = `Page ${data.page} as printed`;
      image.decoding = "async";
      image.addEventListener("load", () => crops(page, image, data));
      image.src = data.image;
      paper.append(image, boxes(page, data), words(data), doubted(data));
    }
    tint(page, data);
    formulas(page);
  }

  function boxes(page, data) {
    const layer = document.createDocumentFragment();
    const add = (place, key, number, check, name) => {
      const box = document.createElement("div");
      box.className = check ? `box ${check}` : "box";
      box.dataset[key[0]] = key[1];
      box.dataset.number = number;
      box.title = name;
      put(box, place, data);
      layer.append(box);
    };
    const checks = new Set([...page.querySelectorAll(".block.check[data-block]")].map((one) => one.dataset.block));
    data.boxes.forEach((place, at) => {
      if (place) add(place, ["block", at], at + 1, checks.has(String(at)) && "check", data.names[at]);
    });
    data.left.forEach((place, at) => {
      if (place) add(place, ["left", at], "–", "check left-out", "Left out by the model");
    });
    return layer;
  }

  // What became of each word, a box a run of words; shown on demand.
  const fates = ["written", "left out on purpose", "changed by the model", "in a picture", "missing"];
  function words(data) {
    const layer = document.createElement("div");
    layer.className = "words";
    data.words.forEach(([x0, y0, x1, y1, state, rule], at) => {
      const word = document.createElement("div");
      word.className = `word state-${state}`;
      word.dataset.word = at;
      word.title = rule ? `${fates[state]}: ${rule}` : fates[state];
      put(word, [x0, y0, x1, y1], data);
      layer.append(word);
    });
    return layer;
  }

  function put(element, [x0, y0, x1, y1], data) {
    element.style.left = `${(100 * x0) / data.width}%`;
    element.style.top = `${(100 * y0) / data.height}%`;
    element.style.width = `${(100 * (x1 - x0)) / data.width}%`;
    element.style.height = `${(100 * (y1 - y0)) / data.height}%`;
  }

  // Written words and their places: [certainty in percent, how the place is known, four sides of each box ...].
  const hows = [
    "the page has this word here",
    "the page has another word here",
    "between words of the page that are known",
    "only the place of its block is known",
    "not among the words of the page",
  ];
  const shades = [90, 70, 50, 30]; // below so many percent a word is tinted, deeper from one to the next
  const shadeOf = ([sure]) => shades.filter((least) => sure < least).length;
  const HAS_PLACE = 3; // ways of knowing a place of the word's own

  function spots(data, numbers, kind) {
    const layer = document.createDocumentFragment();
    for (const number of numbers) {
      const [, how, ...sides] = data.places[number];
      for (let at = 0; how < HAS_PLACE && at < sides.length; at += 4) {
        const spot = document.createElement("div");
        spot.className = `spot ${kind(data.places[number])}`;
        put(spot, sides.slice(at, at + 4), data);
        layer.append(spot);
      }
    }
    return layer;
  }

  function doubted(data) {
    const numbers = data.places.map((_, at) => at).filter((at) => shadeOf(data.places[at]));
    return spots(data, numbers, (place) => `unsure-${shadeOf(place)}`);
  }

  function placesOf(element, data) {
    return (element.dataset.place || "").split(" ").filter((one) => data.places[one]).map(Number);
  }

  function tint(page, data) {
    for (const word of page.querySelectorAll("[data-place]")) {
      const shade = Math.max(0, ...placesOf(word, data).map((one) => shadeOf(data.places[one])));
      if (shade) word.classList.add(`unsure-${shade}`);
    }
  }

  // The word under the pointer, in the text and on the page.
  let pointed = "";
  function point(page, numbers) {
    const key = numbers.length ? `${page.id} ${numbers.join(" ")}` : "";
    if (key === pointed) return;
    pointed = key;
    for (const one of document.querySelectorAll(".spot.at, .at[data-place]"))
      one.matches(".spot") ? one.remove() : one.classList.remove("at");
    if (!numbers.length) return;
    for (const one of textOf(page, numbers)) one.classList.add("at");
    page.querySelector(".paper").append(spots(dataOf(page), numbers, () => "at"));
  }

  const textOf = (page, numbers) => numbers.flatMap((one) => [...page.querySelectorAll(`[data-place~="${one}"]`)]);

  // The word of the page under a point of the window; the smallest, if boxes lie over each other.
  function wordAt(page, { clientX, clientY }) {
    const data = dataOf(page);
    const paper = page.querySelector(".paper > img").getBoundingClientRect();
    const x = ((clientX - paper.left) / paper.width) * data.width;
    const y = ((clientY - paper.top) / paper.height) * data.height;
    let found = [];
    let least = Infinity;
    data.places.forEach(([, how, ...sides], number) => {
      for (let at = 0; how < HAS_PLACE && at < sides.length; at += 4) {
        const [x0, y0, x1, y1] = sides.slice(at, at + 4);
        if (x < x0 || x > x1 || y < y0 || y > y1 || (x1 - x0) * (y1 - y0) >= least) continue;
        least = (x1 - x0) * (y1 - y0);
        found = [number];
      }
    });
    return found;
  }

  function showWords(on) {
    document.body.classList.toggle("show-words", on);
    $("show-words").setAttribute("aria-pressed", String(on));
    $("fates").hidden = !on;
  }

  // From a missing word in the list to its place on the page.
  function pointAt(button) {
    const page = button.closest(".page");
    build(page);
    showWords(true);
    for (const one of document.querySelectorAll(".word.here")) one.classList.remove("here");
    const word = page.querySelector(`.word[data-word="${button.dataset.word}"]`);
    if (!word) return;
    word.classList.add("here");
    word.scrollIntoView({ block: "nearest" });
    announce(`${button.textContent}: ${word.title}`);
  }

  function crops(page, image, data) {
    for (const canvas of page.querySelectorAll("canvas.crop")) {
      const place = data.boxes[canvas.closest(".block").dataset.block];
      if (!place) continue;
      const scale = image.naturalWidth / data.width;
      const [x, y, w, h] = [place[0], place[1], place[2] - place[0], place[3] - place[1]].map((one) => one * scale);
      canvas.width = Math.max(1, Math.round(w));
      canvas.height = Math.max(1, Math.round(h));
      canvas.getContext("2d").drawImage(image, x, y, w, h, 0, 0, canvas.width, canvas.height);
    }
  }

  // Formulas are set a few at a time; one that cannot be read stays as it was written.
  function formulas(page) {
    if (typeof temml === "undefined") return;
    const left = [...page.querySelectorAll(".math, .formula")];
    const some = () => {
      const until = performance.now() + 20;
      while (left.length && performance.now() < until) typeset(left.shift());
      if (left.length) setTimeout(some, 0);
    };
    some();
  }

  function typeset(element) {
    const written = element.textContent;
    const bare = written.trim().replace(/^(\$\$?|\\\(|\\\[)([\s\S]*?)(\$\$?|\\\)|\\\])$/, "$2");
    if (bare.length > 5000) return;
    try {
      const displayMode = element.classList.contains("formula");
      const math = document.createElement("span");
      temml.render(bare, math, { displayMode, throwOnError: true, trust: false, maxSize: [20, 500], maxExpand: 200 });
      element.replaceChildren(...math.childNodes);
    } catch {
      element.textContent = written;
    }
  }

  // Blocks and boxes, linked both ways.
  const keyOf = (element) => (element.dataset.block === undefined ? ["left", element.dataset.left] : ["block", element.dataset.block]);
  const twins = (element) => {
    const [name, value] = keyOf(element);
    return [...element.closest(".page").querySelectorAll(`[data-${name}="${value}"]`)];
  };
  const blockOf = (element) => twins(element).find((one) => one.classList.contains("block"));

  function hover(element, on) {
    for (const one of twins(element)) one.classList.toggle("over", on);
  }

  function pick(block, { focus = true, scroll = true } = {}) {
    letGo();
    active = block;
    build(block.closest(".page"));
    for (const one of twins(block)) one.classList.add("active");
    rove(block);
    if (scroll) block.scrollIntoView({ block: "nearest" });
    if (focus) block.focus({ preventScroll: true });
    const box = twins(block).find((one) => one.classList.contains("box"));
    const sheet = block.closest(".page").querySelector(".sheet");
    if (box && sheet.scrollHeight > sheet.clientHeight + 4)
      sheet.scrollTop = box.offsetTop - sheet.clientHeight / 2 + box.offsetHeight / 2;
  }

  function letGo() {
    for (const one of document.querySelectorAll(".active")) one.classList.remove("active");
    active = null;
    say(null);
  }

  // One block at a time is in the order of tabs; the others are reached from it.
  function rove(block) {
    const before = document.querySelector('.block[tabindex="0"]');
    if (before) before.tabIndex = -1;
    block.tabIndex = 0;
  }

  function shown(selector) {
    return [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility({ contentVisibilityAuto: false }));
  }

  function step(selector, from, by) {
    const all = shown(selector);
    if (!all.length) return null;
    let at = all.indexOf(from);
    if (at < 0) {
      at = from ? all.findIndex((one) => from.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) : 0;
      if (at < 0) at = by > 0 ? all.length - 1 : all.length;
      else if (by < 0) at -= 1;
      return all[Math.min(all.length - 1, Math.max(0, at))];
    }
    return all[at + by] || null;
  }

  function goTo(by) {
    const here = document.activeElement.closest("[data-span], .block") || (last && last.closest(".block") === active ? last : active);
    const found = step(".block [data-span], .block.left-out", here, by);
    if (!found) return announce(by > 0 ? "Nothing more to check" : "Nothing before this to check");
    const block = found.closest(".block");
    pick(block, { focus: false, scroll: false });
    last = found;
    found.tabIndex = -1;
    found.scrollIntoView({ block: "center" });
    found.focus({ preventScroll: true });
    if (found !== block) say(found);
    announce(found === block ? block.textContent : `${found.textContent}. ${told(found).join(" ")}`);
  }

  // What is known of a marked or an uncertain word.
  function told(mark) {
    const draft = mark.dataset.draft;
    if (mark.classList.contains("differs")) return ["Another reading has", `“${draft}”`];
    if (mark.classList.contains("corrected")) return ["The draft has", `“${draft}”`];
    if (mark.classList.contains("left")) return ["The draft has here, and the model left out", `“${draft}”`];
    if (mark.dataset.span) return ["Written by the model alone;", "no draft has anything here"];
    const data = dataOf(mark.closest(".page"));
    const places = placesOf(mark, data).map((one) => data.places[one]);
    const [sure, how] = places.reduce((a, b) => (b[0] < a[0] ? b : a));
    return [`${sure} % certain`, hows[how]];
  }

  function say(mark) {
    const before = document.querySelector('[aria-describedby="tip"]');
    if (before) before.removeAttribute("aria-describedby");
    tip.hidden = !mark;
    if (!mark) return;
    const [head, words] = told(mark);
    const small = document.createElement("b");
    small.textContent = head;
    tip.replaceChildren(small, words);
    mark.setAttribute("aria-describedby", "tip");
    const place = mark.getClientRects()[0] || mark.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const above = place.top - height - 6;
    tip.style.left = `${Math.max(8, Math.min(place.left, innerWidth - width - 8))}px`;
    tip.style.top = `${above > 8 ? above : place.bottom + 6}px`;
  }

  function announce(text) {
    $("live").textContent = text;
  }

  // Only what is to be checked, or all.
  function filter(on) {
    document.body.classList.toggle("only-checks", on);
    $("show-all").setAttribute("aria-pressed", String(!on));
    $("show-checks").setAttribute("aria-pressed", String(on));
    $("nothing").hidden = !(on && total === 0);
    const first = (active && active.checkVisibility() && active) || shown(".block")[0];
    if (first) {
      rove(first);
      first.scrollIntoView({ block: "nearest" });
    }
  }

  const total = pages.reduce((sum, page) => sum + Number(page.dataset.checks), 0);
  $("count").textContent = total.toLocaleString();
  $("show-all").addEventListener("click", () => filter(false));
  $("show-checks").addEventListener("click", () => filter(true));
  $("next").addEventListener("click", () => goTo(1));
  $("previous").addEventListener("click", () => goTo(-1));
  $("show-words").addEventListener("click", () => showWords(!document.body.classList.contains("show-words")));
  for (const button of document.querySelectorAll(".missing button")) button.addEventListener("click", () => pointAt(button));
  for (const name of ["speed", "help"]) $(`open-${name}`).addEventListener("click", () => $(name).showModal());

  const toldAt = (event) =>
    event.target.closest &&
    (event.target.closest("#pages [data-span]") || event.target.closest('.text [class*="unsure-"][data-place]'));
  const over = (event) => (event.target.closest ? event.target.closest(".block, .box") : null);
  document.addEventListener("pointerover", (event) => {
    const element = over(event);
    if (element) hover(element, true);
    const mark = toldAt(event);
    if (mark && event.pointerType === "mouse") say(mark);
    const word = event.target.closest && event.target.closest(".text [data-place]");
    if (word) point(word.closest(".page"), placesOf(word, dataOf(word.closest(".page"))));
    else if (!event.target.closest || !event.target.closest(".paper")) point(null, []);
  });
  document.addEventListener("pointermove", (event) => {
    const paper = event.target.closest && event.target.closest(".paper");
    if (paper && paper.querySelector("img")) point(paper.closest(".page"), wordAt(paper.closest(".page"), event));
  });
  document.addEventListener("pointerout", (event) => {
    const element = over(event);
    if (element && !element.contains(event.relatedTarget)) hover(element, false);
    if (toldAt(event) && event.pointerType === "mouse") say(null);
  });
  document.addEventListener("click", (event) => {
    const element = over(event);
    if (!element || event.target.closest("a, button")) return;
    const isBox = element.classList.contains("box");
    if (!isBox && !getSelection().isCollapsed) return;
    const block = blockOf(element);
    if (!block) return;
    pick(block, { scroll: isBox, focus: isBox });
    const [word] = isBox ? textOf(block.closest(".page"), wordAt(block.closest(".page"), event)) : [];
    if (word) word.scrollIntoView({ block: "nearest" });
    const mark = toldAt(event);
    say(mark || null);
  });
  document.addEventListener("focusin", (event) => {
    const block = event.target.closest(".block");
    if (block && block !== active) pick(block, { focus: false, scroll: false });
  });
  addEventListener("scroll", () => say(document.activeElement.matches("[data-span]") ? document.activeElement : null), { passive: true });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const inBlock = document.activeElement.closest(".block");
    const move = { j: 1, k: -1, ArrowDown: inBlock && 1, ArrowUp: inBlock && -1 }[event.key];
    if (move) {
      const next = step(".block", inBlock || active, move);
      if (next) pick(next);
    } else if (event.key === "n" || event.key === "p") goTo(event.key === "n" ? 1 : -1);
    else if (event.key === "c") filter(!document.body.classList.contains("only-checks"));
    else if (event.key === "w") showWords(!document.body.classList.contains("show-words"));
    else if (event.key === "s") $("speed").showModal();
    else if (event.key === "?") $("help").showModal();
    else if (event.key === "Escape") letGo();
    else return;
    event.preventDefault();
  });

  // The strip of pages.
  const strip = document.querySelector(".strip");
  const states = { failed: "not read", damaged: "damaged", cut: "cut", blank: "blank" };
  const buttons = new Map();
  if (pages.length > 1) {
    strip.hidden = false;
    document.body.classList.add("many");
    for (const page of pages) {
      const button = document.createElement("button");
      const blank = document.createElement("span");
      const state = document.createElement("span");
      const checks = Number(page.dataset.checks);
      const problem = states[page.dataset.status];
      const number = page.id.slice(5);
      button.type = "button";
      blank.className = "blank";
      state.className = checks || (problem && problem !== "blank") ? "state look" : "state";
      state.textContent = problem || (checks ? `${checks} to check` : "");
      button.append(blank, `${number} `, state);
      button.setAttribute("aria-label", [`Page ${number}`, state.textContent].filter(Boolean).join(", "));
      button.addEventListener("click", () => {
        page.scrollIntoView();
        build(page);
      });
      buttons.set(page, button);
      strip.append(button);
    }
    const thumbnails = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const page = pages.find((one) => buttons.get(one) === entry.target);
        if (!entry.isIntersecting || !page) continue;
        thumbnails.unobserve(entry.target);
        const source = dataOf(page).thumbnail;
        if (!source) continue;
        const image = new Image();
        image.alt = "";
        image.src = source;
        entry.target.firstChild.replaceWith(image);
      }
    }, { root: strip, rootMargin: "200px" });
    for (const button of buttons.values()) thumbnails.observe(button);
  }

  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) build(entry.target);
  }, { rootMargin: "60%" });
  const here = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const button = buttons.get(entry.target);
      if (!button) continue;
      if (entry.isIntersecting) {
        button.setAttribute("aria-current", "page");
        strip.scrollTo(button.offsetLeft - strip.clientWidth / 2, button.offsetTop - strip.clientHeight / 2);
      } else button.removeAttribute("aria-current");
    }
  }, { rootMargin: "-45% 0px -50% 0px" });
  for (const page of pages) {
    near.observe(page);
    here.observe(page);
  }
  const first = document.querySelector(".block");
  if (first) first.tabIndex = 0;
})();
