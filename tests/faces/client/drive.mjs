// The AI SDK as a page uses it, told what to do by lines of JSON on stdin; each is answered by one line.
//   node drive.mjs ai6|ai7
import { createInterface } from 'node:readline';

const ai = await import(process.argv[2]);

class State {
  status = 'ready';
  error = undefined;
  messages = [];
  pushMessage = (message) => { this.messages = [...this.messages, message]; };
  popMessage = () => { this.messages = this.messages.slice(0, -1); };
  replaceMessage = (place, message) => { this.messages = [...this.messages.slice(0, place), structuredClone(message), ...this.messages.slice(place + 1)]; };
  snapshot = (value) => structuredClone(value);
}

class Chat extends ai.AbstractChat {
  constructor(options) { super({ ...options, state: new State() }); }
}

const chats = new Map();

function make({ chat, base, token, query = '', body, client = false, of = chat }) {
  const seen = [];
  const headers = { authorization: `Bearer ${token}` };
  const made = new Chat({
    id: of,
    transport: new ai.DefaultChatTransport({
      api: `${base}/api/chat${query}`,
      headers,
      body,
      prepareReconnectToStreamRequest: ({ id }) => ({ api: `${base}/api/chat/${encodeURIComponent(id)}/stream`, headers }),
    }),
    onData: (part) => seen.push(part.type),
    sendAutomaticallyWhen: client ? ai.lastAssistantMessageIsCompleteWithToolCalls : ai.lastAssistantMessageIsCompleteWithApprovalResponses,
    onToolCall: client
      ? ({ toolCall }) => {
          (async () => {
            const of = { tool: toolCall.toolName, toolCallId: toolCall.toolCallId };
            if (client === 'refuse') return made.addToolOutput({ ...of, state: 'output-error', errorText: 'not today' });
            if (client === 'invent') return made.addToolOutput({ ...of, output: 'mine' });
            const answer = await fetch(`${base}/api/chat/execute-tool`, {
              method: 'POST', headers: { ...headers, 'content-type': 'application/json' },
              body: JSON.stringify({ toolName: toolCall.toolName, parameters: toolCall.input }),
            });
            const done = await answer.json();
            await made.addToolOutput(done.success ? { ...of, output: done.data } : { ...of, state: 'output-error', errorText: done.error });
          })();
        }
      : undefined,
  });
  made.seen = seen;
  chats.set(chat, made);
}

async function settled(chat) {
  await new Promise((done) => setTimeout(done, 50)); // the SDK sends by itself a moment after an answer
  while (['submitted', 'streaming'].includes(chat.status)) await new Promise((done) => setTimeout(done, 10));
}

function told(chat) {
  const parts = chat.lastMessage?.parts ?? [];
  return {
    status: chat.status, error: chat.error?.message ?? null, count: chat.messages.length, seen: chat.seen,
    id: chat.lastMessage?.id ?? null, prompts: chat.messages.filter((message) => message.role === 'user').map((message) => message.id), metadata: chat.lastMessage?.metadata ?? null, parts, role: chat.lastMessage?.role ?? null,
    text: parts.filter((part) => part.type === 'text').map((part) => part.text).join('\n'),
  };
}

async function assemble(chunks) {
  const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('') + 'data: [DONE]\n\n';
  const transport = new ai.DefaultChatTransport({ api: 'http://unused', fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }) });
  const chat = new Chat({ id: 'assembled', transport });
  chat.seen = [];
  await chat.sendMessage({ text: 'x' });
  return told(chat);
}

const acts = {
  make: (line) => { make(line); return {}; },
  send: async ({ chat, text, messageId }) => { await chats.get(chat).sendMessage({ text, messageId }); await settled(chats.get(chat)); return told(chats.get(chat)); },
  begin: ({ chat, text }) => { chats.get(chat).running = chats.get(chat).sendMessage({ text }); return {}; },
  settle: async ({ chat }) => { await chats.get(chat).running; await settled(chats.get(chat)); return told(chats.get(chat)); },
  approve: async ({ chat, id, approved, reason }) => { await chats.get(chat).addToolApprovalResponse({ id, approved, reason }); await settled(chats.get(chat)); return told(chats.get(chat)); },
  regenerate: async ({ chat }) => { await chats.get(chat).regenerate(); await settled(chats.get(chat)); return told(chats.get(chat)); },
  resume: async ({ chat, half, message }) => {
    if (half) {
      const parts = [{ type: 'text', text: half, state: 'streaming' }];
      chats.get(chat).messages = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'x' }] }, { id: message, role: 'assistant', parts }];
    }
    await chats.get(chat).resumeStream();
    await settled(chats.get(chat));
    return told(chats.get(chat));
  },
  go_on: async ({ chat }) => { await chats.get(chat).sendMessage(); await settled(chats.get(chat)); return told(chats.get(chat)); },
  stop: async ({ chat }) => { await chats.get(chat).stop(); await chats.get(chat).running; return told(chats.get(chat)); },
  told: ({ chat }) => told(chats.get(chat)),
  assemble: async ({ streams }) => ({ results: await Promise.all(streams.map(assemble)) }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const wanted = JSON.parse(line);
  Promise.resolve(acts[wanted.act](wanted)).then(
    (answer) => console.log(JSON.stringify({ number: wanted.number, ...answer })),
    (error) => console.log(JSON.stringify({ number: wanted.number, failed: String(error?.stack ?? error) })),
  );
}
