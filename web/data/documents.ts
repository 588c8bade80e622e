// Written by `npm run web:types` from web/documents/.
import { document } from "./document.ts";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** A language that texts are written in. */
export type SearchLanguage =
  /** English. */
  | 'english'
  /** German. */
  | 'german'
  /** French. */
  | 'french'
  /** Spanish. */
  | 'spanish'
  /** Any other: words are found as they stand, and by their beginnings. */
  | 'other';

/** Direction of a sort. */
export type PaginationSortOrder =
  /** Smallest first. */
  | 'Ascending'
  /** Largest first. */
  | 'Descending';

/** The place in a sort of entries without a value. */
export type PaginationNulls =
  /** Before all others. */
  | 'first'
  /** After all others. */
  | 'last';

/** The meaning of a project status. */
export type ProjectStatusType =
  /** Not planned yet. */
  | 'backlog'
  /** Planned. */
  | 'planned'
  /** Being worked on. */
  | 'started'
  /** On hold. */
  | 'paused'
  /** Done. */
  | 'completed'
  /** Given up. */
  | 'canceled';

/** What one issue is to another. */
export type IssueRelationType =
  /** It comes first: the other is not ready while it is open. */
  | 'blocks'
  /** It is the same as the other, and moves to the state Duplicate. */
  | 'duplicate'
  /** They have to do with each other. */
  | 'related'
  /** They are much alike. */
  | 'similar'
  /** It was found while working on the other. */
  | 'discovered';

/** Which failures an issue is filed about. */
export type IssueCreateFromFailureInput = {
  /** A group of recorded failures; its last one is told of. */
  readonly failureGroupId?: string | number | null | undefined;
  /** Instead of a group: a recorded event that failed. */
  readonly eventId?: string | number | null | undefined;
  /** Id or key of the team that gets the issue, if there is none yet. */
  readonly teamId: string;
  /** Title of a new issue; the name and the message by default. */
  readonly title?: string | null | undefined;
  /** Description of a new issue, in Markdown; arguments and result of the failure by default. Where it is recorded follows. */
  readonly description?: string | null | undefined;
  /** Priority of a new issue: 0 none, 1 urgent, 2 high, 3 medium, 4 low. */
  readonly priority?: number | null | undefined;
  /** Id of the assignee of a new issue. */
  readonly assigneeId?: string | null | undefined;
  /** Ids of the labels of a new issue. */
  readonly labelIds?: ReadonlyArray<string> | null | undefined;
};

/** Which issue to claim, and for how long. */
export type IssueClaimInput = {
  /** Id or identifier of the issue; who holds it already, in the same session, gets the same lease. */
  readonly id?: string | null | undefined;
  /** Instead of an id: the best ready issue that meets these conditions, or NOT_FOUND. */
  readonly filter?: IssueFilter | null | undefined;
  /** Seconds until the lease ends unless renewed, 60 to 86400; 1800 unless told. */
  readonly ttlSeconds?: number | null | undefined;
  /** Id of the session in which the issue is worked on, or the id its agent gave it; its events renew the lease. */
  readonly sessionId?: string | null | undefined;
  /** Takes the issue with this id over from who holds it under this fence; CONFLICT when they do not any more. */
  readonly fence?: number | null | undefined;
  /** What the session may cost, in US dollars, before the claim is stopped; as the team has it unless given. */
  readonly costLimit?: number | null | undefined;
  /** How many tokens the session may take; as the team has it unless given. */
  readonly tokenLimit?: number | null | undefined;
  /** How many minutes the claim may last; as the team has it unless given. */
  readonly minuteLimit?: number | null | undefined;
  /** How many equal calls in a row the session may make, 2 to 50; as the team has it unless given. */
  readonly equalCallLimit?: number | null | undefined;
};

/** What one issue is to become to another. */
export type IssueRelationCreateInput = {
  /** Id of the new entity, a UUID; sending the same input again returns the same entity. */
  readonly id?: string | null | undefined;
  /** What the issue is to the related one. */
  readonly type: IssueRelationType;
  /** Id or identifier of the issue. */
  readonly issueId: string;
  /** Id or identifier of the related issue. */
  readonly relatedIssueId: string;
};

/** Conditions on an issue relation. */
export type IssueRelationFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its type. */
  readonly type?: StringComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its issue. */
  readonly issue?: NullableIssueFilter | null | undefined;
  /** On its related issue. */
  readonly relatedIssue?: NullableIssueFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<IssueRelationFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<IssueRelationFilter> | null | undefined;
};

/** Whether there is one. */
export type RelationExistsComparator = {
  /** Equal to. */
  readonly eq?: boolean | null | undefined;
  /** Not equal to. */
  readonly neq?: boolean | null | undefined;
};

/** Direction. */
export type ReadySort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** Without an effect: every issue has a place. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Condition that a notice rule watches. */
export type NoticeCondition =
  /** A session is in one of `sessionStates`. */
  | 'sessionState'
  /** Failures that say the same are new, or back after a week, as `failureKinds` says. */
  | 'failureGroup'
  /** `threshold` percent of the calls of a tool failed in this hour and the one before, of at least `minimumCalls`. */
  | 'toolFailureRate'
  /** A session has cost `threshold` dollars; again at each doubling. */
  | 'sessionCost'
  /** All sessions of a day in UTC have cost `threshold` dollars; again at each doubling. */
  | 'dayCost'
  /** An issue is in a state of one of `issueStateTypes`. */
  | 'issueState'
  /** The lease of an issue ran out. */
  | 'leaseExpired';

/** Way in which notices are sent. */
export type NoticeChannel =
  /** Mail to `emails`, by the organization's mail server or else the server's. */
  | 'email'
  /** An incoming webhook of Slack, or of what speaks its format. */
  | 'slack'
  /** A topic of ntfy. */
  | 'ntfy'
  /** A webhook of your own, signed with `secret`. */
  | 'webhook';

/** Why a session is kept. */
export type RecordedSessionHoldInput = {
  /** The reason, of at most 512 characters. */
  readonly reason: string;
};

/** What issues are grouped by. */
export type IssueGroupBy =
  /** Their state; states of the same name are one group, whichever teams they are of. */
  | 'state'
  /** The person that they are assigned to. */
  | 'assignee'
  /** The agent that they are delegated to. */
  | 'delegate'
  /** Who holds them. */
  | 'holder'
  /** The person that created them. */
  | 'creator'
  /** Their labels; labels of the same name are one group. */
  | 'label'
  /** Their project. */
  | 'project'
  /** Their milestone. */
  | 'projectMilestone'
  /** Their priority. */
  | 'priority'
  /** Their team. */
  | 'team'
  /** Their cycle. */
  | 'cycle';

/** Conditions on an id; all that are given hold. */
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

/** Conditions on the id or identifier of an issue; all that are given hold. */
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

/** Conditions on an id; all that are given hold. */
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

/** Conditions on a text; all that are given hold. */
export type StringComparator = {
  /** Contains, case-sensitive. */
  readonly contains?: string | null | undefined;
  /** Contains, in any case. */
  readonly containsIgnoreCase?: string | null | undefined;
  /** Ends with. */
  readonly endsWith?: string | null | undefined;
  /** Equal to. */
  readonly eq?: string | null | undefined;
  /** Equal to, in any case. */
  readonly eqIgnoreCase?: string | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Not equal to. */
  readonly neq?: string | null | undefined;
  /** Not equal to, in any case. */
  readonly neqIgnoreCase?: string | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<string> | null | undefined;
  /** Does not contain, case-sensitive. */
  readonly notContains?: string | null | undefined;
  /** Does not contain, in any case. */
  readonly notContainsIgnoreCase?: string | null | undefined;
  /** Does not end with. */
  readonly notEndsWith?: string | null | undefined;
  /** Does not start with. */
  readonly notStartsWith?: string | null | undefined;
  /** Starts with. */
  readonly startsWith?: string | null | undefined;
  /** Starts with, in any case. */
  readonly startsWithIgnoreCase?: string | null | undefined;
};

/** Conditions on a number; all that are given hold. */
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

/** Conditions on an estimate; all that are given hold. */
export type EstimateComparator = {
  /** All of these hold. */
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
  /** True: has no value. False: has one. */
  readonly null?: boolean | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<NullableNumberComparator> | null | undefined;
};

/** Conditions on a yes or no; all that are given hold. */
export type BooleanComparator = {
  /** Equal to. */
  readonly eq?: boolean | null | undefined;
  /** Not equal to. */
  readonly neq?: boolean | null | undefined;
};

/** Conditions on a moment; all that are given hold. */
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

/** Conditions on a day that may be absent; all that are given hold. */
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
  /** True: has no value. False: has one. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on all text of an entity; all that are given hold. */
export type ContentComparator = {
  /** Contains, case-sensitive. */
  readonly contains?: string | null | undefined;
  /** Does not contain, case-sensitive. */
  readonly notContains?: string | null | undefined;
};

/** Conditions on an issue; all that are given hold. */
export type IssueFilter = {
  /** On its id. */
  readonly id?: IssueIdComparator | null | undefined;
  /** On its number. */
  readonly number?: NumberComparator | null | undefined;
  /** On its title. */
  readonly title?: StringComparator | null | undefined;
  /** On its description. */
  readonly description?: NullableStringComparator | null | undefined;
  /** On its priority. */
  readonly priority?: NullableNumberComparator | null | undefined;
  /** On its estimate. */
  readonly estimate?: EstimateComparator | null | undefined;
  /** On its due date. */
  readonly dueDate?: NullableTimelessDateComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its archived at. */
  readonly archivedAt?: NullableDateComparator | null | undefined;
  /** On its started at. */
  readonly startedAt?: NullableDateComparator | null | undefined;
  /** On its completed at. */
  readonly completedAt?: NullableDateComparator | null | undefined;
  /** On its canceled at. */
  readonly canceledAt?: NullableDateComparator | null | undefined;
  /** On its state. */
  readonly state?: WorkflowStateFilter | null | undefined;
  /** On its team. */
  readonly team?: TeamFilter | null | undefined;
  /** On its assignee. */
  readonly assignee?: NullableUserFilter | null | undefined;
  /** On its delegate. */
  readonly delegate?: NullableUserFilter | null | undefined;
  /** On who holds it, and until when. */
  readonly lease?: NullableIssueLeaseFilter | null | undefined;
  /** On what the record says of how it was completed. */
  readonly proof?: NullableIssueProofFilter | null | undefined;
  /** On whether it can be begun. */
  readonly ready?: BooleanComparator | null | undefined;
  /** On whether an open issue blocks it. */
  readonly blocked?: BooleanComparator | null | undefined;
  /** Whether a recorded session is linked to it. */
  readonly hasSessions?: RelationExistsComparator | null | undefined;
  /** Whether something blocks it, open or not. */
  readonly hasBlockedByRelations?: RelationExistsComparator | null | undefined;
  /** Whether it blocks something, open or not. */
  readonly hasBlockingRelations?: RelationExistsComparator | null | undefined;
  /** Whether it is a duplicate, or has one. */
  readonly hasDuplicateRelations?: RelationExistsComparator | null | undefined;
  /** Whether it is related to something. */
  readonly hasRelatedRelations?: RelationExistsComparator | null | undefined;
  /** On what it is to other issues. */
  readonly relations?: IssueRelationCollectionFilter | null | undefined;
  /** On what other issues are to it. */
  readonly inverseRelations?: IssueRelationCollectionFilter | null | undefined;
  /** On its creator. */
  readonly creator?: NullableUserFilter | null | undefined;
  /** On its parent. */
  readonly parent?: NullableIssueFilter | null | undefined;
  /** On its project. */
  readonly project?: NullableProjectFilter | null | undefined;
  /** On its milestone. */
  readonly projectMilestone?: NullableProjectMilestoneFilter | null | undefined;
  /** On its cycle. */
  readonly cycle?: NullableCycleFilter | null | undefined;
  /** On its labels. */
  readonly labels?: IssueLabelCollectionFilter | null | undefined;
  /** On its children. */
  readonly children?: IssueCollectionFilter | null | undefined;
  /** On its comments. */
  readonly comments?: CommentCollectionFilter | null | undefined;
  /** On its searchable content. */
  readonly searchableContent?: ContentComparator | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<IssueFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<IssueFilter> | null | undefined;
};

/** Conditions on a comment; all that are given hold. */
export type CommentFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its body. */
  readonly body?: StringComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its user. */
  readonly user?: UserFilter | null | undefined;
  /** On its issue. */
  readonly issue?: NullableIssueFilter | null | undefined;
  /** On its project. */
  readonly project?: NullableProjectFilter | null | undefined;
  /** On its parent. */
  readonly parent?: NullableCommentFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<CommentFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<CommentFilter> | null | undefined;
};

