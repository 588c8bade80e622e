// Written by `npm run web:types` from web/documents/.
import { toGraphQLDocument } from "./document.ts";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Language of text, for searches. */
export type SearchLanguage =
  /** English. */
  | 'english'
  /** German. */
  | 'german'
  /** French. */
  | 'french'
  /** Spanish. */
  | 'spanish'
  /** Any other language. A search matches whole words and the beginnings of words. */
  | 'other';

/** Direction of a sort. */
export type PaginationSortOrder =
  /** Lowest value first. */
  | 'Ascending'
  /** Highest value first. */
  | 'Descending';

/** Position of entries without a value in a sorted list. */
export type PaginationNulls =
  /** Before all entries with a value. */
  | 'first'
  /** After all entries with a value. */
  | 'last';

/** Type of a project status. */
export type ProjectStatusType =
  /** Not planned yet. */
  | 'backlog'
  /** Planned. */
  | 'planned'
  /** In progress. */
  | 'started'
  /** On hold. */
  | 'paused'
  /** Completed. */
  | 'completed'
  /** Canceled. */
  | 'canceled';

/** Type of the relation from one issue to another. */
export type IssueRelationType =
  /** The issue blocks the related issue: the related issue is not ready while this issue is open. */
  | 'blocks'
  /** The issue duplicates the related issue and moves to the state Duplicate. */
  | 'duplicate'
  /** The issues are related. */
  | 'related'
  /** The issues are similar. */
  | 'similar'
  /** The issue was discovered while working on the related issue. */
  | 'discovered';

/** Failures about which to create an issue. */
export type IssueCreateFromFailureInput = {
  /** Id of a group of recorded failures. The issue describes the group's latest failure. */
  readonly failureGroupId?: string | number | null | undefined;
  /** Id of a recorded event that failed, instead of a group. */
  readonly eventId?: string | number | null | undefined;
  /** Id or key of the team for a new issue. */
  readonly teamId: string;
  /** Title of a new issue. Default: the tool's name and the message. */
  readonly title?: string | null | undefined;
  /**
   * Description of a new issue in Markdown. Default: the arguments and the result of the failure. The server adds a link
   * to the recording.
   */
  readonly description?: string | null | undefined;
  /** Priority of a new issue: 0 none, 1 urgent, 2 high, 3 medium, 4 low. */
  readonly priority?: number | null | undefined;
  /** Id of the assignee of a new issue. */
  readonly assigneeId?: string | null | undefined;
  /** Ids of the labels of a new issue. */
  readonly labelIds?: ReadonlyArray<string> | null | undefined;
};

/** Issue to claim, and limits of the claim. */
export type IssueClaimInput = {
  /**
   * Id or identifier of the issue. If the caller already holds the issue in the same session, the response contains the
   * same lease.
   */
  readonly id?: string | null | undefined;
  /**
   * Claims the best ready issue that matches the filter, instead of the issue with an id. NOT_FOUND if no issue
   * matches.
   */
  readonly filter?: IssueFilter | null | undefined;
  /** Seconds without activity after which the lease expires, 60 to 86400. Default: 1800. */
  readonly ttlSeconds?: number | null | undefined;
  /** Session that works on the issue: its id, or the id that the agent reported. Events of the session renew the lease. */
  readonly sessionId?: string | null | undefined;
  /** Takes the issue over from the holder with this fence. CONFLICT if the fence is no longer current. */
  readonly fence?: number | null | undefined;
  /** Cost limit of the session in US dollars. The claim stops at the limit. Default: the team's limit. */
  readonly costLimit?: number | null | undefined;
  /** Token limit of the session. Default: the team's limit. */
  readonly tokenLimit?: number | null | undefined;
  /** Time limit of the claim in minutes. Default: the team's limit. */
  readonly minuteLimit?: number | null | undefined;
  /** Limit on consecutive equal tool calls, 2 to 50. Default: the team's limit. */
  readonly equalCallLimit?: number | null | undefined;
};

/** A new relation between two issues. */
export type IssueRelationCreateInput = {
  /** Id of the new entity, a UUID. A repeated request with the same id and input returns the same entity. */
  readonly id?: string | null | undefined;
  /** Type of the relation from the issue to the related issue. */
  readonly type: IssueRelationType;
  /** Id or identifier of the issue. */
  readonly issueId: string;
  /** Id or identifier of the related issue. */
  readonly relatedIssueId: string;
};

/** Conditions on an issue relation. */
export type IssueRelationFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `type`. */
  readonly type?: StringComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `issue`. */
  readonly issue?: NullableIssueFilter | null | undefined;
  /** Condition on `relatedIssue`. */
  readonly relatedIssue?: NullableIssueFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<IssueRelationFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<IssueRelationFilter> | null | undefined;
};

/** Condition that a relation exists or does not exist. */
export type RelationExistsComparator = {
  /** Equal to. */
  readonly eq?: boolean | null | undefined;
  /** Not equal to. */
  readonly neq?: boolean | null | undefined;
};

/** Sort direction. */
export type ReadySort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** No effect: every issue has a position in this order. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Condition that a notice rule watches. */
export type NoticeCondition =
  /** A session enters one of `sessionStates`. */
  | 'sessionState'
  /** A failure group is new, or has returned after a week, depending on `failureKinds`. */
  | 'failureGroup'
  /**
   * At least `threshold` percent of a tool's calls failed in the current and the previous hour, with at least
   * `minimumCalls` calls.
   */
  | 'toolFailureRate'
  /** The cost of a session reaches `threshold` US dollars. Repeats at each doubling. */
  | 'sessionCost'
  /** The cost of all sessions of a day (UTC) reaches `threshold` US dollars. Repeats at each doubling. */
  | 'dayCost'
  /** An issue enters a state of one of `issueStateTypes`. */
  | 'issueState'
  /** The lease of an issue expired. */
  | 'leaseExpired';

/** Channel through which notices are sent. */
export type NoticeChannel =
  /** Email to `emails`, through the organization's mail server, or through the server's if the organization has none. */
  | 'email'
  /** Incoming webhook of Slack or of a service with the same format. */
  | 'slack'
  /** Topic of ntfy. */
  | 'ntfy'
  /** Your own webhook, signed with `secret`. */
  | 'webhook';

/** Reason for keeping a session. */
export type RecordedSessionHoldInput = {
  /** Reason, at most 512 characters. */
  readonly reason: string;
};

/** Field by which issues are grouped. */
export type IssueGroupBy =
  /** State. States with the same name form one group across teams. */
  | 'state'
  /** Assignee. */
  | 'assignee'
  /** Delegate. */
  | 'delegate'
  /** Holder. */
  | 'holder'
  /** Creator. */
  | 'creator'
  /** Label. Labels with the same name form one group. */
  | 'label'
  /** Project. */
  | 'project'
  /** Milestone. */
  | 'projectMilestone'
  /** Priority. */
  | 'priority'
  /** Team. */
  | 'team'
  /** Cycle. */
  | 'cycle';

/** Conditions on an id; all given conditions must be true. */
export type IdComparator = {
  /** Equal to. */
  readonly eq?: string | number | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<string | number> | null | undefined;
  /** Not equal to. */
  readonly neq?: string | number | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<string | number> | null | undefined;
};

/** Conditions on the id or identifier of an issue; all given conditions must be true. */
export type IssueIdComparator = {
  /** Equal to. */
  readonly eq?: string | number | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<string | number> | null | undefined;
  /** Not equal to. */
  readonly neq?: string | number | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<string | number> | null | undefined;
};

/** Conditions on an id; all given conditions must be true. */
export type EntityIdentifierIdComparator = {
  /** Equal to. */
  readonly eq?: string | number | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<string | number> | null | undefined;
  /** Not equal to. */
  readonly neq?: string | number | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<string | number> | null | undefined;
};

/** Conditions on a text; all given conditions must be true. */
export type StringComparator = {
  /** Contains, case-sensitive. */
  readonly contains?: string | null | undefined;
  /** Contains, ignoring case. */
  readonly containsIgnoreCase?: string | null | undefined;
  /** Ends with. */
  readonly endsWith?: string | null | undefined;
  /** Equal to. */
  readonly eq?: string | null | undefined;
  /** Equal to, ignoring case. */
  readonly eqIgnoreCase?: string | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Not equal to. */
  readonly neq?: string | null | undefined;
  /** Not equal to, ignoring case. */
  readonly neqIgnoreCase?: string | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<string> | null | undefined;
  /** Does not contain, case-sensitive. */
  readonly notContains?: string | null | undefined;
  /** Does not contain, ignoring case. */
  readonly notContainsIgnoreCase?: string | null | undefined;
  /** Does not end with. */
  readonly notEndsWith?: string | null | undefined;
  /** Does not start with. */
  readonly notStartsWith?: string | null | undefined;
  /** Starts with. */
  readonly startsWith?: string | null | undefined;
  /** Starts with, ignoring case. */
  readonly startsWithIgnoreCase?: string | null | undefined;
};

/** Conditions on a number; all given conditions must be true. */
export type NumberComparator = {
  /** Equal to. */
  readonly eq?: number | null | undefined;
  /** Greater than. */
  readonly gt?: number | null | undefined;
  /** Greater than or equal to. */
  readonly gte?: number | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<number> | null | undefined;
  /** Less than. */
  readonly lt?: number | null | undefined;
  /** Less than or equal to. */
  readonly lte?: number | null | undefined;
  /** Not equal to. */
  readonly neq?: number | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<number> | null | undefined;
};

/** Conditions on an estimate; all given conditions must be true. */
export type EstimateComparator = {
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<NullableNumberComparator> | null | undefined;
  /** Equal to. */
  readonly eq?: number | null | undefined;
  /** Greater than. */
  readonly gt?: number | null | undefined;
  /** Greater than or equal to. */
  readonly gte?: number | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<number> | null | undefined;
  /** Less than. */
  readonly lt?: number | null | undefined;
  /** Less than or equal to. */
  readonly lte?: number | null | undefined;
  /** Not equal to. */
  readonly neq?: number | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<number> | null | undefined;
  /** If true, the value must be null. If false, the value must not be null. */
  readonly null?: boolean | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<NullableNumberComparator> | null | undefined;
};

/** Conditions on a boolean; all given conditions must be true. */
export type BooleanComparator = {
  /** Equal to. */
  readonly eq?: boolean | null | undefined;
  /** Not equal to. */
  readonly neq?: boolean | null | undefined;
};

/** Conditions on a point in time; all given conditions must be true. */
export type DateComparator = {
  /** Equal to. */
  readonly eq?: string | null | undefined;
  /** Greater than. */
  readonly gt?: string | null | undefined;
  /** Greater than or equal to. */
  readonly gte?: string | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Less than. */
  readonly lt?: string | null | undefined;
  /** Less than or equal to. */
  readonly lte?: string | null | undefined;
  /** Not equal to. */
  readonly neq?: string | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<string> | null | undefined;
};

/** Conditions on a day that may be absent; all given conditions must be true. */
export type NullableTimelessDateComparator = {
  /** Equal to. */
  readonly eq?: string | null | undefined;
  /** Greater than. */
  readonly gt?: string | null | undefined;
  /** Greater than or equal to. */
  readonly gte?: string | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Less than. */
  readonly lt?: string | null | undefined;
  /** Less than or equal to. */
  readonly lte?: string | null | undefined;
  /** Not equal to. */
  readonly neq?: string | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<string> | null | undefined;
  /** If true, the value must be null. If false, the value must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on all text of an entity; all given conditions must be true. */
export type ContentComparator = {
  /** Contains, case-sensitive. */
  readonly contains?: string | null | undefined;
  /** Does not contain, case-sensitive. */
  readonly notContains?: string | null | undefined;
};

/** Conditions on an issue; all given conditions must be true. */
export type IssueFilter = {
  /** Condition on `id`. */
  readonly id?: IssueIdComparator | null | undefined;
  /** Condition on `number`. */
  readonly number?: NumberComparator | null | undefined;
  /** Condition on `title`. */
  readonly title?: StringComparator | null | undefined;
  /** Condition on `description`. */
  readonly description?: NullableStringComparator | null | undefined;
  /** Condition on `priority`. */
  readonly priority?: NullableNumberComparator | null | undefined;
  /** Condition on `estimate`. */
  readonly estimate?: EstimateComparator | null | undefined;
  /** Condition on `dueDate`. */
  readonly dueDate?: NullableTimelessDateComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `archivedAt`. */
  readonly archivedAt?: NullableDateComparator | null | undefined;
  /** Condition on `startedAt`. */
  readonly startedAt?: NullableDateComparator | null | undefined;
  /** Condition on `completedAt`. */
  readonly completedAt?: NullableDateComparator | null | undefined;
  /** Condition on `canceledAt`. */
  readonly canceledAt?: NullableDateComparator | null | undefined;
  /** Condition on `state`. */
  readonly state?: WorkflowStateFilter | null | undefined;
  /** Condition on `team`. */
  readonly team?: TeamFilter | null | undefined;
  /** Condition on `assignee`. */
  readonly assignee?: NullableUserFilter | null | undefined;
  /** Condition on `delegate`. */
  readonly delegate?: NullableUserFilter | null | undefined;
  /** Condition on the holder and the lease. */
  readonly lease?: NullableIssueLeaseFilter | null | undefined;
  /** Condition on the verdict of the recorded sessions. */
  readonly proof?: NullableIssueProofFilter | null | undefined;
  /** Condition on whether work on the issue can start. */
  readonly ready?: BooleanComparator | null | undefined;
  /** Condition on whether an open issue blocks the issue. */
  readonly blocked?: BooleanComparator | null | undefined;
  /** Condition on whether a recorded session is linked to the issue. */
  readonly hasSessions?: RelationExistsComparator | null | undefined;
  /** Condition on whether any issue, open or closed, blocks the issue. */
  readonly hasBlockedByRelations?: RelationExistsComparator | null | undefined;
  /** Condition on whether the issue blocks any issue, open or closed. */
  readonly hasBlockingRelations?: RelationExistsComparator | null | undefined;
  /** Condition on whether the issue is a duplicate or has a duplicate. */
  readonly hasDuplicateRelations?: RelationExistsComparator | null | undefined;
  /** Condition on whether the issue has a relation of type `related`. */
  readonly hasRelatedRelations?: RelationExistsComparator | null | undefined;
  /** Conditions on relations from the issue. */
  readonly relations?: IssueRelationCollectionFilter | null | undefined;
  /** Conditions on relations to the issue. */
  readonly inverseRelations?: IssueRelationCollectionFilter | null | undefined;
  /** Condition on `creator`. */
  readonly creator?: NullableUserFilter | null | undefined;
  /** Condition on `parent`. */
  readonly parent?: NullableIssueFilter | null | undefined;
  /** Condition on `project`. */
  readonly project?: NullableProjectFilter | null | undefined;
  /** Conditions on the milestone. */
  readonly projectMilestone?: NullableProjectMilestoneFilter | null | undefined;
  /** Condition on `cycle`. */
  readonly cycle?: NullableCycleFilter | null | undefined;
  /** Condition on `labels`. */
  readonly labels?: IssueLabelCollectionFilter | null | undefined;
  /** Condition on `children`. */
  readonly children?: IssueCollectionFilter | null | undefined;
  /** Condition on `comments`. */
  readonly comments?: CommentCollectionFilter | null | undefined;
  /** Condition on `searchableContent`. */
  readonly searchableContent?: ContentComparator | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<IssueFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<IssueFilter> | null | undefined;
};

/** Conditions on a comment; all given conditions must be true. */
export type CommentFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `body`. */
  readonly body?: StringComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `user`. */
  readonly user?: UserFilter | null | undefined;
  /** Condition on `issue`. */
  readonly issue?: NullableIssueFilter | null | undefined;
  /** Condition on `project`. */
  readonly project?: NullableProjectFilter | null | undefined;
  /** Condition on `parent`. */
  readonly parent?: NullableCommentFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<CommentFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<CommentFilter> | null | undefined;
};

/** Conditions on a team; all given conditions must be true. */
export type TeamFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `key`. */
  readonly key?: StringComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `description`. */
  readonly description?: NullableStringComparator | null | undefined;
  /** Condition on `private`. */
  readonly private?: BooleanComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `issues`. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<TeamFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<TeamFilter> | null | undefined;
};

/** Conditions on a project; all given conditions must be true. */
export type ProjectFilter = {
  /** Condition on `id`. */
  readonly id?: EntityIdentifierIdComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `priority`. */
  readonly priority?: NullableNumberComparator | null | undefined;
  /** Condition on `slugId`. */
  readonly slugId?: StringComparator | null | undefined;
  /** Condition on `state`. */
  readonly state?: StringComparator | null | undefined;
  /** Condition on `startDate`. */
  readonly startDate?: NullableDateComparator | null | undefined;
  /** Condition on `targetDate`. */
  readonly targetDate?: NullableDateComparator | null | undefined;
  /** Condition on `startedAt`. */
  readonly startedAt?: NullableDateComparator | null | undefined;
  /** Condition on `completedAt`. */
  readonly completedAt?: NullableDateComparator | null | undefined;
  /** Condition on `canceledAt`. */
  readonly canceledAt?: NullableDateComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `status`. */
  readonly status?: ProjectStatusFilter | null | undefined;
  /** Condition on `lead`. */
  readonly lead?: NullableUserFilter | null | undefined;
  /** Condition on `creator`. */
  readonly creator?: UserFilter | null | undefined;
  /** Condition on `issues`. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** Condition on `members`. */
  readonly members?: UserCollectionFilter | null | undefined;
  /** Condition on `accessibleTeams`. */
  readonly accessibleTeams?: TeamCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<ProjectFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<ProjectFilter> | null | undefined;
};

/** Conditions on a project status; all given conditions must be true. */
export type ProjectStatusFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `type`. */
  readonly type?: StringComparator | null | undefined;
  /** Condition on `description`. */
  readonly description?: StringComparator | null | undefined;
  /** Condition on `position`. */
  readonly position?: NumberComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `projects`. */
  readonly projects?: ProjectCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<ProjectStatusFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<ProjectStatusFilter> | null | undefined;
};

/** Conditions on a workflow state; all given conditions must be true. */
export type WorkflowStateFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `type`. */
  readonly type?: StringComparator | null | undefined;
  /** Condition on `description`. */
  readonly description?: StringComparator | null | undefined;
  /** Condition on `position`. */
  readonly position?: NumberComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `team`. */
  readonly team?: TeamFilter | null | undefined;
  /** Condition on `issues`. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<WorkflowStateFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<WorkflowStateFilter> | null | undefined;
};

/** Conditions on a label; all given conditions must be true. */
export type IssueLabelFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `isGroup`. */
  readonly isGroup?: BooleanComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `team`. */
  readonly team?: NullableTeamFilter | null | undefined;
  /** Condition on `creator`. */
  readonly creator?: NullableUserFilter | null | undefined;
  /** Condition on `parent`. */
  readonly parent?: IssueLabelFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<IssueLabelFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<IssueLabelFilter> | null | undefined;
};

/** Conditions on a user; all given conditions must be true. */
export type UserFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `displayName`. */
  readonly displayName?: StringComparator | null | undefined;
  /** Condition on `email`. */
  readonly email?: StringComparator | null | undefined;
  /** Condition on `active`. */
  readonly active?: BooleanComparator | null | undefined;
  /** Condition on `admin`. */
  readonly admin?: BooleanComparator | null | undefined;
  /** Condition on `owner`. */
  readonly owner?: BooleanComparator | null | undefined;
  /** Condition on whether the user is an agent. */
  readonly app?: BooleanComparator | null | undefined;
  /** Condition on `isMe`. */
  readonly isMe?: BooleanComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `assignedIssues`. */
  readonly assignedIssues?: IssueCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<UserFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<UserFilter> | null | undefined;
};

