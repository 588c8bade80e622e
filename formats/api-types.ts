// Written by `npm run api:types` from the GraphQL schema. Do not edit it.
import { type ApiTypes, parseApiTypes } from "./response-shape.ts";

/** The fields of the API's object types, with their types. */
export const API_TYPES: ApiTypes = parseApiTypes(`
Change lastSyncId:Float! type:String! action:String! event:String! entityId:String! data:JSONObject! updatedFrom:JSONObject actor:JSONObject! createdAt:DateTime!
ChangeConnection nodes:[Change!]! edges:[ChangeEdge!]! pageInfo:PageInfo!
ChangeEdge node:Change! cursor:String!
Comment id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime body:String! url:String! issueId:String projectId:String parentId:String editedAt:DateTime resolvedAt:DateTime resolvingUser:User resolvingComment:Comment resolvingCommentId:String issue:Issue project:Project user:User externalUser:ExternalUser externalIds:[String!]! parent:Comment children:CommentConnection!
CommentConnection nodes:[Comment!]! edges:[CommentEdge!]! pageInfo:PageInfo!
CommentEdge node:Comment! cursor:String!
CommentPayload success:Boolean! comment:Comment! lastSyncId:Float!
ConcurrentChange path:String! createdAt:DateTime! holder:User! issue:Issue! session:RecordedSession!
CustomView id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime name:String! description:String icon:String color:String shared:Boolean! filterData:JSONObject! slugId:String! owner:User! creator:User team:Team project:Project
CustomViewConnection nodes:[CustomView!]! edges:[CustomViewEdge!]! pageInfo:PageInfo!
CustomViewEdge node:CustomView! cursor:String!
CustomViewPayload success:Boolean! customView:CustomView lastSyncId:Float!
Cycle id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime number:Float! name:String description:String startsAt:DateTime! endsAt:DateTime! completedAt:DateTime isActive:Boolean! isPast:Boolean! isFuture:Boolean! isNext:Boolean! isPrevious:Boolean! progress:Float! team:Team! issues:IssueConnection!
CycleArchivePayload success:Boolean! entity:Cycle lastSyncId:Float!
CycleConnection nodes:[Cycle!]! edges:[CycleEdge!]! pageInfo:PageInfo!
CycleEdge node:Cycle! cursor:String!
CyclePayload success:Boolean! cycle:Cycle lastSyncId:Float!
DeletePayload entityId:String! success:Boolean! lastSyncId:Float!
ExternalUser id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime name:String! displayName:String! email:String organization:Organization!
ExternalUserConnection nodes:[ExternalUser!]! edges:[ExternalUserEdge!]! pageInfo:PageInfo!
ExternalUserEdge node:ExternalUser! cursor:String!
InboxEntry id:ID! type:InboxEntryType! createdAt:DateTime! updatedAt:DateTime! question:String session:RecordedSession event:RecordedEvent issue:Issue failureGroup:RecordedFailureGroup comment:Comment holder:User readAt:DateTime doneAt:DateTime snoozedUntilAt:DateTime
InboxEntryConnection nodes:[InboxEntry!]! edges:[InboxEntryEdge!]! pageInfo:PageInfo!
InboxEntryEdge node:InboxEntry! cursor:String!
InboxEntryUpdatePayload success:Boolean! lastSyncId:Float!
Issue id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime identifier:String! number:Float! title:String! description:String priority:Float! priorityLabel:String! estimate:Float sortOrder:Float! dueDate:TimelessDate trashed:Boolean url:String! branchName:String! previousIdentifiers:[String!]! externalIds:[String!]! labelIds:[String!]! startedAt:DateTime completedAt:DateTime canceledAt:DateTime team:Team! state:WorkflowState! assignee:User delegate:User creator:User externalUserCreator:ExternalUser externalUserAssignee:ExternalUser parent:Issue project:Project projectMilestone:ProjectMilestone cycle:Cycle ready:Boolean! blocked:Boolean! lease:IssueLease proof:IssueProof handover:String relations:IssueRelationConnection! inverseRelations:IssueRelationConnection! children:IssueConnection! comments:CommentConnection! labels:IssueLabelConnection! lastEdit:IssueHistory history:IssueHistoryConnection! sessions:RecordedSessionConnection! concurrentChanges:[ConcurrentChange!]! files:RecordedFileConnection! commits:RecordedCommitConnection! sessionLinks:IssueSessionConnection! deletedSessions:IssueDeletedSessionConnection!
IssueArchivePayload success:Boolean! entity:Issue lastSyncId:Float!
IssueBatchImportPayload success:Boolean! results:[IssueImportResult!]! lastSyncId:Float!
IssueBatchPayload issues:[Issue!]! success:Boolean! lastSyncId:Float!
IssueClaimPayload issue:Issue lease:IssueLease success:Boolean! lastSyncId:Float!
IssueCompletePayload issue:Issue proof:IssueProof success:Boolean! lastSyncId:Float!
IssueConnection nodes:[Issue!]! edges:[IssueEdge!]! pageInfo:PageInfo!
IssueDeletedSession id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime issue:Issue! deletedBy:User blankedAt:DateTime
IssueDeletedSessionConnection nodes:[IssueDeletedSession!]! edges:[IssueDeletedSessionEdge!]! pageInfo:PageInfo!
IssueDeletedSessionEdge node:IssueDeletedSession! cursor:String!
IssueDeletedSessionPayload success:Boolean! issueDeletedSession:IssueDeletedSession lastSyncId:Float!
IssueEdge node:Issue! cursor:String!
IssueFromFailurePayload issue:Issue status:String! success:Boolean! lastSyncId:Float!
IssueGroup key:String name:String project:Project count:Int!
IssueGroups count:Int! groups:[IssueGroup!]! groupCount:Int!
IssueHistory id:ID! createdAt:DateTime! updatedAt:DateTime! event:String! issue:Issue! actor:User actorId:String onBehalfOf:User fromTitle:String toTitle:String updatedDescription:Boolean fromPriority:Float toPriority:Float fromEstimate:Float toEstimate:Float fromDueDate:TimelessDate toDueDate:TimelessDate fromStateId:String toStateId:String fromState:WorkflowState toState:WorkflowState fromAssigneeId:String toAssigneeId:String fromAssignee:User toAssignee:User fromDelegate:User toDelegate:User fromTeamId:String toTeamId:String fromTeam:Team toTeam:Team fromIdentifier:String toIdentifier:String fromProjectId:String toProjectId:String fromProject:Project toProject:Project fromProjectMilestone:ProjectMilestone toProjectMilestone:ProjectMilestone fromCycleId:String toCycleId:String fromCycle:Cycle toCycle:Cycle fromParentId:String toParentId:String fromParent:Issue toParent:Issue addedLabelIds:[String!] removedLabelIds:[String!] addedLabels:[IssueLabel!] removedLabels:[IssueLabel!] archived:Boolean trashed:Boolean relationChanges:[IssueRelationHistoryPayload!]
IssueHistoryConnection nodes:[IssueHistory!]! edges:[IssueHistoryEdge!]! pageInfo:PageInfo!
IssueHistoryEdge node:IssueHistory! cursor:String!
IssueImportResult row:Int! status:IssueImportStatus! entityId:String identifier:String field:String message:String
IssueLabel id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime name:String! description:String color:String! isGroup:Boolean! team:Team creator:User parent:IssueLabel children:IssueLabelConnection! issues:IssueConnection!
IssueLabelConnection nodes:[IssueLabel!]! edges:[IssueLabelEdge!]! pageInfo:PageInfo!
IssueLabelEdge node:IssueLabel! cursor:String!
IssueLabelPayload success:Boolean! issueLabel:IssueLabel! lastSyncId:Float!
IssueLease id:ID! issue:Issue! fence:Int! holder:User! sessionId:String ttlSeconds:Int! grantedAt:DateTime! expiresAt:DateTime! costLimit:Float tokenLimit:Float minuteLimit:Int equalCallLimit:Int trippedAt:DateTime trippedBy:String
IssuePayload success:Boolean! issue:Issue lastSyncId:Float!
IssuePriorityValue priority:Int! label:String!
IssueProof id:ID! createdAt:DateTime! updatedAt:DateTime! issue:Issue! verdict:String! reason:String! events:[RecordedEvent!]! overriddenBy:User
IssueRelation id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime type:String! issue:Issue! relatedIssue:Issue!
IssueRelationConnection nodes:[IssueRelation!]! edges:[IssueRelationEdge!]! pageInfo:PageInfo!
IssueRelationEdge node:IssueRelation! cursor:String!
IssueRelationHistoryPayload identifier:String! type:String!
IssueRelationPayload success:Boolean! issueRelation:IssueRelation lastSyncId:Float!
IssueSearchPayload nodes:[IssueSearchResult!]! edges:[IssueSearchResultEdge!]! pageInfo:PageInfo! totalCount:Float! searchedSince:DateTime unmatchedWords:[String!]
IssueSearchResult id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime identifier:String! number:Float! title:String! description:String priority:Float! priorityLabel:String! estimate:Float sortOrder:Float! dueDate:TimelessDate trashed:Boolean url:String! branchName:String! previousIdentifiers:[String!]! externalIds:[String!]! labelIds:[String!]! startedAt:DateTime completedAt:DateTime canceledAt:DateTime team:Team! state:WorkflowState! assignee:User delegate:User creator:User externalUserCreator:ExternalUser externalUserAssignee:ExternalUser parent:Issue project:Project projectMilestone:ProjectMilestone cycle:Cycle ready:Boolean! blocked:Boolean! labels:IssueLabelConnection!
IssueSearchResultEdge node:IssueSearchResult! cursor:String!
IssueSession id:ID! kinds:[String!]! createdAt:DateTime! issue:Issue! session:RecordedSession!
IssueSessionConnection nodes:[IssueSession!]! edges:[IssueSessionEdge!]! pageInfo:PageInfo! incomplete:Boolean!
IssueSessionEdge node:IssueSession! cursor:String!
Mutation issueCreate:IssuePayload! issueCreateFromFailure:IssueFromFailurePayload! issueUpdate:IssuePayload! issueArchive:IssueArchivePayload! issueUnarchive:IssueArchivePayload! issueDelete:IssueArchivePayload! issueAddLabel:IssuePayload! issueRemoveLabel:IssuePayload! issueBatchCreate:IssueBatchPayload! issueBatchUpdate:IssueBatchPayload! issueBatchImport:IssueBatchImportPayload! issueRelationCreate:IssueRelationPayload! issueRelationUpdate:IssueRelationPayload! issueRelationDelete:DeletePayload! issueDeletedSessionBlank:IssueDeletedSessionPayload! issueClaim:IssueClaimPayload! issueRenew:IssueClaimPayload! issueRelease:IssuePayload! issueComplete:IssueCompletePayload! issueHandover:IssuePayload! commentCreate:CommentPayload! commentUpdate:CommentPayload! commentDelete:DeletePayload! commentResolve:CommentPayload! commentUnresolve:CommentPayload! teamCreate:TeamPayload! teamUpdate:TeamPayload! teamDelete:DeletePayload! teamUnarchive:TeamArchivePayload! projectCreate:ProjectPayload! projectUpdate:ProjectPayload! projectArchive:ProjectArchivePayload! projectUnarchive:ProjectArchivePayload! projectDelete:ProjectArchivePayload! projectMilestoneCreate:ProjectMilestonePayload! projectMilestoneUpdate:ProjectMilestonePayload! projectMilestoneDelete:DeletePayload! customViewCreate:CustomViewPayload! customViewUpdate:CustomViewPayload! customViewDelete:DeletePayload! templateCreate:TemplatePayload! templateUpdate:TemplatePayload! templateDelete:DeletePayload! projectStatusCreate:ProjectStatusPayload! projectStatusUpdate:ProjectStatusPayload! projectStatusArchive:ProjectStatusArchivePayload! projectStatusUnarchive:ProjectStatusArchivePayload! cycleCreate:CyclePayload! cycleUpdate:CyclePayload! cycleArchive:CycleArchivePayload! workflowStateCreate:WorkflowStatePayload! workflowStateUpdate:WorkflowStatePayload! workflowStateArchive:WorkflowStateArchivePayload! issueLabelCreate:IssueLabelPayload! issueLabelUpdate:IssueLabelPayload! issueLabelDelete:DeletePayload! recordedSessionDelete:RecordedDeletePayload! recordedSessionsDelete:RecordedSessionsDeletePayload! inboxEntryUpdate:InboxEntryUpdatePayload! recordedSessionHold:RecordedSessionPayload! recordedSessionRelease:RecordedSessionPayload! recordedFailureGroupIgnore:RecordedFailureGroupPayload! recordedFailureGroupUnignore:RecordedFailureGroupPayload! recordedUserDelete:RecordedDeletePayload! organizationUpdate:OrganizationPayload! webhookCreate:WebhookPayload! webhookUpdate:WebhookPayload! webhookDelete:DeletePayload! webhookRotateSecret:WebhookRotateSecretPayload! noticeRuleCreate:NoticeRulePayload! noticeRuleUpdate:NoticeRulePayload! noticeRuleDelete:DeletePayload! noticeRuleTest:NoticeRulePayload!
NoticeRule id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime name:String! enabled:Boolean! condition:NoticeCondition! sessionStates:[String!]! failureKinds:[String!]! issueStateTypes:[String!]! tool:String threshold:Float minimumCalls:Int! team:Team channel:NoticeChannel! emails:[String!]! error:String targetHost:String includeText:Boolean! quietFrom:String quietTo:String timeZone:String! toldAt:DateTime deliveredCount:Int! failedCount:Int! creator:User
NoticeRuleConnection nodes:[NoticeRule!]! edges:[NoticeRuleEdge!]! pageInfo:PageInfo!
NoticeRuleEdge node:NoticeRule! cursor:String!
NoticeRulePayload success:Boolean! noticeRule:NoticeRule! lastSyncId:Float!
Organization id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime name:String! urlKey:String! userCount:Int! createdIssueCount:Int! openIssueCount:Int! previousUrlKeys:[String!]! redactionEnabled:Boolean! redactionEntropy:Boolean! redactionPersonalData:Boolean! redactionPatterns:[JSONObject!]! retentionSessionDays:Int retentionTextDays:Int retentionAgents:[JSONObject!]! searchLanguage:SearchLanguage! pricesEnabled:Boolean! ownPrices:[JSONObject!]! teams:TeamConnection! users:UserConnection! labels:IssueLabelConnection! projectStatuses:[ProjectStatus!]!
OrganizationPayload success:Boolean! organization:Organization lastSyncId:Float!
PageInfo hasNextPage:Boolean! hasPreviousPage:Boolean! startCursor:String endCursor:String
Project id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime name:String! description:String! content:String icon:String color:String! slugId:String! url:String! priority:Int! priorityLabel:String! sortOrder:Float! state:String! progress:Float! startDate:TimelessDate targetDate:TimelessDate startedAt:DateTime completedAt:DateTime canceledAt:DateTime trashed:Boolean status:ProjectStatus! creator:User lead:User issues:IssueConnection! teams:TeamConnection! members:UserConnection! comments:CommentConnection! projectMilestones:ProjectMilestoneConnection!
ProjectArchivePayload success:Boolean! entity:Project lastSyncId:Float!
ProjectConnection nodes:[Project!]! edges:[ProjectEdge!]! pageInfo:PageInfo!
ProjectEdge node:Project! cursor:String!
ProjectMilestone id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime name:String! targetDate:TimelessDate project:Project! issues:IssueConnection!
ProjectMilestoneConnection nodes:[ProjectMilestone!]! edges:[ProjectMilestoneEdge!]! pageInfo:PageInfo!
ProjectMilestoneEdge node:ProjectMilestone! cursor:String!
ProjectMilestonePayload success:Boolean! projectMilestone:ProjectMilestone lastSyncId:Float!
ProjectPayload success:Boolean! project:Project lastSyncId:Float!
ProjectStatus id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime name:String! type:ProjectStatusType! color:String! description:String position:Float! indefinite:Boolean!
ProjectStatusArchivePayload success:Boolean! entity:ProjectStatus lastSyncId:Float!
ProjectStatusConnection nodes:[ProjectStatus!]! edges:[ProjectStatusEdge!]! pageInfo:PageInfo!
ProjectStatusEdge node:ProjectStatus! cursor:String!
ProjectStatusPayload status:ProjectStatus! success:Boolean! lastSyncId:Float!
Query node:Node nodes:[Node]! viewer:User! organization:Organization! issue:Issue! issues:IssueConnection! comment:Comment! comments:CommentConnection! team:Team! teams:TeamConnection! project:Project! projects:ProjectConnection! projectMilestone:ProjectMilestone! projectMilestones:ProjectMilestoneConnection! customView:CustomView! customViews:CustomViewConnection! template:Template! templates:[Template!]! projectStatus:ProjectStatus! projectStatuses:ProjectStatusConnection! cycle:Cycle! cycles:CycleConnection! workflowState:WorkflowState! workflowStates:WorkflowStateConnection! issueRelation:IssueRelation! issueRelations:IssueRelationConnection! issueDeletedSession:IssueDeletedSession! issueDeletedSessions:IssueDeletedSessionConnection! issueLabel:IssueLabel! issueLabels:IssueLabelConnection! user:User! users:UserConnection! externalUser:ExternalUser! externalUsers:ExternalUserConnection! webhook:Webhook! webhooks:WebhookConnection! noticeRule:NoticeRule! noticeRules:NoticeRuleConnection! searchIssues:IssueSearchPayload! similarIssues:IssueSearchPayload! readyIssues:IssueConnection! issueGroups:IssueGroups! issuePriorityValues:[IssuePriorityValue!]! rateLimitStatus:RateLimitPayload! changes:ChangeConnection! inbox:InboxEntryConnection! recordedSession:RecordedSession! recordedSessions:RecordedSessionConnection! recordedEvent:RecordedEvent! recordedServices:RecordedServiceConnection! recordedFiles:RecordedFileChangeConnection! recordedCommits:RecordedCommitConnection! recordedUsers:RecordedUserConnection! recordedOutline:RecordedOutline! recordedSessionsExpiring:RecordedSessionConnection! recordedUserExport:RecordedUserExport! recordedSearch:RecordedSearch! recordedSessionHistogram:RecordedSessionHistogram! recordedTool:RecordedTool! recordedToolStats:RecordedToolStats! recordedUsage:RecordedUsage! recordedFailureGroup:RecordedFailureGroup! recordedFailureGroups:RecordedFailureGroupConnection! recordedFailureComparison:RecordedFailureComparison! recordedFailureSummary:RecordedFailureSummary!
RateLimitPayload identifier:String kind:String! limits:[RateLimitResultPayload!]!
RateLimitResultPayload type:String! allowedAmount:Float! requestedAmount:Float! remainingAmount:Float! period:Float! reset:Float!
RecordedBrief agent:String message:String endedAt:DateTime lastFailed:Boolean open:Boolean! course:String
RecordedCheckpoint name:String! at:Float! offset:Float! delta:Float! share:Float!
RecordedCommit id:ID! message:String! branch:String createdAt:DateTime! event:RecordedEvent session:RecordedSession
RecordedCommitConnection nodes:[RecordedCommit!]! edges:[RecordedCommitEdge!]! pageInfo:PageInfo!
RecordedCommitEdge node:RecordedCommit! cursor:String!
RecordedDeletePayload complete:Boolean! success:Boolean! lastSyncId:Float!
RecordedEvent id:ID! session:RecordedSession! turn:RecordedEvent parentId:ID primitiveName:String! primitiveType:String kind:String! open:Boolean! model:String inputTokens:Float outputTokens:Float cacheReadTokens:Float cacheWriteTokens:Float cost:Float costSource:String! errorMessage:String args:String! result:String! success:Boolean! failureGroupId:ID failureTitle:String latency:Float timestamp:DateTime! receivedAt:DateTime! metadata:JSONObject redacted:JSONObject orphan:Boolean! root:Boolean! children:RecordedEventConnection! checkpoints:[RecordedCheckpoint!]!
RecordedEventConnection nodes:[RecordedEvent!]! edges:[RecordedEventEdge!]! pageInfo:PageInfo!
RecordedEventEdge node:RecordedEvent! cursor:String!
RecordedFailureAgent name:String! count:Int! sessions:Int! cost:Float
RecordedFailureComparison failed:Int! others:Int! differences:[RecordedFailureDifference!]!
RecordedFailureDay day:TimelessDate! count:Int!
RecordedFailureDifference name:String! value:String! failed:Int! others:Int!
RecordedFailureExample event:RecordedEvent session:RecordedSession at:DateTime! before:[RecordedFailureStep!]!
RecordedFailureGroup id:ID! tool:String! message:String! count:Int! sessions:Int! users:Int! firstAt:DateTime! lastAt:DateTime! eventId:ID! sessionId:ID! hours:[RecordedFailureHour!]! issue:Issue state:String! ignoredAt:DateTime ignoredUntil:DateTime ignoredUntilCount:Int agents:[String!]! agentCounts:[RecordedFailureAgent!]! days:[RecordedFailureDay!]! examples:[RecordedFailureExample!]!
RecordedFailureGroupConnection nodes:[RecordedFailureGroup!]! edges:[RecordedFailureGroupEdge!]! pageInfo:PageInfo! incomplete:Boolean!
RecordedFailureGroupEdge node:RecordedFailureGroup! cursor:String!
RecordedFailureGroupPayload success:Boolean! recordedFailureGroup:RecordedFailureGroup lastSyncId:Float!
RecordedFailureHour at:DateTime! count:Int!
RecordedFailureStep id:ID! name:String! kind:String! success:Boolean! args:String at:DateTime!
RecordedFailureSummary ignored:Int! back:Int! filed:Int! new:Int! ongoing:Int! truncated:Boolean!
RecordedFile path:String! added:Int! removed:Int! edits:Int! createdAt:DateTime! updatedAt:DateTime! firstEvent:RecordedEvent lastEvent:RecordedEvent
RecordedFileChange id:ID! path:String! change:String! added:Int! removed:Int! lines:[String!]! createdAt:DateTime! event:RecordedEvent session:RecordedSession
RecordedFileChangeConnection nodes:[RecordedFileChange!]! edges:[RecordedFileChangeEdge!]! pageInfo:PageInfo!
RecordedFileChangeEdge node:RecordedFileChange! cursor:String!
RecordedFileConnection nodes:[RecordedFile!]! edges:[RecordedFileEdge!]! pageInfo:PageInfo!
RecordedFileEdge node:RecordedFile! cursor:String!
RecordedHit eventId:ID! sessionId:ID! name:String! kind:String! success:Boolean! at:DateTime! field:String! snippet:String!
RecordedOutline hasNextPage:Boolean! endCursor:ID read:Int! stoppedAt:DateTime ids:[ID!]! parentIds:[ID]! names:[String!]! kinds:[String!]! open:[Int!]! models:[String]! inputTokens:[Float]! outputTokens:[Float]! costs:[Float]! types:[String]! failed:[Int!]! latencies:[Float]! timestamps:[Float!]! briefs:[String!]! results:[String]! checkpoints:[[Float!]]! receivedAt:DateTime
RecordedSearch from:DateTime! to:DateTime! read:Int! stoppedAt:DateTime endCursor:String nodes:[RecordedHit!]!
RecordedService id:ID! example:String! spans:Int! firstSeenAt:DateTime! lastSeenAt:DateTime!
RecordedServiceConnection nodes:[RecordedService!]! edges:[RecordedServiceEdge!]! pageInfo:PageInfo!
RecordedServiceEdge node:RecordedService! cursor:String!
RecordedSession id:ID! user:RecordedUser metadata:JSONObject! clientConfig:String startedAt:DateTime! registered:Boolean! externalId:String source:String holdReason:String heldBy:User heldAt:DateTime textsExpireAt:DateTime expiresAt:DateTime textsRemovedAt:DateTime state:RecordedSessionState! stateSince:DateTime! waitsFor:String stateEvent:RecordedEvent totals:RecordedTotals! brief:RecordedBrief! events:RecordedEventConnection! files:RecordedFileConnection! commits:RecordedCommitConnection! issues:IssueConnection! issueLinks:IssueSessionConnection!
RecordedSessionBucket at:DateTime! sessions:Int! failed:Int! tokens:Float! cost:Float!
RecordedSessionConnection nodes:[RecordedSession!]! edges:[RecordedSessionEdge!]! pageInfo:PageInfo! incomplete:Boolean! searchedSince:DateTime
RecordedSessionEdge node:RecordedSession! cursor:String!
RecordedSessionHistogram from:DateTime! to:DateTime! truncated:Boolean! incomplete:Boolean! buckets:[RecordedSessionBucket!]!
RecordedSessionPayload success:Boolean! recordedSession:RecordedSession lastSyncId:Float!
RecordedSessionsDeletePayload sessions:Int! complete:Boolean! success:Boolean! lastSyncId:Float!
RecordedTool name:String! from:DateTime! to:DateTime! truncated:Boolean! calls:Int! failures:Int! sessions:Int! p50:Float p95:Float p99:Float bandCalls:[Int!]! bandFailures:[Int!]! buckets:[RecordedToolBucket!]! failureGroupCount:Int! failureGroups:[RecordedToolFailureGroup!]!
RecordedToolBucket at:DateTime! calls:Int! failures:Int! p50:Float p95:Float bands:[Int!]!
RecordedToolFailureGroup id:ID! message:String! count:Int! sessions:Int! users:Int! firstAt:DateTime! lastAt:DateTime! eventId:ID! sessionId:ID! issue:Issue
RecordedToolStat name:String! calls:Int! failures:Int! p50:Float p95:Float p99:Float trend:[Int!]! failureTrend:[Int!]!
RecordedToolStats from:DateTime! to:DateTime! truncated:Boolean! tools:[RecordedToolStat!]!
RecordedTotals events:Int! failures:Int! turns:Int! toolCalls:Int! inputTokens:Float! outputTokens:Float! cacheReadTokens:Float! cacheWriteTokens:Float! cost:Float costSource:String! missingCosts:Int! models:[String!]!
RecordedUsage from:DateTime! to:DateTime! truncated:Boolean! groups:[RecordedUsageGroup!]!
RecordedUsageDay day:DateTime! events:Float! inputTokens:Float! outputTokens:Float! cacheReadTokens:Float! cacheWriteTokens:Float! cost:Float costSource:String! missingCosts:Int! sessions:Int!
RecordedUsageGroup name:String! events:Float! inputTokens:Float! outputTokens:Float! cacheReadTokens:Float! cacheWriteTokens:Float! cost:Float costSource:String! missingCosts:Int! sessions:Int! days:[RecordedUsageDay!]!
RecordedUser id:ID! traits:JSONObject! firstSeenAt:DateTime! sessions:RecordedSessionConnection!
RecordedUserConnection nodes:[RecordedUser!]! edges:[RecordedUserEdge!]! pageInfo:PageInfo!
RecordedUserEdge node:RecordedUser! cursor:String!
RecordedUserExport lines:[String!]! endCursor:String
Team id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime key:String! name:String! displayName:String! description:String color:String icon:String private:Boolean! readyStateTypes:[String!]! proof:JSONObject leaseCostLimit:Float leaseTokenLimit:Float leaseMinuteLimit:Int leaseEqualCallLimit:Int issueCount:Int! organization:Organization! defaultIssueState:WorkflowState activeCycle:Cycle states:WorkflowStateConnection! issues:IssueConnection! labels:IssueLabelConnection! cycles:CycleConnection! templates:TemplateConnection! members:UserConnection! projects:ProjectConnection! webhooks:WebhookConnection!
TeamArchivePayload success:Boolean! entity:Team lastSyncId:Float!
TeamConnection nodes:[Team!]! edges:[TeamEdge!]! pageInfo:PageInfo!
TeamEdge node:Team! cursor:String!
TeamPayload success:Boolean! team:Team lastSyncId:Float!
Template id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime name:String! description:String icon:String color:String type:String! templateData:JSON! sortOrder:Float! team:Team creator:User
TemplateConnection nodes:[Template!]! edges:[TemplateEdge!]! pageInfo:PageInfo!
TemplateEdge node:Template! cursor:String!
TemplatePayload success:Boolean! template:Template lastSyncId:Float!
User id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime name:String! displayName:String! email:String! active:Boolean! admin:Boolean! owner:Boolean! guest:Boolean! app:Boolean! isMe:Boolean! initials:String! avatarUrl:String url:String! createdIssueCount:Int! organization:Organization! assignedIssues:IssueConnection! createdIssues:IssueConnection! teams:TeamConnection!
UserConnection nodes:[User!]! edges:[UserEdge!]! pageInfo:PageInfo!
UserEdge node:User! cursor:String!
Webhook id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime label:String url:String enabled:Boolean! error:String resourceTypes:[String!]! allPublicTeams:Boolean! secret:String team:Team creator:User
WebhookConnection nodes:[Webhook!]! edges:[WebhookEdge!]! pageInfo:PageInfo!
WebhookEdge node:Webhook! cursor:String!
WebhookPayload success:Boolean! webhook:Webhook! lastSyncId:Float!
WebhookRotateSecretPayload secret:String! success:Boolean! lastSyncId:Float!
WorkflowState id:ID! createdAt:DateTime! updatedAt:DateTime! archivedAt:DateTime name:String! type:String! color:String! description:String position:Float! team:Team! issues:IssueConnection!
WorkflowStateArchivePayload success:Boolean! entity:WorkflowState lastSyncId:Float!
WorkflowStateConnection nodes:[WorkflowState!]! edges:[WorkflowStateEdge!]! pageInfo:PageInfo!
WorkflowStateEdge node:WorkflowState! cursor:String!
WorkflowStatePayload success:Boolean! workflowState:WorkflowState! lastSyncId:Float!
`);
