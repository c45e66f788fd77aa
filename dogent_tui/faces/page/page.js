// The page of `dogent-tui serve`: one chat over the UI message stream. Everything that came from outside is put in as text.
"use strict";

const $ = (id) => document.getElementById(id);
const talk = $("talk"), waiting = $("waiting"), ask = $("ask"), text = $("text"), names = $("names");

function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// ── Markdown, as elements ─────────────────────────────────────────────────────────────────────────

const INLINE = /(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)|\*\*(.+?)\*\*|\*([^\s*](?:.*?[^\s*])?)\*|~~(.+?)~~|\[([^\]]+)\]\(([^)\s]+)\)/;

function inline(words) {
  const made = document.createDocumentFragment();
  for (let found; (found = INLINE.exec(words)); words = words.slice(found.index + found[0].length)) {
    made.append(words.slice(0, found.index));
    const [, , code, bold, italic, struck, label, address] = found;
    if (code !== undefined) made.append(el("code", {}, code.trim() || code));
    else if (bold !== undefined) made.append(el("strong", {}, inline(bold)));
    else if (italic !== undefined) made.append(el("em", {}, inline(italic)));
    else if (struck !== undefined) made.append(el("s", {}, inline(struck)));
    else if (/^https?:/i.test(address)) made.append(el("a", { href: address, rel: "noreferrer noopener", target: "_blank" }, inline(label)));
    else made.append(found[0]);
  }
  made.append(words);
  return made;
}

const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;
const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));

function markdown(source) {
  const made = document.createDocumentFragment(), lines = source.split("\n");
  let at = 0;
  const until = (ends) => { const start = at; while (at < lines.length && !ends(lines[at])) at++; return lines.slice(start, at); };
  while (at < lines.length) {
    const line = lines[at];
    let found;
    if (!line.trim()) at++;
    else if ((found = /^\s*(`{3,}|~{3,})/.exec(line))) {
      at++;
      const code = until((each) => each.trim().startsWith(found[1]));
      at++;
      made.append(el("pre", {}, el("code", {}, code.join("\n"))));
    } else if ((found = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line))) {
      at++;
      made.append(el(`h${found[1].length}`, {}, inline(found[2])));
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) { at++; made.append(el("hr")); }
    else if (/^\s*>/.test(line)) made.append(el("blockquote", {}, markdown(until((each) => !/^\s*>/.test(each)).map((each) => each.replace(/^\s*> ?/, "")).join("\n"))));
    else if (line.includes("|") && /^[\s|:-]+$/.test(lines[at + 1] ?? "") && (lines[at + 1] ?? "").includes("-")) {
      const [head, , ...rows] = until((each) => !each.includes("|"));
      made.append(el("table", {}, el("tr", {}, ...cells(head).map((cell) => el("th", {}, inline(cell)))),
        ...rows.map((row) => el("tr", {}, ...cells(row).map((cell) => el("td", {}, inline(cell)))))));
    } else if (ITEM.test(line)) made.append(list(until((each) => each.trim() && !ITEM.test(each) && !/^\s{2,}/.test(each))));
    else {
      const words = until((each) => !each.trim() || /^(#{1,6}\s|\s*(`{3}|~{3}|>))/.test(each) || ITEM.test(each));
      made.append(el("p", {}, inline(words.join("\n"))));
    }
  }
  return made;
}

function list(lines) {
  const [, indent, mark] = ITEM.exec(lines[0]), made = el(/\d/.test(mark) ? "ol" : "ul", /\d/.test(mark) ? { start: parseInt(mark) } : {});
  const items = [];
  for (const line of lines) {
    const found = ITEM.exec(line);
    if (found && found[1].length <= indent.length) items.push([found[3]]);
    else items[items.length - 1].push(line.replace(/^\s{1,4}/, ""));
  }
  for (const [first, ...rest] of items) made.append(el("li", {}, inline(first), rest.some((each) => each.trim()) ? markdown(rest.join("\n")) : null));
  return made;
}

// ── The chat ──────────────────────────────────────────────────────────────────────────────────────

let token = sessionStorage.getItem("token") ?? "", chat = sessionStorage.getItem("chat") ?? "", messages = [], running = null;

