import type { Database } from "../../../db/open.ts";
import { mintPersonalKey } from "../../../server/auth/key.ts";
import { labelSetAggregateSql } from "../../../server/resources/label/label-set.ts";

/** Amounts in each organization. */
export interface TrackerScale {
  organizations: number;
  teams: number;
  users: number;
  labels: number;
  projects: number;
  issues: number;
  comments: number;
}

/** Ids of the created rows. */
export interface FilledTracker {
  /** Second organization, and a personal key of the organization's first user. */
  organizationId: string;
  userId: string;
  apiKey: string;
  teamIds: string[];
  /** Issue with twenty comments. */
  discussedId: string;
}

/** 100,000 issues in 20 teams of 4 organizations, 1.5 labels per issue, and 50,000 comments. */
export const LARGE_SCALE: TrackerScale = {
  organizations: 4,
  teams: 5,
  users: 20,
  labels: 12,
  projects: 500,
  issues: 25_000,
  comments: 12_500,
};

/** Returns SQL for a time-ordered UUID of a kind and a number. */
const uuid = (kind: string, number: string) =>
  `('01980000-' || lpad(to_hex((${number}) / 65536), 4, '0') || '-7${kind}-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

/** Numbers run across all organizations. */
const organization = (number: string) => uuid("0a0", number);
const of = (kind: string, per: number, number: string, org = "o") => uuid(kind, `${org} * ${per} + ${number}`);

const moment = `timestamptz '2026-01-01' + (n || ' minutes')::interval`;
const to = (count: number) => `generate_series(1, ${count}) n`;

/**
 * Fills an empty database with SQL and creates a personal key.
 * Issue n is in team n % teams and has one or two labels; every 39th issue has twenty comments until all comments are
 * used.
 */
export async function fillTracker(db: Database, scale: TrackerScale): Promise<FilledTracker> {
  for (const text of [...people(scale), ...teams(scale), ...work(scale), ...plans(scale), "analyze"])
    await db.as("upkeep", () => db.query({ text }));
  const [row] = await db.query<Omit<FilledTracker, "apiKey">>({
    text: `select ${organization("2")} as "organizationId", ${of("0b0", scale.users, "1", "2")} as "userId",
      (select array_agg(id) from team where "organizationId" = ${organization("2")}) as "teamIds",
      ${of("0f0", scale.issues, "40", "2")} as "discussedId"`,
  });
  if (!row) throw new Error("nothing was filled in");
  const { key, hash, last4 } = mintPersonalKey();
  await db.query({
    text: `insert into "apiKey" (hash, id, "organizationId", "userId", label, last4, "createdAt")
      values ($1, gen_random_uuid(), $2, $3, 'filled', $4, now())`,
    values: [hash, row.organizationId, row.userId, last4],
  });
  return { ...row, apiKey: key };
}

function people({ organizations, users, issues }: TrackerScale): string[] {
  const orgs = `generate_series(1, ${organizations}) o`;
  return [
    `insert into organization (id, name, "urlKey", "createdAt", "updatedAt")
     select ${organization("o")}, 'Org ' || o, 'org-' || o, now(), now() from ${orgs}`,
    `insert into sync ("organizationId", "lastSyncId", "oldestSyncId") select ${organization("o")}, ${issues}, 1 from ${orgs}`,
    `insert into "user" ("organizationId", id, "accountId", role, name, "displayName", email, "createdAt", "updatedAt")
     select ${organization("o")}, ${of("0b0", users, "n")}, ${of("0b0", users, "n")}, 'owner', 'Person ' || n, 'person' || n,
       'p' || n || '.' || o || '@example.com', ${moment}, ${moment} from ${orgs}, ${to(users)}`,
  ];
}

function plans({ organizations, teams, projects }: TrackerScale): string[] {
  const orgs = `generate_series(1, ${organizations}) o`;
  return [
    `insert into "projectStatus" ("organizationId", id, name, type, color, position, "createdAt", "updatedAt")
     select ${organization("o")}, ${of("1a0", 1, "1")}, 'Planned', 'planned', '#bec2c8', 0, now(), now() from ${orgs}`,
    `insert into project ("organizationId", id, name, color, "statusId", "createdAt", "updatedAt")
     select ${organization("o")}, ${of("1b0", projects, "n")}, 'Project ' || n, '#bec2c8', ${of("1a0", 1, "1")},
       ${moment}, ${moment} from ${orgs}, ${to(projects)}`,
    `insert into "projectTeam" ("organizationId", "projectId", "teamId")
     select ${organization("o")}, ${of("1b0", projects, "n")}, ${of("0c0", teams, `n % ${teams} + 1`)} from ${orgs}, ${to(projects)}`,
  ];
}

function teams({ organizations, teams, labels, issues }: TrackerScale): string[] {
  const orgs = `generate_series(1, ${organizations}) o`;
  return [
    `insert into team ("organizationId", id, key, name, "issueCounter", "defaultStateId", "createdAt", "updatedAt")
     select ${organization("o")}, ${of("0c0", teams, "n")}, 'T' || n, 'Team ' || n, ${Math.ceil(issues / teams) + 1},
       ${of("0d0", teams * 6, "(n - 1) * 6 + 1")}, ${moment}, ${moment} from ${orgs}, ${to(teams)}`,
    `insert into "teamKey" ("organizationId", key, "teamId") select "organizationId", key, id from team`,
    `insert into "workflowState" ("organizationId", id, "teamId", name, type, color, position, "createdAt", "updatedAt")
     select ${organization("o")}, ${of("0d0", teams * 6, "n")}, ${of("0c0", teams, "(n - 1) / 6 + 1")},
       (array['Backlog', 'Todo', 'In Progress', 'Done', 'Canceled', 'Duplicate'])[(n - 1) % 6 + 1],
       (array['backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate'])[(n - 1) % 6 + 1],
       '#bec2c8', (n - 1) % 6, ${moment}, ${moment} from ${orgs}, ${to(teams * 6)}`,
    `insert into "issueLabel" ("organizationId", id, name, color, "createdAt", "updatedAt")
     select ${organization("o")}, ${of("0e0", labels, "n")}, 'label ' || n, '#5e6ad2', ${moment}, ${moment}
       from ${orgs}, ${to(labels)}`,
  ];
}

function work({ organizations, teams, users, labels, issues, comments }: TrackerScale): string[] {
  const orgs = `generate_series(1, ${organizations}) o`;
  const label = of("0e0", labels, `(n * k) % ${labels} + 1`);
  const linked = "from generate_series(1, 2) k where n % (2 * k) < 2";
  return [
    `insert into issue ("organizationId", id, "teamId", number, title, description, priority, "stateId", "stateType",
       "assigneeId", "creatorId", "createdAt", "updatedAt", "labelSet")
     select ${organization("o")}, ${of("0f0", issues, "n")}, ${of("0c0", teams, `n % ${teams} + 1`)}, n / ${teams} + 1,
       'Fix the thing that broke in build ' || n, repeat('What happens, what should happen, and how to see it. ', 6),
       n % 5, ${of("0d0", teams * 6, `n % ${teams} * 6 + n % 6 + 1`)},
       (array['backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate'])[n % 6 + 1],
       case when n % 4 > 0 then ${of("0b0", users, `n % ${users} + 1`)} end, ${of("0b0", users, "1")},
       ${moment}, ${moment}, coalesce((select ${labelSetAggregateSql("id")} from (select distinct ${label} as id ${linked}) l), '')
       from ${orgs}, ${to(issues)}`,
    `insert into "issueLabelLink" ("organizationId", "issueId", "labelId")
     select distinct ${organization("o")}, ${of("0f0", issues, "n")}, l.id
       from ${orgs}, ${to(issues)}, lateral (select ${label} as id ${linked}) l`,
    `insert into comment ("organizationId", id, body, "issueId", "userId", "createdAt", "updatedAt")
     select ${organization("o")}, ${of("0a1", comments, "n")}, 'I saw this too, in build ' || n || '. A restart cured it.',
       ${of("0f0", issues, "n / 20 * 39 + 1")}, ${of("0b0", users, `n % ${users} + 1`)}, ${moment}, ${moment}
       from ${orgs}, ${to(comments)}`,
    `insert into change ("organizationId", "lastSyncId", type, action, event, "entityId", data, actor, "createdAt")
     select ${organization("o")}, n, 'Issue', 'create', 'issue.created', ${of("0f0", issues, "n")}, '{}', '{}', ${moment}
       from ${orgs}, ${to(issues)}`,
    `insert into delivery (id, "organizationId", "targetId", "lastSyncId", status, "createdAt")
     select gen_random_uuid(), ${organization("o")}, gen_random_uuid(), n, 'delivered', ${moment} from ${orgs}, ${to(issues)}`,
  ];
}