/** One step of a sort order of issues. Name exactly one field per step. */
export type IssueSortInput = {
  /** By created at. */
  readonly createdAt?: CreatedAtSort | null | undefined;
  /** By updated at. */
  readonly updatedAt?: UpdatedAtSort | null | undefined;
  /** By completed at. */
  readonly completedAt?: CompletedAtSort | null | undefined;
  /** By due date. */
  readonly dueDate?: DueDateSort | null | undefined;
  /** By estimate. */
  readonly estimate?: EstimateSort | null | undefined;
  /** By priority. */
  readonly priority?: PrioritySort | null | undefined;
  /** By title. */
  readonly title?: TitleSort | null | undefined;
  /** By manual. */
  readonly manual?: ManualSort | null | undefined;
  /** By workflow state. */
  readonly workflowState?: WorkflowStateSort | null | undefined;
  /** By assignee. */
  readonly assignee?: AssigneeSort | null | undefined;
  /** By delegate. */
  readonly delegate?: DelegateSort | null | undefined;
  /** Order in which to work on issues: by priority, then by the number of issues that an issue blocks, then oldest first. */
  readonly ready?: ReadySort | null | undefined;
  /** By project. */
  readonly project?: ProjectSort | null | undefined;
  /** By cycle. */
  readonly cycle?: CycleSort | null | undefined;
  /** By team. */
  readonly team?: TeamSort | null | undefined;
};

/** A new issue. */
export type IssueCreateInput = {
  /** Id of the new entity, a UUID. A repeated request with the same id and input returns the same entity. */
  readonly id?: string | null | undefined;
  /** Id of the team. */
  readonly teamId: string;
  /** Id of a template that provides the fields absent from this input. */
  readonly templateId?: string | null | undefined;
  /** Title in one line, at most 512 characters. Required unless the template has a title. */
  readonly title?: string | null | undefined;
  /** Description in Markdown. */
  readonly description?: string | null | undefined;
  /** 0 none, 1 urgent, 2 high, 3 medium, 4 low. */
  readonly priority?: number | null | undefined;
  /** Size in points. */
  readonly estimate?: number | null | undefined;
  /** Id of the workflow state. Default: the team's default state. */
  readonly stateId?: string | null | undefined;
  /** Id of the assignee; null for none. */
  readonly assigneeId?: string | null | undefined;
  /** Id of the delegated agent; null for none. */
  readonly delegateId?: string | null | undefined;
  /** Id of the parent entity; null for none. */
  readonly parentId?: string | null | undefined;
  /** Id of the project; null for none. */
  readonly projectId?: string | null | undefined;
  /** Id of a milestone of the project; null for none. */
  readonly projectMilestoneId?: string | null | undefined;
  /** Id of the cycle; null for none. */
  readonly cycleId?: string | null | undefined;
  /** Ids of the labels. Replaces the current labels. */
  readonly labelIds?: ReadonlyArray<string> | null | undefined;
  /** Day by which the issue should be completed; null for none. */
  readonly dueDate?: string | null | undefined;
  /** Position in a manually sorted list. */
  readonly sortOrder?: number | null | undefined;
  /** Time of creation, for imports. Default: now. */
  readonly createdAt?: string | null | undefined;
  /** Time of completion, for imports. */
  readonly completedAt?: string | null | undefined;
  /** Recorded session that the issue is created from: its id, or the id that the agent reported. */
  readonly sessionId?: string | null | undefined;
};

/** A new comment. */
export type CommentCreateInput = {
  /** Id of the new entity, a UUID. A repeated request with the same id and input returns the same entity. */
  readonly id?: string | null | undefined;
  /** Text in Markdown, at most 256 KiB. */
  readonly body?: string | null | undefined;
  /** Id or identifier of the issue. */
  readonly issueId?: string | null | undefined;
  /** Id of the project; null for none. */
  readonly projectId?: string | null | undefined;
  /** Id of the parent entity; null for none. */
  readonly parentId?: string | null | undefined;
  /** Time of creation, for imports. Default: now. */
  readonly createdAt?: string | null | undefined;
  /** Fence: the number of the caller's claim. An outdated number fails with CONFLICT. */
  readonly fence?: number | null | undefined;
};

/** A new team. */
export type TeamCreateInput = {
  /** Id of the new entity, a UUID. A repeated request with the same id and input returns the same entity. */
  readonly id?: string | null | undefined;
  /** Display name, at most 256 characters. */
  readonly name: string;
  /** Prefix of identifiers: a capital letter and up to six capital letters or digits. Default: derived from the name. */
  readonly key?: string | null | undefined;
  /** Description in Markdown. */
  readonly description?: string | null | undefined;
  /** Color in the form #rrggbb. */
  readonly color?: string | null | undefined;
  /** Name of an icon. */
  readonly icon?: string | null | undefined;
  /** Must not be true: every member sees every team. */
  readonly private?: boolean | null | undefined;
};

/** Proof that a team requires from the recorded sessions of an issue. */
export type TeamProofInput = {
  /**
   * Commands that must end with exit code 0 after the last change of a file. At most 10, each a single plain command
   * such as npm test.
   */
  readonly commands?: ReadonlyArray<string> | null | undefined;
  /** True if a commit must be created after the last change. */
  readonly commit?: boolean | null | undefined;
  /** True if a branch must be pushed after the last commit. */
  readonly push?: boolean | null | undefined;
  /** True if an issue without proof cannot be completed. CONFLICT then names what is missing. */
  readonly required?: boolean | null | undefined;
};

/** A new project. */
export type ProjectCreateInput = {
  /** Id of the new entity, a UUID. A repeated request with the same id and input returns the same entity. */
  readonly id?: string | null | undefined;
  /** Display name, at most 256 characters. */
  readonly name: string;
  /** Ids of the participating teams. */
  readonly teamIds: ReadonlyArray<string>;
  /** Description in Markdown. */
  readonly description?: string | null | undefined;
  /** Long description in Markdown. */
  readonly content?: string | null | undefined;
  /** Name of an icon. */
  readonly icon?: string | null | undefined;
  /** Color in the form #rrggbb. */
  readonly color?: string | null | undefined;
  /** Id of the project status. */
  readonly statusId?: string | null | undefined;
  /** Id of the lead; null for none. */
  readonly leadId?: string | null | undefined;
  /** Ids of the participating users. */
  readonly memberIds?: ReadonlyArray<string> | null | undefined;
  /** 0 none, 1 urgent, 2 high, 3 medium, 4 low. */
  readonly priority?: number | null | undefined;
  /** Planned first day. */
  readonly startDate?: string | null | undefined;
  /** Planned last day. */
  readonly targetDate?: string | null | undefined;
  /** Position in a manually sorted list. */
  readonly sortOrder?: number | null | undefined;
};

/** A new project milestone. */
export type ProjectMilestoneCreateInput = {
  /** Id of the new entity, a UUID. A repeated request with the same id and input returns the same entity. */
  readonly id?: string | null | undefined;
  /** Display name, at most 256 characters. */
  readonly name: string;
  /** Day by which the milestone should be reached. */
  readonly targetDate?: string | null | undefined;
  /** Id of the project. */
  readonly projectId: string;
};

/** A new view. The caller becomes the owner. */
export type CustomViewCreateInput = {
  /** Id of the new entity, a UUID. A repeated request with the same id and input returns the same entity. */
  readonly id?: string | null | undefined;
  /** Display name, at most 256 characters. */
  readonly name: string;
  /** Description in Markdown. */
  readonly description?: string | null | undefined;
  /** Name of an icon. */
  readonly icon?: string | null | undefined;
  /** Color in the form #rrggbb. */
  readonly color?: string | null | undefined;
  /** True if every member can see the view. Default: false. Only the owner can make a shared view private. */
  readonly shared?: boolean | null | undefined;
  /** Conditions of the view, at most 16 KiB. A new view without conditions shows every issue. */
  readonly filterData?: IssueFilter | null | undefined;
  /** Id of the team whose page shows the view; null for none. */
  readonly teamId?: string | null | undefined;
  /** Id of the project whose page shows the view; null for none. */
  readonly projectId?: string | null | undefined;
};

/** A new cycle. */
export type CycleCreateInput = {
  /** Id of the new entity, a UUID. A repeated request with the same id and input returns the same entity. */
  readonly id?: string | null | undefined;
  /** Id of the team. */
  readonly teamId: string;
  /** Display name, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Description in Markdown. */
  readonly description?: string | null | undefined;
  /** Start of the cycle. */
  readonly startsAt: string;
  /** End of the cycle. */
  readonly endsAt: string;
  /** Time of completion, for imports. */
  readonly completedAt?: string | null | undefined;
};

/** A new label. */
export type IssueLabelCreateInput = {
  /** Id of the new entity, a UUID. A repeated request with the same id and input returns the same entity. */
  readonly id?: string | null | undefined;
  /** Display name, at most 256 characters. */
  readonly name: string;
  /** Description in Markdown. */
  readonly description?: string | null | undefined;
  /** Color in the form #rrggbb. */
  readonly color?: string | null | undefined;
  /** Id of the team. */
  readonly teamId?: string | null | undefined;
  /** Id of the parent entity; null for none. */
  readonly parentId?: string | null | undefined;
  /** True for a label group. A group contains labels and cannot be set on an issue. */
  readonly isGroup?: boolean | null | undefined;
};

/** A new notice rule. */
export type NoticeRuleCreateInput = {
  /** Id of the new entity, a UUID. A repeated request with the same id and input returns the same entity. */
  readonly id?: string | null | undefined;
  /** Display name. */
  readonly name: string;
  /** Condition to watch. Cannot be changed later. */
  readonly condition: NoticeCondition;
  /** Channel through which to send notices. Cannot be changed later. */
  readonly channel: NoticeChannel;
  /** True if the server checks the condition. Default: true. */
  readonly enabled?: boolean | null | undefined;
  /**
   * Session states that cause a notice: waitingForPermission, waitingForAnswer, stuck, looping, failed or ended.
   * Default: the first four.
   */
  readonly sessionStates?: ReadonlyArray<string> | null | undefined;
  /** Kinds of failure groups that cause a notice: new or back. Default: both. */
  readonly failureKinds?: ReadonlyArray<string> | null | undefined;
  /** Types of issue states that cause a notice, such as completed. */
  readonly issueStateTypes?: ReadonlyArray<string> | null | undefined;
  /** Only tool whose failures count. */
  readonly tool?: string | null | undefined;
  /** Threshold for a notice: percent of failed calls, or US dollars. */
  readonly threshold?: number | null | undefined;
  /** Minimum number of calls for a failure rate. Default: 20. */
  readonly minimumCalls?: number | null | undefined;
  /** Id of the only team whose issues cause a notice. */
  readonly teamId?: string | null | undefined;
  /** Email addresses, at most 20. Default: your own address. */
  readonly emails?: ReadonlyArray<string> | null | undefined;
  /** URL to send to: Slack's incoming webhook, ntfy's topic, or your own webhook. Stored encrypted and never shown. */
  readonly url?: string | null | undefined;
  /** Signing secret in the form of Standard Webhooks, or ntfy's access token. Stored encrypted and never shown. */
  readonly secret?: string | null | undefined;
  /** True if notices may contain recorded text. Default: false. */
  readonly includeText?: boolean | null | undefined;
  /** Start of the quiet hours, such as 22:00. Nothing is sent during quiet hours. */
  readonly quietFrom?: string | null | undefined;
  /** End of the quiet hours, such as 07:00. */
  readonly quietTo?: string | null | undefined;
  /** Time zone of the quiet hours, such as Europe/Berlin. Default: UTC. */
  readonly timeZone?: string | null | undefined;
};

/** Up to 50 new issues and their relations. Either all are created or none. */
export type IssueBatchCreateInput = {
  /** New issues. The parent of an issue may be an earlier issue of the list, referenced by the id in the input. */
  readonly issues: ReadonlyArray<IssueCreateInput>;
  /** Relations of the new issues, at most 100, referenced by the ids in the input. */
  readonly relations?: ReadonlyArray<IssueRelationCreateInput> | null | undefined;
};

/** Changes to the organization. Absent fields stay unchanged. */
export type OrganizationUpdateInput = {
  /** Display name. */
  readonly name?: string | null | undefined;
  /** Short name in URLs, unique on this server. */
  readonly urlKey?: string | null | undefined;
  /** True if the server redacts secrets in recordings and in text that apps and agents write. */
  readonly redactionEnabled?: boolean | null | undefined;
  /** True if the server also redacts values that look random when the name next to the value indicates a secret. */
  readonly redactionEntropy?: boolean | null | undefined;
  /** True if the server also redacts email addresses, telephone numbers, IBANs and card numbers. */
  readonly redactionPersonalData?: boolean | null | undefined;
  /** All redaction patterns of the organization, at most 20. Replaces the current patterns. */
  readonly redactionPatterns?: ReadonlyArray<RedactionPatternInput> | null | undefined;
  /** Days without new data after which recorded sessions are deleted. Null means never, unless the server has a limit. */
  readonly retentionSessionDays?: number | null | undefined;
  /**
   * Days without new data after which the content of recorded sessions is deleted. The outline of the session stays.
   * Null means never.
   */
  readonly retentionTextDays?: number | null | undefined;
  /** All agents with different retention, at most 50. Replaces the current list. */
  readonly retentionAgents?: ReadonlyArray<RetentionAgentInput> | null | undefined;
  /**
   * Language that searches use to find other forms of a word. The newest text changes immediately, other text within an
   * hour.
   */
  readonly searchLanguage?: SearchLanguage | null | undefined;
  /** True if the server computes the cost of an event from its tokens when the agent reports no cost. */
  readonly pricesEnabled?: boolean | null | undefined;
  /**
   * All prices of the organization, at most 100. Replaces the current prices. The server computes the cost of the last
   * 90 days again.
   */
  readonly ownPrices?: ReadonlyArray<PriceInput> | null | undefined;
};

/** Price of a model from a given day, in US dollars per million tokens. */
export type PriceInput = {
  /**
   * Name of the model; * matches any characters. If several prices match, the most specific name applies, then the
   * latest day.
   */
  readonly model: string;
  /** Price of input tokens. */
  readonly input: number;
  /** Price of output tokens. */
  readonly output: number;
  /** Price of tokens read from a cache. Default: price of input tokens. */
  readonly cacheRead?: number | null | undefined;
  /** Price of tokens written to a cache. Default: price of input tokens. */
  readonly cacheWrite?: number | null | undefined;
  /** First day of the price, in UTC. */
  readonly from: string;
};

/** Retention of the sessions of an agent. */
export type RetentionAgentInput = {
  /** Name of the agent: the name of its turns, or the source of its sessions. */
  readonly agent: string;
  /** Days without new data after which sessions are deleted. Default: the organization's setting. */
  readonly sessionDays?: number | null | undefined;
  /** Days without new data after which content is deleted. Default: the organization's setting. */
  readonly textDays?: number | null | undefined;
};

/** A redaction pattern of the organization. The server redacts the matches. */
export type RedactionPatternInput = {
  /** Kind that marks of redacted secrets contain: lower-case words joined by hyphens, different from the built-in kinds. */
  readonly name: string;
  /** Regular expression, at most 200 characters, in the subset that docs/privacy.md describes. */
  readonly pattern: string;
};

/** State of a recorded session. */
export type RecordedSessionState =
  /** A turn is in progress. */
  | 'working'
  /** The agent waits for a user's permission. */
  | 'waitingForPermission'
  /** The agent waits for an answer or for the next prompt. */
  | 'waitingForAnswer'
  /** No data has arrived for 10 minutes during a turn. */
  | 'stuck'
  /** The last tool calls repeat with the same input and the same result: one call, or a cycle of two or three calls. */
  | 'looping'
  /** The last turn has ended, and the agent waits for nothing. */
  | 'idle'
  /** The last turn failed. */
  | 'failed'
  /** The agent reported the end of the session. */
  | 'ended';

/** Value by which usage is grouped. */
export type RecordedUsageGroupBy =
  /** Model of the event. */
  | 'model'
  /** Source of the session, such as claude-code; for the capture endpoints, the name of a turn. */
  | 'agent'
  /** User of the session. */
  | 'user'
  /** Tool of the call. */
  | 'tool'
  /** Repository in the session's metadata, or the working directory. */
  | 'repository'
  /** Label of an issue linked to the session. The whole session counts on the day on which it began. */
  | 'label'
  /** Issue linked to the session. The whole session counts on the day on which it began. */
  | 'issue'
  /** No grouping: all events form one group with the name `all`. */
  | 'all';

/** State of a group of recorded failures. */
export type RecordedFailureState =
  /** A member ignores the group: until a time, until a number of failures, or permanently. */
  | 'ignored'
  /** The failure occurred again, after its issue was completed or after 7 days without a failure. */
  | 'back'
  /** An issue about the failures exists. */
  | 'filed'
  /** The first failure occurred in the last 7 days. */
  | 'new'
  /** None of the other states. */
  | 'ongoing';

/**
 * Duration for which a failure group is ignored. Permanent if neither field is given; otherwise until the first of the
 * two.
 */
export type RecordedFailureGroupIgnoreInput = {
  /** Ignore until this time. */
  readonly until?: string | null | undefined;
  /** Ignore until the group has this number of stored failures. */
  readonly untilCount?: number | null | undefined;
};

/** Conditions on the value of one top-level key; all given conditions must be true. */
export type RecordedKeyFilter = {
  /** Name of the key. */
  readonly key: string;
  /** The value equals the given value. Types count: 5 does not equal "5". */
  readonly eq?: unknown;
  /** The value is different, or the key is absent. */
  readonly neq?: unknown;
  /** The given list contains the value. */
  readonly in?: ReadonlyArray<unknown> | null | undefined;
  /** True: the key is present, with any value. False: the key is absent. */
  readonly exists?: boolean | null | undefined;
};

/** Conditions on a recorded session; all given conditions must be true. */
export type RecordedSessionFilter = {
  /** Condition on the `session_id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `user`. */
  readonly user?: RecordedUserFilter | null | undefined;
  /** Condition on a key of the metadata. */
  readonly metadata?: RecordedKeyFilter | null | undefined;
  /** Condition on the label of the client. */
  readonly clientConfig?: NullableStringComparator | null | undefined;
  /** Condition on the start. */
  readonly startedAt?: DateComparator | null | undefined;
  /** Condition on whether the session itself was sent, not only its events. */
  readonly registered?: BooleanComparator | null | undefined;
  /** Condition on the id that the agent sent, if that id is not a UUID. */
  readonly externalId?: NullableStringComparator | null | undefined;
  /** Condition on the agent or service that sent the session through a connector. */
  readonly source?: NullableStringComparator | null | undefined;
  /** Condition on the agents of the session: the `primitive_name` of a turn. */
  readonly agent?: StringComparator | null | undefined;
  /** Condition on whether the session has a failed event. */
  readonly hasFailures?: BooleanComparator | null | undefined;
  /** Condition on the tools of the session: the `primitive_name` of a tool call. */
  readonly tool?: StringComparator | null | undefined;
  /** Condition on `state`. */
  readonly state?: RecordedSessionStateComparator | null | undefined;
  /**
   * Condition on whether the session is active: an event has begun and not ended, or an event ended within the last
   * minute.
   */
  readonly active?: BooleanComparator | null | undefined;
  /**
   * The args or the result of an event contains this text, in any case. The newest sessions are read first, with up to
   * ten statements that compare 5 MiB each. `searchedSince` shows whether sessions remained unread.
   */
  readonly text?: string | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<RecordedSessionFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<RecordedSessionFilter> | null | undefined;
};

/** Reason for an inbox entry. */
export type InboxEntryType =
  /** The agent of a session waits for a user's permission. */
  | 'waitingForPermission'
  /** The agent of a session waits for an answer or for the next prompt. */
  | 'waitingForAnswer'
  /** No data of a session has arrived for 10 minutes during a turn. */
  | 'stuck'
  /** The last tool calls of a session repeat. */
  | 'looping'
  /** A failure group began in the last seven days, and no member filed or ignored it. */
  | 'failureNew'
  /** A failure returned after seven days without a failure, or after its issue was completed. */
  | 'failureBack'
  /** A lease expired, and nobody has claimed the issue since. */
  | 'leaseExpired'
  /** A claim reached a limit. A user must release the issue or take it over. */
  | 'limitReached'
  /** Another user assigned or delegated an issue to the caller. */
  | 'issueAssigned'
  /** An issue or a comment mentions the caller: @ and the display name or email address. */
  | 'issueMentioned';

/** Marks for inbox entries. Absent fields stay unchanged. */
export type InboxEntryUpdateInput = {
  /** True marks the entries as read; false as unread. */
  readonly read?: boolean | null | undefined;
  /** True marks the entries as done; false removes the mark. Done entries leave the inbox until they return. */
  readonly done?: boolean | null | undefined;
  /** Time until which the entries leave the inbox; null ends the snooze. */
  readonly snoozedUntilAt?: string | null | undefined;
};

