// The page of `dogent-tui serve`: one chat over the UI message stream. Everything that came from outside is put in as text.
"use strict";

const $ = (id) => document.getElementById(id);
const talk = $("talk"), waiting = $("waiting"), ask = $("ask"), text = $("text"), names = $("names");

// ── Words ─────────────────────────────────────────────────────────────────────────────────────────

const CHINESE = {
  "New chat": "新对话", "Message": "消息", "What would you like to write? @ names a file": "想写点什么？用 @ 引用文件",
  "Send": "发送", "Stop": "停止", "Files": "文件", "Working": "工作中", "Waiting for you": "等待你的回答", "Thinking": "思考过程",
  "The endpoint failed; attempt {} of {}": "服务出错，正在第 {} 次重试（共 {} 次）", "Nothing received for {} s": "已 {} 秒没有收到内容",
  "Stopped.": "已停止。", "Plan": "计划", "denied": "已拒绝", 
  "The connection was cut before the answer was complete.": "回答尚未完整，连接已中断。", "The server cannot be reached.": "无法连接服务器。",
  "This page opens with the address that dogent-tui serve prints.": "请用 dogent-tui serve 打印的地址打开此页面。",
  "Permission": "许可", "Why not (optional; the run then continues)": "拒绝的理由（可不填；填写后继续运行）", "Why not (optional)": "拒绝的理由（可不填）", "Deny": "拒绝",
  "Ask for a draft, for a change, or about what is in this folder.": "可以请它起草、修改，或询问此文件夹中的内容。", "Undo": "撤销",
  "Allow once": "允许一次", "Allow in this chat": "本次对话内允许", "Always allow here": "在此始终允许",
  "Keep": "保留", "Keep, and the like in this chat": "保留，本次对话中同类也保留", "Always keep such": "始终保留同类",
  "recommended": "推荐", "Or in your own words": "或用自己的话", "Send answers": "提交回答", "Do not answer": "不回答",
  "Heading, level {}": "{} 级标题", "Move up": "上移", "Move down": "下移", "Promote": "升级", "Demote": "降级", "Remove": "删除",
  "Enter adds a heading. Alt with the arrow keys moves it; Alt+Backspace removes it.": "回车添加标题；Alt+方向键移动；Alt+退格删除。",
  "Send outline": "提交大纲", "Add heading": "添加标题", "Change of {}": "修改 {}", "{} of {} decided": "已决定 {}/{}", 
  "The agent has not read this file: check what its text would replace.": "助手没有读过此文件：请检查会被替换的内容。",
  "A accepts the hunk in focus, R rejects it. What you leave open is not written.": "A 接受当前修改，R 拒绝。未决定的不会写入。",
  "Hunk {}": "第 {} 处修改", "Accept": "接受", "Reject": "拒绝", "Accept all": "全部接受", "Reject all": "全部拒绝", "Write what is accepted": "写入已接受的修改",
  "open": "未决定", "accepted": "已接受", "rejected": "已拒绝", "added": "新增", "deleted": "删除", "changed": "修改", "conflict": "冲突",
  "Written: {}": "已写入：{}", "Nothing was written.": "没有写入任何内容。",
  "read": "读取", "write": "写入", "create": "新建", "delete": "删除", "move": "移动", "execute": "执行",
};
const isChinese = /^zh/i.test(navigator.language);

function tr(words, ...values) {
  return ((isChinese && CHINESE[words]) || words).replace(/\{\}/g, () => values.shift());
}

// ── Elements ──────────────────────────────────────────────────────────────────────────────────────

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
const DEEPEST = 12;
const cells = (line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));