/** Conditions on a team; all that are given hold. */
export type TeamFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its key. */
  readonly key?: StringComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its description. */
  readonly description?: NullableStringComparator | null | undefined;
  /** On its private. */
  readonly private?: BooleanComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its issues. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<TeamFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<TeamFilter> | null | undefined;
};

/** Conditions on a project; all that are given hold. */
export type ProjectFilter = {
  /** On its id. */
  readonly id?: EntityIdentifierIdComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its priority. */
  readonly priority?: NullableNumberComparator | null | undefined;
  /** On its slug id. */
  readonly slugId?: StringComparator | null | undefined;
  /** On its state. */
  readonly state?: StringComparator | null | undefined;
  /** On its start date. */
  readonly startDate?: NullableDateComparator | null | undefined;
  /** On its target date. */
  readonly targetDate?: NullableDateComparator | null | undefined;
  /** On its started at. */
  readonly startedAt?: NullableDateComparator | null | undefined;
  /** On its completed at. */
  readonly completedAt?: NullableDateComparator | null | undefined;
  /** On its canceled at. */
  readonly canceledAt?: NullableDateComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its status. */
  readonly status?: ProjectStatusFilter | null | undefined;
  /** On its lead. */
  readonly lead?: NullableUserFilter | null | undefined;
  /** On its creator. */
  readonly creator?: UserFilter | null | undefined;
  /** On its issues. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** On its members. */
  readonly members?: UserCollectionFilter | null | undefined;
  /** On its accessible teams. */
  readonly accessibleTeams?: TeamCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<ProjectFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<ProjectFilter> | null | undefined;
};

/** Conditions on a project status; all that are given hold. */
export type ProjectStatusFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its type. */
  readonly type?: StringComparator | null | undefined;
  /** On its description. */
  readonly description?: StringComparator | null | undefined;
  /** On its position. */
  readonly position?: NumberComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its projects. */
  readonly projects?: ProjectCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<ProjectStatusFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<ProjectStatusFilter> | null | undefined;
};

/** Conditions on a workflow state; all that are given hold. */
export type WorkflowStateFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its type. */
  readonly type?: StringComparator | null | undefined;
  /** On its description. */
  readonly description?: StringComparator | null | undefined;
  /** On its position. */
  readonly position?: NumberComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its team. */
  readonly team?: TeamFilter | null | undefined;
  /** On its issues. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<WorkflowStateFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<WorkflowStateFilter> | null | undefined;
};

/** Conditions on a label; all that are given hold. */
export type IssueLabelFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its is group. */
  readonly isGroup?: BooleanComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its team. */
  readonly team?: NullableTeamFilter | null | undefined;
  /** On its creator. */
  readonly creator?: NullableUserFilter | null | undefined;
  /** On its parent. */
  readonly parent?: IssueLabelFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<IssueLabelFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<IssueLabelFilter> | null | undefined;
};

/** Conditions on an user; all that are given hold. */
export type UserFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its display name. */
  readonly displayName?: StringComparator | null | undefined;
  /** On its email. */
  readonly email?: StringComparator | null | undefined;
  /** On its active. */
  readonly active?: BooleanComparator | null | undefined;
  /** On its admin. */
  readonly admin?: BooleanComparator | null | undefined;
  /** On its owner. */
  readonly owner?: BooleanComparator | null | undefined;
  /** On whether it is an agent. */
  readonly app?: BooleanComparator | null | undefined;
  /** On its is me. */
  readonly isMe?: BooleanComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its assigned issues. */
  readonly assignedIssues?: IssueCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<UserFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<UserFilter> | null | undefined;
};

/** One step of a sort of issues; name exactly one field a step. */
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
  /** In the order in which to do them: by priority, then by how many they unblock, then the oldest. */
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
  /** Id of the new entity, a UUID; sending the same input again returns the same entity. */
  readonly id?: string | null | undefined;
  /** Id of the team. */
  readonly teamId: string;
  /** Id of a template that gives the values which are absent here. */
  readonly templateId?: string | null | undefined;
  /** One line that says what it is about, at most 512 characters; needed unless the template has one. */
  readonly title?: string | null | undefined;
  /** Free text in Markdown. */
  readonly description?: string | null | undefined;
  /** 0 none, 1 urgent, 2 high, 3 medium, 4 low. */
  readonly priority?: number | null | undefined;
  /** Size in points. */
  readonly estimate?: number | null | undefined;
  /** Id of the workflow state; the team’s default when absent. */
  readonly stateId?: string | null | undefined;
  /** Id of the user who is to do it; null for nobody. */
  readonly assigneeId?: string | null | undefined;
  /** Id of the agent it is delegated to; null for none. */
  readonly delegateId?: string | null | undefined;
  /** Id of the entity it is a part of; null for none. */
  readonly parentId?: string | null | undefined;
  /** Id of the project; null for none. */
  readonly projectId?: string | null | undefined;
  /** Id of a milestone of that project; null for none. */
  readonly projectMilestoneId?: string | null | undefined;
  /** Id of the cycle; null for none. */
  readonly cycleId?: string | null | undefined;
  /** Ids of its labels; replaces the ones it has. */
  readonly labelIds?: ReadonlyArray<string> | null | undefined;
  /** The day by which it should be done; null for none. */
  readonly dueDate?: string | null | undefined;
  /** Place in a manually sorted list. */
  readonly sortOrder?: number | null | undefined;
  /** When it was created, for imports; now when absent. */
  readonly createdAt?: string | null | undefined;
  /** When it was completed, for imports. */
  readonly completedAt?: string | null | undefined;
  /** The recorded session that it is filed from: its id, or the id its agent gave it. */
  readonly sessionId?: string | null | undefined;
};

/** A new comment. */
export type CommentCreateInput = {
  /** Id of the new entity, a UUID; sending the same input again returns the same entity. */
  readonly id?: string | null | undefined;
  /** Text in Markdown, at most 256 KiB. */
  readonly body?: string | null | undefined;
  /** Id or identifier of the issue. */
  readonly issueId?: string | null | undefined;
  /** Id of the project; null for none. */
  readonly projectId?: string | null | undefined;
  /** Id of the entity it is a part of; null for none. */
  readonly parentId?: string | null | undefined;
  /** When it was created, for imports; now when absent. */
  readonly createdAt?: string | null | undefined;
  /** The fence of the lease under which this is written; a stale one is refused with CONFLICT. */
  readonly fence?: number | null | undefined;
};

/** A new team. */
export type TeamCreateInput = {
  /** Id of the new entity, a UUID; sending the same input again returns the same entity. */
  readonly id?: string | null | undefined;
  /** Name shown to people, at most 256 characters. */
  readonly name: string;
  /** Prefix of identifiers: a capital letter and up to six capitals or digits; derived from the name when absent. */
  readonly key?: string | null | undefined;
  /** Free text in Markdown. */
  readonly description?: string | null | undefined;
  /** Colour as #rrggbb. */
  readonly color?: string | null | undefined;
  /** Name of an icon. */
  readonly icon?: string | null | undefined;
  /** Refused when true: every member sees every team. */
  readonly private?: boolean | null | undefined;
};

/** The evidence that a team demands of the record before an issue counts as proven. */
export type TeamProofInput = {
  /** Commands that have to have ended with exit code 0 after the last change of a file: at most 10, each one plain command such as npm test. */
  readonly commands?: ReadonlyArray<string> | null | undefined;
  /** True if a commit has to be made after the last change. */
  readonly commit?: boolean | null | undefined;
  /** True if a branch has to be pushed after the last commit. */
  readonly push?: boolean | null | undefined;
  /** Refuses to complete an issue that is not proven: CONFLICT says what is missing. */
  readonly required?: boolean | null | undefined;
};

/** A new project. */
export type ProjectCreateInput = {
  /** Id of the new entity, a UUID; sending the same input again returns the same entity. */
  readonly id?: string | null | undefined;
  /** Name shown to people, at most 256 characters. */
  readonly name: string;
  /** Ids of the teams that take part. */
  readonly teamIds: ReadonlyArray<string>;
  /** Free text in Markdown. */
  readonly description?: string | null | undefined;
  /** The long description in Markdown. */
  readonly content?: string | null | undefined;
  /** Name of an icon. */
  readonly icon?: string | null | undefined;
  /** Colour as #rrggbb. */
  readonly color?: string | null | undefined;
  /** Id of the project status. */
  readonly statusId?: string | null | undefined;
  /** Id of the user who leads it; null for nobody. */
  readonly leadId?: string | null | undefined;
  /** Ids of the users that take part. */
  readonly memberIds?: ReadonlyArray<string> | null | undefined;
  /** 0 none, 1 urgent, 2 high, 3 medium, 4 low. */
  readonly priority?: number | null | undefined;
  /** Planned first day. */
  readonly startDate?: string | null | undefined;
  /** Planned last day. */
  readonly targetDate?: string | null | undefined;
  /** Place in a manually sorted list. */
  readonly sortOrder?: number | null | undefined;
};

/** A new project milestone. */
export type ProjectMilestoneCreateInput = {
  /** Id of the new entity, a UUID; sending the same input again returns the same entity. */
  readonly id?: string | null | undefined;
  /** Name shown to people, at most 256 characters. */
  readonly name: string;
  /** The day by which it is to be reached. */
  readonly targetDate?: string | null | undefined;
  /** Its project. */
  readonly projectId: string;
};

/** A new view. It is the caller's. */
export type CustomViewCreateInput = {
  /** Id of the new entity, a UUID; sending the same input again returns the same entity. */
  readonly id?: string | null | undefined;
  /** Name shown to people, at most 256 characters. */
  readonly name: string;
  /** Free text in Markdown. */
  readonly description?: string | null | undefined;
  /** Name of an icon. */
  readonly icon?: string | null | undefined;
  /** Colour as #rrggbb. */
  readonly color?: string | null | undefined;
  /** Whether every member sees it; not unless told. Only its owner takes it back from the others. */
  readonly shared?: boolean | null | undefined;
  /** Its conditions, at most 16 KiB; a new view without any shows every issue. */
  readonly filterData?: IssueFilter | null | undefined;
  /** Id of the team whose page shows it; null for none. */
  readonly teamId?: string | null | undefined;
  /** Id of the project whose page shows it; null for none. */
  readonly projectId?: string | null | undefined;
};

/** A new cycle. */
export type CycleCreateInput = {
  /** Id of the new entity, a UUID; sending the same input again returns the same entity. */
  readonly id?: string | null | undefined;
  /** Id of the team. */
  readonly teamId: string;
  /** Name shown to people, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Free text in Markdown. */
  readonly description?: string | null | undefined;
  /** First moment. */
  readonly startsAt: string;
  /** Last moment. */
  readonly endsAt: string;
  /** When it was completed, for imports. */
  readonly completedAt?: string | null | undefined;
};

/** A new label. */
export type IssueLabelCreateInput = {
  /** Id of the new entity, a UUID; sending the same input again returns the same entity. */
  readonly id?: string | null | undefined;
  /** Name shown to people, at most 256 characters. */
  readonly name: string;
  /** Free text in Markdown. */
  readonly description?: string | null | undefined;
  /** Colour as #rrggbb. */
  readonly color?: string | null | undefined;
  /** Id of the team. */
  readonly teamId?: string | null | undefined;
  /** Id of the entity it is a part of; null for none. */
  readonly parentId?: string | null | undefined;
  /** Whether it only groups other labels. */
  readonly isGroup?: boolean | null | undefined;
};

/** A new notice rule. */
export type NoticeRuleCreateInput = {
  /** Id of the new entity, a UUID; sending the same input again returns the same entity. */
  readonly id?: string | null | undefined;
  /** Name shown to people. */
  readonly name: string;
  /** The condition that is watched; it cannot be changed. */
  readonly condition: NoticeCondition;
  /** How to send notices; it cannot be changed. */
  readonly channel: NoticeChannel;
  /** Whether it is watched; true when absent. */
  readonly enabled?: boolean | null | undefined;
  /** States of sessions to tell of: waitingForPermission, waitingForAnswer, stuck, looping (these four when absent), failed or ended. */
  readonly sessionStates?: ReadonlyArray<string> | null | undefined;
  /** Failures to tell of: new or back; both when absent. */
  readonly failureKinds?: ReadonlyArray<string> | null | undefined;
  /** Types of states of issues to tell of, such as completed. */
  readonly issueStateTypes?: ReadonlyArray<string> | null | undefined;
  /** The only tool whose failures count. */
  readonly tool?: string | null | undefined;
  /** Percent of calls that fail, or dollars, from which on to tell. */
  readonly threshold?: number | null | undefined;
  /** Fewest calls of which a failure rate says something; 20 when absent. */
  readonly minimumCalls?: number | null | undefined;
  /** Id of the only team whose issues to tell of. */
  readonly teamId?: string | null | undefined;
  /** Addresses to send mails to, at most 20; your own when absent. */
  readonly emails?: ReadonlyArray<string> | null | undefined;
  /** Address to post to: Slack's incoming webhook, ntfy's topic, or your own webhook. It is stored encrypted and never shown. */
  readonly url?: string | null | undefined;
  /** Secret that signs, in the form of Standard Webhooks, or ntfy's access token. It is stored encrypted and never shown. */
  readonly secret?: string | null | undefined;
  /** Whether notices hold recorded text; false when absent. */
  readonly includeText?: boolean | null | undefined;
  /** Time of day from which on nothing is sent, such as 22:00. */
  readonly quietFrom?: string | null | undefined;
  /** Time of day at which the quiet ends, such as 07:00. */
  readonly quietTo?: string | null | undefined;
  /** Time zone of the quiet hours, such as Europe/Berlin; UTC when absent. */
  readonly timeZone?: string | null | undefined;
};