/** Conditions on a group of recorded failures; all given conditions must be true. */
export type RecordedFailureGroupFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on the name of the tool, agent or model that failed. */
  readonly tool?: StringComparator | null | undefined;
  /** Condition on the message. */
  readonly message?: StringComparator | null | undefined;
  /** Condition on the number of failures. */
  readonly count?: NumberComparator | null | undefined;
  /** Condition on the time of the first failure. */
  readonly firstAt?: DateComparator | null | undefined;
  /** Condition on the time of the last failure. */
  readonly lastAt?: DateComparator | null | undefined;
  /** Condition on the issue about the failures. */
  readonly issue?: NullableIssueFilter | null | undefined;
  /** Condition on the state. */
  readonly state?: RecordedFailureStateComparator | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<RecordedFailureGroupFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<RecordedFailureGroupFilter> | null | undefined;
};

/**
 * Sort order of recorded sessions; name exactly one field. Duration, cost and failures do not include data of about the
 * last minute. If a filter has conditions besides the time, at most 20,000 sessions may lie within that time; otherwise
 * the sort is rejected.
 */
export type RecordedSessionSortInput = {
  /** By start. */
  readonly startedAt?: RecordedSort | null | undefined;
  /** By the time from the start to the end of the last event. */
  readonly duration?: RecordedSort | null | undefined;
  /** By cost. */
  readonly cost?: RecordedSort | null | undefined;
  /** By number of failed events. */
  readonly failures?: RecordedSort | null | undefined;
};

/** Sort order by a value that every recorded session has. */
export type RecordedSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
};

/** Conditions on a recorded user; all given conditions must be true. */
export type RecordedUserFilter = {
  /** Condition on the `user_id`. */
  readonly id?: StringComparator | null | undefined;
  /** Condition on a property of the user. */
  readonly traits?: RecordedKeyFilter | null | undefined;
  /** Condition on the time at which the user was first reported. */
  readonly firstSeenAt?: DateComparator | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<RecordedUserFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<RecordedUserFilter> | null | undefined;
};