async function post(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${token}` }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

function state(words, works = false) {
  $("state").textContent = words;
  $("state").classList.toggle("works", works);
  $("stop").hidden = !works;
  $("send").hidden = works;
}

function note(words, kind = "note") {
  talk.append(el("p", { class: kind }, words));
  down();
}

function down() {
  if (talk.scrollHeight - talk.scrollTop - talk.clientHeight < 400) talk.scrollTop = talk.scrollHeight;
}

class Reply {
  constructor() {
    this.parts = new Map();
    this.status = "";
  }

  part(id, make) {
    if (!this.parts.has(id)) {
      this.parts.set(id, { ...make(), text: "" });
      talk.append(this.parts.get(id).place);
    }
    return this.parts.get(id);
  }

  take(chunk) {
    const taken = this[chunk.type] ?? this[chunk.type.replace(/^(text|reasoning)-.*/, "$1")];
    if (taken) taken.call(this, chunk);
    down();
  }

  text({ type, id, delta }) {
    if (type === "text-start") this.parts.delete(id);
    const part = this.part(id, () => ({ place: el("div", { class: "reply" }) }));
    part.text += delta ?? "";
    if (!part.due) {
      part.due = true;
      requestAnimationFrame(() => { part.due = false; part.place.replaceChildren(markdown(part.text)); down(); });
    }
  }

  "data-text"({ id, data }) {
    this.text({ type: "text-start", id });
    this.text({ id, delta: data.text });
  }

  reasoning({ id, delta }) {
    const part = this.part(`r${id}`, () => {
      const words = el("span");
      return { place: el("details", { class: "thinking" }, el("summary", {}, "Thinking"), words), words };
    });
    part.text += delta ?? "";
    part.words.textContent = part.text;
  }

  tool(id) {
    return this.part(`t${id}`, () => {
      const head = el("summary", {}, "…"), body = el("pre");
      return { place: el("details", { class: "tool" }, head, body), head, body, name: "" };
    });
  }

  "tool-input-start"({ toolCallId, toolName }) {
    const part = this.tool(toolCallId);
    part.name = toolName;
    part.head.textContent = `${toolName} …`;
  }

  "tool-input-available"({ toolCallId, toolName, input }) {
    const part = this.tool(toolCallId), first = input.filePath ?? input.path ?? input.command ?? input.query ?? input.pattern ?? "";
    part.name = `${toolName} ${first}`.trim();
    part.head.textContent = `${part.name} …`;
    part.body.textContent = JSON.stringify(input, null, 2);
  }

  "tool-output-available"({ toolCallId, output, preliminary }) {
    const part = this.tool(toolCallId);
    part.head.textContent = preliminary ? `${part.name} …` : `✓ ${part.name}`;
    part.body.textContent = typeof output === "string" ? output : JSON.stringify(output, null, 2);
  }

  "tool-output-error"({ toolCallId, errorText }) {
    const part = this.tool(toolCallId);
    part.head.textContent = `✗ ${part.name}`;
    part.body.textContent = errorText;
  }

  "tool-output-denied"({ toolCallId }) {
    const part = this.tool(toolCallId);
    part.head.textContent = `✗ ${part.name}: denied`;
  }

  "data-notice"({ data }) { note(`${data.message} ${data.remedy}`.trim()); }
  "data-retrying"({ data }) { state(`The endpoint failed; attempt ${data.attempt} of ${data.of}`, true); }
  "data-stalled"({ data }) { state(data.seconds ? `Nothing received for ${data.seconds} s` : "Working", true); }
  "data-dropped"({ id }) { for (const [key, part] of this.parts) if (key.startsWith(`${id}:`)) { part.place.remove(); this.parts.delete(key); } }
  "data-permission"({ data }) { put(data.id, () => permission(data)); }
  "data-permission-decided"({ data }) { settle(data.id); }
  "data-form"({ data }) { put(data.id, () => form(data)); }
  "data-outline"({ data }) { put(data.id, () => outline(data)); }
  "data-review"({ data }) { put(data.id, () => review(data)); }
  "data-settled"({ data }) { settle(data.id); }
  "message-metadata"({ messageMetadata }) { this.status = messageMetadata.status ?? this.status; }
  error({ errorText }) { note(errorText, "note failed"); }
  abort({ reason }) { note(reason === "interrupted" ? "Stopped." : reason); }
}

async function follow(answer) {
  const reply = new Reply(), reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", ended = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      if (event === "data: [DONE]") ended = true;
      else if (event.startsWith("data: ")) reply.take(JSON.parse(event.slice(6)));
    }
  }
  if (!ended) note("The connection was cut before the answer was complete.", "note failed");
}

async function run(begin) {
  running = new AbortController();
  state("Working", true);
  try {
    const answer = await begin(running.signal);
    if (answer.status !== 204) await follow(answer);
  } catch (error) {
    if (error.name !== "AbortError") note(error.message || "The server cannot be reached.", "note failed");
  }
  running = null;
  state(waiting.hidden ? "" : "Waiting for you");
  if (waiting.hidden) text.focus();
}

const stream = (signal) => fetch(`/api/chat/${encodeURIComponent(chat)}/stream?approvals=stream`, { headers: { authorization: `Bearer ${token}` }, signal });

async function send() {
  const words = text.value.trim();
  if (!words || running) return;
  text.value = "";
  grow();
  talk.append(el("div", { class: "user" }, words));
  talk.scrollTop = talk.scrollHeight;
  messages.push({ id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text: words }] });
  await run((signal) => fetch("/api/chat?approvals=stream", {
    method: "POST", signal, headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ id: chat, messages, trigger: "submit-message" }),
  }).then(async (answer) => { if (!answer.ok) throw new Error(await answer.text()); return answer; }));
}

// ── What waits for the user: one at a time, in the order of asking ────────────────────────────────

const asked = new Map();

function put(id, make) {
  if (!asked.has(id)) asked.set(id, make);
  show();
}

function settle(id) {
  asked.delete(id);
  if (waiting.dataset.id === id) delete waiting.dataset.id;
  show();
}

function show() {
  const [next] = asked;
  waiting.hidden = !next;
  ask.hidden = Boolean(next);
  if (!next) { waiting.replaceChildren(); return; }
  if (waiting.dataset.id === next[0]) return;
  waiting.dataset.id = next[0];
  waiting.replaceChildren(next[1]());
  state("Waiting for you", Boolean(running));
  waiting.querySelector("[autofocus], button, input, textarea")?.focus();
  waiting.scrollTop = 0;
}

async function reply(path, body, id) {
  try {
    await post(`/api/chat/${encodeURIComponent(chat)}/${path}`, body);
    settle(id);
    if (!running) await run(stream);
  } catch (error) {
    waiting.querySelector(".failed")?.remove();
    waiting.append(el("p", { class: "note failed", role: "alert" }, error.message));
  }
}

function keys(...buttons) {
  return el("div", { class: "keys" }, ...buttons);
}

function button(label, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, label);
}

function diff(source) {
  const kind = (line) => (/^\+(?!\+\+)/.test(line) ? "new" : /^-(?!--)/.test(line) ? "old" : "");
  return el("pre", { class: "diff" }, ...source.split("\n").map((line) => el("span", { class: kind(line) }, `${line}\n`)));
}

function permission(data) {
  const words = el("input", { type: "text", "aria-label": "Why not", placeholder: "Why not (optional)" });
  const answer = (body) => reply(`approvals/${data.id}`, body, data.id);
  const scopes = { once: "Allow once", session: "Allow in this chat", always: "Always allow here" };
  const verb = data.alreadyRan ? { once: "Keep", session: "Keep, and the like in this chat", always: "Always keep such" } : scopes;
  return el("div", { role: "dialog", "aria-label": "Permission" },
    el("h2", {}, data.sentence || data.toolName),
    data.reason ? el("p", {}, data.reason) : null,
    ...data.targets.map((target) => el("div", { class: "say" }, `${target.kind} ${target.path}${target.note ? ` (${target.note})` : ""}`)),
    data.parameters.command ? el("pre", {}, data.parameters.command) : null,
    data.diff ? diff(data.diff) : null,
    words,
    keys(button("Deny", () => answer({ approved: false, reason: words.value, continue: Boolean(words.value.trim()) }), { class: "first", autofocus: true }),
      ...data.scopes.map((scope) => button(verb[scope], () => answer({ approved: true, scope })))));
}

function form(data) {
  const made = el("form", { role: "dialog", "aria-label": data.title },
    el("h2", {}, data.title), data.preface ? el("p", {}, data.preface) : null,
    ...data.questions.map((question, number) => el("fieldset", {}, el("legend", {}, question.question),
      ...question.options.map((option, place) => el("label", {},
        el("input", { type: question.multiple ? "checkbox" : "radio", name: question.id, value: option.value, checked: question.recommended.includes(option.value), autofocus: number + place === 0 }),
        ` ${option.label}`, question.recommended.includes(option.value) ? el("span", { class: "say" }, " (recommended)") : null,
        option.description ? el("span", { class: "say" }, ` ${option.description}`) : null)),
      question.allow_freeform || !question.options.length ? el("input", { type: "text", name: `${question.id} text`, "aria-label": question.question, placeholder: question.placeholder || (question.options.length ? "Or in your own words" : ""), autofocus: number === 0 && !question.options.length }) : null)),
    keys(el("button", { class: "first", type: "submit" }, "Send answers"), button("Do not answer", () => reply(`answers/${data.id}`, { abandon: true }, data.id))));
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = new FormData(made), answers = {};
    for (const question of data.questions) {
      const own = (given.get(`${question.id} text`) ?? "").trim(), chosen = given.getAll(question.id);
      answers[question.id] = question.multiple ? [...chosen, ...(own ? [own] : [])] : own || (chosen[0] ?? null);
    }
    reply(`answers/${data.id}`, { answers }, data.id);
  });
  return made;
}

function outline(data) {
  const rows = el("div");
  const add = (level, words, before = null) => {
    const title = el("input", { type: "text", value: words, "aria-label": `Heading, level ${level}` });
    const row = el("div", { class: "row" });
    const set = (to) => { level = Math.min(6, Math.max(1, to)); row.dataset.level = level; title.setAttribute("aria-label", `Heading, level ${level}`); row.style.paddingLeft = `${(level - 1) * 1.2}rem`; };
    const moves = { up: () => row.previousElementSibling?.before(row), down: () => row.nextElementSibling?.after(row), in: () => set(level + 1), out: () => set(level - 1) };
    const remove = () => { (row.nextElementSibling ?? row.previousElementSibling)?.querySelector("input").focus(); row.remove(); };
    row.addEventListener("keydown", (event) => {
      const move = event.altKey && { ArrowUp: "up", ArrowDown: "down", ArrowRight: "in", ArrowLeft: "out" }[event.key];
      if (move) { event.preventDefault(); moves[move](); title.focus(); }
      else if (event.key === "Enter" && event.target === title) { event.preventDefault(); add(level, "", row.nextElementSibling).focus(); }
    });
    row.append(title, ...Object.entries({ up: "↑", down: "↓", out: "←", in: "→" }).map(([move, sign]) => button(sign, () => { moves[move](); title.focus(); }, { "aria-label": `Move ${move}` })), button("×", remove, { "aria-label": "Remove" }));
    set(level);
    rows.insertBefore(row, before);
    return title;
  };
  const kept = [];
  for (const line of data.outline_text.split("\n")) {
    const found = /^(#{1,6})\s+(.*)$/.exec(line);
    if (found) { add(found[1].length, found[2]); kept.push([]); }
    else if (line.trim() && kept.length) { rows.lastElementChild.dataset.under = `${rows.lastElementChild.dataset.under ?? ""}${line}\n`; }
  }
  const written = () => [...rows.children].map((row) => `${"#".repeat(row.dataset.level)} ${row.querySelector("input").value.trim()}\n${row.dataset.under ? `\n${row.dataset.under}` : ""}`).join("\n");
  return el("div", { role: "dialog", "aria-label": data.title }, el("h2", {}, data.title), data.preface ? el("p", {}, data.preface) : null,
    el("p", { class: "say" }, "Enter adds a heading; Alt with the arrows moves one."), rows,
    keys(button("Send outline", () => reply(`answers/${data.id}`, { outline: written() }, data.id), { class: "first" }),
      button("Add heading", () => add(1, "").focus()), button("Do not answer", () => reply(`answers/${data.id}`, { abandon: true }, data.id))));
}

function review(data) {
  const verdicts = {}, places = {};
  const decide = (number, verdict) => {
    verdicts[number] = verdict;
    places[number].dataset.verdict = verdict;
    places[number].querySelector(".verdict").textContent = verdict;
    count.textContent = `${Object.keys(verdicts).length} of ${data.hunks.length} decided`;
  };
  const count = el("span", { class: "say", role: "status" }, `0 of ${data.hunks.length} decided`);
  const hunks = (data.hunks ?? []).map((hunk) => {
    const place = el("div", { class: "hunk", tabindex: "0", "aria-label": `Hunk ${hunk.number}` },
      el("div", { class: "say" }, `${hunk.number}. ${hunk.kind}${hunk.heading.length ? ` under ${hunk.heading.join(" › ")}` : ""} `, el("strong", { class: "verdict" }, "open")),
      el("pre", { class: "diff" }, ...hunk.old.map((line) => el("span", { class: "old" }, `- ${line}\n`)), ...hunk.new.map((line) => el("span", { class: "new" }, `+ ${line}\n`))),
      keys(button("Accept", () => decide(hunk.number, "accepted")), button("Reject", () => decide(hunk.number, "rejected"))));
    place.addEventListener("keydown", (event) => {
      const verdict = event.target === place && { a: "accepted", r: "rejected" }[event.key];
      if (verdict) { decide(hunk.number, verdict); (place.nextElementSibling?.classList.contains("hunk") ? place.nextElementSibling : place).focus(); }
    });
    return (places[hunk.number] = place);
  });
  const apply = () => reply(`answers/${data.id}`, { hunks: verdicts }, data.id);
  return el("div", { role: "dialog", "aria-label": `Change of ${data.path}` }, el("h2", {}, `Change of ${data.path}`), el("p", {}, data.summary),
    data.is_unread ? el("p", { class: "failed" }, "The agent has not read this file: check what its text would replace.") : null,
    el("p", { class: "say" }, "On a hunk, A accepts and R rejects. What you leave open is not written."), ...hunks, count,
    keys(button("Write what is accepted", apply, { class: "first" }),
      button("Accept all", () => data.hunks.forEach((hunk) => { if (!hunk.is_conflict) decide(hunk.number, "accepted"); })),
      button("Reject all", () => data.hunks.forEach((hunk) => decide(hunk.number, "rejected")))));
}

// ── Typing ────────────────────────────────────────────────────────────────────────────────────────

function grow() {
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight + 2}px`;
}

