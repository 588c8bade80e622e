import { createOrganization } from "../../test/support/server.ts";
import { createWorkspaceIn } from "../../test/support/workspace.ts";
import { onEachEngine, timeQuery } from "../support/queries.ts";
import { fillWaiting, insertRows, SESSIONS } from "./fill.ts";

/** The query of the web app's inbox, which selects more than other clients' queries. */
const INBOX =
  "{ inbox(first: 50) { nodes { id type createdAt question session { id metadata } event { id } issue { identifier } } } }";
const sessions = (state: string) =>
  `{ recordedSessions(first: 50, filter: { state: { ${state} } }) { nodes { id state stateSince waitsFor } } }`;

/** Queries for sessions that need attention. */
const LISTS: Readonly<Record<string, string>> = {
  inbox: INBOX,
  "sessions that wait": sessions("eq: waitingForPermission"),
  "sessions that are stuck": sessions("eq: stuck"),
  "sessions that loop or failed": sessions("in: [looping, failed]"),
};

/** Queries of an inbox in which every source has its maximum number of entries. */
const FULL: Readonly<Record<string, string>> = {
  "full inbox": INBOX,
  "full inbox, its second page": INBOX.replace("(first: 50)", '(first: 50, after: "CURSOR")'),
  "full inbox, entries of one type": INBOX.replace(
    "(first: 50)",
    "(first: 50, filter: { type: { eq: limitReached } })",
  ),
};

/** Prints the duration of inbox queries and of lists by state, with 200,000 sessions. */
export const benchInbox = (): Promise<void> =>
  onEachEngine(async (engine, app) => {
    const space = await createWorkspaceIn(await createOrganization(app));
    const { db } = app.runtime;
    await insertRows(db, space.organizationId, SESSIONS);
    const rows = [];
    for (const [name, query] of Object.entries(LISTS)) rows.push({ name, ...(await timeQuery(space, query)) });
    await fillWaiting(db, space);
    const { inbox } = await space.gql("{ inbox(first: 50) { pageInfo { endCursor } } }");
    for (const [name, query] of Object.entries(FULL))
      rows.push({ name, ...(await timeQuery(space, query.replace("CURSOR", inbox.pageInfo.endCursor))) });
    console.log(`${SESSIONS.count.toLocaleString("en")} sessions, ${engine}`);
    console.table(rows);
  });