/** Conditions on an issue; all given conditions must be true. */
export type NullableIssueFilter = {
  /** Condition on `id`. */
  readonly id?: IssueIdComparator | null | undefined;
  /** Condition on `number`. */
  readonly number?: NumberComparator | null | undefined;
  /** Condition on `title`. */
  readonly title?: StringComparator | null | undefined;
  /** Condition on `description`. */
  readonly description?: NullableStringComparator | null | undefined;
  /** Condition on `priority`. */
  readonly priority?: NullableNumberComparator | null | undefined;
  /** Condition on `estimate`. */
  readonly estimate?: EstimateComparator | null | undefined;
  /** Condition on `dueDate`. */
  readonly dueDate?: NullableTimelessDateComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `archivedAt`. */
  readonly archivedAt?: NullableDateComparator | null | undefined;
  /** Condition on `startedAt`. */
  readonly startedAt?: NullableDateComparator | null | undefined;
  /** Condition on `completedAt`. */
  readonly completedAt?: NullableDateComparator | null | undefined;
  /** Condition on `canceledAt`. */
  readonly canceledAt?: NullableDateComparator | null | undefined;
  /** Condition on `state`. */
  readonly state?: WorkflowStateFilter | null | undefined;
  /** Condition on `team`. */
  readonly team?: TeamFilter | null | undefined;
  /** Condition on `assignee`. */
  readonly assignee?: NullableUserFilter | null | undefined;
  /** Condition on `delegate`. */
  readonly delegate?: NullableUserFilter | null | undefined;
  /** Condition on the holder and the lease. */
  readonly lease?: NullableIssueLeaseFilter | null | undefined;
  /** Condition on the verdict of the recorded sessions. */
  readonly proof?: NullableIssueProofFilter | null | undefined;
  /** Condition on whether work on the issue can start. */
  readonly ready?: BooleanComparator | null | undefined;
  /** Condition on whether an open issue blocks the issue. */
  readonly blocked?: BooleanComparator | null | undefined;
  /** Condition on whether a recorded session is linked to the issue. */
  readonly hasSessions?: RelationExistsComparator | null | undefined;
  /** Condition on whether any issue, open or closed, blocks the issue. */
  readonly hasBlockedByRelations?: RelationExistsComparator | null | undefined;
  /** Condition on whether the issue blocks any issue, open or closed. */
  readonly hasBlockingRelations?: RelationExistsComparator | null | undefined;
  /** Condition on whether the issue is a duplicate or has a duplicate. */
  readonly hasDuplicateRelations?: RelationExistsComparator | null | undefined;
  /** Condition on whether the issue has a relation of type `related`. */
  readonly hasRelatedRelations?: RelationExistsComparator | null | undefined;
  /** Conditions on relations from the issue. */
  readonly relations?: IssueRelationCollectionFilter | null | undefined;
  /** Conditions on relations to the issue. */
  readonly inverseRelations?: IssueRelationCollectionFilter | null | undefined;
  /** Condition on `creator`. */
  readonly creator?: NullableUserFilter | null | undefined;
  /** Condition on `parent`. */
  readonly parent?: NullableIssueFilter | null | undefined;
  /** Condition on `project`. */
  readonly project?: NullableProjectFilter | null | undefined;
  /** Conditions on the milestone. */
  readonly projectMilestone?: NullableProjectMilestoneFilter | null | undefined;
  /** Condition on `cycle`. */
  readonly cycle?: NullableCycleFilter | null | undefined;
  /** Condition on `labels`. */
  readonly labels?: IssueLabelCollectionFilter | null | undefined;
  /** Condition on `children`. */
  readonly children?: IssueCollectionFilter | null | undefined;
  /** Condition on `comments`. */
  readonly comments?: CommentCollectionFilter | null | undefined;
  /** Condition on `searchableContent`. */
  readonly searchableContent?: ContentComparator | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<NullableIssueFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<NullableIssueFilter> | null | undefined;
  /** If true, the link must be null. If false, the link must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on a number that may be absent; all given conditions must be true. */
export type NullableNumberComparator = {
  /** Equal to. */
  readonly eq?: number | null | undefined;
  /** Greater than. */
  readonly gt?: number | null | undefined;
  /** Greater than or equal to. */
  readonly gte?: number | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<number> | null | undefined;
  /** Less than. */
  readonly lt?: number | null | undefined;
  /** Less than or equal to. */
  readonly lte?: number | null | undefined;
  /** Not equal to. */
  readonly neq?: number | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<number> | null | undefined;
  /** If true, the value must be null. If false, the value must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on a text that may be absent; all given conditions must be true. */
export type NullableStringComparator = {
  /** Contains, case-sensitive. */
  readonly contains?: string | null | undefined;
  /** Contains, ignoring case. */
  readonly containsIgnoreCase?: string | null | undefined;
  /** Ends with. */
  readonly endsWith?: string | null | undefined;
  /** Equal to. */
  readonly eq?: string | null | undefined;
  /** Equal to, ignoring case. */
  readonly eqIgnoreCase?: string | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Not equal to. */
  readonly neq?: string | null | undefined;
  /** Not equal to, ignoring case. */
  readonly neqIgnoreCase?: string | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<string> | null | undefined;
  /** Does not contain, case-sensitive. */
  readonly notContains?: string | null | undefined;
  /** Does not contain, ignoring case. */
  readonly notContainsIgnoreCase?: string | null | undefined;
  /** Does not end with. */
  readonly notEndsWith?: string | null | undefined;
  /** Does not start with. */
  readonly notStartsWith?: string | null | undefined;
  /** Starts with. */
  readonly startsWith?: string | null | undefined;
  /** Starts with, ignoring case. */
  readonly startsWithIgnoreCase?: string | null | undefined;
  /** If true, the value must be null. If false, the value must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on a point in time that may be absent; all given conditions must be true. */
export type NullableDateComparator = {
  /** Equal to. */
  readonly eq?: string | null | undefined;
  /** Greater than. */
  readonly gt?: string | null | undefined;
  /** Greater than or equal to. */
  readonly gte?: string | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Less than. */
  readonly lt?: string | null | undefined;
  /** Less than or equal to. */
  readonly lte?: string | null | undefined;
  /** Not equal to. */
  readonly neq?: string | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<string> | null | undefined;
  /** If true, the value must be null. If false, the value must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on a user; all given conditions must be true. */
export type NullableUserFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `displayName`. */
  readonly displayName?: StringComparator | null | undefined;
  /** Condition on `email`. */
  readonly email?: StringComparator | null | undefined;
  /** Condition on `active`. */
  readonly active?: BooleanComparator | null | undefined;
  /** Condition on `admin`. */
  readonly admin?: BooleanComparator | null | undefined;
  /** Condition on `owner`. */
  readonly owner?: BooleanComparator | null | undefined;
  /** Condition on whether the user is an agent. */
  readonly app?: BooleanComparator | null | undefined;
  /** Condition on `isMe`. */
  readonly isMe?: BooleanComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `assignedIssues`. */
  readonly assignedIssues?: IssueCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<NullableUserFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<NullableUserFilter> | null | undefined;
  /** If true, the link must be null. If false, the link must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on an issue lease. */
export type NullableIssueLeaseFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `issue`. */
  readonly issue?: IssueFilter | null | undefined;
  /** Condition on `fence`. */
  readonly fence?: NumberComparator | null | undefined;
  /** Condition on `holder`. */
  readonly holder?: UserFilter | null | undefined;
  /** Condition on `sessionId`. */
  readonly sessionId?: NullableStringComparator | null | undefined;
  /** Condition on `ttlSeconds`. */
  readonly ttlSeconds?: NumberComparator | null | undefined;
  /** Condition on `grantedAt`. */
  readonly grantedAt?: DateComparator | null | undefined;
  /** Condition on `expiresAt`. */
  readonly expiresAt?: DateComparator | null | undefined;
  /** Condition on `costLimit`. */
  readonly costLimit?: NullableNumberComparator | null | undefined;
  /** Condition on `tokenLimit`. */
  readonly tokenLimit?: NullableNumberComparator | null | undefined;
  /** Condition on `minuteLimit`. */
  readonly minuteLimit?: NullableNumberComparator | null | undefined;
  /** Condition on `equalCallLimit`. */
  readonly equalCallLimit?: NullableNumberComparator | null | undefined;
  /** Condition on `trippedAt`. */
  readonly trippedAt?: NullableDateComparator | null | undefined;
  /** Condition on `trippedBy`. */
  readonly trippedBy?: NullableStringComparator | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<NullableIssueLeaseFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<NullableIssueLeaseFilter> | null | undefined;
  /** If true, the link must be null. If false, the link must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on an issue proof. */
export type NullableIssueProofFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `issue`. */
  readonly issue?: IssueFilter | null | undefined;
  /** Condition on `verdict`. */
  readonly verdict?: StringComparator | null | undefined;
  /** Condition on `reason`. */
  readonly reason?: StringComparator | null | undefined;
  /** Condition on `overriddenBy`. */
  readonly overriddenBy?: NullableUserFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<NullableIssueProofFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<NullableIssueProofFilter> | null | undefined;
  /** If true, the link must be null. If false, the link must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on issue relations; all given conditions must be true. */
export type IssueRelationCollectionFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `type`. */
  readonly type?: StringComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `issue`. */
  readonly issue?: NullableIssueFilter | null | undefined;
  /** Condition on `relatedIssue`. */
  readonly relatedIssue?: NullableIssueFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<IssueRelationCollectionFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<IssueRelationCollectionFilter> | null | undefined;
  /** At least one linked entity matches the filter. */
  readonly some?: IssueRelationFilter | null | undefined;
  /** Every linked entity matches the filter. */
  readonly every?: IssueRelationFilter | null | undefined;
  /** Number of linked entities. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on a project; all given conditions must be true. */
export type NullableProjectFilter = {
  /** Condition on `id`. */
  readonly id?: EntityIdentifierIdComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `priority`. */
  readonly priority?: NullableNumberComparator | null | undefined;
  /** Condition on `slugId`. */
  readonly slugId?: StringComparator | null | undefined;
  /** Condition on `state`. */
  readonly state?: StringComparator | null | undefined;
  /** Condition on `startDate`. */
  readonly startDate?: NullableDateComparator | null | undefined;
  /** Condition on `targetDate`. */
  readonly targetDate?: NullableDateComparator | null | undefined;
  /** Condition on `startedAt`. */
  readonly startedAt?: NullableDateComparator | null | undefined;
  /** Condition on `completedAt`. */
  readonly completedAt?: NullableDateComparator | null | undefined;
  /** Condition on `canceledAt`. */
  readonly canceledAt?: NullableDateComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `status`. */
  readonly status?: ProjectStatusFilter | null | undefined;
  /** Condition on `lead`. */
  readonly lead?: NullableUserFilter | null | undefined;
  /** Condition on `creator`. */
  readonly creator?: UserFilter | null | undefined;
  /** Condition on `issues`. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** Condition on `members`. */
  readonly members?: UserCollectionFilter | null | undefined;
  /** Condition on `accessibleTeams`. */
  readonly accessibleTeams?: TeamCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<NullableProjectFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<NullableProjectFilter> | null | undefined;
  /** If true, the link must be null. If false, the link must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on a project milestone. */
export type NullableProjectMilestoneFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `archivedAt`. */
  readonly archivedAt?: NullableDateComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `targetDate`. */
  readonly targetDate?: NullableTimelessDateComparator | null | undefined;
  /** Condition on `project`. */
  readonly project?: ProjectFilter | null | undefined;
  /** Condition on `issues`. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<NullableProjectMilestoneFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<NullableProjectMilestoneFilter> | null | undefined;
  /** If true, the link must be null. If false, the link must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on a cycle; all given conditions must be true. */
export type NullableCycleFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `number`. */
  readonly number?: NumberComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `startsAt`. */
  readonly startsAt?: DateComparator | null | undefined;
  /** Condition on `endsAt`. */
  readonly endsAt?: DateComparator | null | undefined;
  /** Condition on `completedAt`. */
  readonly completedAt?: DateComparator | null | undefined;
  /** Condition on `isActive`. */
  readonly isActive?: BooleanComparator | null | undefined;
  /** Condition on `isPast`. */
  readonly isPast?: BooleanComparator | null | undefined;
  /** Condition on `isFuture`. */
  readonly isFuture?: BooleanComparator | null | undefined;
  /** Condition on whether the cycle is the next cycle of its team. */
  readonly isNext?: BooleanComparator | null | undefined;
  /** Condition on whether the cycle is the last ended cycle of its team. */
  readonly isPrevious?: BooleanComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `team`. */
  readonly team?: TeamFilter | null | undefined;
  /** Condition on `issues`. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<NullableCycleFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<NullableCycleFilter> | null | undefined;
  /** If true, the link must be null. If false, the link must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on issue labels; all given conditions must be true. */
export type IssueLabelCollectionFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `isGroup`. */
  readonly isGroup?: BooleanComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `team`. */
  readonly team?: NullableTeamFilter | null | undefined;
  /** Condition on `creator`. */
  readonly creator?: NullableUserFilter | null | undefined;
  /** Condition on `parent`. */
  readonly parent?: IssueLabelFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<IssueLabelCollectionFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<IssueLabelCollectionFilter> | null | undefined;
  /** At least one linked entity matches the filter. */
  readonly some?: IssueLabelFilter | null | undefined;
  /** Every linked entity matches the filter. */
  readonly every?: IssueLabelFilter | null | undefined;
  /** Number of linked entities. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on issues; all given conditions must be true. */
export type IssueCollectionFilter = {
  /** Condition on `id`. */
  readonly id?: IssueIdComparator | null | undefined;
  /** Condition on `number`. */
  readonly number?: NumberComparator | null | undefined;
  /** Condition on `title`. */
  readonly title?: StringComparator | null | undefined;
  /** Condition on `description`. */
  readonly description?: NullableStringComparator | null | undefined;
  /** Condition on `priority`. */
  readonly priority?: NullableNumberComparator | null | undefined;
  /** Condition on `estimate`. */
  readonly estimate?: EstimateComparator | null | undefined;
  /** Condition on `dueDate`. */
  readonly dueDate?: NullableTimelessDateComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `archivedAt`. */
  readonly archivedAt?: NullableDateComparator | null | undefined;
  /** Condition on `startedAt`. */
  readonly startedAt?: NullableDateComparator | null | undefined;
  /** Condition on `completedAt`. */
  readonly completedAt?: NullableDateComparator | null | undefined;
  /** Condition on `canceledAt`. */
  readonly canceledAt?: NullableDateComparator | null | undefined;
  /** Condition on `state`. */
  readonly state?: WorkflowStateFilter | null | undefined;
  /** Condition on `team`. */
  readonly team?: TeamFilter | null | undefined;
  /** Condition on `assignee`. */
  readonly assignee?: NullableUserFilter | null | undefined;
  /** Condition on `delegate`. */
  readonly delegate?: NullableUserFilter | null | undefined;
  /** Condition on the holder and the lease. */
  readonly lease?: NullableIssueLeaseFilter | null | undefined;
  /** Condition on the verdict of the recorded sessions. */
  readonly proof?: NullableIssueProofFilter | null | undefined;
  /** Condition on whether work on the issue can start. */
  readonly ready?: BooleanComparator | null | undefined;
  /** Condition on whether an open issue blocks the issue. */
  readonly blocked?: BooleanComparator | null | undefined;
  /** Condition on whether a recorded session is linked to the issue. */
  readonly hasSessions?: RelationExistsComparator | null | undefined;
  /** Condition on whether any issue, open or closed, blocks the issue. */
  readonly hasBlockedByRelations?: RelationExistsComparator | null | undefined;
  /** Condition on whether the issue blocks any issue, open or closed. */
  readonly hasBlockingRelations?: RelationExistsComparator | null | undefined;
  /** Condition on whether the issue is a duplicate or has a duplicate. */
  readonly hasDuplicateRelations?: RelationExistsComparator | null | undefined;
  /** Condition on whether the issue has a relation of type `related`. */
  readonly hasRelatedRelations?: RelationExistsComparator | null | undefined;
  /** Conditions on relations from the issue. */
  readonly relations?: IssueRelationCollectionFilter | null | undefined;
  /** Conditions on relations to the issue. */
  readonly inverseRelations?: IssueRelationCollectionFilter | null | undefined;
  /** Condition on `creator`. */
  readonly creator?: NullableUserFilter | null | undefined;
  /** Condition on `parent`. */
  readonly parent?: NullableIssueFilter | null | undefined;
  /** Condition on `project`. */
  readonly project?: NullableProjectFilter | null | undefined;
  /** Conditions on the milestone. */
  readonly projectMilestone?: NullableProjectMilestoneFilter | null | undefined;
  /** Condition on `cycle`. */
  readonly cycle?: NullableCycleFilter | null | undefined;
  /** Condition on `labels`. */
  readonly labels?: IssueLabelCollectionFilter | null | undefined;
  /** Condition on `children`. */
  readonly children?: IssueCollectionFilter | null | undefined;
  /** Condition on `comments`. */
  readonly comments?: CommentCollectionFilter | null | undefined;
  /** Condition on `searchableContent`. */
  readonly searchableContent?: ContentComparator | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<IssueCollectionFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<IssueCollectionFilter> | null | undefined;
  /** At least one linked entity matches the filter. */
  readonly some?: IssueFilter | null | undefined;
  /** Every linked entity matches the filter. */
  readonly every?: IssueFilter | null | undefined;
  /** Number of linked entities. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on comments; all given conditions must be true. */
export type CommentCollectionFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `body`. */
  readonly body?: StringComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `user`. */
  readonly user?: UserFilter | null | undefined;
  /** Condition on `issue`. */
  readonly issue?: NullableIssueFilter | null | undefined;
  /** Condition on `project`. */
  readonly project?: NullableProjectFilter | null | undefined;
  /** Condition on `parent`. */
  readonly parent?: NullableCommentFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<CommentCollectionFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<CommentCollectionFilter> | null | undefined;
  /** At least one linked entity matches the filter. */
  readonly some?: CommentFilter | null | undefined;
  /** Every linked entity matches the filter. */
  readonly every?: CommentFilter | null | undefined;
  /** Number of linked entities. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on a comment; all given conditions must be true. */
export type NullableCommentFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `body`. */
  readonly body?: StringComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `user`. */
  readonly user?: UserFilter | null | undefined;
  /** Condition on `issue`. */
  readonly issue?: NullableIssueFilter | null | undefined;
  /** Condition on `project`. */
  readonly project?: NullableProjectFilter | null | undefined;
  /** Condition on `parent`. */
  readonly parent?: NullableCommentFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<NullableCommentFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<NullableCommentFilter> | null | undefined;
  /** If true, the link must be null. If false, the link must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on users; all given conditions must be true. */
export type UserCollectionFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `displayName`. */
  readonly displayName?: StringComparator | null | undefined;
  /** Condition on `email`. */
  readonly email?: StringComparator | null | undefined;
  /** Condition on `active`. */
  readonly active?: BooleanComparator | null | undefined;
  /** Condition on `admin`. */
  readonly admin?: BooleanComparator | null | undefined;
  /** Condition on `owner`. */
  readonly owner?: BooleanComparator | null | undefined;
  /** Condition on whether the user is an agent. */
  readonly app?: BooleanComparator | null | undefined;
  /** Condition on `isMe`. */
  readonly isMe?: BooleanComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `assignedIssues`. */
  readonly assignedIssues?: IssueCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<UserCollectionFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<UserCollectionFilter> | null | undefined;
  /** At least one linked entity matches the filter. */
  readonly some?: UserFilter | null | undefined;
  /** Every linked entity matches the filter. */
  readonly every?: UserFilter | null | undefined;
  /** Number of linked entities. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on teams; all given conditions must be true. */
export type TeamCollectionFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `key`. */
  readonly key?: StringComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `description`. */
  readonly description?: NullableStringComparator | null | undefined;
  /** Condition on `private`. */
  readonly private?: BooleanComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `issues`. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<TeamCollectionFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<TeamCollectionFilter> | null | undefined;
  /** At least one linked entity matches the filter. */
  readonly some?: TeamFilter | null | undefined;
  /** Every linked entity matches the filter. */
  readonly every?: TeamFilter | null | undefined;
  /** Number of linked entities. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on projects; all given conditions must be true. */
export type ProjectCollectionFilter = {
  /** Condition on `id`. */
  readonly id?: EntityIdentifierIdComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `priority`. */
  readonly priority?: NullableNumberComparator | null | undefined;
  /** Condition on `slugId`. */
  readonly slugId?: StringComparator | null | undefined;
  /** Condition on `state`. */
  readonly state?: StringComparator | null | undefined;
  /** Condition on `startDate`. */
  readonly startDate?: NullableDateComparator | null | undefined;
  /** Condition on `targetDate`. */
  readonly targetDate?: NullableDateComparator | null | undefined;
  /** Condition on `startedAt`. */
  readonly startedAt?: NullableDateComparator | null | undefined;
  /** Condition on `completedAt`. */
  readonly completedAt?: NullableDateComparator | null | undefined;
  /** Condition on `canceledAt`. */
  readonly canceledAt?: NullableDateComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `status`. */
  readonly status?: ProjectStatusFilter | null | undefined;
  /** Condition on `lead`. */
  readonly lead?: NullableUserFilter | null | undefined;
  /** Condition on `creator`. */
  readonly creator?: UserFilter | null | undefined;
  /** Condition on `issues`. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** Condition on `members`. */
  readonly members?: UserCollectionFilter | null | undefined;
  /** Condition on `accessibleTeams`. */
  readonly accessibleTeams?: TeamCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<ProjectCollectionFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<ProjectCollectionFilter> | null | undefined;
  /** At least one linked entity matches the filter. */
  readonly some?: ProjectFilter | null | undefined;
  /** Every linked entity matches the filter. */
  readonly every?: ProjectFilter | null | undefined;
  /** Number of linked entities. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on a team; all given conditions must be true. */
export type NullableTeamFilter = {
  /** Condition on `id`. */
  readonly id?: IdComparator | null | undefined;
  /** Condition on `key`. */
  readonly key?: StringComparator | null | undefined;
  /** Condition on `name`. */
  readonly name?: StringComparator | null | undefined;
  /** Condition on `description`. */
  readonly description?: NullableStringComparator | null | undefined;
  /** Condition on `private`. */
  readonly private?: BooleanComparator | null | undefined;
  /** Condition on `createdAt`. */
  readonly createdAt?: DateComparator | null | undefined;
  /** Condition on `updatedAt`. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** Condition on `issues`. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** All conditions in the list must be true. */
  readonly and?: ReadonlyArray<NullableTeamFilter> | null | undefined;
  /** At least one condition in the list must be true. */
  readonly or?: ReadonlyArray<NullableTeamFilter> | null | undefined;
  /** If true, the link must be null. If false, the link must not be null. */
  readonly null?: boolean | null | undefined;
};

/** Sort order by created at. */
export type CreatedAtSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by updated at. */
export type UpdatedAtSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by completed at. */
export type CompletedAtSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by due date. */
export type DueDateSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by estimate. */
export type EstimateSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by priority. */
export type PrioritySort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by title. */
export type TitleSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by manual. */
export type ManualSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by workflow state. */
export type WorkflowStateSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by assignee. */
export type AssigneeSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by delegate. */
export type DelegateSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by project. */
export type ProjectSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by cycle. */
export type CycleSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Sort order by team. */
export type TeamSort = {
  /** Sort direction. Default: ascending. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Whether entries without a value come first or last. Default: last. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Conditions on a recorded session state; all given conditions must be true. */
export type RecordedSessionStateComparator = {
  /** Equal to. */
  readonly eq?: RecordedSessionState | null | undefined;
  /** Not equal to. */
  readonly neq?: RecordedSessionState | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<RecordedSessionState> | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<RecordedSessionState> | null | undefined;
};

/** Conditions on a recorded failure state; all given conditions must be true. */
export type RecordedFailureStateComparator = {
  /** Equal to. */
  readonly eq?: RecordedFailureState | null | undefined;
  /** Not equal to. */
  readonly neq?: RecordedFailureState | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<RecordedFailureState> | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<RecordedFailureState> | null | undefined;
};

/** Changes to an issue. Absent fields stay unchanged. */
export type IssueUpdateInput = {
  /** Id of the team. */
  readonly teamId?: string | null | undefined;
  /** Description in Markdown. */
  readonly description?: string | null | undefined;
  /** 0 none, 1 urgent, 2 high, 3 medium, 4 low. */
  readonly priority?: number | null | undefined;
  /** Size in points. */
  readonly estimate?: number | null | undefined;
  /** Id of the workflow state. Default: the team's default state. */
  readonly stateId?: string | null | undefined;
  /** Id of the assignee; null for none. */
  readonly assigneeId?: string | null | undefined;
  /** Id of the delegated agent; null for none. */
  readonly delegateId?: string | null | undefined;
  /** Id of the parent entity; null for none. */
  readonly parentId?: string | null | undefined;
  /** Id of the project; null for none. */
  readonly projectId?: string | null | undefined;
  /** Id of the cycle; null for none. */
  readonly cycleId?: string | null | undefined;
  /** Ids of the labels. Replaces the current labels. */
  readonly labelIds?: ReadonlyArray<string> | null | undefined;
  /** Day by which the issue should be completed; null for none. */
  readonly dueDate?: string | null | undefined;
  /** Position in a manually sorted list. */
  readonly sortOrder?: number | null | undefined;
  /** Title in one line, at most 512 characters. */
  readonly title?: string | null | undefined;
  /** Id of a milestone of the project; null for none. Changing the project removes the milestone. */
  readonly projectMilestoneId?: string | null | undefined;
  /** Ids of labels to add. */
  readonly addedLabelIds?: ReadonlyArray<string> | null | undefined;
  /** Ids of labels to remove. */
  readonly removedLabelIds?: ReadonlyArray<string> | null | undefined;
  /** True moves the entity to the trash; false restores the entity. */
  readonly trashed?: boolean | null | undefined;
  /** Fence: the number of the caller's claim. An outdated number fails with CONFLICT. */
  readonly fence?: number | null | undefined;
  /** Value of `updatedAt` that the caller last read. CONFLICT if the issue has changed since. */
  readonly updatedAt?: string | null | undefined;
  /**
   * Completes the issue even if required proof is missing. Only for signed-in users; not allowed with a key or for an
   * app.
   */
  readonly overrideProof?: boolean | null | undefined;
};

/** Changes to a team. Absent fields stay unchanged. */
export type TeamUpdateInput = {
  /** Display name, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Prefix of identifiers: a capital letter and up to six capital letters or digits. Default: derived from the name. */
  readonly key?: string | null | undefined;
  /** Description in Markdown. */
  readonly description?: string | null | undefined;
  /** Color in the form #rrggbb. */
  readonly color?: string | null | undefined;
  /** Name of an icon. */
  readonly icon?: string | null | undefined;
  /** Must not be true: every member sees every team. */
  readonly private?: boolean | null | undefined;
  /** State of new issues. */
  readonly defaultIssueStateId?: string | null | undefined;
  /** Types of states in which an issue of the team can be ready: at least one of triage, backlog and unstarted. */
  readonly readyStateTypes?: ReadonlyArray<string> | null | undefined;
  /** Proof required when an issue of the team is completed; null for none. Owners only. */
  readonly proof?: TeamProofInput | null | undefined;
  /** Default cost limit of a claim in US dollars; null for no limit. */
  readonly leaseCostLimit?: number | null | undefined;
  /** Default token limit of a claim; null for no limit. */
  readonly leaseTokenLimit?: number | null | undefined;
  /** Default time limit of a claim in minutes; null for no limit. */
  readonly leaseMinuteLimit?: number | null | undefined;
  /** Default limit of a claim on consecutive equal tool calls, 2 to 50; null for no limit. */
  readonly leaseEqualCallLimit?: number | null | undefined;
};

/** Changes to a project. Absent fields stay unchanged. */
export type ProjectUpdateInput = {
  /** Display name, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Ids of the participating teams. */
  readonly teamIds?: ReadonlyArray<string> | null | undefined;
  /** Description in Markdown. */
  readonly description?: string | null | undefined;
  /** Long description in Markdown. */
  readonly content?: string | null | undefined;
  /** Name of an icon. */
  readonly icon?: string | null | undefined;
  /** Color in the form #rrggbb. */
  readonly color?: string | null | undefined;
  /** Id of the project status. */
  readonly statusId?: string | null | undefined;
  /** Id of the lead; null for none. */
  readonly leadId?: string | null | undefined;
  /** Ids of the participating users. */
  readonly memberIds?: ReadonlyArray<string> | null | undefined;
  /** 0 none, 1 urgent, 2 high, 3 medium, 4 low. */
  readonly priority?: number | null | undefined;
  /** Planned first day. */
  readonly startDate?: string | null | undefined;
  /** Planned last day. */
  readonly targetDate?: string | null | undefined;
  /** Position in a manually sorted list. */
  readonly sortOrder?: number | null | undefined;
  /** Time of completion, for imports. */
  readonly completedAt?: string | null | undefined;
  /** Time at which the project was canceled. */
  readonly canceledAt?: string | null | undefined;
  /** True moves the entity to the trash; false restores the entity. */
  readonly trashed?: boolean | null | undefined;
};

/** Changes to a project milestone. Absent fields stay unchanged. */
export type ProjectMilestoneUpdateInput = {
  /** Display name, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Day by which the milestone should be reached. */
  readonly targetDate?: string | null | undefined;
  /** Id of the project. */
  readonly projectId?: string | null | undefined;
};

/** Changes to a custom view. Absent fields stay unchanged. */
export type CustomViewUpdateInput = {
  /** Display name, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Description in Markdown. */
  readonly description?: string | null | undefined;
  /** Name of an icon. */
  readonly icon?: string | null | undefined;
  /** Color in the form #rrggbb. */
  readonly color?: string | null | undefined;
  /** True if every member can see the view. Default: false. Only the owner can make a shared view private. */
  readonly shared?: boolean | null | undefined;
  /** Conditions of the view, at most 16 KiB. A new view without conditions shows every issue. */
  readonly filterData?: IssueFilter | null | undefined;
  /** Id of the team whose page shows the view; null for none. */
  readonly teamId?: string | null | undefined;
  /** Id of the project whose page shows the view; null for none. */
  readonly projectId?: string | null | undefined;
};

/** Changes to a cycle. Absent fields stay unchanged. */
export type CycleUpdateInput = {
  /** Display name, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Description in Markdown. */
  readonly description?: string | null | undefined;
  /** Start of the cycle. */
  readonly startsAt?: string | null | undefined;
  /** End of the cycle. */
  readonly endsAt?: string | null | undefined;
  /** Time of completion, for imports. */
  readonly completedAt?: string | null | undefined;
};

/** Changes to an issue label. Absent fields stay unchanged. */
export type IssueLabelUpdateInput = {
  /** Display name, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Description in Markdown. */
  readonly description?: string | null | undefined;
  /** Color in the form #rrggbb. */
  readonly color?: string | null | undefined;
  /** Id of the parent entity; null for none. */
  readonly parentId?: string | null | undefined;
  /** True for a label group. A group contains labels and cannot be set on an issue. */
  readonly isGroup?: boolean | null | undefined;
};

/** Changes to a notice rule. Absent fields stay unchanged. */
export type NoticeRuleUpdateInput = {
  /** Display name. */
  readonly name?: string | null | undefined;
  /** True if the server checks the condition. Default: true. */
  readonly enabled?: boolean | null | undefined;
  /** Kinds of failure groups that cause a notice: new or back. Default: both. */
  readonly failureKinds?: ReadonlyArray<string> | null | undefined;
  /** Types of issue states that cause a notice, such as completed. */
  readonly issueStateTypes?: ReadonlyArray<string> | null | undefined;
  /** Only tool whose failures count. */
  readonly tool?: string | null | undefined;
  /** Threshold for a notice: percent of failed calls, or US dollars. */
  readonly threshold?: number | null | undefined;
  /** Minimum number of calls for a failure rate. Default: 20. */
  readonly minimumCalls?: number | null | undefined;
  /** Id of the only team whose issues cause a notice. */
  readonly teamId?: string | null | undefined;
  /** URL to send to: Slack's incoming webhook, ntfy's topic, or your own webhook. Stored encrypted and never shown. */
  readonly url?: string | null | undefined;
  /** Signing secret in the form of Standard Webhooks, or ntfy's access token. Stored encrypted and never shown. */
  readonly secret?: string | null | undefined;
  /** True if notices may contain recorded text. Default: false. */
  readonly includeText?: boolean | null | undefined;
  /** Start of the quiet hours, such as 22:00. Nothing is sent during quiet hours. */
  readonly quietFrom?: string | null | undefined;
  /** End of the quiet hours, such as 07:00. */
  readonly quietTo?: string | null | undefined;
  /** Time zone of the quiet hours, such as Europe/Berlin. Default: UTC. */
  readonly timeZone?: string | null | undefined;
  /** Session states that cause a notice: waitingForPermission, waitingForAnswer, stuck, looping, failed or ended. */
  readonly sessionStates?: ReadonlyArray<string> | null | undefined;
  /** Email addresses, at most 20. */
  readonly emails?: ReadonlyArray<string> | null | undefined;
};

export type FailuresQueryVariables = Exact<{
  filter?: RecordedFailureGroupFilter | null | undefined;
  after?: string | null | undefined;
}>;


export type FailuresQuery = { readonly recordedFailureGroups: { readonly incomplete: boolean, readonly nodes: ReadonlyArray<{ readonly id: string, readonly tool: string, readonly message: string, readonly state: string, readonly count: number, readonly sessions: number, readonly agents: ReadonlyArray<string>, readonly firstAt: string, readonly lastAt: string, readonly days: ReadonlyArray<{ readonly day: string, readonly count: number }>, readonly issue: { readonly identifier: string, readonly url: string } | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type FailureSummaryQueryVariables = Exact<{
  from?: string | null | undefined;
}>;


export type FailureSummaryQuery = { readonly recordedFailureSummary: { readonly new: number, readonly back: number, readonly ongoing: number, readonly filed: number, readonly ignored: number, readonly truncated: boolean } };

export type CallsFailedQueryVariables = Exact<{
  from: string;
  before: string;
}>;


export type CallsFailedQuery = { readonly now: { readonly tools: ReadonlyArray<{ readonly calls: number, readonly failures: number }> }, readonly before: { readonly tools: ReadonlyArray<{ readonly calls: number, readonly failures: number }> } };

export type FailureBeforeQueryVariables = Exact<{
  tool: string;
  group: string;
  from: string;
  before: string;
}>;


export type FailureBeforeQuery = { readonly now: { readonly calls: number, readonly failures: number, readonly truncated: boolean, readonly failureGroups: ReadonlyArray<{ readonly count: number }> }, readonly before: { readonly calls: number, readonly failures: number, readonly truncated: boolean, readonly failureGroups: ReadonlyArray<{ readonly count: number }> } };

export type FailureComparisonQueryVariables = Exact<{
  id: string;
}>;


export type FailureComparisonQuery = { readonly recordedFailureComparison: { readonly failed: number, readonly others: number, readonly differences: ReadonlyArray<{ readonly name: string, readonly value: string, readonly failed: number, readonly others: number }> } };

export type FailureQueryVariables = Exact<{
  id: string;
}>;


export type FailureQuery = { readonly recordedFailureGroup: { readonly id: string, readonly tool: string, readonly message: string, readonly state: string, readonly count: number, readonly sessions: number, readonly users: number, readonly firstAt: string, readonly lastAt: string, readonly eventId: string, readonly sessionId: string, readonly ignoredAt: string | null, readonly ignoredUntil: string | null, readonly ignoredUntilCount: number | null, readonly agentCounts: ReadonlyArray<{ readonly name: string, readonly count: number, readonly sessions: number, readonly cost: number | null }>, readonly days: ReadonlyArray<{ readonly day: string, readonly count: number }>, readonly issue: { readonly identifier: string, readonly url: string } | null, readonly examples: ReadonlyArray<{ readonly at: string, readonly event: { readonly id: string, readonly args: string, readonly result: string, readonly errorMessage: string | null } | null, readonly session: { readonly id: string, readonly brief: { readonly message: string | null } } | null, readonly before: ReadonlyArray<{ readonly id: string, readonly name: string, readonly kind: string, readonly success: boolean, readonly args: string | null }> }> } };

export type IgnoreFailureMutationVariables = Exact<{
  id: string;
  input: RecordedFailureGroupIgnoreInput;
}>;


export type IgnoreFailureMutation = { readonly recordedFailureGroupIgnore: { readonly success: boolean } };

export type UnignoreFailureMutationVariables = Exact<{
  id: string;
}>;


export type UnignoreFailureMutation = { readonly recordedFailureGroupUnignore: { readonly success: boolean } };

export type InboxQueryVariables = Exact<{
  all?: boolean | null | undefined;
}>;


export type InboxQuery = { readonly inbox: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly type: InboxEntryType, readonly createdAt: string, readonly question: string | null, readonly readAt: string | null, readonly doneAt: string | null, readonly snoozedUntilAt: string | null, readonly session: { readonly id: string, readonly source: string | null, readonly brief: { readonly agent: string | null, readonly message: string | null } } | null, readonly issue: { readonly identifier: string, readonly title: string, readonly url: string } | null, readonly failureGroup: { readonly id: string, readonly tool: string, readonly message: string, readonly count: number, readonly sessions: number } | null, readonly holder: { readonly name: string } | null, readonly comment: { readonly user: { readonly name: string } | null } | null }>, readonly pageInfo: { readonly hasNextPage: boolean } } };

export type InboxSessionQueryVariables = Exact<{
  id: string;
}>;


export type InboxSessionQuery = { readonly recordedSession: { readonly id: string, readonly metadata: Record<string, unknown>, readonly source: string | null, readonly externalId: string | null, readonly events: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly primitiveName: string, readonly kind: string, readonly success: boolean, readonly timestamp: string, readonly args: string }> } } };

export type MarkInboxMutationVariables = Exact<{
  ids: ReadonlyArray<string> | string;
  input: InboxEntryUpdateInput;
}>;


export type MarkInboxMutation = { readonly inboxEntryUpdate: { readonly success: boolean } };

export type RailCountsQueryVariables = Exact<{ [key: string]: never; }>;


export type RailCountsQuery = { readonly inbox: { readonly nodes: ReadonlyArray<{ readonly id: string }> }, readonly organization: { readonly openIssueCount: number }, readonly cycle: { readonly count: number }, readonly recordedFailureGroups: { readonly nodes: ReadonlyArray<{ readonly id: string }> } };

export type IssuePageQueryVariables = Exact<{
  filter?: IssueFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  sort?: ReadonlyArray<IssueSortInput> | IssueSortInput | null | undefined;
}>;


export type IssuePageQuery = { readonly issues: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly identifier: string, readonly title: string, readonly url: string, readonly priority: number, readonly priorityLabel: string, readonly labelIds: ReadonlyArray<string>, readonly updatedAt: string, readonly blocked: boolean, readonly state: { readonly id: string, readonly name: string, readonly type: string }, readonly team: { readonly id: string }, readonly assignee: { readonly id: string, readonly name: string } | null, readonly delegate: { readonly id: string, readonly name: string } | null, readonly project: { readonly id: string } | null, readonly projectMilestone: { readonly id: string } | null, readonly cycle: { readonly id: string } | null, readonly lease: { readonly expiresAt: string, readonly holder: { readonly name: string, readonly app: boolean } } | null, readonly proof: { readonly verdict: string } | null, readonly sessionLinks: { readonly nodes: ReadonlyArray<{ readonly session: { readonly brief: { readonly course: string | null, readonly open: boolean }, readonly totals: { readonly failures: number } } }> }, readonly labels: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly color: string }> } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type IssueCountsQueryVariables = Exact<{
  filter?: IssueFilter | null | undefined;
  groupBy?: IssueGroupBy | null | undefined;
}>;


export type IssueCountsQuery = { readonly issueGroups: { readonly count: number, readonly groupCount: number, readonly groups: ReadonlyArray<{ readonly key: string | null, readonly name: string | null, readonly count: number, readonly project: { readonly name: string } | null }> } };

export type StatesQueryVariables = Exact<{
  filter?: WorkflowStateFilter | null | undefined;
}>;


export type StatesQuery = { readonly workflowStates: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly type: string, readonly position: number, readonly team: { readonly id: string, readonly key: string } }> } };

export type UpdateIssuesMutationVariables = Exact<{
  ids: ReadonlyArray<string> | string;
  input: IssueUpdateInput;
}>;


export type UpdateIssuesMutation = { readonly issueBatchUpdate: { readonly issues: ReadonlyArray<{ readonly id: string, readonly updatedAt: string }> } };

export type MoveIssueMutationVariables = Exact<{
  id: string;
  input: IssueUpdateInput;
}>;


export type MoveIssueMutation = { readonly issueUpdate: { readonly issue: { readonly id: string, readonly identifier: string, readonly updatedAt: string } | null } };

export type FindIssuesQueryVariables = Exact<{
  term: string;
}>;


export type FindIssuesQuery = { readonly searchIssues: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly identifier: string, readonly title: string, readonly state: { readonly name: string, readonly type: string } }> } };

export type CreateIssuesMutationVariables = Exact<{
  input: IssueBatchCreateInput;
}>;


export type CreateIssuesMutation = { readonly issueBatchCreate: { readonly issues: ReadonlyArray<{ readonly identifier: string, readonly url: string }> } };

export type CreateLabelMutationVariables = Exact<{
  input: IssueLabelCreateInput;
}>;


export type CreateLabelMutation = { readonly issueLabelCreate: { readonly issueLabel: { readonly id: string } } };

export type IssueProofQueryVariables = Exact<{
  id: string;
}>;


export type IssueProofQuery = { readonly issue: { readonly handover: string | null, readonly proof: { readonly verdict: string, readonly reason: string, readonly updatedAt: string, readonly overriddenBy: { readonly name: string } | null, readonly events: ReadonlyArray<{ readonly id: string, readonly primitiveName: string, readonly timestamp: string, readonly session: { readonly id: string } }> } | null } };

export type IssueSessionsQueryVariables = Exact<{
  id: string;
}>;


export type IssueSessionsQuery = { readonly issue: { readonly deletedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly createdAt: string, readonly blankedAt: string | null, readonly deletedBy: { readonly name: string } | null }> }, readonly sessionLinks: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly kinds: ReadonlyArray<string>, readonly session: { readonly id: string, readonly startedAt: string, readonly source: string | null, readonly totals: { readonly failures: number, readonly cost: number | null, readonly costSource: string, readonly inputTokens: number, readonly outputTokens: number }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly course: string | null, readonly endedAt: string | null, readonly open: boolean, readonly lastFailed: boolean | null } } }>, readonly pageInfo: { readonly hasNextPage: boolean } } } };