async function complete() {
  const before = text.value.slice(0, text.selectionStart), found = /(?:^|\s)@([^\s@]*)$/.exec(before);
  names.hidden = true;
  if (!found) return;
  const answer = await fetch(`/api/files?query=${encodeURIComponent(found[1])}`, { headers: { authorization: `Bearer ${token}` } });
  const { files } = await answer.json();
  if (text.value.slice(0, text.selectionStart) !== before) return;
  names.replaceChildren(...files.slice(0, 8).map((name, number) => el("li", { role: "option", "aria-selected": String(number === 0), onmousedown: (event) => { event.preventDefault(); take(name); } }, name)));
  names.hidden = !files.length;
}

function take(name) {
  const before = text.value.slice(0, text.selectionStart).replace(/@[^\s@]*$/, /\s/.test(name) ? `@"${name}" ` : `@${name} `);
  text.value = before + text.value.slice(text.selectionStart);
  text.selectionStart = text.selectionEnd = before.length;
  names.hidden = true;
  text.focus();
}

text.addEventListener("input", () => { grow(); complete(); });
text.addEventListener("keydown", (event) => {
  const chosen = names.querySelector("[aria-selected=true]");
  if (!names.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    const next = event.key === "ArrowDown" ? chosen.nextElementSibling : chosen.previousElementSibling;
    if (next) { chosen.setAttribute("aria-selected", "false"); next.setAttribute("aria-selected", "true"); next.scrollIntoView({ block: "nearest" }); }
  } else if (!names.hidden && (event.key === "Tab" || event.key === "Enter")) { event.preventDefault(); take(chosen.textContent); }
  else if (event.key === "Escape") names.hidden = true;
  else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
});
ask.addEventListener("submit", (event) => { event.preventDefault(); send(); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && running && names.hidden) stop(); });

