"use strict";
// The desk: shows one case, asks the model with every label that is switched, saves decisions.
// Text reaches the page by textContent only, so that nothing in a case or a label becomes markup.

const byId = (id) => document.getElementById(id);
const RETRY_MS = 1000;
const KEEP_MS = 120000;
const SURE = 0.02; // probabilities are shown where there is doubt

let allLabels = [];
let current = null; // the case as the server showed it
let ticks = new Map(); // label -> ticked, of every label in the list
let touched = new Map(); // label -> what the reviewer said
let trail = [];
let passed = [];
let asked = 0; // number of the last live question
let saving = false;

function make(tag, text, className) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
}

function say(text, bad = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", bad);
}

async function ask(path, body) {
  const headers = { "X-Labelfield-Desk": "1" };
  const options = { headers };
  if (body !== undefined) {
    options.method = "POST";
    headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(path, options);
  const told = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(told.detail), { status: answer.status });
  return told;
}

// A request that must not get lost: sent again, under the same key, until somebody answers.
async function insist(path, body) {
  for (;;) {
    try {
      return await ask(path, body);
    } catch (error) {
      const refused = error.status !== undefined && error.status < 500;
      if (refused) throw error;
      say("Not saved yet: the server does not answer. Trying again.", true);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

const percent = (p) => `${(100 * p).toFixed(p < 0.1 || p > 0.9 ? 1 : 0)} %`;
const named = (labels) => (labels.length ? labels.join(" + ") : "no label");
const chosen = () => [...ticks].filter(([, on]) => on).map(([name]) => name);

// ---------------------------------------------------------------- showing

async function next(after = "") {
  let told;
  try {
    told = await insist("/desk/next", { passed });
  } catch (error) {
    say(error.message, true);
    return;
  }
  if (told.case === null && passed.length) {
    passed = [];
    return next(after);
  }
  showProgress(told.progress);
  byId("desk").hidden = told.case === null;
  byId("done").hidden = told.case !== null;
  current = told.case === null ? null : told;
  for (const id of ["accept", "unsure", "skip"]) byId(id).disabled = current === null;
  if (current === null) {
    byId("done-text").textContent = waiting(told.progress);
    say(after);
    byId("done-title").focus();
    return;
  }
  showCase();
  say(`${after} Case ${current.name}.`.trim());
}

function waiting(progress) {
  const parts = [`${progress.settled} cases are settled, ${progress.by_me} decided by you.`];
  if (progress.open) parts.push(`${progress.open} wait for another reviewer.`);
  if (progress.conflict) parts.push(`${progress.conflict} conflicts wait for a third reviewer.`);
  return parts.join(" ");
}

function showProgress(progress) {
  const total = progress.settled + progress.open + progress.conflict;
  byId("progress").max = Math.max(total, 1);
  byId("progress").value = progress.settled;
  byId("progress-text").textContent =
    `${progress.settled} of ${total} settled, ${progress.for_me} wait for you` +
    (progress.accepted ? `, ${progress.accepted} accepted without review` : "");
}

function showCase() {
  ticks = new Map(current.labels.map((label) => [label.name, label.ticked]));
  touched = new Map();
  trail = [];
  byId("case-name").textContent = current.name;
  byId("hint").textContent = current.blind
    ? "Drawn at random to check accepted sets: nothing is ticked beforehand, decide from scratch."
    : current.confidence === null ? "" : `The ticked set is right with probability ${percent(current.confidence)}.`;
  byId("texts").replaceChildren(...current.texts.flatMap(([name, text]) => [make("h3", name), make("div", text, "text")]));
  for (const box of document.querySelectorAll(".text")) box.tabIndex = 0;
  byId("fields").replaceChildren(...current.fields.flatMap(([name, value]) => [make("dt", name), make("dd", value)]));
  byId("fields").hidden = current.fields.length === 0;
  byId("fields").tabIndex = 0;
  byId("picture").hidden = !current.picture;
  if (current.picture) byId("picture").src = current.picture;
  showEarlier();
  byId("note").value = "";
  byId("search").value = "";
  byId("broken").textContent = "";
  byId("basis").textContent = "";
  byId("reasons-part").open = false;
  byId("reasons-part").hidden = current.blind;
  showAlternatives(current.alternatives);
  showLabels(new Map(current.labels.map((label) => [label.name, label.p])), current.ask_first, new Set());
  byId("case-name").focus();
  window.scrollTo(0, 0);
}

function showEarlier() {
  byId("earlier").hidden = current.answers.length === 0;
  byId("earlier").replaceChildren(
    make("p", "Two reviewers do not agree; you decide. They said:"),
    ...current.answers.map((labels) => make("p", named(labels))),
  );
}

function showAlternatives(alternatives) {
  byId("alternatives-part").hidden = alternatives.length === 0;
  byId("alternatives-title").textContent = current.coverage
    ? `Alternatives: the true set is listed in ${percent(current.coverage)} of all cases`
    : "Most probable sets";
  byId("alternatives").replaceChildren(...alternatives.map((set, k) => {
    const item = make("li");
    const button = make("button");
    button.type = "button";
    const key = make("kbd", `⇧${k + 1}`);
    key.setAttribute("aria-hidden", "true");
    button.append(key, make("span", named(set.labels), "name"), make("span", set.p === null ? "" : percent(set.p), "p"));
    button.addEventListener("click", () => take(set.labels));
    item.append(button);
    return item;
  }));
}

let shownP = new Map();
let shownAsk = null;

function showLabels(p, askFirst, moved) {
  shownP = p;
  shownAsk = askFirst;
  const query = byId("search").value.trim().toLowerCase();
  const found = query ? allLabels.filter((name) => name.toLowerCase().includes(query)).slice(0, 30) : [...ticks.keys()];
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.label : undefined;
  byId("labels").replaceChildren(...found.map((name, k) => labelItem(name, k, p.get(name), name === askFirst, moved.has(name))));
  if (focused !== undefined) {
    const again = [...byId("labels").querySelectorAll("input")].find((box) => box.dataset.label === focused);
    if (again) again.focus();
  }
}

function labelItem(name, k, p, first, moved) {
  const item = make("li");
  const label = make("label");
  const box = make("input");
  box.type = "checkbox";
  box.checked = ticks.get(name) === true;
  box.dataset.label = name;
  box.addEventListener("change", () => toggle(name));
  const key = make("kbd", k < 9 ? String(k + 1) : "");
  key.setAttribute("aria-hidden", "true");
  if (k >= 9) key.hidden = true;
  label.append(box, key, make("span", name, "name"));
  if (first) label.append(make("span", "ask first", "ask"));
  const doubtful = p !== undefined && p !== null && p > SURE && p < 1 - SURE && !touched.has(name);
  if (doubtful) {
    const meter = make("meter");
    meter.value = p;
    meter.setAttribute("aria-hidden", "true");
    label.append(meter, make("span", percent(p), "p"));
  }
  item.classList.toggle("touched", touched.has(name));
  item.classList.toggle("moved", moved);
  item.append(label);
  return item;
}

// ---------------------------------------------------------------- answering

function toggle(name) {
  if (current === null) return;
  const on = !(ticks.get(name) === true);
  ticks.set(name, on);
  touched.set(name, on);
  trail.push(name);
  live();
}

function take(labels) {
  const wanted = new Set(labels);
  for (const name of new Set([...ticks.keys(), ...labels])) {
    if ((ticks.get(name) === true) !== wanted.has(name)) trail.push(name);
    ticks.set(name, wanted.has(name));
    touched.set(name, wanted.has(name));
  }
  live();
}

// Ask the model what follows from what was said; labels not yet judged follow the best set.
async function live() {
  const number = ++asked;
  const about = current.case;
  showLabels(shownP, shownAsk, new Set());
  let told;
  try {
    told = await ask("/desk/condition", { case: about, known: Object.fromEntries(touched), ticked: chosen() });
  } catch (error) {
    say(error.message || "The server does not answer.", true);
    return;
  }
  if (number !== asked || current === null || current.case !== about) return; // answered too late
  byId("broken").textContent = told.broken.length ? `Breaks a rule: ${told.broken.join("; ")}` : "";
  if (!told.help) return;
  const best = new Set(told.best);
  const moved = new Set();
  if (told.possible) {
    for (const name of new Set([...ticks.keys(), ...told.best])) {
      if (!touched.has(name) && (ticks.get(name) === true) !== best.has(name)) {
        ticks.set(name, best.has(name));
        moved.add(name);
      }
    }
  }
  byId("hint").textContent = told.possible && told.probability !== null
    ? `Given what you said, the ticked set has probability ${percent(told.probability)}.` : "";
  const p = new Map(Object.entries(told.probabilities));
  showLabels(p, told.ask_first, moved);
  byId("basis").textContent = !told.possible
    ? "The model holds these answers for impossible together; yours count."
    : told.from_best_sets ? `Probabilities come from the ${told.from_best_sets} best sets.` : "";
  if (moved.size) {
    say(`Changed with it: ${[...moved].join(", ")}.`);
    const broken = await ask("/desk/condition", { case: about, known: {}, ticked: chosen() }).catch(() => null);
    if (broken && number === asked) byId("broken").textContent = broken.broken.length ? `Breaks a rule: ${broken.broken.join("; ")}` : "";
  }
}

async function decide(labels) {
  if (current === null || saving) return;
  saving = true;
  say("Saving");
  const decision = {
    case: current.case, version: current.version, showing: current.showing,
    key: crypto.randomUUID ? crypto.randomUUID() : `${Date.now()}-${Math.random()}-${Math.random()}`,
    labels, note: byId("note").value, trail: trail.slice(-1000),
  };
  try {
    const told = await insist("/desk/decide", decision);
    await next(told.status === "conflict" ? "Saved; it does not agree with the first reviewer." : "Saved.");
  } catch (error) {
    say(error.message, true);
    if (error.status === 409) await next(error.message);
  } finally {
    saving = false;
  }
}

async function undo() {
  if (saving) return;
  saving = true;
  try {
    if (current !== null) await ask("/desk/release", { case: current.case });
    await insist("/desk/undo", { key: `undo-${crypto.randomUUID ? crypto.randomUUID() : Date.now()}` });
    passed = [];
    await next("Undone.");
  } catch (error) {
    say(error.message, true);
  } finally {
    saving = false;
  }
}

async function skip() {
  if (current === null || saving) return;
  passed = [...passed, current.case].slice(-500);
  await ask("/desk/release", { case: current.case }).catch(() => null);
  await next("Later.");
}

async function showReasons() {
  if (!byId("reasons-part").open || current === null) return;
  const told = await ask(`/desk/reasons/${current.case}`).catch(() => ({}));
  const parts = Object.entries(told).filter(([, words]) => words.length);
  byId("reasons").replaceChildren(...(parts.length
    ? parts.flatMap(([label, words]) => [make("dt", label), make("dd", words.join(", "))])
    : [make("dt", "none"), make("dd", "the model gives no reasons here")]));
}

// ---------------------------------------------------------------- keys

function typed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const place = event.target;
  if (place.id === "search") return typedInSearch(event);
  if (place.id === "note") {
    if (event.key === "Escape") place.blur();
    return;
  }
  const digit = /^Digit([1-9])$/.exec(event.code);
  if (digit && event.shiftKey) {
    const set = current && current.alternatives[Number(digit[1]) - 1];
    if (set) { event.preventDefault(); take(set.labels); }
    return;
  }
  if (/^[1-9]$/.test(event.key)) {
    const box = byId("labels").querySelectorAll("input")[Number(event.key) - 1];
    if (box) { event.preventDefault(); toggle(box.dataset.label); }
    return;
  }
  const onControl = place.closest("button, a, summary");
  const actions = {
    Enter: () => (onControl ? null : decide(chosen())),
    x: () => decide(null), s: skip, u: undo,
    "/": () => byId("search").focus(),
    n: () => byId("note").focus(),
    "?": () => { const help = document.querySelector(".help"); help.open = !help.open; },
  };
  const action = actions[event.key];
  if (action === undefined || (event.key === "Enter" && onControl)) return;
  event.preventDefault();
  action();
}

function typedInSearch(event) {
  if (event.key === "Escape") {
    event.target.value = "";
    event.target.blur();
    showLabels(shownP, shownAsk, new Set());
  } else if (event.key === "Enter") {
    event.preventDefault();
    const box = byId("labels").querySelector("input");
    if (event.target.value.trim() && box) {
      event.target.value = "";
      toggle(box.dataset.label);
      say(`${box.dataset.label} ${ticks.get(box.dataset.label) ? "ticked" : "not ticked"}.`);
    }
  }
}

document.addEventListener("keydown", typed);
byId("search").addEventListener("input", () => showLabels(shownP, shownAsk, new Set()));
byId("accept").addEventListener("click", () => decide(chosen()));
byId("unsure").addEventListener("click", () => decide(null));
byId("skip").addEventListener("click", skip);
byId("undo").addEventListener("click", undo);
byId("reasons-part").addEventListener("toggle", showReasons);
setInterval(() => {
  if (current !== null && !document.hidden) ask("/desk/keep", { case: current.case }).catch(() => null);
}, KEEP_MS);

ask("/desk/labels").then((labels) => { allLabels = labels; return next(); }).catch((error) => say(error.message, true));
