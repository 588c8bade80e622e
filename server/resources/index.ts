import { getOwnProperty } from "../../formats/own.ts";
import type { Entity, EntityModel, ToMany, ToOne } from "../read/entity.ts";
import { changeResource } from "./change/change.ts";
import { commentResource } from "./comment/comment.ts";
import { customViewResource } from "./custom-view/custom-view.ts";
import { cycleResource } from "./cycle/cycle.ts";
import { issueHistoryResource, issueRelationHistoryResource } from "./history/history.ts";
import { inboxEntryResource } from "./inbox/inbox.ts";
import { issueResource } from "./issue/issue.ts";
import { issueSearchResource } from "./issue/search.ts";
import { issueGroupResource, issueGroupsResource } from "./issue-groups/issue-groups.ts";
import { issueDeletedSessionResource } from "./issue-session/deleted-session.ts";
import { issueSessionResource } from "./issue-session/issue-session.ts";
import { issueLabelResource } from "./label/label.ts";
import { concurrentChangeResource } from "./lease/concurrent.ts";
import { issueLeaseResource } from "./lease/lease.ts";
import { node, nodes } from "./node.ts";
import { noticeRuleResource } from "./notice-rule/notice-rule.ts";
import { organizationResource } from "./organization/organization.ts";
import { projectResource } from "./project/project.ts";
import { projectStatusResource } from "./project/status.ts";
import { projectMilestoneResource } from "./project-milestone/project-milestone.ts";
import { issueProofResource } from "./proof/issue-proof.ts";
import { analyticsResources } from "./recorded/analytics/index.ts";
import { recordedBriefResource } from "./recorded/brief.ts";
import { recordedCheckpointResource, recordedEventResource } from "./recorded/event.ts";
import { recordedCommitResource } from "./recorded/files/commit.ts";
import { recordedFileResource } from "./recorded/files/file.ts";
import { recordedFileChangeResource } from "./recorded/files/file-change.ts";
import { recordedOutlineResource } from "./recorded/outline/outline.ts";
import { recordedHitResource, recordedSearchResource } from "./recorded/search.ts";
import { recordedServiceResource } from "./recorded/service.ts";
import { recordedSessionResource } from "./recorded/session.ts";
import { recordedTotalsResource } from "./recorded/totals.ts";
import { recordedUserResource } from "./recorded/user.ts";
import { recordedUserExportResource } from "./recorded/user-export.ts";
import { issueRelationResource } from "./relation/relation.ts";
import type { Mutation, QueryValueResolver, Resource, RootFieldValue } from "./resource.ts";
import { workflowStateResource } from "./state/state.ts";
import { teamResource } from "./team/team.ts";
import { templateResource } from "./template/template.ts";
import { externalUserResource, userResource } from "./user/user.ts";
import { createWebhookInputSchemas } from "./webhook/input.ts";
import { createWebhookResource } from "./webhook/webhook.ts";

/** Resources of the tracker. A new resource needs a folder, an entry here, SDL, and a migration. */
const tracker: readonly Resource[] = [
  organizationResource,
  userResource,
  teamResource,
  workflowStateResource,
  issueResource,
  issueRelationResource,
  issueProofResource,
  issueLabelResource,
  commentResource,
  projectResource,
  projectStatusResource,
  projectMilestoneResource,
  cycleResource,
  customViewResource,
  templateResource,
  externalUserResource,
];

/**
 * Entity types whose changes are sent to webhooks. The list contains every entity in the change log, and recorded
 * sessions and users, whose deletion is reported.
 */
export const webhookTypes: readonly string[] = [
  ...tracker.flatMap(({ entity }) => (entity.event ? [entity.name] : [])),
  ...[recordedSessionResource, recordedUserResource].map(({ entity }) => entity.name),
];

/** Validation of webhook inputs. */
export const webhookInputSchemas = createWebhookInputSchemas(webhookTypes);

/** All resources, including computed and recorded resources. */
const resources: readonly Resource[] = [
  ...tracker,
  issueLeaseResource,
  concurrentChangeResource,
  issueHistoryResource,
  issueRelationHistoryResource,
  issueSessionResource,
  issueDeletedSessionResource,
  createWebhookResource(webhookInputSchemas),
  noticeRuleResource,
  changeResource,
  issueSearchResource,
  issueGroupsResource,
  issueGroupResource,
  inboxEntryResource,
  recordedSessionResource,
  recordedTotalsResource,
  recordedBriefResource,
  recordedOutlineResource,
  recordedSearchResource,
  recordedHitResource,
  recordedEventResource,
  recordedCheckpointResource,
  recordedFileResource,
  recordedFileChangeResource,
  recordedCommitResource,
  recordedUserResource,
  recordedServiceResource,
  recordedUserExportResource,
  ...analyticsResources,
];

/**
 * Returns the to-many links that an entity gets from other entities: if another entity's to-one link leads to this
 * entity and names an `inverse`, the inverse is such a to-many link.
 */
const inversesOf = (name: string): Record<string, ToMany> =>
  Object.fromEntries(
    resources.flatMap(({ entity: { name: entity, one = {} } }) =>
      Object.values(one).flatMap(({ by, entity: target, inverse }) =>
        by !== undefined && inverse !== undefined && target === name ? [[inverse, { entity, by }]] : [],
      ),
    ),
  );

/** All entities, by name. */
export const entityModel: EntityModel = new Map<string, Entity>(
  resources.map(({ entity }) => [entity.name, { ...entity, many: { ...entity.many, ...inversesOf(entity.name) } }]),
);

/** Returns true if a field of a type is declared as secret. */
export const isSecret = (type: string, field: string): boolean =>
  getOwnProperty(entityModel.get(type)?.computed, field)?.secret === true;

/**
 * Derived tables by name, with the SQL that fills them. A backup omits these tables, and a restore fills the tables
 * again.
 */
export const refillSqlByTable: ReadonlyMap<string, string> = new Map(
  resources.flatMap(({ entity: { tuning } }) =>
    (tuning?.derives ?? []).flatMap(({ table, refill }) => (refill === undefined ? [] : [[table, refill] as const])),
  ),
);

/** Root fields of Query that return a single row. */
export const rootToOneLinks: Readonly<Record<string, ToOne>> = Object.assign({}, ...resources.map(({ one }) => one));

/** Root fields of Query that are lists. */
export const rootToManyLinks: Readonly<Record<string, ToMany>> = Object.assign(
  {},
  ...resources.map(({ many }) => many),
);
/** Checks of the arguments of root fields. These checks need the database. */
export const rootArgumentChecks: Readonly<Record<string, NonNullable<Resource["admits"]>[string]>> = Object.assign(
  {},
  ...resources.map(({ admits }) => admits),
);

/** Root fields of Query that have their own SQL for the JSON of the value, such as `node` and `searchIssues`. */
export const rootValues: Readonly<Record<string, RootFieldValue>> = Object.assign(
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
export const QUERY_VALUE_RESOLVERS: Readonly<Record<string, QueryValueResolver>> = Object.assign(
  {},
  ...resources.map((each) => each.given),
);