export type IssueHistoryQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
}>;


export type IssueHistoryQuery = { readonly issue: { readonly history: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly createdAt: string, readonly event: string, readonly fromTitle: string | null, readonly toTitle: string | null, readonly updatedDescription: boolean | null, readonly toPriority: number | null, readonly fromEstimate: number | null, readonly toEstimate: number | null, readonly fromDueDate: string | null, readonly toDueDate: string | null, readonly toIdentifier: string | null, readonly archived: boolean | null, readonly trashed: boolean | null, readonly actor: { readonly name: string, readonly app: boolean } | null, readonly onBehalfOf: { readonly name: string } | null, readonly fromState: { readonly name: string } | null, readonly toState: { readonly name: string } | null, readonly fromAssignee: { readonly name: string } | null, readonly toAssignee: { readonly name: string } | null, readonly fromDelegate: { readonly name: string } | null, readonly toDelegate: { readonly name: string } | null, readonly toTeam: { readonly name: string } | null, readonly fromProject: { readonly name: string } | null, readonly toProject: { readonly name: string } | null, readonly fromProjectMilestone: { readonly name: string } | null, readonly toProjectMilestone: { readonly name: string } | null, readonly fromCycle: { readonly number: number, readonly name: string | null } | null, readonly toCycle: { readonly number: number, readonly name: string | null } | null, readonly fromParent: { readonly identifier: string } | null, readonly toParent: { readonly identifier: string } | null, readonly addedLabels: ReadonlyArray<{ readonly name: string }> | null, readonly removedLabels: ReadonlyArray<{ readonly name: string }> | null, readonly relationChanges: ReadonlyArray<{ readonly type: string, readonly identifier: string }> | null }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } } };

export type SessionIssuesQueryVariables = Exact<{
  id: string;
}>;


export type SessionIssuesQuery = { readonly recordedSession: { readonly issueLinks: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly kinds: ReadonlyArray<string>, readonly issue: { readonly identifier: string, readonly title: string, readonly url: string } }>, readonly pageInfo: { readonly hasNextPage: boolean } } } };

export type IssueFailuresQueryVariables = Exact<{
  id: string | number;
}>;


export type IssueFailuresQuery = { readonly recordedFailureGroups: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly tool: string, readonly message: string, readonly count: number, readonly sessions: number, readonly lastAt: string, readonly eventId: string, readonly sessionId: string, readonly hours: ReadonlyArray<{ readonly at: string, readonly count: number }> }>, readonly pageInfo: { readonly hasNextPage: boolean } } };

export type IssueFilesQueryVariables = Exact<{
  id: string;
}>;


export type IssueFilesQuery = { readonly issue: { readonly files: { readonly nodes: ReadonlyArray<{ readonly path: string, readonly added: number, readonly removed: number, readonly edits: number, readonly createdAt: string, readonly updatedAt: string, readonly lastEvent: { readonly id: string, readonly session: { readonly id: string } } | null }>, readonly pageInfo: { readonly hasNextPage: boolean } }, readonly commits: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly message: string, readonly branch: string | null, readonly createdAt: string, readonly session: { readonly id: string } | null, readonly event: { readonly id: string } | null }>, readonly pageInfo: { readonly hasNextPage: boolean } } } };

export type IssuesQueryVariables = Exact<{
  filter?: IssueFilter | null | undefined;
  first?: number | null | undefined;
}>;


export type IssuesQuery = { readonly issues: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly identifier: string, readonly title: string, readonly url: string, readonly priority: number, readonly priorityLabel: string, readonly labelIds: ReadonlyArray<string>, readonly updatedAt: string, readonly blocked: boolean, readonly state: { readonly id: string, readonly name: string, readonly type: string }, readonly team: { readonly id: string }, readonly assignee: { readonly id: string, readonly name: string } | null, readonly delegate: { readonly id: string, readonly name: string } | null, readonly project: { readonly id: string } | null, readonly projectMilestone: { readonly id: string } | null, readonly cycle: { readonly id: string } | null, readonly lease: { readonly expiresAt: string, readonly holder: { readonly name: string, readonly app: boolean } } | null, readonly proof: { readonly verdict: string } | null, readonly sessionLinks: { readonly nodes: ReadonlyArray<{ readonly session: { readonly brief: { readonly course: string | null, readonly open: boolean }, readonly totals: { readonly failures: number } } }> }, readonly labels: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly color: string }> } }>, readonly pageInfo: { readonly hasNextPage: boolean } } };

export type FoundIssuesQueryVariables = Exact<{
  term: string;
  filter?: IssueFilter | null | undefined;
  first?: number | null | undefined;
}>;


export type FoundIssuesQuery = { readonly searchIssues: { readonly unmatchedWords: ReadonlyArray<string> | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly identifier: string, readonly title: string, readonly url: string, readonly priority: number, readonly priorityLabel: string, readonly labelIds: ReadonlyArray<string>, readonly updatedAt: string, readonly state: { readonly id: string, readonly name: string, readonly type: string }, readonly team: { readonly id: string }, readonly assignee: { readonly id: string, readonly name: string } | null, readonly delegate: { readonly id: string, readonly name: string } | null, readonly project: { readonly id: string } | null, readonly cycle: { readonly id: string } | null, readonly labels: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly color: string }> } }>, readonly pageInfo: { readonly hasNextPage: boolean } } };

export type IssueRowFragment = { readonly id: string, readonly identifier: string, readonly title: string, readonly url: string, readonly priority: number, readonly priorityLabel: string, readonly labelIds: ReadonlyArray<string>, readonly updatedAt: string, readonly blocked: boolean, readonly state: { readonly id: string, readonly name: string, readonly type: string }, readonly team: { readonly id: string }, readonly assignee: { readonly id: string, readonly name: string } | null, readonly delegate: { readonly id: string, readonly name: string } | null, readonly project: { readonly id: string } | null, readonly projectMilestone: { readonly id: string } | null, readonly cycle: { readonly id: string } | null, readonly lease: { readonly expiresAt: string, readonly holder: { readonly name: string, readonly app: boolean } } | null, readonly proof: { readonly verdict: string } | null, readonly sessionLinks: { readonly nodes: ReadonlyArray<{ readonly session: { readonly brief: { readonly course: string | null, readonly open: boolean }, readonly totals: { readonly failures: number } } }> }, readonly labels: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly color: string }> } };

export type FoundRowFragment = { readonly id: string, readonly identifier: string, readonly title: string, readonly url: string, readonly priority: number, readonly priorityLabel: string, readonly labelIds: ReadonlyArray<string>, readonly updatedAt: string, readonly state: { readonly id: string, readonly name: string, readonly type: string }, readonly team: { readonly id: string }, readonly assignee: { readonly id: string, readonly name: string } | null, readonly delegate: { readonly id: string, readonly name: string } | null, readonly project: { readonly id: string } | null, readonly cycle: { readonly id: string } | null, readonly labels: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly color: string }> } };

export type RelatedIssueFragment = { readonly id: string, readonly identifier: string, readonly title: string, readonly url: string, readonly state: { readonly name: string, readonly type: string } };

export type IssueQueryVariables = Exact<{
  id: string;
}>;


export type IssueQuery = { readonly issue: { readonly id: string, readonly identifier: string, readonly title: string, readonly description: string | null, readonly url: string, readonly priority: number, readonly priorityLabel: string, readonly estimate: number | null, readonly dueDate: string | null, readonly createdAt: string, readonly updatedAt: string, readonly startedAt: string | null, readonly completedAt: string | null, readonly canceledAt: string | null, readonly archivedAt: string | null, readonly trashed: boolean | null, readonly branchName: string, readonly labelIds: ReadonlyArray<string>, readonly lastEdit: { readonly createdAt: string, readonly actor: { readonly name: string } | null } | null, readonly team: { readonly id: string, readonly key: string, readonly name: string }, readonly state: { readonly id: string, readonly name: string, readonly type: string }, readonly assignee: { readonly id: string, readonly name: string } | null, readonly delegate: { readonly id: string, readonly name: string } | null, readonly creator: { readonly name: string } | null, readonly externalUserCreator: { readonly name: string } | null, readonly externalUserAssignee: { readonly name: string } | null, readonly parent: { readonly identifier: string, readonly title: string, readonly url: string } | null, readonly project: { readonly id: string, readonly name: string, readonly url: string, readonly projectMilestones: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string }> } } | null, readonly projectMilestone: { readonly id: string, readonly name: string } | null, readonly cycle: { readonly id: string, readonly number: number, readonly name: string | null } | null, readonly labels: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly color: string }> }, readonly lease: { readonly fence: number, readonly sessionId: string | null, readonly grantedAt: string, readonly expiresAt: string, readonly holder: { readonly id: string, readonly name: string } } | null, readonly relations: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly type: string, readonly relatedIssue: { readonly id: string, readonly identifier: string, readonly title: string, readonly url: string, readonly state: { readonly name: string, readonly type: string } } }> }, readonly inverseRelations: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly type: string, readonly issue: { readonly id: string, readonly identifier: string, readonly title: string, readonly url: string, readonly state: { readonly name: string, readonly type: string } } }> }, readonly children: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly identifier: string, readonly title: string, readonly url: string, readonly state: { readonly name: string, readonly type: string } }> }, readonly comments: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly body: string, readonly createdAt: string, readonly editedAt: string | null, readonly parentId: string | null, readonly url: string, readonly user: { readonly name: string } | null, readonly externalUser: { readonly name: string } | null }>, readonly pageInfo: { readonly hasNextPage: boolean } } } };

export type IssueChoicesQueryVariables = Exact<{ [key: string]: never; }>;


export type IssueChoicesQuery = { readonly users: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly email: string, readonly app: boolean }> }, readonly issueLabels: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly color: string, readonly team: { readonly id: string } | null }> }, readonly teams: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly key: string, readonly name: string }> }, readonly projects: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly teams: { readonly nodes: ReadonlyArray<{ readonly id: string }> } }> }, readonly cycles: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly isActive: boolean, readonly team: { readonly id: string } }> } };

export type UpdateIssueMutationVariables = Exact<{
  id: string;
  input: IssueUpdateInput;
}>;


export type UpdateIssueMutation = { readonly issueUpdate: { readonly success: boolean } };

export type RelateIssuesMutationVariables = Exact<{
  input: IssueRelationCreateInput;
}>;


export type RelateIssuesMutation = { readonly issueRelationCreate: { readonly success: boolean } };

export type UnrelateIssuesMutationVariables = Exact<{
  id: string;
}>;


export type UnrelateIssuesMutation = { readonly issueRelationDelete: { readonly success: boolean } };

export type ArchiveIssueMutationVariables = Exact<{
  id: string;
  trash?: boolean | null | undefined;
}>;


export type ArchiveIssueMutation = { readonly issueArchive: { readonly success: boolean } };

export type RestoreIssueMutationVariables = Exact<{
  id: string;
}>;


export type RestoreIssueMutation = { readonly issueUnarchive: { readonly success: boolean } };

export type DeleteIssueMutationVariables = Exact<{
  id: string;
}>;


export type DeleteIssueMutation = { readonly issueDelete: { readonly success: boolean } };

export type ClaimIssueMutationVariables = Exact<{
  input: IssueClaimInput;
}>;


export type ClaimIssueMutation = { readonly issueClaim: { readonly success: boolean } };

export type ReleaseIssueMutationVariables = Exact<{
  id: string;
  fence?: number | null | undefined;
}>;


export type ReleaseIssueMutation = { readonly issueRelease: { readonly success: boolean } };

export type AddCommentMutationVariables = Exact<{
  input: CommentCreateInput;
}>;


export type AddCommentMutation = { readonly commentCreate: { readonly success: boolean } };

export type ProjectPageQueryVariables = Exact<{
  slug: string;
}>;


export type ProjectPageQuery = { readonly project: { readonly id: string, readonly name: string, readonly url: string, readonly description: string, readonly content: string | null, readonly startDate: string | null, readonly targetDate: string | null, readonly status: { readonly id: string, readonly name: string }, readonly lead: { readonly id: string, readonly name: string } | null, readonly members: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly app: boolean }> }, readonly teams: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string }> }, readonly projectMilestones: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly targetDate: string | null }>, readonly pageInfo: { readonly hasNextPage: boolean } } }, readonly projectStatuses: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly position: number }> } };

export type TeamPageQueryVariables = Exact<{
  key: string;
}>;


export type TeamPageQuery = { readonly team: { readonly id: string, readonly key: string, readonly name: string, readonly description: string | null } };

export type ProfilePagesQueryVariables = Exact<{ [key: string]: never; }>;


export type ProfilePagesQuery = { readonly users: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly email: string, readonly active: boolean, readonly url: string }> } };

export type LabelPageQueryVariables = Exact<{
  id: string;
}>;


export type LabelPageQuery = { readonly issueLabel: { readonly id: string, readonly name: string, readonly color: string, readonly description: string | null } };

export type StatePageQueryVariables = Exact<{
  id: string;
}>;


export type StatePageQuery = { readonly workflowState: { readonly id: string, readonly name: string, readonly type: string, readonly team: { readonly name: string } } };

export type PaletteQueryVariables = Exact<{
  text: string;
  agent?: RecordedSessionFilter | null | undefined;
}>;


export type PaletteQuery = { readonly searchIssues: { readonly nodes: ReadonlyArray<{ readonly identifier: string, readonly title: string, readonly url: string }> }, readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly startedAt: string, readonly brief: { readonly agent: string | null, readonly message: string | null } }> } };

export type PaletteToolsQueryVariables = Exact<{ [key: string]: never; }>;


export type PaletteToolsQuery = { readonly recordedToolStats: { readonly tools: ReadonlyArray<{ readonly name: string, readonly calls: number, readonly failures: number }> } };

export type PaletteRecentQueryVariables = Exact<{ [key: string]: never; }>;


export type PaletteRecentQuery = { readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly startedAt: string, readonly brief: { readonly agent: string | null, readonly message: string | null } }> } };

export type ViewsQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewsQuery = { readonly customViews: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly shared: boolean, readonly filterData: Record<string, unknown>, readonly owner: { readonly isMe: boolean } }> } };

export type SaveViewMutationVariables = Exact<{
  input: CustomViewCreateInput;
}>;


export type SaveViewMutation = { readonly customViewCreate: { readonly customView: { readonly id: string } | null } };

export type ChangeViewMutationVariables = Exact<{
  id: string;
  input: CustomViewUpdateInput;
}>;


export type ChangeViewMutation = { readonly customViewUpdate: { readonly success: boolean } };

export type DeleteViewMutationVariables = Exact<{
  id: string;
}>;


export type DeleteViewMutation = { readonly customViewDelete: { readonly success: boolean } };

export type MilestonesOfProjectQueryVariables = Exact<{
  id: string;
}>;


export type MilestonesOfProjectQuery = { readonly project: { readonly projectMilestones: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string }> } } };

export type IssueTemplatesQueryVariables = Exact<{ [key: string]: never; }>;


export type IssueTemplatesQuery = { readonly templates: ReadonlyArray<{ readonly id: string, readonly name: string, readonly templateData: unknown, readonly team: { readonly id: string } | null }> };

export type CreateTeamMutationVariables = Exact<{
  input: TeamCreateInput;
}>;


export type CreateTeamMutation = { readonly teamCreate: { readonly team: { readonly id: string } | null } };

export type SimilarIssuesQueryVariables = Exact<{
  title: string;
}>;


export type SimilarIssuesQuery = { readonly similarIssues: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly identifier: string, readonly title: string, readonly url: string, readonly state: { readonly name: string, readonly type: string } }> } };

export type CreateIssueMutationVariables = Exact<{
  input: IssueCreateInput;
}>;


export type CreateIssueMutation = { readonly issueCreate: { readonly issue: { readonly identifier: string, readonly url: string } | null } };