async function stop() {
  await post(`/api/chat/${encodeURIComponent(chat)}/stop`, {}).catch((error) => note(error.message, "note failed"));
}
$("stop").addEventListener("click", stop);
$("new").addEventListener("click", () => {
  sessionStorage.removeItem("chat");
  location.reload();
});

async function open() {
  const code = location.hash.slice(1);
  history.replaceState(null, "", "/");
  if (code) {
    const answer = await fetch("/api/session", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ code }) });
    if (!answer.ok) { note(await answer.text(), "note failed"); return; }
    const { token: given, folder } = await answer.json();
    token = given;
    sessionStorage.setItem("token", token);
    sessionStorage.setItem("folder", folder);
  }
  if (!token) { note("This page opens with the address that dogent-tui serve prints.", "note failed"); return; }
  $("folder").textContent = sessionStorage.getItem("folder") ?? "";
  if (!chat) sessionStorage.setItem("chat", (chat = crypto.randomUUID()));
  ask.hidden = false;
  $("new").hidden = false;
  text.focus();
  const before = await fetch(`/api/chat/${encodeURIComponent(chat)}`, { headers: { authorization: `Bearer ${token}` } });
  for (const { role, text: words } of before.ok ? (await before.json()).said : []) {
    if (role === "user") messages.push({ role, parts: [{ type: "text", text: words }] });
    talk.append(role === "user" ? el("div", { class: "user" }, words) : el("div", { class: "reply" }, markdown(words)));
  }
  talk.scrollTop = talk.scrollHeight;
  const answer = await stream(undefined);
  if (answer.status === 200) await run(async () => answer);
  else await answer.body?.cancel();
}
open().catch(() => note("The server cannot be reached.", "note failed"));
