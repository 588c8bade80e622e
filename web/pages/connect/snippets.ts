/** The setup of one kind of agent. */
export interface Snippet {
  id: string;
  name: string;
  text: string;
  hint: string;
}

/** A text that a shell takes as it stands between single quotes. */
const quoted = (value: unknown): string => JSON.stringify(value).replaceAll("'", "'\\''");

const uuid = (): string => {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
};

/** The event that the snippet sends, and that the test button sends. */
export const exampleEvent = () => ({
  event_id: uuid(),
  session_id: uuid(),
  primitive_name: "my-agent",
  args: "What broke the build?",
  result: "A missing import in the parser.",
});

/** The text to paste, by the way it is sent. */
export function snippets(url: string, key: string): Snippet[] {
  return [
    {
      id: "curl",
      name: "curl",
      text: `curl -X POST ${url}/api/v1/capture-events -H 'content-type: application/json' \\
  -H 'x-api-key: ${key}' \\
  -d '${quoted({ events: [exampleEvent()] })}'`,
      hint: "One POST, from any language. Paste it into a terminal: the event below arrives at once.",
    },
    ...AGENTS.map(([id, name, hint]) => ({
      id,
      name,
      text: `./trackway login ${url}\nTRACKWAY_INGEST_KEY=${key} ./trackway connect ${id}`,
      hint: `In a checkout of Trackway. It shows what it will write, and asks. ${hint}`,
    })),
    {
      id: "otel",
      name: "OpenTelemetry",
      text: `export OTEL_EXPORTER_OTLP_ENDPOINT=${url}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS=x-api-key=${key}`,
      hint: "Spans and log records that follow the GenAI conventions become turns, model and tool calls.",
    },
  ];
}

/** The agents that \`trackway connect\` sets up. */
const AGENTS: [id: string, name: string, hint: string][] = [
  ["claude-code", "Claude Code", "From its next turn on it is recorded."],
  [
    "codex",
    "Codex",
    "From its next turn on it is recorded, once it trusts the hooks: type /hooks in it where the command says so.",
  ],
  ["gemini-cli", "Gemini CLI", "From its next turn on it is recorded, in folders that it trusts."],
  ["copilot", "Copilot", "Then start copilot as the command says: it takes the key from its environment alone."],
  ["opencode", "opencode", "From its next start on it is recorded, by a plugin."],
  ["qwen-code", "Qwen Code", "From its next turn on it is recorded, by hooks and log records."],
  ["pi", "Pi", "Then let trackway import sessions --watch follow its files: it records Pi from them."],
  ["vscode", "VS Code", "It records Copilot Chat. Start code as the command says, with no window of it open."],
  [
    "cursor",
    "Cursor",
    "It gives Cursor Trackway’s tools, and hooks that record its turns and calls, as Cursor’s documentation has them.",
  ],
  [
    "claude-desktop",
    "Claude Desktop",
    "It gives Claude Trackway’s tools. A turn is recorded when you tell it to; its tool calls are not.",
  ],
];