export type ProjectsQueryVariables = Exact<{ [key: string]: never; }>;


export type ProjectsQuery = { readonly projects: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly slugId: string, readonly url: string, readonly progress: number, readonly targetDate: string | null, readonly status: { readonly name: string, readonly type: ProjectStatusType }, readonly lead: { readonly name: string } | null, readonly projectMilestones: { readonly nodes: ReadonlyArray<{ readonly id: string }> } }>, readonly pageInfo: { readonly hasNextPage: boolean } }, readonly projectStatuses: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly position: number }> } };

export type ProjectProgressQueryVariables = Exact<{
  id: string | number;
}>;


export type ProjectProgressQuery = { readonly all: { readonly groups: ReadonlyArray<{ readonly key: string | null, readonly count: number }> }, readonly planned: { readonly count: number, readonly groupCount: number, readonly groups: ReadonlyArray<{ readonly key: string | null, readonly count: number }> }, readonly done: { readonly count: number, readonly groupCount: number, readonly groups: ReadonlyArray<{ readonly key: string | null, readonly count: number }> }, readonly verified: { readonly count: number } };

export type CreateProjectMutationVariables = Exact<{
  input: ProjectCreateInput;
}>;


export type CreateProjectMutation = { readonly projectCreate: { readonly project: { readonly id: string, readonly slugId: string } | null } };

export type UpdateProjectMutationVariables = Exact<{
  id: string;
  input: ProjectUpdateInput;
}>;


export type UpdateProjectMutation = { readonly projectUpdate: { readonly success: boolean } };

export type CreateMilestoneMutationVariables = Exact<{
  input: ProjectMilestoneCreateInput;
}>;


export type CreateMilestoneMutation = { readonly projectMilestoneCreate: { readonly success: boolean } };

export type UpdateMilestoneMutationVariables = Exact<{
  id: string;
  input: ProjectMilestoneUpdateInput;
}>;


export type UpdateMilestoneMutation = { readonly projectMilestoneUpdate: { readonly success: boolean } };

export type DeleteMilestoneMutationVariables = Exact<{
  id: string;
}>;


export type DeleteMilestoneMutation = { readonly projectMilestoneDelete: { readonly success: boolean } };

export type CyclesQueryVariables = Exact<{ [key: string]: never; }>;


export type CyclesQuery = { readonly cycles: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly number: number, readonly name: string | null, readonly startsAt: string, readonly endsAt: string, readonly progress: number, readonly isActive: boolean, readonly isPast: boolean, readonly team: { readonly id: string, readonly key: string, readonly name: string } }>, readonly pageInfo: { readonly hasNextPage: boolean } } };

export type CyclePageQueryVariables = Exact<{
  id: string;
}>;


export type CyclePageQuery = { readonly cycle: { readonly description: string | null, readonly id: string, readonly number: number, readonly name: string | null, readonly startsAt: string, readonly endsAt: string, readonly progress: number, readonly isActive: boolean, readonly isPast: boolean, readonly team: { readonly id: string, readonly key: string, readonly name: string } } };

export type CycleRowFragment = { readonly id: string, readonly number: number, readonly name: string | null, readonly startsAt: string, readonly endsAt: string, readonly progress: number, readonly isActive: boolean, readonly isPast: boolean, readonly team: { readonly id: string, readonly key: string, readonly name: string } };

export type CreateCycleMutationVariables = Exact<{
  input: CycleCreateInput;
}>;


export type CreateCycleMutation = { readonly cycleCreate: { readonly cycle: { readonly id: string } | null } };

export type UpdateCycleMutationVariables = Exact<{
  id: string;
  input: CycleUpdateInput;
}>;


export type UpdateCycleMutation = { readonly cycleUpdate: { readonly success: boolean } };

export type UpdateTeamMutationVariables = Exact<{
  id: string;
  input: TeamUpdateInput;
}>;


export type UpdateTeamMutation = { readonly teamUpdate: { readonly success: boolean } };

export type UpdateLabelMutationVariables = Exact<{
  id: string;
  input: IssueLabelUpdateInput;
}>;


export type UpdateLabelMutation = { readonly issueLabelUpdate: { readonly success: boolean } };

export type DeleteSessionMutationVariables = Exact<{
  id: string;
}>;


export type DeleteSessionMutation = { readonly recordedSessionDelete: { readonly complete: boolean } };

export type HoldSessionMutationVariables = Exact<{
  id: string;
  input: RecordedSessionHoldInput;
}>;


export type HoldSessionMutation = { readonly recordedSessionHold: { readonly success: boolean } };

export type ReleaseSessionMutationVariables = Exact<{
  id: string;
}>;


export type ReleaseSessionMutation = { readonly recordedSessionRelease: { readonly success: boolean } };

export type DeleteUserMutationVariables = Exact<{
  id: string;
}>;


export type DeleteUserMutation = { readonly recordedUserDelete: { readonly complete: boolean } };

export type UserExportQueryVariables = Exact<{
  id: string;
  after?: string | null | undefined;
}>;


export type UserExportQuery = { readonly recordedUserExport: { readonly lines: ReadonlyArray<string>, readonly endCursor: string | null } };

export type BlankQuotationMutationVariables = Exact<{
  id: string;
}>;


export type BlankQuotationMutation = { readonly issueDeletedSessionBlank: { readonly success: boolean } };

export type RetentionQueryVariables = Exact<{ [key: string]: never; }>;


export type RetentionQuery = { readonly organization: { readonly id: string, readonly retentionSessionDays: number | null, readonly retentionTextDays: number | null, readonly retentionAgents: ReadonlyArray<Record<string, unknown>> } };

export type ExpiringQueryVariables = Exact<{ [key: string]: never; }>;


export type ExpiringQuery = { readonly recordedSessionsExpiring: { readonly nodes: ReadonlyArray<{ readonly textsExpireAt: string | null, readonly expiresAt: string | null, readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly source: string | null, readonly externalId: string | null, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly cost: number | null, readonly costSource: string, readonly models: ReadonlyArray<string> }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly open: boolean, readonly course: string | null } }>, readonly pageInfo: { readonly hasNextPage: boolean } } };

export type QuotingQueryVariables = Exact<{ [key: string]: never; }>;


export type QuotingQuery = { readonly issueDeletedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly createdAt: string, readonly blankedAt: string | null, readonly deletedBy: { readonly name: string } | null, readonly issue: { readonly identifier: string, readonly title: string, readonly url: string } }>, readonly pageInfo: { readonly hasNextPage: boolean } } };

export type SessionQueryVariables = Exact<{
  id: string;
}>;


export type SessionQuery = { readonly recordedSession: { readonly metadata: Record<string, unknown>, readonly state: RecordedSessionState, readonly stateSince: string, readonly waitsFor: string | null, readonly holdReason: string | null, readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly source: string | null, readonly externalId: string | null, readonly stateEvent: { readonly id: string } | null, readonly heldBy: { readonly name: string } | null, readonly user: { readonly id: string, readonly traits: Record<string, unknown> } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly cost: number | null, readonly costSource: string, readonly models: ReadonlyArray<string> }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly open: boolean, readonly course: string | null } } };

export type OutlineQueryVariables = Exact<{
  sessionId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
  receivedAfter?: string | null | undefined;
  text?: string | null | undefined;
}>;


export type OutlineQuery = { readonly recordedOutline: { readonly hasNextPage: boolean, readonly endCursor: string | null, readonly ids: ReadonlyArray<string>, readonly parentIds: ReadonlyArray<string | null>, readonly names: ReadonlyArray<string>, readonly kinds: ReadonlyArray<string>, readonly open: ReadonlyArray<number>, readonly models: ReadonlyArray<string | null>, readonly inputTokens: ReadonlyArray<number | null>, readonly outputTokens: ReadonlyArray<number | null>, readonly costs: ReadonlyArray<number | null>, readonly types: ReadonlyArray<string | null>, readonly failed: ReadonlyArray<number>, readonly latencies: ReadonlyArray<number | null>, readonly timestamps: ReadonlyArray<number>, readonly briefs: ReadonlyArray<string>, readonly results: ReadonlyArray<string | null>, readonly checkpoints: ReadonlyArray<ReadonlyArray<number> | null>, readonly receivedAt: string | null } };

export type EventQueryVariables = Exact<{
  id: string;
  maxLength?: number | null | undefined;
}>;


export type EventQuery = { readonly recordedEvent: { readonly id: string, readonly parentId: string | null, readonly primitiveName: string, readonly primitiveType: string | null, readonly kind: string, readonly open: boolean, readonly model: string | null, readonly inputTokens: number | null, readonly outputTokens: number | null, readonly cacheReadTokens: number | null, readonly cacheWriteTokens: number | null, readonly cost: number | null, readonly costSource: string, readonly errorMessage: string | null, readonly redacted: Record<string, unknown> | null, readonly success: boolean, readonly latency: number | null, readonly timestamp: string, readonly receivedAt: string, readonly metadata: Record<string, unknown> | null, readonly args: string, readonly result: string, readonly session: { readonly id: string }, readonly checkpoints: ReadonlyArray<{ readonly name: string, readonly at: number, readonly offset: number, readonly delta: number, readonly share: number }> } };

export type EventTextsQueryVariables = Exact<{
  sessionId: string;
  ids: ReadonlyArray<string | number> | string | number;
  maxLength?: number | null | undefined;
}>;


export type EventTextsQuery = { readonly recordedSession: { readonly events: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly args: string, readonly result: string }> } } };

export type OutlineSearchQueryVariables = Exact<{
  sessionId: string;
  text: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type OutlineSearchQuery = { readonly recordedOutline: { readonly hasNextPage: boolean, readonly endCursor: string | null, readonly stoppedAt: string | null, readonly ids: ReadonlyArray<string> } };

export type ComparedQueryVariables = Exact<{
  a: string;
  b: string;
}>;


export type ComparedQuery = { readonly a: { readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly source: string | null, readonly externalId: string | null, readonly issues: { readonly nodes: ReadonlyArray<{ readonly proof: { readonly verdict: string } | null }> }, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly cost: number | null, readonly costSource: string, readonly models: ReadonlyArray<string> }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly open: boolean, readonly course: string | null } }, readonly b: { readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly source: string | null, readonly externalId: string | null, readonly issues: { readonly nodes: ReadonlyArray<{ readonly proof: { readonly verdict: string } | null }> }, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly cost: number | null, readonly costSource: string, readonly models: ReadonlyArray<string> }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly open: boolean, readonly course: string | null } } };

export type ComparedRunFragment = { readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly source: string | null, readonly externalId: string | null, readonly issues: { readonly nodes: ReadonlyArray<{ readonly proof: { readonly verdict: string } | null }> }, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly cost: number | null, readonly costSource: string, readonly models: ReadonlyArray<string> }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly open: boolean, readonly course: string | null } };

export type AlikeQueryVariables = Exact<{
  filter: RecordedSessionFilter;
}>;


export type AlikeQuery = { readonly recordedSessions: { readonly searchedSince: string | null, readonly nodes: ReadonlyArray<{ readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly source: string | null, readonly externalId: string | null, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly cost: number | null, readonly costSource: string, readonly models: ReadonlyArray<string> }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly open: boolean, readonly course: string | null } }> } };

export type RecentQueryVariables = Exact<{ [key: string]: never; }>;


export type RecentQuery = { readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly source: string | null, readonly externalId: string | null, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly cost: number | null, readonly costSource: string, readonly models: ReadonlyArray<string> }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly open: boolean, readonly course: string | null } }> } };

export type ComparedEventsQueryVariables = Exact<{
  a: string;
  b: string;
  maxLength?: number | null | undefined;
}>;


export type ComparedEventsQuery = { readonly a: { readonly id: string, readonly args: string, readonly result: string }, readonly b: { readonly id: string, readonly args: string, readonly result: string } };

export type SessionFilesQueryVariables = Exact<{
  id: string;
}>;


export type SessionFilesQuery = { readonly recordedSession: { readonly files: { readonly nodes: ReadonlyArray<{ readonly path: string, readonly added: number, readonly removed: number, readonly edits: number, readonly createdAt: string, readonly updatedAt: string }>, readonly pageInfo: { readonly hasNextPage: boolean } }, readonly commits: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly message: string, readonly branch: string | null, readonly createdAt: string, readonly event: { readonly id: string } | null }> } } };

export type ChangedFileFragment = { readonly path: string, readonly added: number, readonly removed: number, readonly edits: number, readonly createdAt: string, readonly updatedAt: string };

export type MadeCommitFragment = { readonly id: string, readonly message: string, readonly branch: string | null, readonly createdAt: string, readonly event: { readonly id: string } | null };

export type SessionsQueryVariables = Exact<{
  filter?: RecordedSessionFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
  sort?: ReadonlyArray<RecordedSessionSortInput> | RecordedSessionSortInput | null | undefined;
}>;


export type SessionsQuery = { readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly source: string | null, readonly externalId: string | null, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly cost: number | null, readonly costSource: string, readonly models: ReadonlyArray<string> }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly open: boolean, readonly course: string | null } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type AnySessionQueryVariables = Exact<{ [key: string]: never; }>;


export type AnySessionQuery = { readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string }> } };

export type SessionsByIdQueryVariables = Exact<{
  ids: ReadonlyArray<string | number> | string | number;
}>;


export type SessionsByIdQuery = { readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly source: string | null, readonly externalId: string | null, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly cost: number | null, readonly costSource: string, readonly models: ReadonlyArray<string> }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly open: boolean, readonly course: string | null } }> } };

export type SessionRowFragment = { readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly source: string | null, readonly externalId: string | null, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly cost: number | null, readonly costSource: string, readonly models: ReadonlyArray<string> }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly open: boolean, readonly course: string | null } };

export type SearchSessionsQueryVariables = Exact<{
  term: string;
  from?: string | null | undefined;
  to?: string | null | undefined;
  filter?: RecordedSessionFilter | null | undefined;
  after?: string | null | undefined;
}>;


export type SearchSessionsQuery = { readonly recordedSearch: { readonly from: string, readonly read: number, readonly stoppedAt: string | null, readonly endCursor: string | null, readonly nodes: ReadonlyArray<{ readonly eventId: string, readonly sessionId: string, readonly name: string, readonly kind: string, readonly success: boolean, readonly at: string, readonly field: string, readonly snippet: string }> } };

export type ActiveSessionsQueryVariables = Exact<{
  from: string;
}>;


export type ActiveSessionsQuery = { readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string }> } };

export type SessionHistogramQueryVariables = Exact<{
  from?: string | null | undefined;
  to?: string | null | undefined;
  filter?: RecordedSessionFilter | null | undefined;
  buckets?: number | null | undefined;
}>;


export type SessionHistogramQuery = { readonly recordedSessionHistogram: { readonly from: string, readonly to: string, readonly truncated: boolean, readonly buckets: ReadonlyArray<{ readonly at: string, readonly sessions: number, readonly failed: number, readonly tokens: number, readonly cost: number }> } };

export type RecordedServicesQueryVariables = Exact<{ [key: string]: never; }>;


export type RecordedServicesQuery = { readonly recordedServices: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly spans: number }> } };

export type SinceYesterdayQueryVariables = Exact<{
  yesterday: string;
  week: string;
  month: string;
}>;


export type SinceYesterdayQuery = { readonly recordedFailureGroups: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly tool: string, readonly message: string, readonly count: number, readonly firstAt: string }>, readonly pageInfo: { readonly hasNextPage: boolean } }, readonly now: { readonly tools: ReadonlyArray<{ readonly name: string, readonly calls: number, readonly p95: number | null }> }, readonly before: { readonly tools: ReadonlyArray<{ readonly name: string, readonly calls: number, readonly p95: number | null }> }, readonly tools: { readonly groups: ReadonlyArray<{ readonly name: string, readonly days: ReadonlyArray<{ readonly day: string, readonly cost: number | null, readonly sessions: number }> }> }, readonly agents: { readonly truncated: boolean, readonly groups: ReadonlyArray<{ readonly name: string, readonly days: ReadonlyArray<{ readonly day: string, readonly sessions: number }> }> } };

export type LimitsQueryVariables = Exact<{ [key: string]: never; }>;


export type LimitsQuery = { readonly rateLimitStatus: { readonly limits: ReadonlyArray<{ readonly type: string, readonly allowedAmount: number, readonly remainingAmount: number, readonly period: number, readonly reset: number }> } };

export type UpdateOrganizationMutationVariables = Exact<{
  input: OrganizationUpdateInput;
}>;


export type UpdateOrganizationMutation = { readonly organizationUpdate: { readonly success: boolean } };

export type RedactionQueryVariables = Exact<{ [key: string]: never; }>;


export type RedactionQuery = { readonly organization: { readonly id: string, readonly redactionEnabled: boolean, readonly redactionEntropy: boolean, readonly redactionPersonalData: boolean, readonly redactionPatterns: ReadonlyArray<Record<string, unknown>> } };

export type NoticeRulesQueryVariables = Exact<{ [key: string]: never; }>;


export type NoticeRulesQuery = { readonly noticeRules: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly name: string, readonly enabled: boolean, readonly condition: NoticeCondition, readonly sessionStates: ReadonlyArray<string>, readonly failureKinds: ReadonlyArray<string>, readonly issueStateTypes: ReadonlyArray<string>, readonly tool: string | null, readonly threshold: number | null, readonly minimumCalls: number, readonly channel: NoticeChannel, readonly emails: ReadonlyArray<string>, readonly targetHost: string | null, readonly includeText: boolean, readonly quietFrom: string | null, readonly quietTo: string | null, readonly timeZone: string, readonly toldAt: string | null, readonly deliveredCount: number, readonly failedCount: number, readonly error: string | null, readonly team: { readonly id: string } | null }> } };

export type NoticeRuleRowFragment = { readonly id: string, readonly name: string, readonly enabled: boolean, readonly condition: NoticeCondition, readonly sessionStates: ReadonlyArray<string>, readonly failureKinds: ReadonlyArray<string>, readonly issueStateTypes: ReadonlyArray<string>, readonly tool: string | null, readonly threshold: number | null, readonly minimumCalls: number, readonly channel: NoticeChannel, readonly emails: ReadonlyArray<string>, readonly targetHost: string | null, readonly includeText: boolean, readonly quietFrom: string | null, readonly quietTo: string | null, readonly timeZone: string, readonly toldAt: string | null, readonly deliveredCount: number, readonly failedCount: number, readonly error: string | null, readonly team: { readonly id: string } | null };

export type CreateNoticeRuleMutationVariables = Exact<{
  input: NoticeRuleCreateInput;
}>;


export type CreateNoticeRuleMutation = { readonly noticeRuleCreate: { readonly noticeRule: { readonly id: string } } };

export type UpdateNoticeRuleMutationVariables = Exact<{
  id: string;
  input: NoticeRuleUpdateInput;
}>;


export type UpdateNoticeRuleMutation = { readonly noticeRuleUpdate: { readonly success: boolean } };

export type DeleteNoticeRuleMutationVariables = Exact<{
  id: string;
}>;


export type DeleteNoticeRuleMutation = { readonly noticeRuleDelete: { readonly success: boolean } };

export type TestNoticeRuleMutationVariables = Exact<{
  id: string;
}>;


export type TestNoticeRuleMutation = { readonly noticeRuleTest: { readonly success: boolean } };

export type PricesQueryVariables = Exact<{ [key: string]: never; }>;


export type PricesQuery = { readonly organization: { readonly id: string, readonly pricesEnabled: boolean, readonly ownPrices: ReadonlyArray<Record<string, unknown>> } };

export type ProofVerdictsQueryVariables = Exact<{
  verified?: IssueFilter | null | undefined;
  unproven?: IssueFilter | null | undefined;
  contradicted?: IssueFilter | null | undefined;
  overridden?: IssueFilter | null | undefined;
}>;


export type ProofVerdictsQuery = { readonly verified: { readonly count: number }, readonly unproven: { readonly count: number }, readonly contradicted: { readonly count: number }, readonly overridden: { readonly count: number } };

export type TeamProofsQueryVariables = Exact<{ [key: string]: never; }>;


export type TeamProofsQuery = { readonly teams: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly key: string, readonly name: string, readonly proof: Record<string, unknown> | null }> } };

export type ToolsQueryVariables = Exact<{
  from?: string | null | undefined;
}>;