function markdown(source, depth = 0) {
  const made = document.createDocumentFragment();
  if (depth > DEEPEST) { made.append(el("p", {}, source)); return made; }
  const lines = source.split(/\r\n|[\n\r\u2028\u2029]/);
  let at = 0;
  // The first line is taken whatever it is: no input makes this run for ever.
  const until = (ends, start = at) => { do at++; while (at < lines.length && !ends(lines[at])); return lines.slice(start, at); };
  while (at < lines.length) {
    const line = lines[at];
    let found;
    if (!line.trim()) at++;
    else if ((found = /^\s*(`{3,}|~{3,})/.exec(line))) {
      const [, ...code] = until((each) => each.trim().startsWith(found[1]));
      at++;
      made.append(el("pre", { tabindex: "0" }, el("code", {}, code.join("\n"))));
    } else if ((found = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line))) {
      at++;
      made.append(el(`h${found[1].length}`, {}, inline(found[2])));
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) { at++; made.append(el("hr")); }
    else if (/^\s*>/.test(line)) made.append(el("blockquote", {}, markdown(until((each) => !/^\s*>/.test(each)).map((each) => each.replace(/^\s*> ?/, "")).join("\n"), depth + 1)));
    else if (line.includes("|") && /^(?=.*\|)(?=.*-)[\s|:-]+$/.test(lines[at + 1] ?? "")) {
      const [head, , ...rows] = until((each) => !each.includes("|"));
      made.append(el("table", { tabindex: "0" }, el("tr", {}, ...cells(head).map((cell) => el("th", {}, inline(cell)))),
        ...rows.map((row) => el("tr", {}, ...cells(row).map((cell) => el("td", {}, inline(cell)))))));
    } else if (ITEM.test(line)) made.append(list(until((each) => each.trim() && !ITEM.test(each) && !/^\s{2,}/.test(each)), depth));
    else {
      const words = until((each) => !each.trim() || /^(#{1,6}\s|\s*(`{3}|~{3}|>))/.test(each) || ITEM.test(each));
      made.append(el("p", {}, inline(words.join("\n"))));
    }
  }
  return made;
}

function list(lines, depth) {
  const [, indent, mark] = ITEM.exec(lines[0]), made = el(/\d/.test(mark) ? "ol" : "ul", /\d/.test(mark) ? { start: parseInt(mark) } : {});
  const items = [];
  for (const line of lines) {
    const found = ITEM.exec(line);
    if (found && found[1].length <= indent.length) items.push([found[3]]);
    else items[items.length - 1].push(line.replace(/^\s{1,4}/, ""));
  }
  for (const [first, ...rest] of items) made.append(el("li", {}, inline(first), rest.some((each) => each.trim()) ? markdown(rest.join("\n"), depth + 1) : null));
  return made;
}

// ── The chat ──────────────────────────────────────────────────────────────────────────────────────

let token = sessionStorage.getItem("token") ?? "", chat = sessionStorage.getItem("chat") ?? "", messages = [], running = null, answered = false, resting = null, last = "";

const HOW = "approvals=stream&disconnect=continue";  // a page that is loaded again finds its run where it is

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

const SCREENS = "ui_request";  // its calls are seen as what they ask

