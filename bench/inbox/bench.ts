import { freshOrganization } from "../../test/support/server.ts";
import { workspaceOf } from "../../test/support/workspace.ts";
import { onEachEngine, timed } from "../support/queries.ts";
import { fillWaiting, insert, SESSIONS } from "./fill.ts";

/** The inbox as a page of the web app asks for it, which reads most of all who do. */
const INBOX =
  "{ inbox(first: 50) { nodes { id type createdAt question session { id metadata } event { id } issue { identifier } } } }";
const sessions = (state: string) =>
  `{ recordedSessions(first: 50, filter: { state: { ${state} } }) { nodes { id state stateSince waitsFor } } }`;

/** Questions about what waits in sessions. */
const LISTS: Readonly<Record<string, string>> = {
  inbox: INBOX,
  "sessions that wait": sessions("eq: waitingForPermission"),
  "sessions that are stuck": sessions("eq: stuck"),
  "sessions that loop or failed": sessions("in: [looping, failed]"),
};

/** Questions to an inbox to which every source gives as much as it may. */
const FULL: Readonly<Record<string, string>> = {
  "full inbox": INBOX,
  "full inbox, its second page": INBOX.replace("(first: 50)", '(first: 50, after: "CURSOR")'),
  "full inbox, entries of one type": INBOX.replace(
    "(first: 50)",
    "(first: 50, filter: { type: { eq: limitReached } })",
  ),
};

/** Prints how long the inbox and lists by state take at 200,000 sessions. */
export const benchInbox = (): Promise<void> =>
  onEachEngine(async (engine, app) => {
    const space = await workspaceOf(await freshOrganization(app));
    const { db } = app.runtime;
    await insert(db, space.organizationId, SESSIONS);
    const rows = [];
    for (const [name, query] of Object.entries(LISTS)) rows.push({ name, ...(await timed(space, query)) });
    await fillWaiting(db, space);
    const { inbox } = await space.gql("{ inbox(first: 50) { pageInfo { endCursor } } }");
    for (const [name, query] of Object.entries(FULL))
      rows.push({ name, ...(await timed(space, query.replace("CURSOR", inbox.pageInfo.endCursor))) });
    console.log(`${SESSIONS.count.toLocaleString("en")} sessions, ${engine}`);
    console.table(rows);
  });
