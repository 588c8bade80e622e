import type { Database } from "../../../db/open.ts";
import { EVERY_ID } from "../../id.ts";
import { writeActions } from "../../resources/recorded/actions/store.ts";
import { type EventReader, readEvents } from "../../resources/recorded/unread/read-events.ts";
import { eachOrganization } from "../organizations.ts";
import { rollUpTotals } from "../totals/roll-up.ts";
import { linkNamed } from "./arrived.ts";
import { inMetadata, namedBy, namedIn } from "./identifiers.ts";
import { DUE, LINK, MARK } from "./statements.ts";

/** Sessions that one query finds, and sessions of an organization that one pass searches. */
const SESSIONS = 50;
const MOST = 2_000;

/** A session with something new in it. */
interface Due {
  id: string;
  externalId: string | null;
  metadata: string;
  /** As SQL spells it: it may be infinite. */
  unreadFrom: string;
  /** The version of its row, as it was read. */
  version: string;
  source: string | null;
  cwd: string | null;
  /** True when issues await it. */
  awaited: boolean;
}

/** Behind every session. */
const LAST = { unreadFrom: "infinity", id: EVERY_ID };

/**
 * Reads new events of sessions: links them to the issues that they name in prompts, branches and commits, and that
 * await them, and derives their actions.
 * A session stays due until it was looked through, so that a pass that ends early, or is killed, is gone on with by the
 * next. Safe on any number of processes: each statement may run twice. Answers how many sessions it looked through.
 */
export async function readNewEvents(db: Database): Promise<number> {
  // A session does not know deltas that are not rolled up.
  await rollUpTotals(db);
  const due = { table: "recorded_session", only: "unread_from is not null", followedBy: "unread_from" };
  return eachOrganization(db, due, async (organizationId) => {
    let seen = 0;
    for (let last: typeof LAST | undefined = LAST; last && seen < MOST; ) {
      const values = [organizationId, last.unreadFrom, last.id, SESSIONS];
      const found: Due[] = await db.query({ name: "unread-sessions", text: DUE, values });
      for (const session of found) await lookThrough(db, organizationId, session);
      seen += found.length;
      last = found.at(-1);
    }
    return seen;
  });
}

async function lookThrough(db: Database, organizationId: string, session: Due): Promise<void> {
  const { id, externalId, metadata, unreadFrom, version, source, cwd } = session;
  if (session.awaited) await linkNamed(db, organizationId, externalId === null ? [id] : [id, externalId]);
  const named = namedIn(inMetadata(metadata));
  if (unreadFrom === "infinity") await link(db, organizationId, id, named);
  else await readEvents(db, { organizationId, id, source, cwd }, unreadFrom, [linkNamedIn(named), writeActions]);
  await db.query({ name: "session-read", text: MARK, values: [organizationId, id, version] });
}

/** Characters that are searched of a prompt or command, and of what a command answered. */
const ARGS = 16_384;
const RESULT = 4_096;

/** Links a session to what its events name; with those of the first batch, to what its metadata name. */
const linkNamedIn =
  (inMetadata: string[]): EventReader =>
  async (db, { session, events }) => {
    const named = events.flatMap(({ args, result, ...event }) =>
      namedBy({ ...event, args: args.slice(0, ARGS), result: event.kind === "tool" ? result.slice(0, RESULT) : null }),
    );
    await link(db, session.organizationId, session.id, [...new Set([...inMetadata.splice(0), ...named])]);
  };

async function link(db: Database, organizationId: string, sessionId: string, named: readonly string[]): Promise<void> {
  if (named.length === 0) return;
  const parts = named.map((identifier) => identifier.split("-"));
  const values = [organizationId, sessionId, parts.map(([key]) => key), parts.map(([, number]) => Number(number))];
  await db.query({ text: LINK, values });
}