class Reply {
  constructor() {
    this.parts = new Map();
    this.quiet = new Set();
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

  start({ messageId }) { last = messageId; }

  text({ type, id, delta, whole }) {
    if (type === "text-start") this.parts.delete(id);
    const part = this.part(id, () => ({ place: el("div", { class: "reply" }) }));
    part.text = whole ?? part.text + (delta ?? "");
    if (!part.due) {
      part.due = true;
      requestAnimationFrame(() => { part.due = false; part.place.replaceChildren(markdown(part.text)); down(); });
    }
  }

  "data-text"({ id, data }) { this.text({ id, whole: data.text }); }

  reasoning({ id, delta }) {
    const part = this.part(`r${id}`, () => {
      const words = el("span");
      return { place: el("details", { class: "thinking" }, el("summary", {}, tr("Thinking")), words), words };
    });
    part.text += delta ?? "";
    part.words.textContent = part.text;
  }

  tool(id) {
    if (this.quiet.has(id)) return { head: {}, body: {} };
    return this.part(`t${id}`, () => {
      const head = el("summary", {}, "…"), body = el("pre");
      return { place: el("details", { class: "tool" }, head, body), head, body, name: "" };
    });
  }

  "tool-input-start"({ toolCallId, toolName }) {
    if (toolName === SCREENS) return;
    const part = this.tool(toolCallId);
    part.name = toolName;
    part.head.textContent = `${toolName} …`;
  }

  "tool-input-available"({ toolCallId, toolName, input }) {
    if (toolName === SCREENS) { this.quiet.add(toolCallId); return; }
    const part = this.tool(toolCallId), first = input.filePath ?? input.file_path ?? input.path ?? input.command ?? input.query ?? input.pattern ?? "";
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
    part.head.textContent = `✗ ${part.name}: ${tr("denied")}`;
  }

  "data-notice"({ data }) { note(`${data.message} ${data.remedy}`.trim(), data.level === "error" ? "note failed" : "note"); }
  "data-todos"({ data }) {
    const part = this.part("todos", () => ({ place: el("ul", { class: "plan", "aria-label": tr("Plan") }) }));
    part.place.replaceChildren(...data.map((todo) => el("li", { "data-status": todo.status }, todo.content)));
  }
  "data-retrying"({ data }) { state(tr("The endpoint failed; attempt {} of {}", data.attempt, data.maxAttempts), true); }
  "data-stalled"({ data }) { state(data.seconds ? tr("Nothing received for {} s", Math.round(data.seconds)) : tr("Working"), true); }
  "data-dropped"({ id }) { for (const [key, part] of this.parts) if (key.startsWith(`${id}:`)) { part.place.remove(); this.parts.delete(key); } }
  "data-permission"({ data }) { put(data.id, () => permission(data)); }
  "data-permission-decided"({ data }) { settle(data.id); }
  "data-form"({ data }) { put(data.id, () => form(data)); }
  "data-outline"({ data }) { put(data.id, () => outline(data)); }
  "data-review"({ data }) { put(data.id, () => review(data)); }
  "data-settled"({ data }) { settle(data.id); }
    error({ errorText }) { note(errorText, "note failed"); }
  abort({ reason }) { note(reason === "interrupted" ? tr("Stopped.") : reason); }
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
  return ended;
}

async function run(begin, missed) {
  resting?.abort();
  running = new AbortController();
  state(tr("Working"), true);
  try {
    const answer = await begin(running.signal);
    if (answer.status === 204) await missed?.();  // it was over before it was asked for
    else if (!await follow(answer)) note(tr("The connection was cut before the answer was complete."), "note failed");
  } catch (error) {
    if (error.name !== "AbortError") note(error.message || tr("The server cannot be reached."), "note failed");
  }
  running = null;
  if (answered) { answered = false; await run(stream, restore); return; }
  state(waiting.hidden ? "" : tr("Waiting for you"));
  if (waiting.hidden && !document.getSelection()?.toString()) text.focus();
  rest();
}

const get = (path, signal) => fetch(`/api/chat/${encodeURIComponent(chat)}${path}`, { headers: { authorization: `Bearer ${token}` }, signal });
const stream = (signal) => get(`/stream?${HOW}`, signal);

async function rest() {  // hears what commands in the background ask, and when another page begins a run
  resting?.abort();
  if (running || document.hidden) return;
  const mine = (resting = new AbortController());
  try {
    const answer = await get(`/rest?after=${last}`, mine.signal);
    if (answer.ok && !await follow(answer)) throw new Error("cut");
    if (answer.ok && !running) await restore();
  } catch { if (resting === mine && !mine.signal.aborted) setTimeout(rest, 3000); }
}

async function send() {
  const words = text.value.trim();
  if (!words || running) return;
  text.value = "";
  grow();
  talk.append(el("div", { class: "user" }, words));
  talk.scrollTop = talk.scrollHeight;
  messages.push({ id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text: words }] });
  let isTaken = false;
  await run((signal) => fetch(`/api/chat?${HOW}`, {
    method: "POST", signal, headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ id: chat, messages, trigger: "submit-message" }),
  }).then(async (answer) => { if (!answer.ok) throw new Error(await answer.text()); isTaken = true; return answer; }));
  if (!isTaken && !text.value) { text.value = words; grow(); }
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
  if (!next) { waiting.replaceChildren(); state(running ? tr("Working") : "", Boolean(running)); return; }
  if (waiting.dataset.id === next[0]) return;
  waiting.dataset.id = next[0];
  waiting.replaceChildren(next[1]());
  state(tr("Waiting for you"));
  waiting.querySelector("[autofocus]")?.focus({ preventScroll: true });
  waiting.scrollTop = 0;
}

