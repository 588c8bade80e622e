import { setTimeout as sleep } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { seeded } from "../graphql/generate-documents.ts";
import { anEvent, aSession, sendRaw } from "../recording/ingest.ts";
import type { Tenant } from "../server.ts";

/** The amounts that a hostile tenant stores. */
export interface Hostility {
  /** Issues and comments of the longest text that is taken, nearly. */
  issues: number;
  comments: number;
  sessions: number;
  /** Events beside those of the chain, spread over the sessions and over 60 hours. */
  events: number;
  /** Events each under the one before it. */
  chain: number;
  /** Events whose arguments and results are a MiB each. */
  long: number;
}

/** A word that no text has, though they have all of its parts: an index of parts finds every text, and each has to be read. */
export const HARD_WORDS: readonly string[] = Array.from({ length: 20 }, (_, n) => `aaab${n % 10}${n > 9 ? "b" : ""}`);

const LONG = 254 * 1024;
const MIB = 1024 * 1024;
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789 ";

/** A text that hardly gets shorter by compression, with all parts of the words. */
export function hardText(length: number, seed: number): string {
  const pick = seeded(seed);
  const parts = Array.from({ length: 10 }, (_, n) => `aaa aab ab${n} b${n}b`).join(" ");
  const some = Array.from({ length: 4_096 }, () => LETTERS[pick(LETTERS.length)]).join("");
  let text = parts;
  // Turned each time, so that no piece comes again at a distance that a compressor sees.
  for (let at = 1; text.length < length; at += 1) {
    const cut = pick(4_096);
    text += some.slice(cut) + some.slice(0, cut) + LETTERS[at % LETTERS.length];
  }
  return text.slice(0, length).replaceAll("aaab", "aacb");
}

/** Fills an organization with what is dear to read. */
export async function fillHostile(tenant: Tenant, size: Hostility): Promise<{ sessionId: string; eventId: string }> {
  await fillTracker(tenant, size);
  return fillRecorded(tenant, size);
}

async function fillTracker({ graphql }: Tenant, { issues, comments }: Hostility): Promise<void> {
  // The embedded engine takes seconds for so much text, during which it refuses others.
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
    description: hardText(LONG, n + 1),
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
    await gql(say, { input: { issueId: ids[n % ids.length], body: hardText(LONG, 1_000 + n) } });
}

const TOOLS = 40;

async function fillRecorded(tenant: Tenant, size: Hostility): Promise<{ sessionId: string; eventId: string }> {
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
  const traits = { user_id: "hard", note: hardText(16 * 1024, 7) };
  for (const session_id of ids.slice(0, 50))
    await post(
      "capture-session",
      aSession({ session_id, user_data: traits, metadata: { note: hardText(16 * 1024, 8) } }),
    );
  const chain = Array.from({ length: size.chain }, () => uuidv7());
  const metadata = { "checkpoint.a": 1, "checkpoint.b": 3, note: "x".repeat(200) };
  const rows = [
    ...chain.map((event_id, n) =>
      anEvent({
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
      return anEvent({
        session_id: ids[n % ids.length],
        primitive_name: `Tool${n % TOOLS}`,
        primitive_type: "tool",
        success,
        result: success ? "done" : `failed of ${hardText(90, n)}`,
        args: hardText(300, n),
        latency: n,
        timestamp: now - Math.floor((n / size.events) * 60 * 3_600_000),
      });
    }),
  ];
  for (let at = 0; at < rows.length; at += 500) await post("capture-events", { events: rows.slice(at, at + 500) });
  for (let n = 0; n < size.long; n += 1) {
    const text = hardText(MIB - 8, 5_000 + n);
    await post("capture-event", anEvent({ session_id: sessionId, args: text, result: text, timestamp: now - n }));
  }
  return { sessionId, eventId: chain.at(-1) ?? uuidv7() };
}
