import { Attempts, sumSteps } from "../../../db/errors/parts.ts";
import type { Database } from "../../../db/open.ts";
import { EVERY_ID } from "../../id.ts";
import { writeActions } from "../../resources/recorded/actions/store.ts";
import { type EventReader, readEvents } from "../../resources/recorded/unread/read-events.ts";
import { eachOrganization } from "../organizations.ts";
import { rollUpTotals } from "../totals.ts";
import { linkNamed } from "./arrived.ts";

/** A team key and a number, neither inside of a longer word: ENG-12, and eng-12 in the name of a branch. */
const IDENTIFIER = /(?<![A-Za-z0-9_])([A-Za-z][A-Za-z0-9]{0,6})-([0-9]{1,9})(?![A-Za-z0-9])/g;
/** Commands of git that name a branch or write a commit; its log names what others did. */
const GIT = /\bgit\b[^\n]{0,200}?\b(?:commit|checkout|switch|branch|push|merge|rebase|worktree|status)\b/;
/** A member of JSON that holds a branch or a commit. */
const MEMBER = /"[^"\\]{0,60}(?:branch|commit)[^"\\]{0,60}"\s*:\s*"((?:[^"\\]|\\.){0,2000})"/gi;

/** The parts of an event that may name issues: texts as far as they were read. */
interface Texts {
  kind: string;
  args: string;
  result: string | null;
  metadata: string | null;
}

/** Identifiers, of issues or not, that an event names in a prompt, a branch or a commit; as ENG-12, each once. */
export function namedBy({ kind, args, result, metadata }: Texts): string[] {
  const told = kind === "turn" ? [args] : GIT.test(args) ? [args, result ?? ""] : [];
  return namedIn([...told, ...inMetadata(metadata)]);
}

/** The identifiers in the JSON of metadata, under keys of branches and commits. */
const inMetadata = (json: string | null): string[] => [...(json ?? "").matchAll(MEMBER)].map(([, value = ""]) => value);

/** Identifiers that stand in texts, as ENG-12, each once. */
export const namedIn = (texts: readonly string[]): string[] => [
  ...new Set(
    texts.flatMap((text) =>
      [...text.matchAll(IDENTIFIER)].map(([, key = "", number]) => `${key.toUpperCase()}-${Number(number)}`),
    ),
  ),
];

/** Characters that are read of a session's metadata. */
const METADATA = 8_192;
/** Issues that a session is linked to because it names them. */
const MENTIONS = 100;

/**
 * Sessions of $1 with events since they were read: each addition to a session notes the first of them. The latest
 * come first, from behind ($2, $3). Raw SQL, like all here.
 */
const DUE = `select s.session_id as id, lower(s.external_id) as "externalId", left(s.metadata::text, ${METADATA}) as metadata,
    s.unread_from::text as "unreadFrom", s.xmin::text as version, s.source, s.metadata ->> 'cwd' as cwd,
    exists (select from "awaitedSession" a where a."organizationId" = s.organization_id
      and lower(a.reference) = any(array[s.session_id::text, lower(s.external_id)])) as awaited
  from recorded_session s
  where s.organization_id = $1 and s.unread_from is not null and (s.unread_from, s.session_id) < ($2::timestamptz, $3::uuid)
  order by s.unread_from desc, s.session_id desc limit $4`;

/**
 * Links session $2 to the issues that have or had the identifiers made of $3 and $4. The lock keeps retention from taking
 * the session away meanwhile.
 */
const LINK = `with named as (
    select k."teamId", n.number from unnest($3::text[], $4::int[]) n (key, number)
    join "teamKey" k on k."organizationId" = $1 and k.key = n.key),
  meant as (
    select i.id from named n join issue i on i."organizationId" = $1 and i."teamId" = n."teamId" and i.number = n.number
    union select a."issueId" from named n
      join "issueAlias" a on a."organizationId" = $1 and a."teamId" = n."teamId" and a.number = n.number),
  session as (select s.session_id from recorded_session s where s.organization_id = $1 and s.session_id = $2 for key share)
  insert into "issueSession" as l ("organizationId", "issueId", "sessionId", mentioned)
    select $1::uuid, m.id, s.session_id, true from session s cross join meant m
    where not exists (select from "issueSession" o where o."organizationId" = $1 and o."issueId" = m.id
      and o."sessionId" = s.session_id and o.mentioned)
    limit greatest(0, ${MENTIONS} - (select count(*) from "issueSession" o
      where o."organizationId" = $1 and o."sessionId" = $2 and o.mentioned))
    on conflict ("organizationId", "issueId", "sessionId") do update set mentioned = true`;

/** Notes that session $2 was looked through, unless its row is no longer the version $3 that was read: then something came meanwhile. */
export const MARK = `update recorded_session set unread_from = null
  where organization_id = $1 and session_id = $2 and xmin::text = $3`;

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
export const readNewEvents = (db: Database): Promise<number> =>
  sumSteps(
    // A session does not know deltas that are not rolled up.
    async () => {
      await rollUpTotals(db);
      return 0;
    },
    () =>
      eachOrganization(
        db,
        { table: "recorded_session", only: "unread_from is not null", followedBy: "unread_from" },
        (id) => readIn(db, id),
      ),
  );

/** Each session fails alone. One that failed stays due, and does not count: others have its place in the pass. */
async function readIn(db: Database, organizationId: string): Promise<number> {
  const attempts = new Attempts();
  let seen = 0;
  for (let last: typeof LAST | undefined = LAST; last && seen < MOST; ) {
    const values = [organizationId, last.unreadFrom, last.id, SESSIONS];
    const found: Due[] = await db.query({ name: "unread-sessions", text: DUE, values });
    for (const session of found)
      seen += await attempts.run({ sessionId: session.id }, () => lookThrough(db, organizationId, session));
    last = found.at(-1);
  }
  attempts.end();
  return seen;
}

async function lookThrough(db: Database, organizationId: string, session: Due): Promise<number> {
  const { id, externalId, metadata, unreadFrom, version, source, cwd } = session;
  if (session.awaited) await linkNamed(db, organizationId, externalId === null ? [id] : [id, externalId]);
  const named = namedIn(inMetadata(metadata));
  if (unreadFrom === "infinity") await link(db, organizationId, id, named);
  else await readEvents(db, { organizationId, id, source, cwd }, unreadFrom, [linkNamedIn(named), writeActions]);
  await db.query({ name: "session-read", text: MARK, values: [organizationId, id, version] });
  return 1;
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
