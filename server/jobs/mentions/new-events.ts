import { PartRunner, runSteps } from "../../../db/errors/parts.ts";
import type { Database } from "../../../db/open.ts";
import { MAX_UUID } from "../../id.ts";
import { writeActions } from "../../resources/recorded/actions/store.ts";
import { type EventBatchReader, readEventsInBatches } from "../../resources/recorded/unread/read-events.ts";
import { eachOrganization } from "../organizations.ts";
import { rollUpTotals } from "../totals.ts";
import { linkIssuesToNamedSessions } from "./arrived.ts";

/**
 * Matches an issue identifier, which is a team key and a number: ENG-12, or eng-12 in the name of a branch. Does not
 * match within a longer word.
 */
const IDENTIFIER = /(?<![A-Za-z0-9_])([A-Za-z][A-Za-z0-9]{0,6})-([0-9]{1,9})(?![A-Za-z0-9])/g;
/**
 * Git commands that name a branch or write a commit. `git log` is left out, because the log names work of other people.
 */
const GIT = /\bgit\b[^\n]{0,200}?\b(?:commit|checkout|switch|branch|push|merge|rebase|worktree|status)\b/;
/** JSON member that contains a branch or a commit. */
const MEMBER = /"[^"\\]{0,60}(?:branch|commit)[^"\\]{0,60}"\s*:\s*"((?:[^"\\]|\\.){0,2000})"/gi;

/** Fields of an event that may name issues. The texts may be truncated. */
interface Texts {
  kind: string;
  args: string;
  result: string | null;
  metadata: string | null;
}

/**
 * Returns the distinct identifiers (as ENG-12) that an event names in a prompt, a branch or a commit. The issues may
 * not exist.
 */
export function findIssueIdentifiersInEvent({ kind, args, result, metadata }: Texts): string[] {
  const told = kind === "turn" ? [args] : GIT.test(args) ? [args, result ?? ""] : [];
  return findIssueIdentifiers([...told, ...inMetadata(metadata)]);
}

/** Returns the branches and commits in the JSON of metadata. */
const inMetadata = (json: string | null): string[] => [...(json ?? "").matchAll(MEMBER)].map(([, value = ""]) => value);

/** Returns the distinct identifiers in texts, as ENG-12. */
export const findIssueIdentifiers = (texts: readonly string[]): string[] => [
  ...new Set(
    texts.flatMap((text) =>
      [...text.matchAll(IDENTIFIER)].map(([, key = "", number]) => `${key.toUpperCase()}-${Number(number)}`),
    ),
  ),
];

/** Number of characters of a session's metadata that are searched. */
const METADATA = 8_192;
/** Maximum issues to which mentions link a session. */
const MENTIONS = 100;

/**
 * Selects the sessions of organization $1 that have unread events, latest first, beginning after the position ($2, $3).
 * Each addition to a session stores the time of the first new event in `unread_from`. Raw SQL, like all statements
 * here.
 */
const DUE = `select s.session_id as id, lower(s.external_id) as "externalId", left(s.metadata::text, ${METADATA}) as metadata,
    s.unread_from::text as "unreadFrom", s.xmin::text as version, s.source, s.metadata ->> 'cwd' as cwd,
    exists (select from "awaitedSession" a where a."organizationId" = s.organization_id
      and lower(a.reference) = any(array[s.session_id::text, lower(s.external_id)])) as awaited
  from recorded_session s
  where s.organization_id = $1 and s.unread_from is not null and (s.unread_from, s.session_id) < ($2::timestamptz, $3::uuid)
  order by s.unread_from desc, s.session_id desc limit $4`;

/**
 * Links session $2 to the issues that have or had the identifiers built from $3 and $4. The row lock prevents retention
 * from removing the session in the meantime.
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

/**
 * Marks session $2 as read, unless its row has another version than $3. Another version means that something new
 * arrived.
 */
export const MARK_SESSION_READ_SQL = `update recorded_session set unread_from = null
  where organization_id = $1 and session_id = $2 and xmin::text = $3`;

/**
 * SESSIONS is the maximum number of sessions per query. MOST is the maximum number of sessions per organization and
 * pass.
 */
const SESSIONS = 50;
const MOST = 2_000;

/** Session with unread events. */
interface Due {
  id: string;
  externalId: string | null;
  metadata: string;
  /** Time as SQL text, because the time may be infinite. */
  unreadFrom: string;
  /** Version of the row when the job read the row. */
  version: string;
  source: string | null;
  cwd: string | null;
  /** True if issues await the session. */
  awaited: boolean;
}

/** Position after every session. */
const LAST = { unreadFrom: "infinity", id: MAX_UUID };

/**
 * Reads new events of sessions. Links the sessions to issues that prompts, branches and commits name, and to issues
 * that await the session. Derives the sessions' actions.
 * A session stays due until it was read completely, so the next pass continues a pass that ended early or was killed.
 * Safe in any number of concurrent processes, because each statement may run twice. Returns the number of read
 * sessions.
 */
export const processNewEvents = (db: Database): Promise<number> =>
  runSteps(
    // The roll-up runs first, because deltas that are not rolled up do not mark their session as unread.
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

/**
 * A failure affects only a single session. A failed session stays due and does not count toward the maximum, which
 * leaves room for another session.
 */
async function readIn(db: Database, organizationId: string): Promise<number> {
  const attempts = new PartRunner();
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
  if (session.awaited)
    await linkIssuesToNamedSessions(db, organizationId, externalId === null ? [id] : [id, externalId]);
  const named = findIssueIdentifiers(inMetadata(metadata));
  if (unreadFrom === "infinity") await link(db, organizationId, id, named);
  else
    await readEventsInBatches(db, { organizationId, id, source, cwd }, unreadFrom, [linkNamedIn(named), writeActions]);
  await db.query({ name: "session-read", text: MARK_SESSION_READ_SQL, values: [organizationId, id, version] });
  return 1;
}

/** Maximum number of searched characters: ARGS for a prompt or command, RESULT for a command's output. */
const ARGS = 16_384;
const RESULT = 4_096;

/**
 * Links a session to the issues that its events name. The first batch also includes the issues that the metadata names.
 */
const linkNamedIn =
  (inMetadata: string[]): EventBatchReader =>
  async (db, { session, events }) => {
    const named = events.flatMap(({ args, result, ...event }) =>
      findIssueIdentifiersInEvent({
        ...event,
        args: args.slice(0, ARGS),
        result: event.kind === "tool" ? result.slice(0, RESULT) : null,
      }),
    );
    await link(db, session.organizationId, session.id, [...new Set([...inMetadata.splice(0), ...named])]);
  };

async function link(db: Database, organizationId: string, sessionId: string, named: readonly string[]): Promise<void> {
  if (named.length === 0) return;
  const parts = named.map((identifier) => identifier.split("-"));
  const values = [organizationId, sessionId, parts.map(([key]) => key), parts.map(([, number]) => Number(number))];
  await db.query({ text: LINK, values });
}