export type ToolsQuery = { readonly recordedToolStats: { readonly truncated: boolean, readonly tools: ReadonlyArray<{ readonly name: string, readonly calls: number, readonly failures: number, readonly p50: number | null, readonly p95: number | null, readonly p99: number | null, readonly trend: ReadonlyArray<number>, readonly failureTrend: ReadonlyArray<number> }> } };

export type ToolQueryVariables = Exact<{
  name: string;
  from?: string | null | undefined;
}>;


export type ToolQuery = { readonly recordedTool: { readonly name: string, readonly from: string, readonly to: string, readonly truncated: boolean, readonly calls: number, readonly failures: number, readonly sessions: number, readonly p50: number | null, readonly p95: number | null, readonly p99: number | null, readonly bandCalls: ReadonlyArray<number>, readonly bandFailures: ReadonlyArray<number>, readonly buckets: ReadonlyArray<{ readonly at: string, readonly calls: number, readonly failures: number, readonly p50: number | null, readonly p95: number | null, readonly bands: ReadonlyArray<number> }>, readonly failureGroups: ReadonlyArray<{ readonly id: string, readonly message: string, readonly count: number, readonly sessions: number, readonly lastAt: string, readonly eventId: string, readonly sessionId: string, readonly issue: { readonly identifier: string, readonly url: string } | null }> } };

export type FilingTitleQueryVariables = Exact<{
  id: string;
}>;


export type FilingTitleQuery = { readonly recordedEvent: { readonly failureTitle: string | null } };

export type TeamsQueryVariables = Exact<{ [key: string]: never; }>;


export type TeamsQuery = { readonly teams: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly key: string, readonly name: string }> } };

export type FileFailureMutationVariables = Exact<{
  input: IssueCreateFromFailureInput;
}>;


export type FileFailureMutation = { readonly issueCreateFromFailure: { readonly issue: { readonly url: string } | null } };

export type UsageQueryVariables = Exact<{
  by: RecordedUsageGroupBy;
  from?: string | null | undefined;
  to?: string | null | undefined;
}>;


export type UsageQuery = { readonly all: { readonly groups: ReadonlyArray<{ readonly cost: number | null, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly sessions: number }> }, readonly recordedUsage: { readonly from: string, readonly to: string, readonly truncated: boolean, readonly groups: ReadonlyArray<{ readonly name: string, readonly cost: number | null, readonly costSource: string, readonly missingCosts: number, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly sessions: number, readonly days: ReadonlyArray<{ readonly day: string, readonly cost: number | null, readonly inputTokens: number, readonly outputTokens: number, readonly sessions: number }> }> } };

export type UsageBeforeQueryVariables = Exact<{
  by: RecordedUsageGroupBy;
  from?: string | null | undefined;
  to?: string | null | undefined;
}>;


export type UsageBeforeQuery = { readonly all: { readonly groups: ReadonlyArray<{ readonly cost: number | null, readonly inputTokens: number, readonly outputTokens: number, readonly sessions: number }> }, readonly recordedUsage: { readonly groups: ReadonlyArray<{ readonly name: string, readonly cost: number | null, readonly inputTokens: number, readonly outputTokens: number, readonly sessions: number, readonly days: ReadonlyArray<{ readonly day: string, readonly cost: number | null, readonly inputTokens: number, readonly outputTokens: number, readonly sessions: number }> }> } };

export type IssuesDoneQueryVariables = Exact<{
  from: string;
  before: string;
}>;


export type IssuesDoneQuery = { readonly now: { readonly count: number }, readonly before: { readonly count: number } };

export type RecordedUsersQueryVariables = Exact<{
  filter?: RecordedUserFilter | null | undefined;
  first?: number | null | undefined;
}>;


export type RecordedUsersQuery = { readonly recordedUsers: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly traits: Record<string, unknown>, readonly firstSeenAt: string, readonly sessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly startedAt: string }> } }>, readonly pageInfo: { readonly hasNextPage: boolean } } };

export type UserSessionsQueryVariables = Exact<{
  filter?: RecordedSessionFilter | null | undefined;
  first?: number | null | undefined;
}>;


export type UserSessionsQuery = { readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly source: string | null, readonly externalId: string | null, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number, readonly inputTokens: number, readonly outputTokens: number, readonly cacheReadTokens: number, readonly cost: number | null, readonly costSource: string, readonly models: ReadonlyArray<string> }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly open: boolean, readonly course: string | null } }>, readonly pageInfo: { readonly hasNextPage: boolean } } };

