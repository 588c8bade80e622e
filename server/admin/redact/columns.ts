import { NAME_CHARS, PAYLOAD_BYTES, TYPE_CHARS } from "../../ingest/rules/bounds.ts";

/** A table in which texts may stand that somebody recorded or wrote. */
export interface Scanned {
  columns: readonly string[];
  /** Bytes to which texts are cut where they are received: a repeat is compared with what is stored. */
  most?: Readonly<Record<string, number>>;
  /** SQL of when a row `t` was last written; a table without it is gone through whole. */
  at?: string;
}

const CREATED: Pick<Scanned, "at"> = { at: `t."createdAt"` };
const UPDATED: Pick<Scanned, "at"> = { at: `t."updatedAt"` };
/** A late report changes an event, and its session keeps the moment of the last one. */
const OF_SESSION: Pick<Scanned, "at"> = {
  at: `(select s.last_received_at from recorded_session s
    where s.organization_id = t.organization_id and s.session_id = t.session_id)`,
};

/**
 * The columns with texts that may hold secrets, by table. Rows that others are made of come first, and the change log
 * comes last.
 */
export const SCANNED: Readonly<Record<string, Scanned>> = {
  recorded_event: {
    columns: ["primitive_name", "primitive_type", "args", "result", "metadata", "model", "observed", "message"],
    most: { primitive_name: NAME_CHARS, primitive_type: TYPE_CHARS, args: PAYLOAD_BYTES, result: PAYLOAD_BYTES },
    at: `greatest(t.received_at, ${OF_SESSION.at})`,
  },
  recorded_part: { columns: ["facts"], ...OF_SESSION },
  recorded_session: {
    columns: ["user_id", "metadata", "client_config", "source", "observed", "models"],
    at: "t.last_received_at",
  },
  recorded_delta: { columns: ["models"], ...OF_SESSION },
  recorded_user: { columns: ["user_id", "traits"] },
  recorded_tool_hour: { columns: ["tool"] },
  recorded_tool_day: { columns: ["tool"] },
  recorded_failure_group: { columns: ["tool", "message"] },
  issue: { columns: ["title", "description"], ...UPDATED },
  comment: { columns: ["body"], ...UPDATED },
  project: { columns: ["name", "description", "content", "icon"], ...UPDATED },
  projectMilestone: { columns: ["name"], ...UPDATED },
  projectStatus: { columns: ["name", "description"], ...UPDATED },
  cycle: { columns: ["name", "description"], ...UPDATED },
  team: { columns: ["name", "description", "icon"], ...UPDATED },
  workflowState: { columns: ["name", "description"], ...UPDATED },
  issueLabel: { columns: ["name", "description"], ...UPDATED },
  externalUser: { columns: ["name", "displayName"], ...UPDATED },
  issueText: { columns: ["text"] },
  commentText: { columns: ["text"] },
  webhook: { columns: ["label"], ...UPDATED },
  delivery: { columns: ["attempts"], ...CREATED },
  idempotency: { columns: ["outcome"], ...CREATED },
  audit: { columns: ["detail"], ...CREATED },
  change: { columns: ["data", "updatedFrom"], ...CREATED },
};

const ID = "an id as it was sent, by which rows find each other";
const WORD = "one of a fixed list of words";
const ACCOUNT = "of a person's account, which no program writes";
const CREDENTIAL = "a name or an end of a credential, which its owner gave it";
const CLIENT = "of a program that a person let in, checked against what it registered";
const CHECKED = "a few characters of a checked form";

/** Columns of text and JSON that the command leaves as they are, with the reason, by table. */
export const KEPT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  account: { email: ACCOUNT, passwordHash: "a hash", name: ACCOUNT },
  apiKey: { label: CREDENTIAL, last4: CREDENTIAL },
  audit: { event: WORD },
  awaitedSession: { reference: ID, kind: WORD },
  budget: { kind: WORD },
  change: { type: WORD, action: WORD, event: WORD, actor: "the name of a member" },
  delivery: { status: WORD },
  externalId: { type: WORD, source: "the name of a tracker", externalId: ID },
  externalUser: { email: "an address of a person" },
  idempotency: { key: ID, field: WORD },
  ingestKey: { name: CREDENTIAL, prefix: CREDENTIAL, last4: CREDENTIAL },
  invitation: { email: "an address of a person" },
  issue: { previousIdentifiers: CHECKED, stateType: WORD },
  issueCount: { kind: WORD },
  issueLabel: { color: CHECKED },
  issueLease: { sessionId: ID },
  issueRelation: { type: WORD },
  oauthClient: { id: CLIENT, name: CLIENT, redirectUris: CLIENT },
  oauthCode: {
    clientId: CLIENT,
    clientName: CLIENT,
    redirectUri: CLIENT,
    codeChallenge: CLIENT,
    scopes: WORD,
    resource: CLIENT,
  },
  oauthGrant: { clientId: CLIENT, clientName: CLIENT, redirectHost: CLIENT, scopes: WORD, resource: CLIENT },
  oauthToken: { kind: WORD },
  organization: {
    name: "the name that an owner gave it",
    urlKey: CHECKED,
    previousUrlKeys: CHECKED,
    redactionPatterns: "patterns that an owner set, which may spell the beginning of a secret",
  },
  project: { color: CHECKED },
  projectStatus: { type: WORD, color: CHECKED },
  recorded_event: { kind: WORD, redacted: "counts of marks, made anew with the texts" },
  recorded_part: { role: WORD },
  recorded_rollup: { positions: "ids of rows at which walks of upkeep ended" },
  recorded_session: { external_id: ID },
  recorded_span: { trace_id: ID, span_id: ID, parent_span_id: ID },
  recorded_trace: { trace_id: ID },
  team: { key: CHECKED, color: CHECKED, readyStateTypes: WORD },
  teamKey: { key: CHECKED },
  throttle: { key: "an address that guesses came from" },
  user: { role: WORD, name: ACCOUNT, displayName: ACCOUNT, email: ACCOUNT },
  webhook: { url: "the server has to call it", resourceTypes: WORD },
  workflowState: { type: WORD, color: CHECKED },
};
