import { setTimeout as sleep } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { createSeededPick } from "../graphql/generate-documents.ts";
import { createEvent, createSession, sendRaw } from "../recording/ingest.ts";
import type { Tenant } from "../server.ts";

/** Amounts that a hostile tenant stores. */
export interface HostileAmounts {
  /** Number of issues and comments with text of almost the maximum length. */
  issues: number;
  comments: number;
  sessions: number;
  /** Number of events outside the chain, spread over the sessions and over 60 hours. */
  events: number;
  /** Number of events in a chain, each the parent of the next. */
  chain: number;
  /** Number of events with arguments and results of one MiB each. */
  long: number;
}

/**
 * Words that no text contains, although every text contains all trigrams of each word. The trigram index finds every
 * text, and the database has to read each text.
 */
export const HARD_WORDS: readonly string[] = Array.from({ length: 20 }, (_, n) => `aaab${n % 10}${n > 9 ? "b" : ""}`);

const LONG = 254 * 1024;
const MIB = 1024 * 1024;
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789 ";

/** Creates a text that hardly compresses and that contains all parts of the words. */
export function createHardText(length: number, seed: number): string {
  const pick = createSeededPick(seed);
  const parts = Array.from({ length: 10 }, (_, n) => `aaa aab ab${n} b${n}b`).join(" ");
  const some = Array.from({ length: 4_096 }, () => LETTERS[pick(LETTERS.length)]).join("");
  let text = parts;
  // Each repetition is rotated, so that no piece recurs at a distance that a compressor detects.
  for (let at = 1; text.length < length; at += 1) {
    const cut = pick(4_096);
    text += some.slice(cut) + some.slice(0, cut) + LETTERS[at % LETTERS.length];
  }
  return text.slice(0, length).replaceAll("aaab", "aacb");
}

/** Fills an organization with data that is expensive to read. */
export async function fillHostile(
  tenant: Tenant,
  size: HostileAmounts,
): Promise<{ sessionId: string; eventId: string }> {
  await fillTracker(tenant, size);
  return fillRecorded(tenant, size);
}

async function fillTracker({ graphql }: Tenant, { issues, comments }: HostileAmounts): Promise<void> {
  // The embedded engine needs seconds for this much text and refuses other requests meanwhile.
  const gql = async (query: string, variables?: Record<string, unknown>) => {
    for (let tries = 1; ; tries += 1) {
      const { data, errors } = await graphql(query, variables);
      if (!errors) return data;
      if (errors[0]?.extensions["code"] !== "UNAVAILABLE" || tries === 20) throw new Error(JSON.stringify(errors));
      await sleep(500);
    }
  };
  const { teams } = await gql("{ teams(first: 1) { nodes { id } } }");
  const made =
    teams.nodes[0] ??
    (await gql('mutation { teamCreate(input: { name: "Eng", key: "ENG" }) { team { id } } }')).teamCreate.team;
  const all = Array.from({ length: issues }, (_, n) => ({
    teamId: made.id,
    title: `Hard ${n}`,
    description: createHardText(LONG, n + 1),
  }));
  const create =
    "mutation ($issues: [IssueCreateInput!]!) { issueBatchCreate(input: { issues: $issues }) { issues { id } } }";
  const ids: string[] = [];
  for (let at = 0; at < all.length; at += 4) {
    const { issueBatchCreate } = await gql(create, { issues: all.slice(at, at + 4) });
    ids.push(...issueBatchCreate.issues.map(({ id }: { id: string }) => id));
  }
  const say = "mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { comment { id } } }";
  for (let n = 0; n < comments; n += 1)
    await gql(say, { input: { issueId: ids[n % ids.length], body: createHardText(LONG, 1_000 + n) } });
}

const TOOLS = 40;

async function fillRecorded(tenant: Tenant, size: HostileAmounts): Promise<{ sessionId: string; eventId: string }> {
  const ids = Array.from({ length: size.sessions }, () => uuidv7());
  const [sessionId = uuidv7()] = ids;
  const now = Date.now();
  const post = async (path: string, body: object, tries = 20): Promise<void> => {
    const { status, body: said } = await sendRaw(`${tenant.url}/api/v1/${path}`, JSON.stringify(body), {
      "x-api-key": tenant.ingestKey,
    });
    if (status === 503 && tries > 0) return sleep(500).then(() => post(path, body, tries - 1));
    if (status >= 300 || Number(said["rejected"] ?? 0) > 0)
      throw new Error(`${status} ${JSON.stringify(said).slice(0, 300)}`);
  };
  const traits = { user_id: "hard", note: createHardText(16 * 1024, 7) };
  for (const session_id of ids.slice(0, 50))
    await post(
      "capture-session",
      createSession({ session_id, user_data: traits, metadata: { note: createHardText(16 * 1024, 8) } }),
    );
  const chain = Array.from({ length: size.chain }, () => uuidv7());
  const metadata = { "checkpoint.a": 1, "checkpoint.b": 3, note: "x".repeat(200) };
  const rows = [
    ...chain.map((event_id, n) =>
      createEvent({
        event_id,
        session_id: sessionId,
        parent_id: chain[n - 1],
        primitive_name: n ? "Bash" : "coder",
        primitive_type: n ? "tool" : undefined,
        metadata,
        timestamp: now - 1_000 * (size.chain - n),
        latency: n,
      }),
    ),
    ...Array.from({ length: size.events }, (_, n) => {
      const success = n % 3 > 0;
      return createEvent({
        session_id: ids[n % ids.length],
        primitive_name: `Tool${n % TOOLS}`,
        primitive_type: "tool",
        success,
        result: success ? "done" : `failed of ${createHardText(90, n)}`,
        args: createHardText(300, n),
        latency: n,
        timestamp: now - Math.floor((n / size.events) * 60 * 3_600_000),
      });
    }),
  ];
  for (let at = 0; at < rows.length; at += 500) await post("capture-events", { events: rows.slice(at, at + 500) });
  for (let n = 0; n < size.long; n += 1) {
    const text = createHardText(MIB - 8, 5_000 + n);
    await post("capture-event", createEvent({ session_id: sessionId, args: text, result: text, timestamp: now - n }));
  }
  return { sessionId, eventId: chain.at(-1) ?? uuidv7() };
}