async function reply(path, body, id, told = "") {
  try {
    const { data } = await (await post(`/api/chat/${encodeURIComponent(chat)}/${path}`, body)).json();
    settle(id);
    if (body.hunks) note(data.written ? tr("Written: {}", told) : tr("Nothing was written."));
    else if (told) talk.append(el("div", { class: "user" }, told));
    // The answers begin another run, and the one that asked may still be ending.
    const begins = !body.hunks && path.startsWith("answers/");
    if (running) answered = begins;
    else if (begins) await run(stream, restore);
  } catch (error) {
    waiting.querySelector(".failed")?.remove();
    waiting.append(el("p", { class: "note failed", role: "alert" }, error.message));
    waiting.scrollTop = waiting.scrollHeight;
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
  return el("pre", { class: "diff", tabindex: "0" }, ...source.trimEnd().split("\n").map((line) => el("span", { class: kind(line) }, `${line}\n`)));
}

function dialog(tag, label, ...children) {
  return el(tag, { role: "dialog", "aria-label": label, tabindex: "-1" }, ...children);
}

function permission(data) {
  const words = el("input", { type: "text", "aria-label": tr("Why not (optional; the run then continues)"), placeholder: tr("Why not (optional)"), maxlength: 2000 });
  const answer = (body) => reply(`approvals/${data.id}`, body, data.id);
  const deny = () => answer({ approved: false, reason: words.value.trim(), continue: Boolean(words.value.trim()) });
  const scopes = data.happened ? { once: "Keep", session: "Keep, and the like in this chat", always: "Always keep such" }
    : { once: "Allow once", session: "Allow in this chat", always: "Always allow here" };
  words.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.isComposing) deny(); });
  const made = dialog("div", tr("Permission"),
    el("h2", {}, data.sentence || data.toolName),
    data.reason ? el("p", {}, data.reason) : null,
    el("ul", { class: "say targets" }, ...data.targets.map((target) => el("li", {}, `${tr(target.kind)} ${target.path}${target.note ? ` (${target.note})` : ""}`))),
    typeof data.parameters.command === "string" ? el("pre", { tabindex: "0" }, data.parameters.command) : null,
    data.diff ? diff(data.diff) : null,
    keys(button(tr(data.happened ? "Undo" : "Deny"), deny, { class: "first" }), ...data.scopes.map((scope) => button(tr(scopes[scope]), () => answer({ approved: true, scope })))),
    words);
  made.setAttribute("autofocus", "");  // not a button: whoever is typing when it appears answers nothing by it
  return made;
}

function form(data) {
  const made = dialog("form", data.title,
    el("h2", {}, data.title), data.preface ? el("p", {}, data.preface) : null,
    ...data.questions.map((question) => el("fieldset", {}, el("legend", {}, question.question),
      ...question.options.map((option) => el("label", {},
        el("input", { type: question.multiple ? "checkbox" : "radio", name: question.id, value: option.value, checked: question.recommended.includes(option.value) }),
        el("span", {}, option.label, question.recommended.includes(option.value) ? el("span", { class: "say" }, ` (${tr("recommended")})`) : null,
        option.description ? el("span", { class: "say" }, ` ${option.description}`) : null))),
      question.allow_freeform || !question.options.length ? el("input", { type: "text", name: `${question.id} text`, "aria-label": question.question, placeholder: question.placeholder || (question.options.length ? tr("Or in your own words") : "")}) : null)),
    keys(el("button", { class: "first", type: "submit" }, tr("Send answers")), button(tr("Do not answer"), () => reply(`answers/${data.id}`, { abandon: true }, data.id))));
  const first = made.querySelector("fieldset");
  (first?.querySelector("input[checked]") ?? first?.querySelector("input"))?.setAttribute("autofocus", "");
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = new FormData(made), answers = {};
    for (const question of data.questions) {
      const own = (given.get(`${question.id} text`) ?? "").trim(), chosen = given.getAll(question.id);
      answers[question.id] = question.multiple ? [...chosen, ...(own ? [own] : [])] : own || (chosen[0] ?? null);
    }
    const told = data.questions.map((question) => `${question.question} ${[answers[question.id]?.length ? answers[question.id] : "–"].flat().map((value) => question.options.find((option) => option.value === value)?.label ?? value).join(", ")}`);
    reply(`answers/${data.id}`, { answers }, data.id, told.join("\n"));
  });
  return made;
}

