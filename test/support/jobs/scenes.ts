import { randomUUID } from "node:crypto";
import type { App } from "../../../server/app.ts";
import { deleteOrganization } from "../../../server/jobs/deletion.ts";
import { setEarlierSql } from "../db/database.ts";
import { postHook } from "../recording/observed-sessions.ts";
import { waitUntilFolded } from "../server.ts";
import type { Workspace } from "../workspace.ts";
import {
  AWAITED,
  ageStatements,
  captureEvents,
  countRows,
  createAwaitedSession,
  createClaimedIssue,
  recorded,
  runStatements,
} from "./arrange.ts";

/** Work for a job in one organization. */
export interface JobScene {
  /**
   * Creates work for the job in an organization. Resolves to the id of a session or issue that can fail separately.
   */
  arrange(space: Workspace, app: App): Promise<unknown>;
  /** SQL: the number of rows of the organization $1 that the job still has to process. */
  left: string;
  /**
   * The job removes rows of all organizations at once. A row that cannot be removed is a failure, even after the
   * organization was deleted.
   */
  isOfAll?: true;
  /** The job leaves the organizations unusable. */
  isLast?: true;
}

/** Work for every job that processes organizations, by the job's name. */
export const JOB_SCENES: Readonly<Record<string, JobScene>> = {
  "spent logins and tokens": {
    isOfAll: true,
    arrange: (space, app) =>
      runStatements(
        app,
        space,
        `insert into invitation (hash, id, "organizationId", email, "invitedBy", "createdAt", "expiresAt")
          select sha256($1::uuid::text::bytea), gen_random_uuid(), $1, 'old@example.com', gen_random_uuid(), now(), now() - interval '60 days'`,
        `insert into audit ("organizationId", id, event, detail, "createdAt") values ($1, gen_random_uuid(), 'tests', '{}', now() - interval '500 days')`,
      ),
    left: `select ((select count(*) from invitation where "organizationId" = $1 and "expiresAt" < now() - interval '30 days')
      + (select count(*) from audit where "organizationId" = $1 and "createdAt" < now() - interval '400 days'))::integer as left`,
  },
  trash: {
    arrange: async (space, app) => {
      const { id } = await space.issue();
      await runStatements(
        app,
        space,
        `update issue set trashed = true, "archivedAt" = now() - interval '31 days' where "organizationId" = $1 and id = '${id}'`,
      );
      return id;
    },
    left: countRows("issue", "trashed"),
  },
  "old changes": {
    arrange: (space, app) =>
      runStatements(
        app,
        space,
        `update change set ${setEarlierSql(["createdAt"], "interval '100 days'")} where "organizationId" = $1`,
      ),
    left: countRows("change", `"createdAt" < now() - interval '90 days'`),
  },
  "old deliveries": {
    arrange: (space, app) =>
      runStatements(
        app,
        space,
        `insert into delivery (id, "organizationId", "targetId", status, "createdAt")
          values (gen_random_uuid(), $1, gen_random_uuid(), 'delivered', now() - interval '31 days')`,
      ),
    left: countRows("delivery", "true"),
  },
  "old notices": {
    arrange: (space, app) =>
      runStatements(
        app,
        space,
        `insert into "noticeRule" ("organizationId", id, name, enabled, condition, "sessionStates", "failureKinds", "issueStateTypes", "minimumCalls",
          channel, emails, "includeText", "timeZone", "watchedFrom", "createdAt", "updatedAt")
          values ($1, $1, 'tests', false, 'sessionState', '{}', '{}', '{}', 1, 'webhook', '{}', false, 'UTC', now(), now(), now())`,
        `insert into notice ("organizationId", "ruleId", "group", value, subject, "firedAt", "updatedAt")
          values ($1, $1, 'tests', 'tests', '{}', now() - interval '40 days', now())`,
      ),
    left: countRows("notice", "true"),
  },
  "old sessions": {
    arrange: async (space, app) => {
      const session = await captureEvents(space);
      await runStatements(app, space, ...ageStatements(40));
      return session;
    },
    left: recorded("recorded_session"),
  },
  "old texts": {
    arrange: async (space, app) => {
      const session = await captureEvents(space);
      await runStatements(
        app,
        space,
        ...ageStatements(10),
        `update organization set "retentionTextDays" = 5 where id = $1`,
      );
      return session;
    },
    left: recorded("recorded_event", "args <> ''"),
  },
  "deleted recordings": {
    arrange: async (space, app) => {
      const session = await captureEvents(space);
      await runStatements(
        app,
        space,
        `insert into recorded_deletion (organization_id, session_id, deleted_at) values ($1, '${session}', now())`,
      );
      return session;
    },
    left: recorded("recorded_deletion"),
  },
  "old observations": {
    arrange: (space, app) =>
      runStatements(
        app,
        space,
        `insert into recorded_service values ($1, 'tests', 'tests', 1, now(), 1, now(), now() - interval '40 days')`,
        `insert into recorded_part values ($1, gen_random_uuid(), gen_random_uuid(), now(), now() - interval '40 days')`,
      ),
    left: `select ((select count(*) from recorded_service where organization_id = $1)
      + (select count(*) from recorded_part where organization_id = $1))::integer as left`,
  },
  "totals of sessions and their issues": {
    arrange: (space) => captureEvents(space),
    left: `select ((select count(*) from recorded_delta where organization_id = $1)
      + (select count(*) from recorded_session where organization_id = $1 and unread_from is not null))::integer as left`,
  },
  "calls that repeat each other": {
    arrange: (space) => {
      const calls = Array.from({ length: 6 }, (_, at) => ({
        primitive_name: "Again",
        primitive_type: "tool",
        timestamp: Date.now() - 1_000 * (6 - at),
      }));
      return captureEvents(space, ...calls);
    },
    left: recorded(
      "recorded_session s",
      `loop_since is null and exists (select from recorded_event e where e.organization_id = $1
        and e.session_id = s.session_id and e.primitive_name = 'Again')`,
    ),
  },
  "old entries of inboxes": {
    arrange: async (space, app) => {
      const { id } = await space.issue();
      await runStatements(
        app,
        space,
        `insert into "inboxNotice" ("organizationId", id, type, "issueId", "createdAt")
          values ($1, gen_random_uuid(), 'leaseExpired', '${id}', now() - interval '400 days')`,
        `insert into "inboxState" ("organizationId", "userId", id, since, "updatedAt")
          select $1, u.id, gen_random_uuid(), now(), now() - interval '400 days' from "user" u where u."organizationId" = $1 limit 1`,
      );
    },
    left: `select ((select count(*) from "inboxNotice" where "organizationId" = $1 and "createdAt" < now() - interval '300 days')
      + (select count(*) from "inboxState" where "organizationId" = $1 and "updatedAt" < now() - interval '300 days'))::integer as left`,
  },
  "totals of restored sessions": {
    arrange: async (space, app) => {
      const session = await captureEvents(space);
      await runStatements(
        app,
        space,
        `update recorded_session set events = null where organization_id = $1 and session_id = '${session}'`,
      );
      return session;
    },
    left: recorded("recorded_session", "events is null"),
  },
  "sessions that were awaited": { arrange: createAwaitedSession, left: AWAITED },
  "sessions that are awaited": { arrange: createAwaitedSession, left: AWAITED },
  "counts of tools and failures": {
    arrange: async (space) => void (await captureEvents(space, { primitive_type: "tool", success: false })),
    left: recorded("recorded_mark"),
  },
  "costs by changed prices": {
    arrange: async (space, app) => {
      const session = await captureEvents(space, {
        metadata: { "gen_ai.request.model": "tests", "gen_ai.usage.input_tokens": 5 },
      });
      const place = `jsonb_build_object('costs', jsonb_build_object('at', '-infinity', 'id', '00000000-0000-0000-0000-000000000000'))`;
      await runStatements(
        app,
        space,
        `insert into recorded_rollup as r (organization_id, positions) values ($1, ${place})
          on conflict (organization_id) do update set positions = excluded.positions`,
        `update organization set "updatedAt" = now() - interval '1 minute' where id = $1`,
        `update recorded_event set computed_cost = 7 where organization_id = $1 and session_id = '${session}'`,
      );
      return session;
    },
    left: recorded("recorded_event", "computed_cost = 7"),
  },
  "derived values": {
    arrange: async (space, app) => {
      await space.issue();
      await runStatements(app, space, `update issue set "stateType" = 'tests' where "organizationId" = $1`);
    },
    left: countRows("issue", `"stateType" = 'tests'`),
  },
  leases: {
    arrange: async (space, app) => {
      const id = await createClaimedIssue(space);
      const moments = ["grantedAt", "renewedAt", "expiresAt", "checkAt"];
      const back = setEarlierSql(moments, "interval '1 day'");
      await runStatements(app, space, `update "issueLease" set ${back} where "organizationId" = $1 and id = '${id}'`);
      return id;
    },
    left: countRows('"issueLease"', `"expiresAt" < now()`),
  },
  "limits of leases": {
    arrange: async (space, app) => {
      const id = await createClaimedIssue(space, { minuteLimit: 5 });
      await runStatements(
        app,
        space,
        `update "issueLease" set "grantedAt" = now() - interval '1 hour' where "organizationId" = $1 and id = '${id}'`,
      );
      return id;
    },
    left: countRows('"issueLease"', `"minuteLimit" is not null and "trippedAt" is null`),
  },
  "silent turns": {
    arrange: async (space, app) => {
      const prompt = { session_id: randomUUID(), hook_event_name: "UserPromptSubmit", prompt: "Why?" };
      await postHook(space, "claude-code", prompt);
      await waitUntilFolded(app.runtime, space.organizationId);
      await runStatements(
        app,
        space,
        `update recorded_session set ${setEarlierSql(["last_received_at"], "interval '1 hour'")}
          where organization_id = $1 and observed ? 'progress'`,
      );
      const [row] = await app.runtime.db.query<{ id: string }>({
        text: "select session_id as id from recorded_session where organization_id = $1 and external_id = $2",
        values: [space.organizationId, prompt.session_id],
      });
      return row?.id;
    },
    left: recorded("recorded_session", "observed ? 'progress' and observed #> '{progress,silentAt}' is null"),
  },
  "deleted organizations": {
    arrange: ({ organizationId, urlKey }, { runtime }) => deleteOrganization(runtime.db, organizationId, urlKey),
    left: countRows("team", "true"),
    isLast: true,
  },
};

/** Jobs that process no organization, with the reason. Each job has separate tests. */
export const JOBS_WITHOUT_ORGANIZATIONS: Readonly<Record<string, string>> = {
  clock: "compares two clocks and reads no table; test/db/clock.test.ts",
  "indexes of names and texts": "builds indexes of whole tables; test/tracker/search/normal-forms.slow.test.ts",
  "tables that grew": "works in tables, of which each fails alone; test/jobs/every-job.slow.test.ts",
};
