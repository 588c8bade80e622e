import { readOwn } from "../../formats/own.ts";
import type { Entity, Model, ToMany, ToOne } from "../read/entity.ts";
import { change } from "./change/change.ts";
import { comment } from "./comment/comment.ts";
import { customView } from "./custom-view/custom-view.ts";
import { cycle } from "./cycle/cycle.ts";
import { issueHistory, issueRelationHistory } from "./history/history.ts";
import { inboxEntry } from "./inbox/inbox.ts";
import { issue } from "./issue/issue.ts";
import { search } from "./issue/search.ts";
import { issueGroup, issueGroups } from "./issue-groups/issue-groups.ts";
import { issueDeletedSession } from "./issue-session/deleted-session.ts";
import { issueSession } from "./issue-session/issue-session.ts";
import { issueLabel } from "./label/label.ts";
import { concurrentChange } from "./lease/concurrent.ts";
import { issueLease } from "./lease/lease.ts";
import { node, nodes } from "./node.ts";
import { noticeRule } from "./notice-rule/notice-rule.ts";
import { organization } from "./organization/organization.ts";
import { project } from "./project/project.ts";
import { projectStatus } from "./project/status.ts";
import { projectMilestone } from "./project-milestone/project-milestone.ts";
import { issueProof } from "./proof/issue-proof.ts";
import { analytics } from "./recorded/analytics/index.ts";
import { recordedBrief } from "./recorded/brief.ts";
import { recordedCheckpoint, recordedEvent } from "./recorded/event.ts";
import { recordedCommit } from "./recorded/files/commit.ts";
import { recordedFile } from "./recorded/files/file.ts";
import { recordedFileChange } from "./recorded/files/file-change.ts";
import { recordedOutline } from "./recorded/outline/outline.ts";
import { recordedHit, recordedSearch } from "./recorded/search.ts";
import { recordedService } from "./recorded/service.ts";
import { recordedSession } from "./recorded/session.ts";
import { recordedTotals } from "./recorded/totals.ts";
import { recordedUser } from "./recorded/user.ts";
import { recordedUserExport } from "./recorded/user-export.ts";
import { issueRelation } from "./relation/relation.ts";
import type { GivenValue, Mutation, Resource, RootValue } from "./resource.ts";
import { workflowState } from "./state/state.ts";
import { team } from "./team/team.ts";
import { template } from "./template/template.ts";
import { externalUser, user } from "./user/user.ts";
import { webhookInputs } from "./webhook/input.ts";
import { webhook } from "./webhook/webhook.ts";

/** Resources of the tracker. A new resource needs a folder, an entry here, SDL, and a migration. */
const tracker: readonly Resource[] = [
  organization,
  user,
  team,
  workflowState,
  issue,
  issueRelation,
  issueProof,
  issueLabel,
  comment,
  project,
  projectStatus,
  projectMilestone,
  cycle,
  customView,
  template,
  externalUser,
];

/** Types whose changes webhooks receive: every entity in the change log, and deleted recordings. */
export const webhookTypes: readonly string[] = [
  ...tracker.flatMap(({ entity }) => (entity.event ? [entity.name] : [])),
  ...[recordedSession, recordedUser].map(({ entity }) => entity.name),
];

/** Validation of webhook inputs. */
export const webhookChecks = webhookInputs(webhookTypes);

/** All resources, including computed and recorded resources. */
const resources: readonly Resource[] = [
  ...tracker,
  issueLease,
  concurrentChange,
  issueHistory,
  issueRelationHistory,
  issueSession,
  issueDeletedSession,
  webhook(webhookChecks),
  noticeRule,
  change,
  search,
  issueGroups,
  issueGroup,
  inboxEntry,
  recordedSession,
  recordedTotals,
  recordedBrief,
  recordedOutline,
  recordedSearch,
  recordedHit,
  recordedEvent,
  recordedCheckpoint,
  recordedFile,
  recordedFileChange,
  recordedCommit,
  recordedUser,
  recordedService,
  recordedUserExport,
  ...analytics,
];

/** Returns the reverse lists that links of other entities declare for an entity. */
const inversesOf = (name: string): Record<string, ToMany> =>
  Object.fromEntries(
    resources.flatMap(({ entity: { name: entity, one = {} } }) =>
      Object.values(one).flatMap(({ by, entity: target, inverse }) =>
        by !== undefined && inverse !== undefined && target === name ? [[inverse, { entity, by }]] : [],
      ),
    ),
  );

/** All entities, by name. */
export const model: Model = new Map<string, Entity>(
  resources.map(({ entity }) => [entity.name, { ...entity, many: { ...entity.many, ...inversesOf(entity.name) } }]),
);

/** Returns true if a field of a type is declared as secret. */
export const isSecret = (type: string, field: string): boolean =>
  readOwn(model.get(type)?.computed, field)?.secret === true;

/**
 * Derived tables by name, with the SQL that fills them. A backup omits these tables, and a restore fills the tables
 * again.
 */
export const refilledTables: ReadonlyMap<string, string> = new Map(
  resources.flatMap(({ entity: { tuning } }) =>
    (tuning?.derives ?? []).flatMap(({ table, refill }) => (refill === undefined ? [] : [[table, refill] as const])),
  ),
);

/** Root fields of Query that are one row. */
export const rootOne: Readonly<Record<string, ToOne>> = Object.assign({}, ...resources.map(({ one }) => one));

/** Root fields of Query that are lists. */
export const rootMany: Readonly<Record<string, ToMany>> = Object.assign({}, ...resources.map(({ many }) => many));
/** Checks of root field arguments that need the database. */
export const rootAdmits: Readonly<Record<string, NonNullable<Resource["admits"]>[string]>> = Object.assign(
  {},
  ...resources.map(({ admits }) => admits),
);

/** Root fields of Query that are no entities. */
export const rootValues: Readonly<Record<string, RootValue>> = Object.assign(
  { node, nodes },
  ...resources.map(({ values }) => values),
);

export const mutations: Readonly<Record<string, Mutation>> = Object.assign(
  {},
  ...resources.map((each) => each.mutations),
);

/** The entity whose resource declares a mutation. The argument `id` of the mutation is an id of this entity. */
export const entityOfMutation: ReadonlyMap<string, string> = new Map(
  resources.flatMap(({ entity, mutations: own = {} }) =>
    Object.keys(own).map((field) => [field, entity.name] as const),
  ),
);

/** Named values for a query's SQL that only this process can compute. */
export const givenValues: Readonly<Record<string, GivenValue>> = Object.assign(
  {},
  ...resources.map((each) => each.given),
);