function outline(data) {
  const rows = el("div");
  const add = (level, words, before = null) => {
    const title = el("input", { type: "text", value: words, "aria-label": tr("Heading, level {}", level) });
    const row = el("div", { class: "row" });
    const set = (to) => { level = Math.min(6, Math.max(1, to)); row.dataset.level = level; title.setAttribute("aria-label", tr("Heading, level {}", level)); row.style.setProperty("--level", level - 1); };
    const moves = { up: () => row.previousElementSibling?.before(row), down: () => row.nextElementSibling?.after(row), in: () => set(level + 1), out: () => set(level - 1) };
    const remove = () => { if (rows.children.length < 2) return; (row.nextElementSibling ?? row.previousElementSibling)?.querySelector("input").focus(); row.remove(); };
    row.addEventListener("keydown", (event) => {
      if (event.altKey && event.key === "Backspace") { event.preventDefault(); remove(); return; }
      const move = event.altKey && { ArrowUp: "up", ArrowDown: "down", ArrowRight: "in", ArrowLeft: "out" }[event.key];
      if (move) { event.preventDefault(); moves[move](); title.focus(); }
      else if (event.key === "Enter" && event.target === title) { event.preventDefault(); add(level, "", row.nextElementSibling).focus(); }
    });
    row.append(title, ...Object.entries({ up: ["↑", "Move up"], down: ["↓", "Move down"], out: ["←", "Promote"], in: ["→", "Demote"] }).map(([move, [sign, words]]) =>
      button(sign, () => { moves[move](); title.focus(); }, { "aria-label": tr(words), title: tr(words) })), button("×", remove, { "aria-label": tr("Remove"), title: tr("Remove") }));
    set(level);
    rows.insertBefore(row, before);
    return title;
  };
  let above = "", fence = "";
  for (const line of data.outline_text.split(/\r?\n/)) {
    const found = !fence && /^(#{1,6})\s+(.*)$/.exec(line), last = rows.lastElementChild;
    fence = fence ? (line.trim().startsWith(fence) ? "" : fence) : (/^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? "");
    if (found) add(found[1].length, found[2]);
    else if (!last) above += `${line}\n`;
    else last.dataset.under = `${last.dataset.under ?? ""}${line}\n`;
  }
  if (!rows.children.length) add(1, "");
  rows.querySelector("input").setAttribute("autofocus", "");
  const written = () => above + [...rows.children].filter((row) => row.querySelector("input").value.trim())
    .map((row) => `${"#".repeat(row.dataset.level)} ${row.querySelector("input").value.trim()}\n${row.dataset.under ?? "\n"}`).join("");
  return dialog("div", data.title, el("h2", {}, data.title), data.preface ? el("p", {}, data.preface) : null,
    el("p", { class: "say" }, tr("Enter adds a heading. Alt with the arrow keys moves it; Alt+Backspace removes it.")), rows,
    keys(button(tr("Send outline"), () => reply(`answers/${data.id}`, { outline: written() }, data.id, written().trim()), { class: "first" }),
      button(tr("Add heading"), () => add(1, "").focus()), button(tr("Do not answer"), () => reply(`answers/${data.id}`, { abandon: true }, data.id))));
}

function review(data) {
  const verdicts = {}, places = {}, all = data.hunks ?? [];
  const decide = (number, verdict) => {
    verdicts[number] = verdict;
    places[number].dataset.verdict = verdict;
    places[number].querySelector(".verdict").textContent = tr(verdict);
    count.textContent = tr("{} of {} decided", Object.keys(verdicts).length, all.length);
  };
  const count = el("span", { class: "say", role: "status" }, tr("{} of {} decided", 0, all.length));
  const hunks = all.map((hunk, number) => {
    const place = el("div", { class: "hunk", role: "group", tabindex: "0", "aria-label": tr("Hunk {}", hunk.number), autofocus: number === 0 },
      el("div", { class: "say" }, `${hunk.number}. ${tr(hunk.kind)}${hunk.heading.length ? ` · ${hunk.heading.join(" › ")}` : ""} `, el("strong", { class: "verdict" }, tr("open"))),
      el("pre", { class: "diff" }, ...hunk.old.map((line) => el("span", { class: "old" }, `- ${line}\n`)), ...hunk.new.map((line) => el("span", { class: "new" }, `+ ${line}\n`))),
      keys(button(tr("Accept"), () => decide(hunk.number, "accepted")), button(tr("Reject"), () => decide(hunk.number, "rejected"))));
    place.addEventListener("keydown", (event) => {
      const verdict = event.target === place && !event.ctrlKey && !event.metaKey && !event.altKey && { a: "accepted", r: "rejected" }[event.key.toLowerCase()];
      if (verdict) { decide(hunk.number, verdict); (place.nextElementSibling?.classList.contains("hunk") ? place.nextElementSibling : place).focus(); }
    });
    return (places[hunk.number] = place);
  });
  const apply = () => reply(`answers/${data.id}`, { hunks: verdicts }, data.id, data.path);
  return dialog("div", tr("Change of {}", data.path), el("h2", {}, tr("Change of {}", data.path)), data.summary ? el("p", {}, data.summary) : null,
    data.is_unread ? el("p", { class: "failed" }, tr("The agent has not read this file: check what its text would replace.")) : null,
    el("p", { class: "say" }, tr("A accepts the hunk in focus, R rejects it. What you leave open is not written.")), ...hunks, count,
    keys(button(tr("Write what is accepted"), apply, { class: "first", autofocus: !all.length }),
      button(tr("Accept all"), () => all.forEach((hunk) => { if (!hunk.is_conflict) decide(hunk.number, "accepted"); })),
      button(tr("Reject all"), () => all.forEach((hunk) => decide(hunk.number, "rejected")))));
}

// ── Typing ────────────────────────────────────────────────────────────────────────────────────────

function grow() {
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight}px`;
}

async function complete() {
  const before = text.value.slice(0, text.selectionStart), found = /(?:^|\s)@([^\s@]*)$/.exec(before);
  names.hidden = true;
  if (!found) return;
  const answer = await fetch(`/api/files?query=${encodeURIComponent(found[1])}`, { headers: { authorization: `Bearer ${token}` } });
  const { files } = answer.ok ? await answer.json() : { files: [] };
  if (text.value.slice(0, text.selectionStart) !== before) return;
  names.replaceChildren(...files.slice(0, 8).map((name, number) => el("li", { role: "option", id: `name${number}`, onmousedown: (event) => { event.preventDefault(); take(name); } }, name)));
  names.hidden = !files.length;
  mark(names.firstElementChild);
}

function mark(option) {
  for (const each of names.children) each.setAttribute("aria-selected", String(each === option));
  if (option) text.setAttribute("aria-activedescendant", option.id);
  option?.scrollIntoView({ block: "nearest" });
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
    if (next) mark(next);
  } else if (!names.hidden && (event.key === "Tab" || event.key === "Enter")) { event.preventDefault(); take(chosen.textContent); }
  else if (!names.hidden && event.key === "Escape") { names.hidden = true; event.stopPropagation(); }
  else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
});
ask.addEventListener("submit", (event) => { event.preventDefault(); send(); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && running) stop(); });

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
  if (!token) { note(tr("This page opens with the address that dogent-tui serve prints."), "note failed"); return; }
  $("folder").textContent = sessionStorage.getItem("folder") ?? "";
  if (!chat) sessionStorage.setItem("chat", (chat = crypto.randomUUID()));
  talk.append(el("p", { class: "hint" }, tr("Ask for a draft, for a change, or about what is in this folder.")));
  ask.hidden = false;
  $("new").hidden = false;
  text.focus();
  await restore();
}

async function restore() {
  const before = await get("");
  if (!before.ok) return;  // a chat in which nothing was said yet
  const { said, waiting: open, isRunning, lastRun } = await before.json();
  const answer = isRunning ? await stream(undefined) : null;
  if (answer?.status === 204) return restore();  // the run ended between the two requests
  last = lastRun;
  messages.length = 0;
  talk.replaceChildren();
  for (const { role, text: words } of said) {
    if (role === "user") messages.push({ id: crypto.randomUUID(), role, parts: [{ type: "text", text: words }] });
    talk.append(role === "user" ? el("div", { class: "user" }, words) : el("div", { class: "reply" }, markdown(words)));
  }
  talk.scrollTop = talk.scrollHeight;
  for (const chunk of open) new Reply().take(chunk);
  if (answer) await run(async () => answer);
  else rest();
}

document.documentElement.lang = isChinese ? "zh-CN" : "en";
for (const [id, words] of Object.entries({ new: "New chat", send: "Send", stop: "Stop" })) $(id).textContent = tr(words);
text.placeholder = tr(matchMedia("(max-width: 34rem)").matches ? "Message" : "What would you like to write? @ names a file");
text.setAttribute("aria-label", tr("Message"));
names.setAttribute("aria-label", tr("Files"));
document.addEventListener("visibilitychange", () => { if (token) rest(); });
open().catch(() => note(tr("The server cannot be reached."), "note failed"));
