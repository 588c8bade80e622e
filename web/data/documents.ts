// Written by `npm run web:types` from web/documents/.
import { document } from "./document.ts";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
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
  /** True: has no value. False: has one. */
  readonly null?: boolean | null | undefined;
  /** Starts with. */
  readonly startsWith?: string | null | undefined;
  /** Starts with, in any case. */
  readonly startsWithIgnoreCase?: string | null | undefined;
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
  /** Whether the key is there at all. */
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
  /** On its agents: the primitive_name of an event without a parent. */
  readonly agent?: StringComparator | null | undefined;
  /** On whether some event of it has no success. */
  readonly hasFailures?: BooleanComparator | null | undefined;
  /** On its tools: the primitive_name of a tool call. */
  readonly tool?: StringComparator | null | undefined;
  /** It holds this text, in any case, in the args or the result of an event. Sessions are read one after the other: narrow the time when it is rare. */
  readonly text?: string | null | undefined;
  /** All of these hold. */
  readonly and?: ReadonlyArray<RecordedSessionFilter> | null | undefined;
  /** One of these holds. */
  readonly or?: ReadonlyArray<RecordedSessionFilter> | null | undefined;
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
  /** One of these holds. */
  readonly or?: ReadonlyArray<RecordedUserFilter> | null | undefined;
};

export type PaletteQueryVariables = Exact<{
  text: string;
  agent?: RecordedSessionFilter | null | undefined;
}>;


export type PaletteQuery = { readonly searchIssues: { readonly nodes: ReadonlyArray<{ readonly identifier: string, readonly title: string, readonly url: string }> }, readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly startedAt: string, readonly brief: { readonly agent: string | null, readonly message: string | null } }> } };

export type PaletteRecentQueryVariables = Exact<{ [key: string]: never; }>;


export type PaletteRecentQuery = { readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly startedAt: string, readonly brief: { readonly agent: string | null, readonly message: string | null } }> } };

export type SessionQueryVariables = Exact<{
  id: string;
}>;


export type SessionQuery = { readonly recordedSession: { readonly metadata: Record<string, unknown>, readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly user: { readonly id: string, readonly traits: Record<string, unknown> } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly course: string | null } } };

export type OutlineQueryVariables = Exact<{
  sessionId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
  receivedAfter?: string | null | undefined;
  text?: string | null | undefined;
}>;


export type OutlineQuery = { readonly recordedOutline: { readonly hasNextPage: boolean, readonly endCursor: string | null, readonly ids: ReadonlyArray<string>, readonly parentIds: ReadonlyArray<string | null>, readonly names: ReadonlyArray<string>, readonly types: ReadonlyArray<string | null>, readonly failed: ReadonlyArray<number>, readonly latencies: ReadonlyArray<number | null>, readonly timestamps: ReadonlyArray<number>, readonly briefs: ReadonlyArray<string>, readonly results: ReadonlyArray<string | null>, readonly checkpoints: ReadonlyArray<ReadonlyArray<number> | null>, readonly receivedAt: string | null } };

export type EventQueryVariables = Exact<{
  id: string;
  maxLength?: number | null | undefined;
}>;


export type EventQuery = { readonly recordedEvent: { readonly id: string, readonly parentId: string | null, readonly primitiveName: string, readonly primitiveType: string | null, readonly success: boolean, readonly latency: number | null, readonly timestamp: string, readonly receivedAt: string, readonly metadata: Record<string, unknown> | null, readonly args: string, readonly result: string, readonly session: { readonly id: string }, readonly checkpoints: ReadonlyArray<{ readonly name: string, readonly at: number, readonly offset: number, readonly delta: number, readonly share: number }> } };

export type EventTextsQueryVariables = Exact<{
  sessionId: string;
  ids: ReadonlyArray<string | number> | string | number;
  maxLength?: number | null | undefined;
}>;


export type EventTextsQuery = { readonly recordedSession: { readonly events: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly args: string, readonly result: string }> } } };

export type SessionsQueryVariables = Exact<{
  filter?: RecordedSessionFilter | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type SessionsQuery = { readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly course: string | null } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } } };

export type AnySessionQueryVariables = Exact<{ [key: string]: never; }>;


export type AnySessionQuery = { readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string }> } };

