import { createHash } from "node:crypto";

/** An event in the format of /api/v1/capture-events. */
export interface GeneratedEvent {
  event_id: string;
  session_id: string;
  parent_id?: string;
  primitive_name: string;
  primitive_type?: string;
  args: string;
  result: string;
  success: boolean;
  latency: number;
  timestamp: number;
  metadata?: Record<string, unknown>;
}

export interface Wish {
  seed: string;
  events: number;
  /** Start of the session, in epoch ms. */
  begin: number;
  /** One of this number of events fails; none by default. */
  failEvery?: number;
}

const TURN = 40;
const PROMPTS = [
  "The build on main fails since #412 was merged. Find out why, fix it, and run the tests.",
  "Add idempotency keys to POST /refunds",
  "Why do webhook retries stop after the third attempt?",
  "Migrate the invoices table to bigint ids",
  "Explain the retry policy in docs/webhooks.md",
];
const TOOLS: [name: string, args: (n: number) => object, ms: number][] = [
  ["Bash", (n) => ({ command: `npm test -- totals ${n}` }), 2_400],
  ["Read", (n) => ({ file_path: `src/cart/part-${n % 97}.ts` }), 38],
  ["Grep", (n) => ({ pattern: `roundHalfEven${n % 13}`, path: "src" }), 121],
  [
    "Edit",
    (n) => ({
      file_path: `src/cart/part-${n % 97}.ts`,
      old_string: "  return round(net * rate, 2);",
      new_string: "  return round(net * rate, 2, 'half-even');",
    }),
    47,
  ],
];

/** Generates the events of a session: turns of forty events, with subagents, and tools with realistic arguments. */
export function generateSession({ seed, events, begin, failEvery = 0 }: Wish): GeneratedEvent[] {
  const session_id = idOf(`${seed} session`);
  const made: GeneratedEvent[] = [];
  let at = begin;
  let turn: GeneratedEvent | undefined;
  let parent: GeneratedEvent | undefined;
  for (let n = 0; n < events; n += 1) {
    const within = n % TURN;
    const event_id = idOf(`${seed} ${n}`);
    if (within === 0) {
      at += 1_500;
      turn = {
        event_id,
        session_id,
        primitive_name: "claude-code",
        args: PROMPTS[(n / TURN) % PROMPTS.length] ?? "",
        result: "Done: the import pointed to a file that was renamed.",
        success: true,
        latency: 0,
        timestamp: at,
      };
      parent = turn;
      made.push(turn);
      continue;
    }
    const failed = failEvery > 0 && n % failEvery === 0;
    const tool = toolEvent(n, failed);
    const subagent = within === 10;
    const event: GeneratedEvent = { ...tool, event_id, session_id, parent_id: String(parent?.event_id), timestamp: at };
    if (subagent)
      Object.assign(event, {
        primitive_name: "Explore",
        primitive_type: "agent",
        args: "Where did money/round go?",
        success: true,
        result: "It was renamed.",
      });
    made.push(event);
    at += event.latency + 20;
    if (subagent) parent = event;
    if (within === 16) parent = turn;
    if (turn) turn.latency = at - turn.timestamp;
  }
  return made;
}

function toolEvent(n: number, failed: boolean) {
  const [name, args, ms] = TOOLS[(n * 7) % TOOLS.length] ?? (TOOLS[0] as (typeof TOOLS)[number]);
  const latency = Math.round(ms * (0.5 + ((n * 37) % 100) / 60));
  return {
    primitive_name: name,
    primitive_type: "tool",
    args: JSON.stringify(args(n)),
    result: failed
      ? "src/cart/totals.ts:1:31 - error TS2307: Cannot find module '../money/round'\n\nFound 1 error.\nexit code 2"
      : JSON.stringify({ ok: true, lines: n % 400, output: "x".repeat(n % 300) }),
    success: !failed,
    latency,
  };
}

/** Returns the same id for the same words. */
function idOf(words: string): string {
  const hex = createHash("sha256").update(words).digest("hex");
  return hex.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");
}

/** Sends events, 500 per request. */
export async function sendEvents(url: string, key: string, events: readonly object[]): Promise<void> {
  for (let at = 0; at < events.length; at += 500) {
    const response = await fetch(`${url}/api/v1/capture-events`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "x-api-key": key },
      body: JSON.stringify({ events: events.slice(at, at + 500) }),
    });
    const refused = !response.ok || response.headers.get("X-Ingest-Rejected") !== "0";
    if (refused) throw new Error(`${response.status} ${await response.text()}`);
  }
}