export const Failures = toGraphQLDocument<FailuresQuery, FailuresQueryVariables>("query Failures($filter: RecordedFailureGroupFilter, $after: String) { recordedFailureGroups(filter: $filter, first: 50, after: $after) { incomplete nodes { id tool message state count sessions agents firstAt lastAt days { day count } issue { identifier url } } pageInfo { hasNextPage endCursor } } }");
export const FailureSummary = toGraphQLDocument<FailureSummaryQuery, FailureSummaryQueryVariables>("query FailureSummary($from: DateTimeOrDuration) { recordedFailureSummary(from: $from) { new back ongoing filed ignored truncated } }");
export const CallsFailed = toGraphQLDocument<CallsFailedQuery, CallsFailedQueryVariables>("query CallsFailed($from: DateTimeOrDuration!, $before: DateTimeOrDuration!) { now: recordedToolStats(from: $from) { tools { calls failures } } before: recordedToolStats(from: $before, to: $from) { tools { calls failures } } }");
export const FailureBefore = toGraphQLDocument<FailureBeforeQuery, FailureBeforeQueryVariables>("query FailureBefore($tool: String!, $group: String!, $from: DateTimeOrDuration!, $before: DateTimeOrDuration!) { now: recordedTool(name: $tool, from: $from, buckets: 1, failureGroupId: $group) { calls failures truncated failureGroups { count } } before: recordedTool( name: $tool from: $before to: $from buckets: 1 failureGroupId: $group ) { calls failures truncated failureGroups { count } } }");
export const FailureComparison = toGraphQLDocument<FailureComparisonQuery, FailureComparisonQueryVariables>("query FailureComparison($id: String!) { recordedFailureComparison(failureGroupId: $id) { failed others differences { name value failed others } } }");
export const Failure = toGraphQLDocument<FailureQuery, FailureQueryVariables>("query Failure($id: String!) { recordedFailureGroup(id: $id) { id tool message state count sessions users agentCounts { name count sessions cost } firstAt lastAt eventId sessionId ignoredAt ignoredUntil ignoredUntilCount days { day count } issue { identifier url } examples { at event { id args(maxLength: 600) result(maxLength: 1200) errorMessage } session { id brief { message } } before { id name kind success args } } } }");
export const IgnoreFailure = toGraphQLDocument<IgnoreFailureMutation, IgnoreFailureMutationVariables>("mutation IgnoreFailure($id: String!, $input: RecordedFailureGroupIgnoreInput!) { recordedFailureGroupIgnore(id: $id, input: $input) { success } }");
export const UnignoreFailure = toGraphQLDocument<UnignoreFailureMutation, UnignoreFailureMutationVariables>("mutation UnignoreFailure($id: String!) { recordedFailureGroupUnignore(id: $id) { success } }");
export const Inbox = toGraphQLDocument<InboxQuery, InboxQueryVariables>("query Inbox($all: Boolean) { inbox(first: 100, includeArchived: $all) { nodes { id type createdAt question readAt doneAt snoozedUntilAt session { id source brief { agent message } } issue { identifier title url } failureGroup { id tool message count sessions } holder { name } comment { user { name } } } pageInfo { hasNextPage } } }");
export const InboxSession = toGraphQLDocument<InboxSessionQuery, InboxSessionQueryVariables>("query InboxSession($id: String!) { recordedSession(id: $id) { id metadata source externalId events(last: 4) { nodes { id primitiveName kind success timestamp args(maxLength: 200) } } } }");
export const MarkInbox = toGraphQLDocument<MarkInboxMutation, MarkInboxMutationVariables>("mutation MarkInbox($ids: [String!]!, $input: InboxEntryUpdateInput!) { inboxEntryUpdate(ids: $ids, input: $input) { success } }");
export const RailCounts = toGraphQLDocument<RailCountsQuery, RailCountsQueryVariables>("query RailCounts { inbox(first: 100) { nodes { id } } organization { openIssueCount } cycle: issueGroups( stopAt: 100 filter: {cycle: {isActive: {eq: true}}, state: {type: {nin: [\"completed\", \"canceled\", \"duplicate\"]}}} ) { count } recordedFailureGroups( first: 100 filter: {state: {eq: new}, lastAt: {gte: \"-P7D\"}} ) { nodes { id } } }");
export const IssuePage = toGraphQLDocument<IssuePageQuery, IssuePageQueryVariables>("query IssuePage($filter: IssueFilter, $first: Int, $after: String, $sort: [IssueSortInput!]) { issues(filter: $filter, first: $first, after: $after, sort: $sort) { nodes { ...IssueRow } pageInfo { hasNextPage endCursor } } } fragment IssueRow on Issue { id identifier title url priority priorityLabel labelIds updatedAt blocked state { id name type } team { id } assignee { id name } delegate { id name } project { id } projectMilestone { id } cycle { id } lease { expiresAt holder { name app } } proof { verdict } sessionLinks(first: 1) { nodes { session { brief { course open } totals { failures } } } } labels(first: 5) { nodes { id name color } } }");
export const IssueCounts = toGraphQLDocument<IssueCountsQuery, IssueCountsQueryVariables>("query IssueCounts($filter: IssueFilter, $groupBy: IssueGroupBy) { issueGroups(filter: $filter, groupBy: $groupBy) { count groupCount groups { key name project { name } count } } }");
export const States = toGraphQLDocument<StatesQuery, StatesQueryVariables>("query States($filter: WorkflowStateFilter) { workflowStates(first: 250, filter: $filter) { nodes { id name type position team { id key } } } }");
export const UpdateIssues = toGraphQLDocument<UpdateIssuesMutation, UpdateIssuesMutationVariables>("mutation UpdateIssues($ids: [UUID!]!, $input: IssueUpdateInput!) { issueBatchUpdate(ids: $ids, input: $input) { issues { id updatedAt } } }");
export const MoveIssue = toGraphQLDocument<MoveIssueMutation, MoveIssueMutationVariables>("mutation MoveIssue($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { issue { id identifier updatedAt } } }");
export const FindIssues = toGraphQLDocument<FindIssuesQuery, FindIssuesQueryVariables>("query FindIssues($term: String!) { searchIssues(term: $term, first: 12) { nodes { id identifier title state { name type } } } }");
export const CreateIssues = toGraphQLDocument<CreateIssuesMutation, CreateIssuesMutationVariables>("mutation CreateIssues($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { issues { identifier url } } }");
export const CreateLabel = toGraphQLDocument<CreateLabelMutation, CreateLabelMutationVariables>("mutation CreateLabel($input: IssueLabelCreateInput!) { issueLabelCreate(input: $input) { issueLabel { id } } }");
export const IssueProof = toGraphQLDocument<IssueProofQuery, IssueProofQueryVariables>("query IssueProof($id: String!) { issue(id: $id) { handover proof { verdict reason updatedAt overriddenBy { name } events { id primitiveName timestamp session { id } } } } }");
export const IssueSessions = toGraphQLDocument<IssueSessionsQuery, IssueSessionsQueryVariables>("query IssueSessions($id: String!) { issue(id: $id) { deletedSessions(first: 20) { nodes { id createdAt blankedAt deletedBy { name } } } sessionLinks(first: 20) { nodes { id kinds session { id startedAt source totals { failures cost costSource inputTokens outputTokens } brief { agent message course endedAt open lastFailed } } } pageInfo { hasNextPage } } } }");
export const IssueHistory = toGraphQLDocument<IssueHistoryQuery, IssueHistoryQueryVariables>("query IssueHistory($id: String!, $after: String) { issue(id: $id) { history(first: 30, after: $after) { nodes { id createdAt event actor { name app } onBehalfOf { name } fromTitle toTitle updatedDescription toPriority fromEstimate toEstimate fromDueDate toDueDate fromState { name } toState { name } fromAssignee { name } toAssignee { name } fromDelegate { name } toDelegate { name } toTeam { name } toIdentifier fromProject { name } toProject { name } fromProjectMilestone { name } toProjectMilestone { name } fromCycle { number name } toCycle { number name } fromParent { identifier } toParent { identifier } addedLabels { name } removedLabels { name } archived trashed relationChanges { type identifier } } pageInfo { hasNextPage endCursor } } } }");
export const SessionIssues = toGraphQLDocument<SessionIssuesQuery, SessionIssuesQueryVariables>("query SessionIssues($id: String!) { recordedSession(id: $id) { issueLinks(first: 20) { nodes { id kinds issue { identifier title url } } pageInfo { hasNextPage } } } }");
export const IssueFailures = toGraphQLDocument<IssueFailuresQuery, IssueFailuresQueryVariables>("query IssueFailures($id: ID!) { recordedFailureGroups(filter: {issue: {id: {eq: $id}}}, first: 5) { nodes { id tool message count sessions lastAt eventId sessionId hours { at count } } pageInfo { hasNextPage } } }");
export const IssueFiles = toGraphQLDocument<IssueFilesQuery, IssueFilesQueryVariables>("query IssueFiles($id: String!) { issue(id: $id) { files(first: 50) { nodes { ...ChangedFile lastEvent { id session { id } } } pageInfo { hasNextPage } } commits(first: 20) { nodes { ...MadeCommit session { id } } pageInfo { hasNextPage } } } } fragment ChangedFile on RecordedFile { path added removed edits createdAt updatedAt } fragment MadeCommit on RecordedCommit { id message branch createdAt event { id } }");
export const Issues = toGraphQLDocument<IssuesQuery, IssuesQueryVariables>("query Issues($filter: IssueFilter, $first: Int) { issues(filter: $filter, first: $first, orderBy: updatedAt) { nodes { ...IssueRow } pageInfo { hasNextPage } } } fragment IssueRow on Issue { id identifier title url priority priorityLabel labelIds updatedAt blocked state { id name type } team { id } assignee { id name } delegate { id name } project { id } projectMilestone { id } cycle { id } lease { expiresAt holder { name app } } proof { verdict } sessionLinks(first: 1) { nodes { session { brief { course open } totals { failures } } } } labels(first: 5) { nodes { id name color } } }");
export const FoundIssues = toGraphQLDocument<FoundIssuesQuery, FoundIssuesQueryVariables>("query FoundIssues($term: String!, $filter: IssueFilter, $first: Int) { searchIssues(term: $term, filter: $filter, first: $first, includeComments: true) { nodes { ...FoundRow } unmatchedWords pageInfo { hasNextPage } } } fragment FoundRow on IssueSearchResult { id identifier title url priority priorityLabel labelIds updatedAt state { id name type } team { id } assignee { id name } delegate { id name } project { id } cycle { id } labels(first: 5) { nodes { id name color } } }");
export const Issue = toGraphQLDocument<IssueQuery, IssueQueryVariables>("query Issue($id: String!) { issue(id: $id) { id identifier title description url priority priorityLabel estimate dueDate createdAt updatedAt startedAt completedAt canceledAt archivedAt trashed branchName lastEdit { createdAt actor { name } } team { id key name } state { id name type } assignee { id name } delegate { id name } labelIds creator { name } externalUserCreator { name } externalUserAssignee { name } parent { identifier title url } project { id name url projectMilestones(first: 100) { nodes { id name } } } projectMilestone { id name } cycle { id number name } labels(first: 50) { nodes { id name color } } lease { fence holder { id name } sessionId grantedAt expiresAt } relations(first: 50) { nodes { id type relatedIssue { ...RelatedIssue } } } inverseRelations(first: 50) { nodes { id type issue { ...RelatedIssue } } } children(first: 50) { nodes { ...RelatedIssue } } comments(first: 100) { nodes { id body createdAt editedAt parentId url user { name } externalUser { name } } pageInfo { hasNextPage } } } } fragment RelatedIssue on Issue { id identifier title url state { name type } }");
export const IssueChoices = toGraphQLDocument<IssueChoicesQuery, IssueChoicesQueryVariables>("query IssueChoices { users(first: 250) { nodes { id name email app } } issueLabels(first: 250, filter: {isGroup: {eq: false}}) { nodes { id name color team { id } } } teams(first: 100) { nodes { id key name } } projects(first: 100) { nodes { id name teams(first: 20) { nodes { id } } } } cycles(first: 100, filter: {isPast: {eq: false}}) { nodes { id number name isActive team { id } } } }");
export const UpdateIssue = toGraphQLDocument<UpdateIssueMutation, UpdateIssueMutationVariables>("mutation UpdateIssue($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }");
export const RelateIssues = toGraphQLDocument<RelateIssuesMutation, RelateIssuesMutationVariables>("mutation RelateIssues($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { success } }");
export const UnrelateIssues = toGraphQLDocument<UnrelateIssuesMutation, UnrelateIssuesMutationVariables>("mutation UnrelateIssues($id: String!) { issueRelationDelete(id: $id) { success } }");
export const ArchiveIssue = toGraphQLDocument<ArchiveIssueMutation, ArchiveIssueMutationVariables>("mutation ArchiveIssue($id: String!, $trash: Boolean) { issueArchive(id: $id, trash: $trash) { success } }");
export const RestoreIssue = toGraphQLDocument<RestoreIssueMutation, RestoreIssueMutationVariables>("mutation RestoreIssue($id: String!) { issueUnarchive(id: $id) { success } }");
export const DeleteIssue = toGraphQLDocument<DeleteIssueMutation, DeleteIssueMutationVariables>("mutation DeleteIssue($id: String!) { issueDelete(id: $id, permanentlyDelete: true) { success } }");
export const ClaimIssue = toGraphQLDocument<ClaimIssueMutation, ClaimIssueMutationVariables>("mutation ClaimIssue($input: IssueClaimInput!) { issueClaim(input: $input) { success } }");
export const ReleaseIssue = toGraphQLDocument<ReleaseIssueMutation, ReleaseIssueMutationVariables>("mutation ReleaseIssue($id: String!, $fence: Int) { issueRelease(id: $id, fence: $fence) { success } }");
export const AddComment = toGraphQLDocument<AddCommentMutation, AddCommentMutationVariables>("mutation AddComment($input: CommentCreateInput!) { commentCreate(input: $input) { success } }");
export const ProjectPage = toGraphQLDocument<ProjectPageQuery, ProjectPageQueryVariables>("query ProjectPage($slug: String!) { project(id: $slug) { id name url description content startDate targetDate status { id name } lead { id name } members(first: 50) { nodes { id name app } } teams(first: 50) { nodes { id name } } projectMilestones(first: 100) { nodes { id name targetDate } pageInfo { hasNextPage } } } projectStatuses(first: 50) { nodes { id name position } } }");
export const TeamPage = toGraphQLDocument<TeamPageQuery, TeamPageQueryVariables>("query TeamPage($key: String!) { team(id: $key) { id key name description } }");
export const ProfilePages = toGraphQLDocument<ProfilePagesQuery, ProfilePagesQueryVariables>("query ProfilePages { users(first: 250, includeDisabled: true) { nodes { id name email active url } } }");
export const LabelPage = toGraphQLDocument<LabelPageQuery, LabelPageQueryVariables>("query LabelPage($id: String!) { issueLabel(id: $id) { id name color description } }");
export const StatePage = toGraphQLDocument<StatePageQuery, StatePageQueryVariables>("query StatePage($id: String!) { workflowState(id: $id) { id name type team { name } } }");
export const Palette = toGraphQLDocument<PaletteQuery, PaletteQueryVariables>("query Palette($text: String!, $agent: RecordedSessionFilter) { searchIssues(term: $text, first: 6) { nodes { identifier title url } } recordedSessions(filter: $agent, first: 6) { nodes { id startedAt brief { agent message } } } }");
export const PaletteTools = toGraphQLDocument<PaletteToolsQuery, PaletteToolsQueryVariables>("query PaletteTools { recordedToolStats(from: \"-P7D\") { tools { name calls failures } } }");
export const PaletteRecent = toGraphQLDocument<PaletteRecentQuery, PaletteRecentQueryVariables>("query PaletteRecent { recordedSessions(first: 100) { nodes { id startedAt brief { agent message } } } }");
export const Views = toGraphQLDocument<ViewsQuery, ViewsQueryVariables>("query Views { customViews(first: 100) { nodes { id name shared filterData owner { isMe } } } }");
export const SaveView = toGraphQLDocument<SaveViewMutation, SaveViewMutationVariables>("mutation SaveView($input: CustomViewCreateInput!) { customViewCreate(input: $input) { customView { id } } }");
export const ChangeView = toGraphQLDocument<ChangeViewMutation, ChangeViewMutationVariables>("mutation ChangeView($id: String!, $input: CustomViewUpdateInput!) { customViewUpdate(id: $id, input: $input) { success } }");
export const DeleteView = toGraphQLDocument<DeleteViewMutation, DeleteViewMutationVariables>("mutation DeleteView($id: String!) { customViewDelete(id: $id) { success } }");
export const MilestonesOfProject = toGraphQLDocument<MilestonesOfProjectQuery, MilestonesOfProjectQueryVariables>("query MilestonesOfProject($id: String!) { project(id: $id) { projectMilestones(first: 100) { nodes { id name } } } }");
export const IssueTemplates = toGraphQLDocument<IssueTemplatesQuery, IssueTemplatesQueryVariables>("query IssueTemplates { templates { id name team { id } templateData } }");
export const CreateTeam = toGraphQLDocument<CreateTeamMutation, CreateTeamMutationVariables>("mutation CreateTeam($input: TeamCreateInput!) { teamCreate(input: $input) { team { id } } }");
export const SimilarIssues = toGraphQLDocument<SimilarIssuesQuery, SimilarIssuesQueryVariables>("query SimilarIssues($title: String!) { similarIssues(title: $title, first: 3) { nodes { id identifier title url state { name type } } } }");
export const CreateIssue = toGraphQLDocument<CreateIssueMutation, CreateIssueMutationVariables>("mutation CreateIssue($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier url } } }");
export const Projects = toGraphQLDocument<ProjectsQuery, ProjectsQueryVariables>("query Projects { projects(first: 100) { nodes { id name slugId url progress targetDate status { name type } lead { name } projectMilestones(first: 5) { nodes { id } } } pageInfo { hasNextPage } } projectStatuses(first: 50) { nodes { id name position } } }");
export const ProjectProgress = toGraphQLDocument<ProjectProgressQuery, ProjectProgressQueryVariables>("query ProjectProgress($id: ID!) { all: issueGroups(filter: {project: {id: {eq: $id}}}, groupBy: state) { groups { key count } } planned: issueGroups( filter: {project: {id: {eq: $id}}, state: {type: {nin: [\"canceled\", \"duplicate\"]}}} groupBy: projectMilestone ) { count groupCount groups { key count } } done: issueGroups( filter: {project: {id: {eq: $id}}, state: {type: {eq: \"completed\"}}} groupBy: projectMilestone ) { count groupCount groups { key count } } verified: issueGroups( filter: {project: {id: {eq: $id}}, state: {type: {eq: \"completed\"}}, proof: {verdict: {eq: \"verified\"}}} stopAt: 1000 ) { count } }");
export const CreateProject = toGraphQLDocument<CreateProjectMutation, CreateProjectMutationVariables>("mutation CreateProject($input: ProjectCreateInput!) { projectCreate(input: $input) { project { id slugId } } }");
export const UpdateProject = toGraphQLDocument<UpdateProjectMutation, UpdateProjectMutationVariables>("mutation UpdateProject($id: String!, $input: ProjectUpdateInput!) { projectUpdate(id: $id, input: $input) { success } }");
export const CreateMilestone = toGraphQLDocument<CreateMilestoneMutation, CreateMilestoneMutationVariables>("mutation CreateMilestone($input: ProjectMilestoneCreateInput!) { projectMilestoneCreate(input: $input) { success } }");
export const UpdateMilestone = toGraphQLDocument<UpdateMilestoneMutation, UpdateMilestoneMutationVariables>("mutation UpdateMilestone($id: String!, $input: ProjectMilestoneUpdateInput!) { projectMilestoneUpdate(id: $id, input: $input) { success } }");
export const DeleteMilestone = toGraphQLDocument<DeleteMilestoneMutation, DeleteMilestoneMutationVariables>("mutation DeleteMilestone($id: String!) { projectMilestoneDelete(id: $id) { success } }");
export const Cycles = toGraphQLDocument<CyclesQuery, CyclesQueryVariables>("query Cycles { cycles(first: 100) { nodes { ...CycleRow } pageInfo { hasNextPage } } } fragment CycleRow on Cycle { id number name startsAt endsAt progress isActive isPast team { id key name } }");
export const CyclePage = toGraphQLDocument<CyclePageQuery, CyclePageQueryVariables>("query CyclePage($id: String!) { cycle(id: $id) { ...CycleRow description } } fragment CycleRow on Cycle { id number name startsAt endsAt progress isActive isPast team { id key name } }");
export const CreateCycle = toGraphQLDocument<CreateCycleMutation, CreateCycleMutationVariables>("mutation CreateCycle($input: CycleCreateInput!) { cycleCreate(input: $input) { cycle { id } } }");
export const UpdateCycle = toGraphQLDocument<UpdateCycleMutation, UpdateCycleMutationVariables>("mutation UpdateCycle($id: String!, $input: CycleUpdateInput!) { cycleUpdate(id: $id, input: $input) { success } }");
export const UpdateTeam = toGraphQLDocument<UpdateTeamMutation, UpdateTeamMutationVariables>("mutation UpdateTeam($id: String!, $input: TeamUpdateInput!) { teamUpdate(id: $id, input: $input) { success } }");
export const UpdateLabel = toGraphQLDocument<UpdateLabelMutation, UpdateLabelMutationVariables>("mutation UpdateLabel($id: String!, $input: IssueLabelUpdateInput!) { issueLabelUpdate(id: $id, input: $input) { success } }");
export const DeleteSession = toGraphQLDocument<DeleteSessionMutation, DeleteSessionMutationVariables>("mutation DeleteSession($id: String!) { recordedSessionDelete(id: $id) { complete } }");
export const HoldSession = toGraphQLDocument<HoldSessionMutation, HoldSessionMutationVariables>("mutation HoldSession($id: String!, $input: RecordedSessionHoldInput!) { recordedSessionHold(id: $id, input: $input) { success } }");
export const ReleaseSession = toGraphQLDocument<ReleaseSessionMutation, ReleaseSessionMutationVariables>("mutation ReleaseSession($id: String!) { recordedSessionRelease(id: $id) { success } }");
export const DeleteUser = toGraphQLDocument<DeleteUserMutation, DeleteUserMutationVariables>("mutation DeleteUser($id: String!) { recordedUserDelete(id: $id) { complete } }");
export const UserExport = toGraphQLDocument<UserExportQuery, UserExportQueryVariables>("query UserExport($id: String!, $after: String) { recordedUserExport(id: $id, after: $after) { lines endCursor } }");
export const BlankQuotation = toGraphQLDocument<BlankQuotationMutation, BlankQuotationMutationVariables>("mutation BlankQuotation($id: String!) { issueDeletedSessionBlank(id: $id) { success } }");
export const Retention = toGraphQLDocument<RetentionQuery, RetentionQueryVariables>("query Retention { organization { id retentionSessionDays retentionTextDays retentionAgents } }");
export const Expiring = toGraphQLDocument<ExpiringQuery, ExpiringQueryVariables>("query Expiring { recordedSessionsExpiring(first: 50) { nodes { ...SessionRow textsExpireAt expiresAt } pageInfo { hasNextPage } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const Quoting = toGraphQLDocument<QuotingQuery, QuotingQueryVariables>("query Quoting { issueDeletedSessions(first: 50) { nodes { id createdAt blankedAt deletedBy { name } issue { identifier title url } } pageInfo { hasNextPage } } }");
export const Session = toGraphQLDocument<SessionQuery, SessionQueryVariables>("query Session($id: String!) { recordedSession(id: $id) { ...SessionRow metadata state stateSince waitsFor stateEvent { id } holdReason heldBy { name } user { id traits } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const Outline = toGraphQLDocument<OutlineQuery, OutlineQueryVariables>("query Outline($sessionId: UUID!, $first: Int, $after: UUID, $receivedAfter: DateTime, $text: String) { recordedOutline( sessionId: $sessionId first: $first after: $after receivedAfter: $receivedAfter text: $text ) { hasNextPage endCursor ids parentIds names kinds open models inputTokens outputTokens costs types failed latencies timestamps briefs results checkpoints receivedAt } }");
export const Event = toGraphQLDocument<EventQuery, EventQueryVariables>("query Event($id: String!, $maxLength: Int) { recordedEvent(id: $id) { id parentId primitiveName primitiveType kind open model inputTokens outputTokens cacheReadTokens cacheWriteTokens cost costSource errorMessage redacted success latency timestamp receivedAt metadata args(maxLength: $maxLength) result(maxLength: $maxLength) session { id } checkpoints { name at offset delta share } } }");
export const EventTexts = toGraphQLDocument<EventTextsQuery, EventTextsQueryVariables>("query EventTexts($sessionId: String!, $ids: [ID!]!, $maxLength: Int) { recordedSession(id: $sessionId) { events(filter: {id: {in: $ids}}, first: 100) { nodes { id args(maxLength: $maxLength) result(maxLength: $maxLength) } } } }");
export const OutlineSearch = toGraphQLDocument<OutlineSearchQuery, OutlineSearchQueryVariables>("query OutlineSearch($sessionId: UUID!, $text: String!, $first: Int, $after: UUID) { recordedOutline( sessionId: $sessionId text: $text first: $first after: $after ) { hasNextPage endCursor stoppedAt ids } }");
export const Compared = toGraphQLDocument<ComparedQuery, ComparedQueryVariables>("query Compared($a: String!, $b: String!) { a: recordedSession(id: $a) { ...ComparedRun } b: recordedSession(id: $b) { ...ComparedRun } } fragment ComparedRun on RecordedSession { ...SessionRow issues { nodes { proof { verdict } } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const Alike = toGraphQLDocument<AlikeQuery, AlikeQueryVariables>("query Alike($filter: RecordedSessionFilter!) { recordedSessions(filter: $filter, first: 20) { searchedSince nodes { ...SessionRow } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const Recent = toGraphQLDocument<RecentQuery, RecentQueryVariables>("query Recent { recordedSessions(first: 20) { nodes { ...SessionRow } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const ComparedEvents = toGraphQLDocument<ComparedEventsQuery, ComparedEventsQueryVariables>("query ComparedEvents($a: String!, $b: String!, $maxLength: Int) { a: recordedEvent(id: $a) { id args(maxLength: $maxLength) result(maxLength: $maxLength) } b: recordedEvent(id: $b) { id args(maxLength: $maxLength) result(maxLength: $maxLength) } }");
export const SessionFiles = toGraphQLDocument<SessionFilesQuery, SessionFilesQueryVariables>("query SessionFiles($id: String!) { recordedSession(id: $id) { files(first: 100) { nodes { ...ChangedFile } pageInfo { hasNextPage } } commits(first: 50) { nodes { ...MadeCommit } } } } fragment ChangedFile on RecordedFile { path added removed edits createdAt updatedAt } fragment MadeCommit on RecordedCommit { id message branch createdAt event { id } }");
export const Sessions = toGraphQLDocument<SessionsQuery, SessionsQueryVariables>("query Sessions($filter: RecordedSessionFilter, $first: Int, $after: String, $sort: [RecordedSessionSortInput!]) { recordedSessions(filter: $filter, first: $first, after: $after, sort: $sort) { nodes { ...SessionRow } pageInfo { hasNextPage endCursor } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const AnySession = toGraphQLDocument<AnySessionQuery, AnySessionQueryVariables>("query AnySession { recordedSessions(first: 1) { nodes { id } } }");
export const SessionsById = toGraphQLDocument<SessionsByIdQuery, SessionsByIdQueryVariables>("query SessionsById($ids: [ID!]!) { recordedSessions(filter: {id: {in: $ids}}, first: 50) { nodes { ...SessionRow } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const SearchSessions = toGraphQLDocument<SearchSessionsQuery, SearchSessionsQueryVariables>("query SearchSessions($term: String!, $from: DateTimeOrDuration, $to: DateTimeOrDuration, $filter: RecordedSessionFilter, $after: String) { recordedSearch( term: $term from: $from to: $to filter: $filter after: $after first: 50 ) { from read stoppedAt endCursor nodes { eventId sessionId name kind success at field snippet } } }");
export const ActiveSessions = toGraphQLDocument<ActiveSessionsQuery, ActiveSessionsQueryVariables>("query ActiveSessions($from: DateTimeOrDuration!) { recordedSessions( first: 100 filter: {active: {eq: true}, startedAt: {gte: $from}} ) { nodes { id } } }");
export const SessionHistogram = toGraphQLDocument<SessionHistogramQuery, SessionHistogramQueryVariables>("query SessionHistogram($from: DateTimeOrDuration, $to: DateTimeOrDuration, $filter: RecordedSessionFilter, $buckets: Int) { recordedSessionHistogram( from: $from to: $to filter: $filter buckets: $buckets ) { from to truncated buckets { at sessions failed tokens cost } } }");
export const RecordedServices = toGraphQLDocument<RecordedServicesQuery, RecordedServicesQueryVariables>("query RecordedServices { recordedServices(first: 5) { nodes { id spans } } }");
export const SinceYesterday = toGraphQLDocument<SinceYesterdayQuery, SinceYesterdayQueryVariables>("query SinceYesterday($yesterday: DateTimeOrDuration!, $week: DateTimeOrDuration!, $month: DateTimeOrDuration!) { recordedFailureGroups( first: 10 filter: {state: {eq: new}, firstAt: {gte: $yesterday}} ) { nodes { id tool message count firstAt } pageInfo { hasNextPage } } now: recordedToolStats(from: $yesterday) { tools { name calls p95 } } before: recordedToolStats(from: $week, to: $yesterday) { tools { name calls p95 } } tools: recordedUsage(groupBy: tool, from: $week) { groups { name days { day cost sessions } } } agents: recordedUsage(groupBy: agent, from: $month) { truncated groups { name days { day sessions } } } }");
export const Limits = toGraphQLDocument<LimitsQuery, LimitsQueryVariables>("query Limits { rateLimitStatus { limits { type allowedAmount remainingAmount period reset } } }");
export const UpdateOrganization = toGraphQLDocument<UpdateOrganizationMutation, UpdateOrganizationMutationVariables>("mutation UpdateOrganization($input: OrganizationUpdateInput!) { organizationUpdate(input: $input) { success } }");
export const Redaction = toGraphQLDocument<RedactionQuery, RedactionQueryVariables>("query Redaction { organization { id redactionEnabled redactionEntropy redactionPersonalData redactionPatterns } }");
export const NoticeRules = toGraphQLDocument<NoticeRulesQuery, NoticeRulesQueryVariables>("query NoticeRules { noticeRules(first: 100) { nodes { ...NoticeRuleRow } } } fragment NoticeRuleRow on NoticeRule { id name enabled condition sessionStates failureKinds issueStateTypes tool threshold minimumCalls team { id } channel emails targetHost includeText quietFrom quietTo timeZone toldAt deliveredCount failedCount error }");
export const CreateNoticeRule = toGraphQLDocument<CreateNoticeRuleMutation, CreateNoticeRuleMutationVariables>("mutation CreateNoticeRule($input: NoticeRuleCreateInput!) { noticeRuleCreate(input: $input) { noticeRule { id } } }");
export const UpdateNoticeRule = toGraphQLDocument<UpdateNoticeRuleMutation, UpdateNoticeRuleMutationVariables>("mutation UpdateNoticeRule($id: String!, $input: NoticeRuleUpdateInput!) { noticeRuleUpdate(id: $id, input: $input) { success } }");
export const DeleteNoticeRule = toGraphQLDocument<DeleteNoticeRuleMutation, DeleteNoticeRuleMutationVariables>("mutation DeleteNoticeRule($id: String!) { noticeRuleDelete(id: $id) { success } }");
export const TestNoticeRule = toGraphQLDocument<TestNoticeRuleMutation, TestNoticeRuleMutationVariables>("mutation TestNoticeRule($id: String!) { noticeRuleTest(id: $id) { success } }");
export const Prices = toGraphQLDocument<PricesQuery, PricesQueryVariables>("query Prices { organization { id pricesEnabled ownPrices } }");
export const ProofVerdicts = toGraphQLDocument<ProofVerdictsQuery, ProofVerdictsQueryVariables>("query ProofVerdicts($verified: IssueFilter, $unproven: IssueFilter, $contradicted: IssueFilter, $overridden: IssueFilter) { verified: issueGroups(filter: $verified) { count } unproven: issueGroups(filter: $unproven) { count } contradicted: issueGroups(filter: $contradicted) { count } overridden: issueGroups(filter: $overridden) { count } }");
export const TeamProofs = toGraphQLDocument<TeamProofsQuery, TeamProofsQueryVariables>("query TeamProofs { teams(first: 100) { nodes { id key name proof } } }");
export const Tools = toGraphQLDocument<ToolsQuery, ToolsQueryVariables>("query Tools($from: DateTimeOrDuration) { recordedToolStats(from: $from) { truncated tools { name calls failures p50 p95 p99 trend failureTrend } } }");
export const Tool = toGraphQLDocument<ToolQuery, ToolQueryVariables>("query Tool($name: String!, $from: DateTimeOrDuration) { recordedTool(name: $name, from: $from) { name from to truncated calls failures sessions p50 p95 p99 bandCalls bandFailures buckets { at calls failures p50 p95 bands } failureGroups { id message count sessions lastAt eventId sessionId issue { identifier url } } } }");
export const FilingTitle = toGraphQLDocument<FilingTitleQuery, FilingTitleQueryVariables>("query FilingTitle($id: String!) { recordedEvent(id: $id) { failureTitle } }");
export const Teams = toGraphQLDocument<TeamsQuery, TeamsQueryVariables>("query Teams { teams(first: 100) { nodes { id key name } } }");
export const FileFailure = toGraphQLDocument<FileFailureMutation, FileFailureMutationVariables>("mutation FileFailure($input: IssueCreateFromFailureInput!) { issueCreateFromFailure(input: $input) { issue { url } } }");
export const Usage = toGraphQLDocument<UsageQuery, UsageQueryVariables>("query Usage($by: RecordedUsageGroupBy!, $from: DateTimeOrDuration, $to: DateTimeOrDuration) { all: recordedUsage(groupBy: all, from: $from, to: $to) { groups { cost inputTokens outputTokens cacheReadTokens sessions } } recordedUsage(groupBy: $by, from: $from, to: $to) { from to truncated groups { name cost costSource missingCosts inputTokens outputTokens cacheReadTokens sessions days { day cost inputTokens outputTokens sessions } } } }");
export const UsageBefore = toGraphQLDocument<UsageBeforeQuery, UsageBeforeQueryVariables>("query UsageBefore($by: RecordedUsageGroupBy!, $from: DateTimeOrDuration, $to: DateTimeOrDuration) { all: recordedUsage(groupBy: all, from: $from, to: $to) { groups { cost inputTokens outputTokens sessions } } recordedUsage(groupBy: $by, from: $from, to: $to) { groups { name cost inputTokens outputTokens sessions days { day cost inputTokens outputTokens sessions } } } }");
export const IssuesDone = toGraphQLDocument<IssuesDoneQuery, IssuesDoneQueryVariables>("query IssuesDone($from: DateTimeOrDuration!, $before: DateTimeOrDuration!) { now: issueGroups(filter: {completedAt: {gte: $from}}) { count } before: issueGroups(filter: {completedAt: {gte: $before, lt: $from}}) { count } }");
export const RecordedUsers = toGraphQLDocument<RecordedUsersQuery, RecordedUsersQueryVariables>("query RecordedUsers($filter: RecordedUserFilter, $first: Int) { recordedUsers(filter: $filter, first: $first) { nodes { id traits firstSeenAt sessions(first: 1) { nodes { id startedAt } } } pageInfo { hasNextPage } } }");
export const UserSessions = toGraphQLDocument<UserSessionsQuery, UserSessionsQueryVariables>("query UserSessions($filter: RecordedSessionFilter, $first: Int) { recordedSessions(filter: $filter, first: $first) { nodes { ...SessionRow } pageInfo { hasNextPage } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