/** Several new issues, at most 50, and relations of theirs: all are created or none. */
export type IssueBatchCreateInput = {
  /** The issues. The parent of one may be an issue before it, by the id that the input gives that. */
  readonly issues: ReadonlyArray<IssueCreateInput>;
  /** Relations of the new issues, at most 100, by the ids that the input gives them. */
  readonly relations?: ReadonlyArray<IssueRelationCreateInput> | null | undefined;
};

/** Changes to the organization; what is absent stays as it is. */
export type OrganizationUpdateInput = {
  /** Name shown to people. */
  readonly name?: string | null | undefined;
  /** Short name in addresses, unique on this server. */
  readonly urlKey?: string | null | undefined;
  /** True: secrets are taken out of recordings and of texts that programs write. */
  readonly redactionEnabled?: boolean | null | undefined;
  /** True: values that look random are taken out too, if the name beside them tells of a secret. */
  readonly redactionEntropy?: boolean | null | undefined;
  /** True: e-mail addresses, telephone numbers, IBANs and card numbers are taken out too. */
  readonly redactionPersonalData?: boolean | null | undefined;
  /** All of its own patterns, at most 20: those that are left out go. */
  readonly redactionPatterns?: ReadonlyArray<RedactionPatternInput> | null | undefined;
  /** Days after which recorded sessions are removed of which nothing came; null for never, unless the server has a number. */
  readonly retentionSessionDays?: number | null | undefined;
  /** Days after which the texts of such sessions are removed; their outline stays. Null for never. */
  readonly retentionTextDays?: number | null | undefined;
  /** Other days for the sessions of some agents, at most 50: those that are left out go. */
  readonly retentionAgents?: ReadonlyArray<RetentionAgentInput> | null | undefined;
  /** The language by whose stems searches find other forms of a word. The newest texts follow at once, all others within an hour. */
  readonly searchLanguage?: SearchLanguage | null | undefined;
  /** True: what a recorded event cost is computed from its tokens where the agent does not say it. */
  readonly pricesEnabled?: boolean | null | undefined;
  /** All of its own prices, at most 100: those that are left out go. Costs of the last 90 days are computed anew. */
  readonly ownPrices?: ReadonlyArray<PriceInput> | null | undefined;
};

/** What a model costs from a day on, in US dollars for a million tokens. */
export type PriceInput = {
  /** Its name, in which * stands for any characters. Of several that match, the one that spells more of the name counts, then the later. */
  readonly model: string;
  /** Tokens of a prompt. */
  readonly input: number;
  /** Tokens of an answer. */
  readonly output: number;
  /** Tokens read from a cache; as input unless given. */
  readonly cacheRead?: number | null | undefined;
  /** Tokens written to a cache; as input unless given. */
  readonly cacheWrite?: number | null | undefined;
  /** The first day, in UTC. */
  readonly from: string;
};

/** How long the sessions of an agent are kept. */
export type RetentionAgentInput = {
  /** The agent's name, as its turns carry it, or where its sessions come from. */
  readonly agent: string;
  /** Days after which its sessions are removed; those of the organization unless given. */
  readonly sessionDays?: number | null | undefined;
  /** Days after which their texts are removed; those of the organization unless given. */
  readonly textDays?: number | null | undefined;
};

/** A pattern of an organization's own; its matches are taken out. */
export type RedactionPatternInput = {
  /** The kind that marks name: lower-case words joined by hyphens, and none of a built-in rule. */
  readonly name: string;
  /** A regular expression of the subset that docs/privacy.md describes, of at most 200 characters. */
  readonly pattern: string;
};

/** What a recorded session does. */
export type RecordedSessionState =
  /** A turn goes on. */
  | 'working'
  /** Its agent asks a person whether it may do something. */
  | 'waitingForPermission'
  /** Its agent asks a person something, or for the next prompt. */
  | 'waitingForAnswer'
  /** Nothing came for 10 minutes amid a turn. */
  | 'stuck'
  /** Its last calls repeat each other: the same input and the same result, alone or in a circle of two or three. */
  | 'looping'
  /** Its turn is over, and it asks for nothing. */
  | 'idle'
  /** Its last turn failed. */
  | 'failed'
  /** Its agent said that it ended. */
  | 'ended';

/** What recorded usage is grouped by. */
export type RecordedUsageGroupBy =
  /** The model that an event names. */
  | 'model'
  /** Where a session comes from, such as claude-code; of capture-*, the name of a turn. */
  | 'agent'
  /** The end user of a session. */
  | 'user'
  /** The tool of a call. */
  | 'tool'
  /** The repository that a session's metadata names, or its working directory. */
  | 'repository'
  /** A label of an issue that a session has to do with: the session counts whole, on the day on which it began. */
  | 'label'
  /** An issue that a session has to do with, in the same way. */
  | 'issue'
  /** Nothing: all events are one group, named all. */
  | 'all';

/** How a group of recorded failures stands. */
export type RecordedFailureState =
  /** A member ignores it: until a moment, until there are more failures, or for good. */
  | 'ignored'
  /** It happened again, after its issue was completed or after 7 days without. */
  | 'back'
  /** There is an issue about it. */
  | 'filed'
  /** Its first failure is at most 7 days old. */
  | 'new'
  /** None of these. */
  | 'ongoing';

/** How long a group of failures is ignored: for good when neither is given, else until the first comes. */
export type RecordedFailureGroupIgnoreInput = {
  /** Until this moment. */
  readonly until?: string | null | undefined;
  /** Until there are so many failures, of those that are kept. */
  readonly untilCount?: number | null | undefined;
};

/** Conditions on the value of one top-level key; all that are given hold. */
export type RecordedKeyFilter = {
  /** The key. */
  readonly key: string;
  /** Its value equals this; types count, 5 is not “5”. */
  readonly eq?: unknown;
  /** Its value is another, or it is absent. */
  readonly neq?: unknown;
  /** Its value is one of these. */
  readonly in?: ReadonlyArray<unknown> | null | undefined;
  /** True: the key is present, whatever its value. False: it is absent. */
  readonly exists?: boolean | null | undefined;
};

/** Conditions on a recorded session; all that are given hold. */
export type RecordedSessionFilter = {
  /** On its session_id. */
  readonly id?: IdComparator | null | undefined;
  /** On its user. */
  readonly user?: RecordedUserFilter | null | undefined;
  /** On a key of its metadata. */
  readonly metadata?: RecordedKeyFilter | null | undefined;
  /** On the label of the client. */
  readonly clientConfig?: NullableStringComparator | null | undefined;
  /** On when it began. */
  readonly startedAt?: DateComparator | null | undefined;
  /** On whether the session itself was sent. */
  readonly registered?: BooleanComparator | null | undefined;
  /** On the agent’s own spelling of its id. */
  readonly externalId?: NullableStringComparator | null | undefined;
  /** On the agent or service that it was connected from. */
  readonly source?: NullableStringComparator | null | undefined;
  /** On its agents: the primitive_name of a turn. */
  readonly agent?: StringComparator | null | undefined;
  /** On whether some event of it has no success. */
  readonly hasFailures?: BooleanComparator | null | undefined;
  /** On its tools: the primitive_name of a tool call. */
  readonly tool?: StringComparator | null | undefined;
  /** On its state. */
  readonly state?: RecordedSessionStateComparator | null | undefined;
  /** On whether it goes on: an event of it has begun and not ended, or one ended within the last minute. */
  readonly active?: BooleanComparator | null | undefined;
  /** It holds this text, in any case, in the args or the result of an event. The newest sessions are read first, with up to ten statements that compare 5 MiB each: searchedSince says where that was not enough. */
  readonly text?: string | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<RecordedSessionFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<RecordedSessionFilter> | null | undefined;
};

/** Why something waits for a person. */
export type InboxEntryType =
  /** A session's agent asks whether it may do something. */
  | 'waitingForPermission'
  /** A session's agent asks something, or for the next prompt. */
  | 'waitingForAnswer'
  /** Nothing came of a session for 10 minutes amid a turn. */
  | 'stuck'
  /** The last calls of a session repeat each other. */
  | 'looping'
  /** A group of failures began in the last seven days, and nobody filed or ignored it. */
  | 'failureNew'
  /** Failures are back: after seven days without, or after their issue was completed. */
  | 'failureBack'
  /** A lease ran out, and nobody claimed the issue since. */
  | 'leaseExpired'
  /** A claim reached a limit, and waits for a person who releases the issue or takes it over. */
  | 'limitReached'
  /** Somebody made the caller the assignee of an issue, or its delegate. */
  | 'issueAssigned'
  /** An issue or a comment on it names the caller: @ and their display name or e-mail address. */
  | 'issueMentioned';

/** What to do about entries of the inbox; what is left out stays as it is. */
export type InboxEntryUpdateInput = {
  /** Whether the caller has read them. */
  readonly read?: boolean | null | undefined;
  /** Whether the caller is done with them. They leave the inbox until they come back. */
  readonly done?: boolean | null | undefined;
  /** Until when they leave the inbox; null brings them back. */
  readonly snoozedUntilAt?: string | null | undefined;
};

/** Conditions on a group of recorded failures; all that are given hold. */
export type RecordedFailureGroupFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On the name of what failed. */
  readonly tool?: StringComparator | null | undefined;
  /** On what the failures say. */
  readonly message?: StringComparator | null | undefined;
  /** On how many there are. */
  readonly count?: NumberComparator | null | undefined;
  /** On when the first one happened. */
  readonly firstAt?: DateComparator | null | undefined;
  /** On when the last one happened. */
  readonly lastAt?: DateComparator | null | undefined;
  /** On the issue about them. */
  readonly issue?: NullableIssueFilter | null | undefined;
  /** On how it stands. */
  readonly state?: RecordedFailureStateComparator | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<RecordedFailureGroupFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<RecordedFailureGroupFilter> | null | undefined;
};

/**
 * How to sort recorded sessions; name exactly one field. Duration, cost and failures are as they were kept within about the
 * last minute. Where a filter asks for more than a time, at most 20,000 sessions of that time are looked at, and a sort of more is refused.
 */
export type RecordedSessionSortInput = {
  /** By when it began. */
  readonly startedAt?: RecordedSort | null | undefined;
  /** By the time from its beginning to the end of its last event. */
  readonly duration?: RecordedSort | null | undefined;
  /** By what it cost. */
  readonly cost?: RecordedSort | null | undefined;
  /** By how many events have no success. */
  readonly failures?: RecordedSort | null | undefined;
};

/** How to sort by a value that every recorded session has. */
export type RecordedSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
};

/** Conditions on a recorded user; all that are given hold. */
export type RecordedUserFilter = {
  /** On its user_id. */
  readonly id?: StringComparator | null | undefined;
  /** On a trait. */
  readonly traits?: RecordedKeyFilter | null | undefined;
  /** On when the user was first heard of. */
  readonly firstSeenAt?: DateComparator | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<RecordedUserFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<RecordedUserFilter> | null | undefined;
};