export type SessionsByIdQueryVariables = Exact<{
  ids: ReadonlyArray<string | number> | string | number;
}>;


export type SessionsByIdQuery = { readonly recordedSessions: { readonly nodes: ReadonlyArray<{ readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly course: string | null } }> } };

export type SessionRowFragment = { readonly id: string, readonly startedAt: string, readonly registered: boolean, readonly clientConfig: string | null, readonly user: { readonly id: string } | null, readonly totals: { readonly events: number, readonly failures: number, readonly turns: number, readonly toolCalls: number }, readonly brief: { readonly agent: string | null, readonly message: string | null, readonly endedAt: string | null, readonly lastFailed: boolean | null, readonly course: string | null } };

export type SessionHistogramQueryVariables = Exact<{
  from?: string | null | undefined;
  to?: string | null | undefined;
  buckets?: number | null | undefined;
}>;


export type SessionHistogramQuery = { readonly recordedSessionHistogram: { readonly from: string, readonly to: string, readonly truncated: boolean, readonly buckets: ReadonlyArray<{ readonly at: string, readonly sessions: number, readonly failed: number }> } };

export const Palette = document<PaletteQuery, PaletteQueryVariables>("query Palette($text: String!, $agent: RecordedSessionFilter) { searchIssues(term: $text, first: 6) { nodes { identifier title url } } recordedSessions(filter: $agent, first: 6) { nodes { id startedAt brief { agent message } } } }");
export const PaletteRecent = document<PaletteRecentQuery, PaletteRecentQueryVariables>("query PaletteRecent { recordedSessions(first: 5) { nodes { id startedAt brief { agent message } } } }");
export const Session = document<SessionQuery, SessionQueryVariables>("query Session($id: String!) { recordedSession(id: $id) { ...SessionRow metadata user { id traits } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls } brief { agent message endedAt lastFailed course } }");
export const Outline = document<OutlineQuery, OutlineQueryVariables>("query Outline($sessionId: UUID!, $first: Int, $after: UUID, $receivedAfter: DateTime, $text: String) { recordedOutline( sessionId: $sessionId first: $first after: $after receivedAfter: $receivedAfter text: $text ) { hasNextPage endCursor ids parentIds names types failed latencies timestamps briefs results checkpoints receivedAt } }");
export const Event = document<EventQuery, EventQueryVariables>("query Event($id: String!, $maxLength: Int) { recordedEvent(id: $id) { id parentId primitiveName primitiveType success latency timestamp receivedAt metadata args(maxLength: $maxLength) result(maxLength: $maxLength) session { id } checkpoints { name at offset delta share } } }");
export const EventTexts = document<EventTextsQuery, EventTextsQueryVariables>("query EventTexts($sessionId: String!, $ids: [ID!]!, $maxLength: Int) { recordedSession(id: $sessionId) { events(filter: {id: {in: $ids}}, first: 100) { nodes { id args(maxLength: $maxLength) result(maxLength: $maxLength) } } } }");
export const Sessions = document<SessionsQuery, SessionsQueryVariables>("query Sessions($filter: RecordedSessionFilter, $first: Int, $after: String) { recordedSessions(filter: $filter, first: $first, after: $after) { nodes { ...SessionRow } pageInfo { hasNextPage endCursor } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls } brief { agent message endedAt lastFailed course } }");
export const AnySession = document<AnySessionQuery, AnySessionQueryVariables>("query AnySession { recordedSessions(first: 1) { nodes { id } } }");
export const SessionsById = document<SessionsByIdQuery, SessionsByIdQueryVariables>("query SessionsById($ids: [ID!]!) { recordedSessions(filter: {id: {in: $ids}}, first: 50) { nodes { ...SessionRow } } } fragment SessionRow on RecordedSession { id startedAt registered clientConfig user { id } totals { events failures turns toolCalls } brief { agent message endedAt lastFailed course } }");
export const SessionHistogram = document<SessionHistogramQuery, SessionHistogramQueryVariables>("query SessionHistogram($from: DateTimeOrDuration, $to: DateTimeOrDuration, $buckets: Int) { recordedSessionHistogram(from: $from, to: $to, buckets: $buckets) { from to truncated buckets { at sessions failed } } }");