/** Conditions on an issue; all that are given hold. */
export type NullableIssueFilter = {
  /** On its id. */
  readonly id?: IssueIdComparator | null | undefined;
  /** On its number. */
  readonly number?: NumberComparator | null | undefined;
  /** On its title. */
  readonly title?: StringComparator | null | undefined;
  /** On its description. */
  readonly description?: NullableStringComparator | null | undefined;
  /** On its priority. */
  readonly priority?: NullableNumberComparator | null | undefined;
  /** On its estimate. */
  readonly estimate?: EstimateComparator | null | undefined;
  /** On its due date. */
  readonly dueDate?: NullableTimelessDateComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its archived at. */
  readonly archivedAt?: NullableDateComparator | null | undefined;
  /** On its started at. */
  readonly startedAt?: NullableDateComparator | null | undefined;
  /** On its completed at. */
  readonly completedAt?: NullableDateComparator | null | undefined;
  /** On its canceled at. */
  readonly canceledAt?: NullableDateComparator | null | undefined;
  /** On its state. */
  readonly state?: WorkflowStateFilter | null | undefined;
  /** On its team. */
  readonly team?: TeamFilter | null | undefined;
  /** On its assignee. */
  readonly assignee?: NullableUserFilter | null | undefined;
  /** On its delegate. */
  readonly delegate?: NullableUserFilter | null | undefined;
  /** On who holds it, and until when. */
  readonly lease?: NullableIssueLeaseFilter | null | undefined;
  /** On what the record says of how it was completed. */
  readonly proof?: NullableIssueProofFilter | null | undefined;
  /** On whether it can be begun. */
  readonly ready?: BooleanComparator | null | undefined;
  /** On whether an open issue blocks it. */
  readonly blocked?: BooleanComparator | null | undefined;
  /** Whether a recorded session is linked to it. */
  readonly hasSessions?: RelationExistsComparator | null | undefined;
  /** Whether something blocks it, open or not. */
  readonly hasBlockedByRelations?: RelationExistsComparator | null | undefined;
  /** Whether it blocks something, open or not. */
  readonly hasBlockingRelations?: RelationExistsComparator | null | undefined;
  /** Whether it is a duplicate, or has one. */
  readonly hasDuplicateRelations?: RelationExistsComparator | null | undefined;
  /** Whether it is related to something. */
  readonly hasRelatedRelations?: RelationExistsComparator | null | undefined;
  /** On what it is to other issues. */
  readonly relations?: IssueRelationCollectionFilter | null | undefined;
  /** On what other issues are to it. */
  readonly inverseRelations?: IssueRelationCollectionFilter | null | undefined;
  /** On its creator. */
  readonly creator?: NullableUserFilter | null | undefined;
  /** On its parent. */
  readonly parent?: NullableIssueFilter | null | undefined;
  /** On its project. */
  readonly project?: NullableProjectFilter | null | undefined;
  /** On its milestone. */
  readonly projectMilestone?: NullableProjectMilestoneFilter | null | undefined;
  /** On its cycle. */
  readonly cycle?: NullableCycleFilter | null | undefined;
  /** On its labels. */
  readonly labels?: IssueLabelCollectionFilter | null | undefined;
  /** On its children. */
  readonly children?: IssueCollectionFilter | null | undefined;
  /** On its comments. */
  readonly comments?: CommentCollectionFilter | null | undefined;
  /** On its searchable content. */
  readonly searchableContent?: ContentComparator | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<NullableIssueFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<NullableIssueFilter> | null | undefined;
  /** True: there is none. False: there is one. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on a number that may be absent; all that are given hold. */
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
  /** True: has no value. False: has one. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on a text that may be absent; all that are given hold. */
export type NullableStringComparator = {
  /** Contains, case-sensitive. */
  readonly contains?: string | null | undefined;
  /** Contains, in any case. */
  readonly containsIgnoreCase?: string | null | undefined;
  /** Ends with. */
  readonly endsWith?: string | null | undefined;
  /** Equal to. */
  readonly eq?: string | null | undefined;
  /** Equal to, in any case. */
  readonly eqIgnoreCase?: string | null | undefined;
  /** One of. */
  readonly in?: ReadonlyArray<string> | null | undefined;
  /** Not equal to. */
  readonly neq?: string | null | undefined;
  /** Not equal to, in any case. */
  readonly neqIgnoreCase?: string | null | undefined;
  /** None of. */
  readonly nin?: ReadonlyArray<string> | null | undefined;
  /** Does not contain, case-sensitive. */
  readonly notContains?: string | null | undefined;
  /** Does not contain, in any case. */
  readonly notContainsIgnoreCase?: string | null | undefined;
  /** Does not end with. */
  readonly notEndsWith?: string | null | undefined;
  /** Does not start with. */
  readonly notStartsWith?: string | null | undefined;
  /** Starts with. */
  readonly startsWith?: string | null | undefined;
  /** Starts with, in any case. */
  readonly startsWithIgnoreCase?: string | null | undefined;
  /** True: has no value. False: has one. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on a moment that may be absent; all that are given hold. */
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
  /** True: has no value. False: has one. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on an user; all that are given hold. */
export type NullableUserFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its display name. */
  readonly displayName?: StringComparator | null | undefined;
  /** On its email. */
  readonly email?: StringComparator | null | undefined;
  /** On its active. */
  readonly active?: BooleanComparator | null | undefined;
  /** On its admin. */
  readonly admin?: BooleanComparator | null | undefined;
  /** On its owner. */
  readonly owner?: BooleanComparator | null | undefined;
  /** On whether it is an agent. */
  readonly app?: BooleanComparator | null | undefined;
  /** On its is me. */
  readonly isMe?: BooleanComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its assigned issues. */
  readonly assignedIssues?: IssueCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<NullableUserFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<NullableUserFilter> | null | undefined;
  /** True: there is none. False: there is one. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on an issue lease. */
export type NullableIssueLeaseFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its issue. */
  readonly issue?: IssueFilter | null | undefined;
  /** On its fence. */
  readonly fence?: NumberComparator | null | undefined;
  /** On its holder. */
  readonly holder?: UserFilter | null | undefined;
  /** On its session id. */
  readonly sessionId?: NullableStringComparator | null | undefined;
  /** On its ttl seconds. */
  readonly ttlSeconds?: NumberComparator | null | undefined;
  /** On its granted at. */
  readonly grantedAt?: DateComparator | null | undefined;
  /** On its expires at. */
  readonly expiresAt?: DateComparator | null | undefined;
  /** On its cost limit. */
  readonly costLimit?: NullableNumberComparator | null | undefined;
  /** On its token limit. */
  readonly tokenLimit?: NullableNumberComparator | null | undefined;
  /** On its minute limit. */
  readonly minuteLimit?: NullableNumberComparator | null | undefined;
  /** On its equal call limit. */
  readonly equalCallLimit?: NullableNumberComparator | null | undefined;
  /** On its tripped at. */
  readonly trippedAt?: NullableDateComparator | null | undefined;
  /** On its tripped by. */
  readonly trippedBy?: NullableStringComparator | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<NullableIssueLeaseFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<NullableIssueLeaseFilter> | null | undefined;
  /** True: there is none. False: there is one. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on an issue proof. */
export type NullableIssueProofFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its issue. */
  readonly issue?: IssueFilter | null | undefined;
  /** On its verdict. */
  readonly verdict?: StringComparator | null | undefined;
  /** On its reason. */
  readonly reason?: StringComparator | null | undefined;
  /** On its overridden by. */
  readonly overriddenBy?: NullableUserFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<NullableIssueProofFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<NullableIssueProofFilter> | null | undefined;
  /** True: there is none. False: there is one. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on issue relations; all that are given hold. */
export type IssueRelationCollectionFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its type. */
  readonly type?: StringComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its issue. */
  readonly issue?: NullableIssueFilter | null | undefined;
  /** On its related issue. */
  readonly relatedIssue?: NullableIssueFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<IssueRelationCollectionFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<IssueRelationCollectionFilter> | null | undefined;
  /** At least one satisfies this. */
  readonly some?: IssueRelationFilter | null | undefined;
  /** Each one satisfies this. */
  readonly every?: IssueRelationFilter | null | undefined;
  /** How many there are. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on a project; all that are given hold. */
export type NullableProjectFilter = {
  /** On its id. */
  readonly id?: EntityIdentifierIdComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its priority. */
  readonly priority?: NullableNumberComparator | null | undefined;
  /** On its slug id. */
  readonly slugId?: StringComparator | null | undefined;
  /** On its state. */
  readonly state?: StringComparator | null | undefined;
  /** On its start date. */
  readonly startDate?: NullableDateComparator | null | undefined;
  /** On its target date. */
  readonly targetDate?: NullableDateComparator | null | undefined;
  /** On its started at. */
  readonly startedAt?: NullableDateComparator | null | undefined;
  /** On its completed at. */
  readonly completedAt?: NullableDateComparator | null | undefined;
  /** On its canceled at. */
  readonly canceledAt?: NullableDateComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its status. */
  readonly status?: ProjectStatusFilter | null | undefined;
  /** On its lead. */
  readonly lead?: NullableUserFilter | null | undefined;
  /** On its creator. */
  readonly creator?: UserFilter | null | undefined;
  /** On its issues. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** On its members. */
  readonly members?: UserCollectionFilter | null | undefined;
  /** On its accessible teams. */
  readonly accessibleTeams?: TeamCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<NullableProjectFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<NullableProjectFilter> | null | undefined;
  /** True: there is none. False: there is one. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on a project milestone. */
export type NullableProjectMilestoneFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its archived at. */
  readonly archivedAt?: NullableDateComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its target date. */
  readonly targetDate?: NullableTimelessDateComparator | null | undefined;
  /** On its project. */
  readonly project?: ProjectFilter | null | undefined;
  /** On its issues. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<NullableProjectMilestoneFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<NullableProjectMilestoneFilter> | null | undefined;
  /** True: there is none. False: there is one. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on a cycle; all that are given hold. */
export type NullableCycleFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its number. */
  readonly number?: NumberComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its starts at. */
  readonly startsAt?: DateComparator | null | undefined;
  /** On its ends at. */
  readonly endsAt?: DateComparator | null | undefined;
  /** On its completed at. */
  readonly completedAt?: DateComparator | null | undefined;
  /** On its is active. */
  readonly isActive?: BooleanComparator | null | undefined;
  /** On its is past. */
  readonly isPast?: BooleanComparator | null | undefined;
  /** On its is future. */
  readonly isFuture?: BooleanComparator | null | undefined;
  /** On its being the first of its team's that are still to come. */
  readonly isNext?: BooleanComparator | null | undefined;
  /** On its being the last of its team's that have ended. */
  readonly isPrevious?: BooleanComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its team. */
  readonly team?: TeamFilter | null | undefined;
  /** On its issues. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<NullableCycleFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<NullableCycleFilter> | null | undefined;
  /** True: there is none. False: there is one. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on issue labels; all that are given hold. */
export type IssueLabelCollectionFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its is group. */
  readonly isGroup?: BooleanComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its team. */
  readonly team?: NullableTeamFilter | null | undefined;
  /** On its creator. */
  readonly creator?: NullableUserFilter | null | undefined;
  /** On its parent. */
  readonly parent?: IssueLabelFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<IssueLabelCollectionFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<IssueLabelCollectionFilter> | null | undefined;
  /** At least one satisfies this. */
  readonly some?: IssueLabelFilter | null | undefined;
  /** Each one satisfies this. */
  readonly every?: IssueLabelFilter | null | undefined;
  /** How many there are. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on issues; all that are given hold. */
export type IssueCollectionFilter = {
  /** On its id. */
  readonly id?: IssueIdComparator | null | undefined;
  /** On its number. */
  readonly number?: NumberComparator | null | undefined;
  /** On its title. */
  readonly title?: StringComparator | null | undefined;
  /** On its description. */
  readonly description?: NullableStringComparator | null | undefined;
  /** On its priority. */
  readonly priority?: NullableNumberComparator | null | undefined;
  /** On its estimate. */
  readonly estimate?: EstimateComparator | null | undefined;
  /** On its due date. */
  readonly dueDate?: NullableTimelessDateComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its archived at. */
  readonly archivedAt?: NullableDateComparator | null | undefined;
  /** On its started at. */
  readonly startedAt?: NullableDateComparator | null | undefined;
  /** On its completed at. */
  readonly completedAt?: NullableDateComparator | null | undefined;
  /** On its canceled at. */
  readonly canceledAt?: NullableDateComparator | null | undefined;
  /** On its state. */
  readonly state?: WorkflowStateFilter | null | undefined;
  /** On its team. */
  readonly team?: TeamFilter | null | undefined;
  /** On its assignee. */
  readonly assignee?: NullableUserFilter | null | undefined;
  /** On its delegate. */
  readonly delegate?: NullableUserFilter | null | undefined;
  /** On who holds it, and until when. */
  readonly lease?: NullableIssueLeaseFilter | null | undefined;
  /** On what the record says of how it was completed. */
  readonly proof?: NullableIssueProofFilter | null | undefined;
  /** On whether it can be begun. */
  readonly ready?: BooleanComparator | null | undefined;
  /** On whether an open issue blocks it. */
  readonly blocked?: BooleanComparator | null | undefined;
  /** Whether a recorded session is linked to it. */
  readonly hasSessions?: RelationExistsComparator | null | undefined;
  /** Whether something blocks it, open or not. */
  readonly hasBlockedByRelations?: RelationExistsComparator | null | undefined;
  /** Whether it blocks something, open or not. */
  readonly hasBlockingRelations?: RelationExistsComparator | null | undefined;
  /** Whether it is a duplicate, or has one. */
  readonly hasDuplicateRelations?: RelationExistsComparator | null | undefined;
  /** Whether it is related to something. */
  readonly hasRelatedRelations?: RelationExistsComparator | null | undefined;
  /** On what it is to other issues. */
  readonly relations?: IssueRelationCollectionFilter | null | undefined;
  /** On what other issues are to it. */
  readonly inverseRelations?: IssueRelationCollectionFilter | null | undefined;
  /** On its creator. */
  readonly creator?: NullableUserFilter | null | undefined;
  /** On its parent. */
  readonly parent?: NullableIssueFilter | null | undefined;
  /** On its project. */
  readonly project?: NullableProjectFilter | null | undefined;
  /** On its milestone. */
  readonly projectMilestone?: NullableProjectMilestoneFilter | null | undefined;
  /** On its cycle. */
  readonly cycle?: NullableCycleFilter | null | undefined;
  /** On its labels. */
  readonly labels?: IssueLabelCollectionFilter | null | undefined;
  /** On its children. */
  readonly children?: IssueCollectionFilter | null | undefined;
  /** On its comments. */
  readonly comments?: CommentCollectionFilter | null | undefined;
  /** On its searchable content. */
  readonly searchableContent?: ContentComparator | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<IssueCollectionFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<IssueCollectionFilter> | null | undefined;
  /** At least one satisfies this. */
  readonly some?: IssueFilter | null | undefined;
  /** Each one satisfies this. */
  readonly every?: IssueFilter | null | undefined;
  /** How many there are. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on comments; all that are given hold. */
export type CommentCollectionFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its body. */
  readonly body?: StringComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its user. */
  readonly user?: UserFilter | null | undefined;
  /** On its issue. */
  readonly issue?: NullableIssueFilter | null | undefined;
  /** On its project. */
  readonly project?: NullableProjectFilter | null | undefined;
  /** On its parent. */
  readonly parent?: NullableCommentFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<CommentCollectionFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<CommentCollectionFilter> | null | undefined;
  /** At least one satisfies this. */
  readonly some?: CommentFilter | null | undefined;
  /** Each one satisfies this. */
  readonly every?: CommentFilter | null | undefined;
  /** How many there are. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on a comment; all that are given hold. */
export type NullableCommentFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its body. */
  readonly body?: StringComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its user. */
  readonly user?: UserFilter | null | undefined;
  /** On its issue. */
  readonly issue?: NullableIssueFilter | null | undefined;
  /** On its project. */
  readonly project?: NullableProjectFilter | null | undefined;
  /** On its parent. */
  readonly parent?: NullableCommentFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<NullableCommentFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<NullableCommentFilter> | null | undefined;
  /** True: there is none. False: there is one. */
  readonly null?: boolean | null | undefined;
};

/** Conditions on users; all that are given hold. */
export type UserCollectionFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its display name. */
  readonly displayName?: StringComparator | null | undefined;
  /** On its email. */
  readonly email?: StringComparator | null | undefined;
  /** On its active. */
  readonly active?: BooleanComparator | null | undefined;
  /** On its admin. */
  readonly admin?: BooleanComparator | null | undefined;
  /** On its owner. */
  readonly owner?: BooleanComparator | null | undefined;
  /** On whether it is an agent. */
  readonly app?: BooleanComparator | null | undefined;
  /** On its is me. */
  readonly isMe?: BooleanComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its assigned issues. */
  readonly assignedIssues?: IssueCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<UserCollectionFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<UserCollectionFilter> | null | undefined;
  /** At least one satisfies this. */
  readonly some?: UserFilter | null | undefined;
  /** Each one satisfies this. */
  readonly every?: UserFilter | null | undefined;
  /** How many there are. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on teams; all that are given hold. */
export type TeamCollectionFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its key. */
  readonly key?: StringComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its description. */
  readonly description?: NullableStringComparator | null | undefined;
  /** On its private. */
  readonly private?: BooleanComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its issues. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<TeamCollectionFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<TeamCollectionFilter> | null | undefined;
  /** At least one satisfies this. */
  readonly some?: TeamFilter | null | undefined;
  /** Each one satisfies this. */
  readonly every?: TeamFilter | null | undefined;
  /** How many there are. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on projects; all that are given hold. */
export type ProjectCollectionFilter = {
  /** On its id. */
  readonly id?: EntityIdentifierIdComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its priority. */
  readonly priority?: NullableNumberComparator | null | undefined;
  /** On its slug id. */
  readonly slugId?: StringComparator | null | undefined;
  /** On its state. */
  readonly state?: StringComparator | null | undefined;
  /** On its start date. */
  readonly startDate?: NullableDateComparator | null | undefined;
  /** On its target date. */
  readonly targetDate?: NullableDateComparator | null | undefined;
  /** On its started at. */
  readonly startedAt?: NullableDateComparator | null | undefined;
  /** On its completed at. */
  readonly completedAt?: NullableDateComparator | null | undefined;
  /** On its canceled at. */
  readonly canceledAt?: NullableDateComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its status. */
  readonly status?: ProjectStatusFilter | null | undefined;
  /** On its lead. */
  readonly lead?: NullableUserFilter | null | undefined;
  /** On its creator. */
  readonly creator?: UserFilter | null | undefined;
  /** On its issues. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** On its members. */
  readonly members?: UserCollectionFilter | null | undefined;
  /** On its accessible teams. */
  readonly accessibleTeams?: TeamCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<ProjectCollectionFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<ProjectCollectionFilter> | null | undefined;
  /** At least one satisfies this. */
  readonly some?: ProjectFilter | null | undefined;
  /** Each one satisfies this. */
  readonly every?: ProjectFilter | null | undefined;
  /** How many there are. */
  readonly length?: NumberComparator | null | undefined;
};

/** Conditions on a team; all that are given hold. */
export type NullableTeamFilter = {
  /** On its id. */
  readonly id?: IdComparator | null | undefined;
  /** On its key. */
  readonly key?: StringComparator | null | undefined;
  /** On its name. */
  readonly name?: StringComparator | null | undefined;
  /** On its description. */
  readonly description?: NullableStringComparator | null | undefined;
  /** On its private. */
  readonly private?: BooleanComparator | null | undefined;
  /** On its created at. */
  readonly createdAt?: DateComparator | null | undefined;
  /** On its updated at. */
  readonly updatedAt?: DateComparator | null | undefined;
  /** On its issues. */
  readonly issues?: IssueCollectionFilter | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<NullableTeamFilter> | null | undefined;
  /** Any of these holds. */
  readonly or?: ReadonlyArray<NullableTeamFilter> | null | undefined;
  /** True: there is none. False: there is one. */
  readonly null?: boolean | null | undefined;
};

/** How to sort by created at. */
export type CreatedAtSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by updated at. */
export type UpdatedAtSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by completed at. */
export type CompletedAtSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by due date. */
export type DueDateSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by estimate. */
export type EstimateSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by priority. */
export type PrioritySort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by title. */
export type TitleSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by manual. */
export type ManualSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by workflow state. */
export type WorkflowStateSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by assignee. */
export type AssigneeSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by delegate. */
export type DelegateSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by project. */
export type ProjectSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by cycle. */
export type CycleSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** How to sort by team. */
export type TeamSort = {
  /** Direction; ascending by default. */
  readonly order?: PaginationSortOrder | null | undefined;
  /** The place of entries without a value; last by default. */
  readonly nulls?: PaginationNulls | null | undefined;
};

/** Conditions on a recorded session state; all that are given hold. */
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

/** Conditions on a recorded failure state; all that are given hold. */
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

/** Changes to an issue; what is absent stays as it is. */
export type IssueUpdateInput = {
  /** Id of the team. */
  readonly teamId?: string | null | undefined;
  /** Free text in Markdown. */
  readonly description?: string | null | undefined;
  /** 0 none, 1 urgent, 2 high, 3 medium, 4 low. */
  readonly priority?: number | null | undefined;
  /** Size in points. */
  readonly estimate?: number | null | undefined;
  /** Id of the workflow state; the team’s default when absent. */
  readonly stateId?: string | null | undefined;
  /** Id of the user who is to do it; null for nobody. */
  readonly assigneeId?: string | null | undefined;
  /** Id of the agent it is delegated to; null for none. */
  readonly delegateId?: string | null | undefined;
  /** Id of the entity it is a part of; null for none. */
  readonly parentId?: string | null | undefined;
  /** Id of the project; null for none. */
  readonly projectId?: string | null | undefined;
  /** Id of the cycle; null for none. */
  readonly cycleId?: string | null | undefined;
  /** Ids of its labels; replaces the ones it has. */
  readonly labelIds?: ReadonlyArray<string> | null | undefined;
  /** The day by which it should be done; null for none. */
  readonly dueDate?: string | null | undefined;
  /** Place in a manually sorted list. */
  readonly sortOrder?: number | null | undefined;
  /** One line that says what it is about, at most 512 characters. */
  readonly title?: string | null | undefined;
  /** Id of a milestone of that project; null for none. With another project the milestone goes. */
  readonly projectMilestoneId?: string | null | undefined;
  /** Ids of labels to add. */
  readonly addedLabelIds?: ReadonlyArray<string> | null | undefined;
  /** Ids of labels to take off. */
  readonly removedLabelIds?: ReadonlyArray<string> | null | undefined;
  /** Moves it to the trash or back. */
  readonly trashed?: boolean | null | undefined;
  /** The fence of the lease under which this is written; a stale one is refused with CONFLICT. */
  readonly fence?: number | null | undefined;
  /** The `updatedAt` of the issue that the change was made of; refused with CONFLICT where it is another by now. */
  readonly updatedAt?: string | null | undefined;
  /** Completes it though its team demands a proof that is missing. For people who signed in: no key and no program can. */
  readonly overrideProof?: boolean | null | undefined;
};

/** Changes to a team; what is absent stays as it is. */
export type TeamUpdateInput = {
  /** Name shown to people, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Prefix of identifiers: a capital letter and up to six capitals or digits; derived from the name when absent. */
  readonly key?: string | null | undefined;
  /** Free text in Markdown. */
  readonly description?: string | null | undefined;
  /** Colour as #rrggbb. */
  readonly color?: string | null | undefined;
  /** Name of an icon. */
  readonly icon?: string | null | undefined;
  /** Refused when true: every member sees every team. */
  readonly private?: boolean | null | undefined;
  /** State of a new issue. */
  readonly defaultIssueStateId?: string | null | undefined;
  /** Types of states in which an issue of the team can be ready: at least one of triage, backlog and unstarted. */
  readonly readyStateTypes?: ReadonlyArray<string> | null | undefined;
  /** The proof that is demanded when an issue of the team is completed; null for nothing. For owners. */
  readonly proof?: TeamProofInput | null | undefined;
  /** The most that a claim of its issues may cost, in US dollars, unless the claim says otherwise; null for no limit. */
  readonly leaseCostLimit?: number | null | undefined;
  /** How many tokens a claim may take; null for no limit. */
  readonly leaseTokenLimit?: number | null | undefined;
  /** How many minutes a claim may last; null for no limit. */
  readonly leaseMinuteLimit?: number | null | undefined;
  /** How many equal calls in a row a claim may make, 2 to 50; null for no limit. */
  readonly leaseEqualCallLimit?: number | null | undefined;
};

/** Changes to a project; what is absent stays as it is. */
export type ProjectUpdateInput = {
  /** Name shown to people, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Ids of the teams that take part. */
  readonly teamIds?: ReadonlyArray<string> | null | undefined;
  /** Free text in Markdown. */
  readonly description?: string | null | undefined;
  /** The long description in Markdown. */
  readonly content?: string | null | undefined;
  /** Name of an icon. */
  readonly icon?: string | null | undefined;
  /** Colour as #rrggbb. */
  readonly color?: string | null | undefined;
  /** Id of the project status. */
  readonly statusId?: string | null | undefined;
  /** Id of the user who leads it; null for nobody. */
  readonly leadId?: string | null | undefined;
  /** Ids of the users that take part. */
  readonly memberIds?: ReadonlyArray<string> | null | undefined;
  /** 0 none, 1 urgent, 2 high, 3 medium, 4 low. */
  readonly priority?: number | null | undefined;
  /** Planned first day. */
  readonly startDate?: string | null | undefined;
  /** Planned last day. */
  readonly targetDate?: string | null | undefined;
  /** Place in a manually sorted list. */
  readonly sortOrder?: number | null | undefined;
  /** When it was completed, for imports. */
  readonly completedAt?: string | null | undefined;
  /** When it was canceled. */
  readonly canceledAt?: string | null | undefined;
  /** Moves it to the trash or back. */
  readonly trashed?: boolean | null | undefined;
};

/** Changes to a project milestone; what is absent stays as it is. */
export type ProjectMilestoneUpdateInput = {
  /** Name shown to people, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** The day by which it is to be reached. */
  readonly targetDate?: string | null | undefined;
  /** Its project. */
  readonly projectId?: string | null | undefined;
};

/** Changes to a custom view; what is absent stays as it is. */
export type CustomViewUpdateInput = {
  /** Name shown to people, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Free text in Markdown. */
  readonly description?: string | null | undefined;
  /** Name of an icon. */
  readonly icon?: string | null | undefined;
  /** Colour as #rrggbb. */
  readonly color?: string | null | undefined;
  /** Whether every member sees it; not unless told. Only its owner takes it back from the others. */
  readonly shared?: boolean | null | undefined;
  /** Its conditions, at most 16 KiB; a new view without any shows every issue. */
  readonly filterData?: IssueFilter | null | undefined;
  /** Id of the team whose page shows it; null for none. */
  readonly teamId?: string | null | undefined;
  /** Id of the project whose page shows it; null for none. */
  readonly projectId?: string | null | undefined;
};

/** Changes to a cycle; what is absent stays as it is. */
export type CycleUpdateInput = {
  /** Name shown to people, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Free text in Markdown. */
  readonly description?: string | null | undefined;
  /** First moment. */
  readonly startsAt?: string | null | undefined;
  /** Last moment. */
  readonly endsAt?: string | null | undefined;
  /** When it was completed, for imports. */
  readonly completedAt?: string | null | undefined;
};

/** Changes to an issue label; what is absent stays as it is. */
export type IssueLabelUpdateInput = {
  /** Name shown to people, at most 256 characters. */
  readonly name?: string | null | undefined;
  /** Free text in Markdown. */
  readonly description?: string | null | undefined;
  /** Colour as #rrggbb. */
  readonly color?: string | null | undefined;
  /** Id of the entity it is a part of; null for none. */
  readonly parentId?: string | null | undefined;
  /** Whether it only groups other labels. */
  readonly isGroup?: boolean | null | undefined;
};

/** Changes to a notice rule; what is absent stays as it is. */
export type NoticeRuleUpdateInput = {
  /** Name shown to people. */
  readonly name?: string | null | undefined;
  /** Whether it is watched; true when absent. */
  readonly enabled?: boolean | null | undefined;
  /** Failures to tell of: new or back; both when absent. */
  readonly failureKinds?: ReadonlyArray<string> | null | undefined;
  /** Types of states of issues to tell of, such as completed. */
  readonly issueStateTypes?: ReadonlyArray<string> | null | undefined;
  /** The only tool whose failures count. */
  readonly tool?: string | null | undefined;
  /** Percent of calls that fail, or dollars, from which on to tell. */
  readonly threshold?: number | null | undefined;
  /** Fewest calls of which a failure rate says something; 20 when absent. */
  readonly minimumCalls?: number | null | undefined;
  /** Id of the only team whose issues to tell of. */
  readonly teamId?: string | null | undefined;
  /** Address to post to: Slack's incoming webhook, ntfy's topic, or your own webhook. It is stored encrypted and never shown. */
  readonly url?: string | null | undefined;
  /** Secret that signs, in the form of Standard Webhooks, or ntfy's access token. It is stored encrypted and never shown. */
  readonly secret?: string | null | undefined;
  /** Whether notices hold recorded text; false when absent. */
  readonly includeText?: boolean | null | undefined;
  /** Time of day from which on nothing is sent, such as 22:00. */
  readonly quietFrom?: string | null | undefined;
  /** Time of day at which the quiet ends, such as 07:00. */
  readonly quietTo?: string | null | undefined;
  /** Time zone of the quiet hours, such as Europe/Berlin; UTC when absent. */
  readonly timeZone?: string | null | undefined;
  /** States of sessions to tell of: waitingForPermission, waitingForAnswer, stuck, looping, failed or ended. */
  readonly sessionStates?: ReadonlyArray<string> | null | undefined;
  /** Addresses to send mails to, at most 20. */
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

export const Failures = document<FailuresQuery, FailuresQueryVariables>("query Failures($filter: RecordedFailureGroupFilter, $after: String) { recordedFailureGroups(filter: $filter, first: 50, after: $after) { incomplete nodes { id tool message state count sessions agents firstAt lastAt days { day count } issue { identifier url } } pageInfo { hasNextPage endCursor } } }");
export const FailureSummary = document<FailureSummaryQuery, FailureSummaryQueryVariables>("query FailureSummary($from: DateTimeOrDuration) { recordedFailureSummary(from: $from) { new back ongoing filed ignored truncated } }");
export const CallsFailed = document<CallsFailedQuery, CallsFailedQueryVariables>("query CallsFailed($from: DateTimeOrDuration!, $before: DateTimeOrDuration!) { now: recordedToolStats(from: $from) { tools { calls failures } } before: recordedToolStats(from: $before, to: $from) { tools { calls failures } } }");
export const FailureBefore = document<FailureBeforeQuery, FailureBeforeQueryVariables>("query FailureBefore($tool: String!, $group: String!, $from: DateTimeOrDuration!, $before: DateTimeOrDuration!) { now: recordedTool(name: $tool, from: $from, buckets: 1, failureGroupId: $group) { calls failures truncated failureGroups { count } } before: recordedTool( name: $tool from: $before to: $from buckets: 1 failureGroupId: $group ) { calls failures truncated failureGroups { count } } }");
export const FailureComparison = document<FailureComparisonQuery, FailureComparisonQueryVariables>("query FailureComparison($id: String!) { recordedFailureComparison(failureGroupId: $id) { failed others differences { name value failed others } } }");
export const Failure = document<FailureQuery, FailureQueryVariables>("query Failure($id: String!) { recordedFailureGroup(id: $id) { id tool message state count sessions users agentCounts { name count sessions cost } firstAt lastAt eventId sessionId ignoredAt ignoredUntil ignoredUntilCount days { day count } issue { identifier url } examples { at event { id args(maxLength: 600) result(maxLength: 1200) errorMessage } session { id brief { message } } before { id name kind success args } } } }");
export const IgnoreFailure = document<IgnoreFailureMutation, IgnoreFailureMutationVariables>("mutation IgnoreFailure($id: String!, $input: RecordedFailureGroupIgnoreInput!) { recordedFailureGroupIgnore(id: $id, input: $input) { success } }");
export const UnignoreFailure = document<UnignoreFailureMutation, UnignoreFailureMutationVariables>("mutation UnignoreFailure($id: String!) { recordedFailureGroupUnignore(id: $id) { success } }");
export const Inbox = document<InboxQuery, InboxQueryVariables>("query Inbox($all: Boolean) { inbox(first: 100, includeArchived: $all) { nodes { id type createdAt question readAt doneAt snoozedUntilAt session { id source brief { agent message } } issue { identifier title url } failureGroup { id tool message count sessions } holder { name } comment { user { name } } } pageInfo { hasNextPage } } }");
export const InboxSession = document<InboxSessionQuery, InboxSessionQueryVariables>("query InboxSession($id: String!) { recordedSession(id: $id) { id metadata source externalId events(last: 4) { nodes { id primitiveName kind success timestamp args(maxLength: 200) } } } }");
export const MarkInbox = document<MarkInboxMutation, MarkInboxMutationVariables>("mutation MarkInbox($ids: [String!]!, $input: InboxEntryUpdateInput!) { inboxEntryUpdate(ids: $ids, input: $input) { success } }");
export const RailCounts = document<RailCountsQuery, RailCountsQueryVariables>("query RailCounts { inbox(first: 100) { nodes { id } } organization { openIssueCount } cycle: issueGroups( stopAt: 100 filter: {cycle: {isActive: {eq: true}}, state: {type: {nin: [\"completed\", \"canceled\", \"duplicate\"]}}} ) { count } recordedFailureGroups( first: 100 filter: {state: {eq: new}, lastAt: {gte: \"-P7D\"}} ) { nodes { id } } }");
export const IssuePage = document<IssuePageQuery, IssuePageQueryVariables>("query IssuePage($filter: IssueFilter, $first: Int, $after: String, $sort: [IssueSortInput!]) { issues(filter: $filter, first: $first, after: $after, sort: $sort) { nodes { ...IssueRow } pageInfo { hasNextPage endCursor } } } fragment IssueRow on Issue { id identifier title url priority priorityLabel labelIds updatedAt blocked state { id name type } team { id } assignee { id name } delegate { id name } project { id } projectMilestone { id } cycle { id } lease { expiresAt holder { name app } } proof { verdict } sessionLinks(first: 1) { nodes { session { brief { course open } totals { failures } } } } labels(first: 5) { nodes { id name color } } }");
export const IssueCounts = document<IssueCountsQuery, IssueCountsQueryVariables>("query IssueCounts($filter: IssueFilter, $groupBy: IssueGroupBy) { issueGroups(filter: $filter, groupBy: $groupBy) { count groupCount groups { key name project { name } count } } }");
export const States = document<StatesQuery, StatesQueryVariables>("query States($filter: WorkflowStateFilter) { workflowStates(first: 250, filter: $filter) { nodes { id name type position team { id key } } } }");
export const UpdateIssues = document<UpdateIssuesMutation, UpdateIssuesMutationVariables>("mutation UpdateIssues($ids: [UUID!]!, $input: IssueUpdateInput!) { issueBatchUpdate(ids: $ids, input: $input) { issues { id updatedAt } } }");
export const MoveIssue = document<MoveIssueMutation, MoveIssueMutationVariables>("mutation MoveIssue($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { issue { id identifier updatedAt } } }");
export const FindIssues = document<FindIssuesQuery, FindIssuesQueryVariables>("query FindIssues($term: String!) { searchIssues(term: $term, first: 12) { nodes { id identifier title state { name type } } } }");
export const CreateIssues = document<CreateIssuesMutation, CreateIssuesMutationVariables>("mutation CreateIssues($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { issues { identifier url } } }");
export const CreateLabel = document<CreateLabelMutation, CreateLabelMutationVariables>("mutation CreateLabel($input: IssueLabelCreateInput!) { issueLabelCreate(input: $input) { issueLabel { id } } }");
export const IssueProof = document<IssueProofQuery, IssueProofQueryVariables>("query IssueProof($id: String!) { issue(id: $id) { handover proof { verdict reason updatedAt overriddenBy { name } events { id primitiveName timestamp session { id } } } } }");
export const IssueSessions = document<IssueSessionsQuery, IssueSessionsQueryVariables>("query IssueSessions($id: String!) { issue(id: $id) { deletedSessions(first: 20) { nodes { id createdAt blankedAt deletedBy { name } } } sessionLinks(first: 20) { nodes { id kinds session { id startedAt source totals { failures cost costSource inputTokens outputTokens } brief { agent message course endedAt open lastFailed } } } pageInfo { hasNextPage } } } }");
export const IssueHistory = document<IssueHistoryQuery, IssueHistoryQueryVariables>("query IssueHistory($id: String!, $after: String) { issue(id: $id) { history(first: 30, after: $after) { nodes { id createdAt event actor { name app } onBehalfOf { name } fromTitle toTitle updatedDescription toPriority fromEstimate toEstimate fromDueDate toDueDate fromState { name } toState { name } fromAssignee { name } toAssignee { name } fromDelegate { name } toDelegate { name } toTeam { name } toIdentifier fromProject { name } toProject { name } fromProjectMilestone { name } toProjectMilestone { name } fromCycle { number name } toCycle { number name } fromParent { identifier } toParent { identifier } addedLabels { name } removedLabels { name } archived trashed relationChanges { type identifier } } pageInfo { hasNextPage endCursor } } } }");
export const SessionIssues = document<SessionIssuesQuery, SessionIssuesQueryVariables>("query SessionIssues($id: String!) { recordedSession(id: $id) { issueLinks(first: 20) { nodes { id kinds issue { identifier title url } } pageInfo { hasNextPage } } } }");
export const IssueFailures = document<IssueFailuresQuery, IssueFailuresQueryVariables>("query IssueFailures($id: ID!) { recordedFailureGroups(filter: {issue: {id: {eq: $id}}}, first: 5) { nodes { id tool message count sessions lastAt eventId sessionId hours { at count } } pageInfo { hasNextPage } } }");
export const IssueFiles = document<IssueFilesQuery, IssueFilesQueryVariables>("query IssueFiles($id: String!) { issue(id: $id) { files(first: 50) { nodes { ...ChangedFile lastEvent { id session { id } } } pageInfo { hasNextPage } } commits(first: 20) { nodes { ...MadeCommit session { id } } pageInfo { hasNextPage } } } } fragment ChangedFile on RecordedFile { path added removed edits createdAt updatedAt } fragment MadeCommit on RecordedCommit { id message branch createdAt event { id } }");
export const Issues = document<IssuesQuery, IssuesQueryVariables>("query Issues($filter: IssueFilter, $first: Int) { issues(filter: $filter, first: $first, orderBy: updatedAt) { nodes { ...IssueRow } pageInfo { hasNextPage } } } fragment IssueRow on Issue { id identifier title url priority priorityLabel labelIds updatedAt blocked state { id name type } team { id } assignee { id name } delegate { id name } project { id } projectMilestone { id } cycle { id } lease { expiresAt holder { name app } } proof { verdict } sessionLinks(first: 1) { nodes { session { brief { course open } totals { failures } } } } labels(first: 5) { nodes { id name color } } }");
export const FoundIssues = document<FoundIssuesQuery, FoundIssuesQueryVariables>("query FoundIssues($term: String!, $filter: IssueFilter, $first: Int) { searchIssues(term: $term, filter: $filter, first: $first, includeComments: true) { nodes { ...FoundRow } unmatchedWords pageInfo { hasNextPage } } } fragment FoundRow on IssueSearchResult { id identifier title url priority priorityLabel labelIds updatedAt state { id name type } team { id } assignee { id name } delegate { id name } project { id } cycle { id } labels(first: 5) { nodes { id name color } } }");
export const Issue = document<IssueQuery, IssueQueryVariables>("query Issue($id: String!) { issue(id: $id) { id identifier title description url priority priorityLabel estimate dueDate createdAt updatedAt startedAt completedAt canceledAt archivedAt trashed branchName lastEdit { createdAt actor { name } } team { id key name } state { id name type } assignee { id name } delegate { id name } labelIds creator { name } externalUserCreator { name } externalUserAssignee { name } parent { identifier title url } project { id name url projectMilestones(first: 100) { nodes { id name } } } projectMilestone { id name } cycle { id number name } labels(first: 50) { nodes { id name color } } lease { fence holder { id name } sessionId grantedAt expiresAt } relations(first: 50) { nodes { id type relatedIssue { ...RelatedIssue } } } inverseRelations(first: 50) { nodes { id type issue { ...RelatedIssue } } } children(first: 50) { nodes { ...RelatedIssue } } comments(first: 100) { nodes { id body createdAt editedAt parentId url user { name } externalUser { name } } pageInfo { hasNextPage } } } } fragment RelatedIssue on Issue { id identifier title url state { name type } }");
export const IssueChoices = document<IssueChoicesQuery, IssueChoicesQueryVariables>("query IssueChoices { users(first: 250) { nodes { id name email app } } issueLabels(first: 250, filter: {isGroup: {eq: false}}) { nodes { id name color team { id } } } teams(first: 100) { nodes { id key name } } projects(first: 100) { nodes { id name teams(first: 20) { nodes { id } } } } cycles(first: 100, filter: {isPast: {eq: false}}) { nodes { id number name isActive team { id } } } }");
export const UpdateIssue = document<UpdateIssueMutation, UpdateIssueMutationVariables>("mutation UpdateIssue($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }");
export const RelateIssues = document<RelateIssuesMutation, RelateIssuesMutationVariables>("mutation RelateIssues($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { success } }");
export const UnrelateIssues = document<UnrelateIssuesMutation, UnrelateIssuesMutationVariables>("mutation UnrelateIssues($id: String!) { issueRelationDelete(id: $id) { success } }");
export const ArchiveIssue = document<ArchiveIssueMutation, ArchiveIssueMutationVariables>("mutation ArchiveIssue($id: String!, $trash: Boolean) { issueArchive(id: $id, trash: $trash) { success } }");
export const RestoreIssue = document<RestoreIssueMutation, RestoreIssueMutationVariables>("mutation RestoreIssue($id: String!) { issueUnarchive(id: $id) { success } }");
export const DeleteIssue = document<DeleteIssueMutation, DeleteIssueMutationVariables>("mutation DeleteIssue($id: String!) { issueDelete(id: $id, permanentlyDelete: true) { success } }");
export const ClaimIssue = document<ClaimIssueMutation, ClaimIssueMutationVariables>("mutation ClaimIssue($input: IssueClaimInput!) { issueClaim(input: $input) { success } }");
export const ReleaseIssue = document<ReleaseIssueMutation, ReleaseIssueMutationVariables>("mutation ReleaseIssue($id: String!, $fence: Int) { issueRelease(id: $id, fence: $fence) { success } }");
export const AddComment = document<AddCommentMutation, AddCommentMutationVariables>("mutation AddComment($input: CommentCreateInput!) { commentCreate(input: $input) { success } }");
export const ProjectPage = document<ProjectPageQuery, ProjectPageQueryVariables>("query ProjectPage($slug: String!) { project(id: $slug) { id name url description content startDate targetDate status { id name } lead { id name } members(first: 50) { nodes { id name app } } teams(first: 50) { nodes { id name } } projectMilestones(first: 100) { nodes { id name targetDate } pageInfo { hasNextPage } } } projectStatuses(first: 50) { nodes { id name position } } }");
export const TeamPage = document<TeamPageQuery, TeamPageQueryVariables>("query TeamPage($key: String!) { team(id: $key) { id key name description } }");
export const ProfilePages = document<ProfilePagesQuery, ProfilePagesQueryVariables>("query ProfilePages { users(first: 250, includeDisabled: true) { nodes { id name email active url } } }");
export const LabelPage = document<LabelPageQuery, LabelPageQueryVariables>("query LabelPage($id: String!) { issueLabel(id: $id) { id name color description } }");
export const StatePage = document<StatePageQuery, StatePageQueryVariables>("query StatePage($id: String!) { workflowState(id: $id) { id name type team { name } } }");
export const Palette = document<PaletteQuery, PaletteQueryVariables>("query Palette($text: String!, $agent: RecordedSessionFilter) { searchIssues(term: $text, first: 6) { nodes { identifier title url } } recordedSessions(filter: $agent, first: 6) { nodes { id startedAt brief { agent message } } } }");
export const PaletteTools = document<PaletteToolsQuery, PaletteToolsQueryVariables>("query PaletteTools { recordedToolStats(from: \"-P7D\") { tools { name calls failures } } }");
export const PaletteRecent = document<PaletteRecentQuery, PaletteRecentQueryVariables>("query PaletteRecent { recordedSessions(first: 100) { nodes { id startedAt brief { agent message } } } }");
export const Views = document<ViewsQuery, ViewsQueryVariables>("query Views { customViews(first: 100) { nodes { id name shared filterData owner { isMe } } } }");
export const SaveView = document<SaveViewMutation, SaveViewMutationVariables>("mutation SaveView($input: CustomViewCreateInput!) { customViewCreate(input: $input) { customView { id } } }");
export const ChangeView = document<ChangeViewMutation, ChangeViewMutationVariables>("mutation ChangeView($id: String!, $input: CustomViewUpdateInput!) { customViewUpdate(id: $id, input: $input) { success } }");
export const DeleteView = document<DeleteViewMutation, DeleteViewMutationVariables>("mutation DeleteView($id: String!) { customViewDelete(id: $id) { success } }");
export const MilestonesOfProject = document<MilestonesOfProjectQuery, MilestonesOfProjectQueryVariables>("query MilestonesOfProject($id: String!) { project(id: $id) { projectMilestones(first: 100) { nodes { id name } } } }");
export const IssueTemplates = document<IssueTemplatesQuery, IssueTemplatesQueryVariables>("query IssueTemplates { templates { id name team { id } templateData } }");
export const CreateTeam = document<CreateTeamMutation, CreateTeamMutationVariables>("mutation CreateTeam($input: TeamCreateInput!) { teamCreate(input: $input) { team { id } } }");
export const SimilarIssues = document<SimilarIssuesQuery, SimilarIssuesQueryVariables>("query SimilarIssues($title: String!) { similarIssues(title: $title, first: 3) { nodes { id identifier title url state { name type } } } }");
export const CreateIssue = document<CreateIssueMutation, CreateIssueMutationVariables>("mutation CreateIssue($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier url } } }");
export const Projects = document<ProjectsQuery, ProjectsQueryVariables>("query Projects { projects(first: 100) { nodes { id name slugId url progress targetDate status { name type } lead { name } projectMilestones(first: 5) { nodes { id } } } pageInfo { hasNextPage } } projectStatuses(first: 50) { nodes { id name position } } }");
export const ProjectProgress = document<ProjectProgressQuery, ProjectProgressQueryVariables>("query ProjectProgress($id: ID!) { all: issueGroups(filter: {project: {id: {eq: $id}}}, groupBy: state) { groups { key count } } planned: issueGroups( filter: {project: {id: {eq: $id}}, state: {type: {nin: [\"canceled\", \"duplicate\"]}}} groupBy: projectMilestone ) { count groupCount groups { key count } } done: issueGroups( filter: {project: {id: {eq: $id}}, state: {type: {eq: \"completed\"}}} groupBy: projectMilestone ) { count groupCount groups { key count } } verified: issueGroups( filter: {project: {id: {eq: $id}}, state: {type: {eq: \"completed\"}}, proof: {verdict: {eq: \"verified\"}}} stopAt: 1000 ) { count } }");
export const CreateProject = document<CreateProjectMutation, CreateProjectMutationVariables>("mutation CreateProject($input: ProjectCreateInput!) { projectCreate(input: $input) { project { id slugId } } }");
export const UpdateProject = document<UpdateProjectMutation, UpdateProjectMutationVariables>("mutation UpdateProject($id: String!, $input: ProjectUpdateInput!) { projectUpdate(id: $id, input: $input) { success } }");
export const CreateMilestone = document<CreateMilestoneMutation, CreateMilestoneMutationVariables>("mutation CreateMilestone($input: ProjectMilestoneCreateInput!) { projectMilestoneCreate(input: $input) { success } }");
export const UpdateMilestone = document<UpdateMilestoneMutation, UpdateMilestoneMutationVariables>("mutation UpdateMilestone($id: String!, $input: ProjectMilestoneUpdateInput!) { projectMilestoneUpdate(id: $id, input: $input) { success } }");
export const DeleteMilestone = document<DeleteMilestoneMutation, DeleteMilestoneMutationVariables>("mutation DeleteMilestone($id: String!) { projectMilestoneDelete(id: $id) { success } }");
export const Cycles = document<CyclesQuery, CyclesQueryVariables>("query Cycles { cycles(first: 100) { nodes { ...CycleRow } pageInfo { hasNextPage } } } fragment CycleRow on Cycle { id number name startsAt endsAt progress isActive isPast team { id key name } }");
export const CyclePage = document<CyclePageQuery, CyclePageQueryVariables>("query CyclePage($id: String!) { cycle(id: $id) { ...CycleRow description } } fragment CycleRow on Cycle { id number name startsAt endsAt progress isActive isPast team { id key name } }");
export const CreateCycle = document<CreateCycleMutation, CreateCycleMutationVariables>("mutation CreateCycle($input: CycleCreateInput!) { cycleCreate(input: $input) { cycle { id } } }");
export const UpdateCycle = document<UpdateCycleMutation, UpdateCycleMutationVariables>("mutation UpdateCycle($id: String!, $input: CycleUpdateInput!) { cycleUpdate(id: $id, input: $input) { success } }");
export const UpdateTeam = document<UpdateTeamMutation, UpdateTeamMutationVariables>("mutation UpdateTeam($id: String!, $input: TeamUpdateInput!) { teamUpdate(id: $id, input: $input) { success } }");
export const UpdateLabel = document<UpdateLabelMutation, UpdateLabelMutationVariables>("mutation UpdateLabel($id: String!, $input: IssueLabelUpdateInput!) { issueLabelUpdate(id: $id, input: $input) { success } }");
export const DeleteSession = document<DeleteSessionMutation, DeleteSessionMutationVariables>("mutation DeleteSession($id: String!) { recordedSessionDelete(id: $id) { complete } }");
export const HoldSession = document<HoldSessionMutation, HoldSessionMutationVariables>("mutation HoldSession($id: String!, $input: RecordedSessionHoldInput!) { recordedSessionHold(id: $id, input: $input) { success } }");
export const ReleaseSession = document<ReleaseSessionMutation, ReleaseSessionMutationVariables>("mutation ReleaseSession($id: String!) { recordedSessionRelease(id: $id) { success } }");
export const DeleteUser = document<DeleteUserMutation, DeleteUserMutationVariables>("mutation DeleteUser($id: String!) { recordedUserDelete(id: $id) { complete } }");
export const UserExport = document<UserExportQuery, UserExportQueryVariables>("query UserExport($id: String!, $after: String) { recordedUserExport(id: $id, after: $after) { lines endCursor } }");
export const BlankQuotation = document<BlankQuotationMutation, BlankQuotationMutationVariables>("mutation BlankQuotation($id: String!) { issueDeletedSessionBlank(id: $id) { success } }");
export const Retention = document<RetentionQuery, RetentionQueryVariables>("query Retention { organization { id retentionSessionDays retentionTextDays retentionAgents } }");
export const Expiring = document<ExpiringQuery, ExpiringQueryVariables>("query Expiring { recordedSessionsExpiring(first: 50) { nodes { ...SessionRow textsExpireAt expiresAt } pageInfo { hasNextPage } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const Quoting = document<QuotingQuery, QuotingQueryVariables>("query Quoting { issueDeletedSessions(first: 50) { nodes { id createdAt blankedAt deletedBy { name } issue { identifier title url } } pageInfo { hasNextPage } } }");
export const Session = document<SessionQuery, SessionQueryVariables>("query Session($id: String!) { recordedSession(id: $id) { ...SessionRow metadata state stateSince waitsFor stateEvent { id } holdReason heldBy { name } user { id traits } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const Outline = document<OutlineQuery, OutlineQueryVariables>("query Outline($sessionId: UUID!, $first: Int, $after: UUID, $receivedAfter: DateTime, $text: String) { recordedOutline( sessionId: $sessionId first: $first after: $after receivedAfter: $receivedAfter text: $text ) { hasNextPage endCursor ids parentIds names kinds open models inputTokens outputTokens costs types failed latencies timestamps briefs results checkpoints receivedAt } }");
export const Event = document<EventQuery, EventQueryVariables>("query Event($id: String!, $maxLength: Int) { recordedEvent(id: $id) { id parentId primitiveName primitiveType kind open model inputTokens outputTokens cacheReadTokens cacheWriteTokens cost costSource errorMessage redacted success latency timestamp receivedAt metadata args(maxLength: $maxLength) result(maxLength: $maxLength) session { id } checkpoints { name at offset delta share } } }");
export const EventTexts = document<EventTextsQuery, EventTextsQueryVariables>("query EventTexts($sessionId: String!, $ids: [ID!]!, $maxLength: Int) { recordedSession(id: $sessionId) { events(filter: {id: {in: $ids}}, first: 100) { nodes { id args(maxLength: $maxLength) result(maxLength: $maxLength) } } } }");
export const OutlineSearch = document<OutlineSearchQuery, OutlineSearchQueryVariables>("query OutlineSearch($sessionId: UUID!, $text: String!, $first: Int, $after: UUID) { recordedOutline( sessionId: $sessionId text: $text first: $first after: $after ) { hasNextPage endCursor stoppedAt ids } }");
export const Compared = document<ComparedQuery, ComparedQueryVariables>("query Compared($a: String!, $b: String!) { a: recordedSession(id: $a) { ...ComparedRun } b: recordedSession(id: $b) { ...ComparedRun } } fragment ComparedRun on RecordedSession { ...SessionRow issues { nodes { proof { verdict } } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const Alike = document<AlikeQuery, AlikeQueryVariables>("query Alike($filter: RecordedSessionFilter!) { recordedSessions(filter: $filter, first: 20) { searchedSince nodes { ...SessionRow } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const Recent = document<RecentQuery, RecentQueryVariables>("query Recent { recordedSessions(first: 20) { nodes { ...SessionRow } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const ComparedEvents = document<ComparedEventsQuery, ComparedEventsQueryVariables>("query ComparedEvents($a: String!, $b: String!, $maxLength: Int) { a: recordedEvent(id: $a) { id args(maxLength: $maxLength) result(maxLength: $maxLength) } b: recordedEvent(id: $b) { id args(maxLength: $maxLength) result(maxLength: $maxLength) } }");
export const SessionFiles = document<SessionFilesQuery, SessionFilesQueryVariables>("query SessionFiles($id: String!) { recordedSession(id: $id) { files(first: 100) { nodes { ...ChangedFile } pageInfo { hasNextPage } } commits(first: 50) { nodes { ...MadeCommit } } } } fragment ChangedFile on RecordedFile { path added removed edits createdAt updatedAt } fragment MadeCommit on RecordedCommit { id message branch createdAt event { id } }");
export const Sessions = document<SessionsQuery, SessionsQueryVariables>("query Sessions($filter: RecordedSessionFilter, $first: Int, $after: String, $sort: [RecordedSessionSortInput!]) { recordedSessions(filter: $filter, first: $first, after: $after, sort: $sort) { nodes { ...SessionRow } pageInfo { hasNextPage endCursor } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const AnySession = document<AnySessionQuery, AnySessionQueryVariables>("query AnySession { recordedSessions(first: 1) { nodes { id } } }");
export const SessionsById = document<SessionsByIdQuery, SessionsByIdQueryVariables>("query SessionsById($ids: [ID!]!) { recordedSessions(filter: {id: {in: $ids}}, first: 50) { nodes { ...SessionRow } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
export const SearchSessions = document<SearchSessionsQuery, SearchSessionsQueryVariables>("query SearchSessions($term: String!, $from: DateTimeOrDuration, $to: DateTimeOrDuration, $filter: RecordedSessionFilter, $after: String) { recordedSearch( term: $term from: $from to: $to filter: $filter after: $after first: 50 ) { from read stoppedAt endCursor nodes { eventId sessionId name kind success at field snippet } } }");
export const ActiveSessions = document<ActiveSessionsQuery, ActiveSessionsQueryVariables>("query ActiveSessions($from: DateTimeOrDuration!) { recordedSessions( first: 100 filter: {active: {eq: true}, startedAt: {gte: $from}} ) { nodes { id } } }");
export const SessionHistogram = document<SessionHistogramQuery, SessionHistogramQueryVariables>("query SessionHistogram($from: DateTimeOrDuration, $to: DateTimeOrDuration, $filter: RecordedSessionFilter, $buckets: Int) { recordedSessionHistogram( from: $from to: $to filter: $filter buckets: $buckets ) { from to truncated buckets { at sessions failed tokens cost } } }");
export const RecordedServices = document<RecordedServicesQuery, RecordedServicesQueryVariables>("query RecordedServices { recordedServices(first: 5) { nodes { id spans } } }");
export const SinceYesterday = document<SinceYesterdayQuery, SinceYesterdayQueryVariables>("query SinceYesterday($yesterday: DateTimeOrDuration!, $week: DateTimeOrDuration!, $month: DateTimeOrDuration!) { recordedFailureGroups( first: 10 filter: {state: {eq: new}, firstAt: {gte: $yesterday}} ) { nodes { id tool message count firstAt } pageInfo { hasNextPage } } now: recordedToolStats(from: $yesterday) { tools { name calls p95 } } before: recordedToolStats(from: $week, to: $yesterday) { tools { name calls p95 } } tools: recordedUsage(groupBy: tool, from: $week) { groups { name days { day cost sessions } } } agents: recordedUsage(groupBy: agent, from: $month) { truncated groups { name days { day sessions } } } }");
export const Limits = document<LimitsQuery, LimitsQueryVariables>("query Limits { rateLimitStatus { limits { type allowedAmount remainingAmount period reset } } }");
export const UpdateOrganization = document<UpdateOrganizationMutation, UpdateOrganizationMutationVariables>("mutation UpdateOrganization($input: OrganizationUpdateInput!) { organizationUpdate(input: $input) { success } }");
export const Redaction = document<RedactionQuery, RedactionQueryVariables>("query Redaction { organization { id redactionEnabled redactionEntropy redactionPersonalData redactionPatterns } }");
export const NoticeRules = document<NoticeRulesQuery, NoticeRulesQueryVariables>("query NoticeRules { noticeRules(first: 100) { nodes { ...NoticeRuleRow } } } fragment NoticeRuleRow on NoticeRule { id name enabled condition sessionStates failureKinds issueStateTypes tool threshold minimumCalls team { id } channel emails targetHost includeText quietFrom quietTo timeZone toldAt deliveredCount failedCount error }");
export const CreateNoticeRule = document<CreateNoticeRuleMutation, CreateNoticeRuleMutationVariables>("mutation CreateNoticeRule($input: NoticeRuleCreateInput!) { noticeRuleCreate(input: $input) { noticeRule { id } } }");
export const UpdateNoticeRule = document<UpdateNoticeRuleMutation, UpdateNoticeRuleMutationVariables>("mutation UpdateNoticeRule($id: String!, $input: NoticeRuleUpdateInput!) { noticeRuleUpdate(id: $id, input: $input) { success } }");
export const DeleteNoticeRule = document<DeleteNoticeRuleMutation, DeleteNoticeRuleMutationVariables>("mutation DeleteNoticeRule($id: String!) { noticeRuleDelete(id: $id) { success } }");
export const TestNoticeRule = document<TestNoticeRuleMutation, TestNoticeRuleMutationVariables>("mutation TestNoticeRule($id: String!) { noticeRuleTest(id: $id) { success } }");
export const Prices = document<PricesQuery, PricesQueryVariables>("query Prices { organization { id pricesEnabled ownPrices } }");
export const ProofVerdicts = document<ProofVerdictsQuery, ProofVerdictsQueryVariables>("query ProofVerdicts($verified: IssueFilter, $unproven: IssueFilter, $contradicted: IssueFilter, $overridden: IssueFilter) { verified: issueGroups(filter: $verified) { count } unproven: issueGroups(filter: $unproven) { count } contradicted: issueGroups(filter: $contradicted) { count } overridden: issueGroups(filter: $overridden) { count } }");
export const TeamProofs = document<TeamProofsQuery, TeamProofsQueryVariables>("query TeamProofs { teams(first: 100) { nodes { id key name proof } } }");
export const Tools = document<ToolsQuery, ToolsQueryVariables>("query Tools($from: DateTimeOrDuration) { recordedToolStats(from: $from) { truncated tools { name calls failures p50 p95 p99 trend failureTrend } } }");
export const Tool = document<ToolQuery, ToolQueryVariables>("query Tool($name: String!, $from: DateTimeOrDuration) { recordedTool(name: $name, from: $from) { name from to truncated calls failures sessions p50 p95 p99 bandCalls bandFailures buckets { at calls failures p50 p95 bands } failureGroups { id message count sessions lastAt eventId sessionId issue { identifier url } } } }");
export const FilingTitle = document<FilingTitleQuery, FilingTitleQueryVariables>("query FilingTitle($id: String!) { recordedEvent(id: $id) { failureTitle } }");
export const Teams = document<TeamsQuery, TeamsQueryVariables>("query Teams { teams(first: 100) { nodes { id key name } } }");
export const FileFailure = document<FileFailureMutation, FileFailureMutationVariables>("mutation FileFailure($input: IssueCreateFromFailureInput!) { issueCreateFromFailure(input: $input) { issue { url } } }");
export const Usage = document<UsageQuery, UsageQueryVariables>("query Usage($by: RecordedUsageGroupBy!, $from: DateTimeOrDuration, $to: DateTimeOrDuration) { all: recordedUsage(groupBy: all, from: $from, to: $to) { groups { cost inputTokens outputTokens cacheReadTokens sessions } } recordedUsage(groupBy: $by, from: $from, to: $to) { from to truncated groups { name cost costSource missingCosts inputTokens outputTokens cacheReadTokens sessions days { day cost inputTokens outputTokens sessions } } } }");
export const UsageBefore = document<UsageBeforeQuery, UsageBeforeQueryVariables>("query UsageBefore($by: RecordedUsageGroupBy!, $from: DateTimeOrDuration, $to: DateTimeOrDuration) { all: recordedUsage(groupBy: all, from: $from, to: $to) { groups { cost inputTokens outputTokens sessions } } recordedUsage(groupBy: $by, from: $from, to: $to) { groups { name cost inputTokens outputTokens sessions days { day cost inputTokens outputTokens sessions } } } }");
export const IssuesDone = document<IssuesDoneQuery, IssuesDoneQueryVariables>("query IssuesDone($from: DateTimeOrDuration!, $before: DateTimeOrDuration!) { now: issueGroups(filter: {completedAt: {gte: $from}}) { count } before: issueGroups(filter: {completedAt: {gte: $before, lt: $from}}) { count } }");
export const RecordedUsers = document<RecordedUsersQuery, RecordedUsersQueryVariables>("query RecordedUsers($filter: RecordedUserFilter, $first: Int) { recordedUsers(filter: $filter, first: $first) { nodes { id traits firstSeenAt sessions(first: 1) { nodes { id startedAt } } } pageInfo { hasNextPage } } }");
export const UserSessions = document<UserSessionsQuery, UserSessionsQueryVariables>("query UserSessions($filter: RecordedSessionFilter, $first: Int) { recordedSessions(filter: $filter, first: $first) { nodes { ...SessionRow } pageInfo { hasNextPage } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls inputTokens outputTokens cacheReadTokens cost costSource models } source externalId brief { agent message endedAt lastFailed open course } }");
