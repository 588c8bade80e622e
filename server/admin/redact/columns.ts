import { getOwnProperty } from "../../../formats/own.ts";
import { MAX_NAME_CHARS, MAX_PAYLOAD_BYTES, MAX_TYPE_CHARS } from "../../ingest/rules/bounds.ts";
import { storedEntities, type ValueType } from "../../read/entity.ts";
import { entityModel } from "../../resources/index.ts";

/** A table with content that was recorded or written by a user. */
export interface ScannedTable {
  columns: readonly string[];
  /**
   * Maximum length of a value, by column. Ingestion truncates values to this length and compares a repeated event with
   * the stored event. Redacted values must obey the same limit, so that the comparison still works.
   */
  most?: Readonly<Record<string, number>>;
  /** SQL of the time at which the row `t` was last written. Without `at`, the command scans every row of the table. */
  at?: string;
}

const CREATED: Pick<ScannedTable, "at"> = { at: `t."createdAt"` };
const UPDATED: Pick<ScannedTable, "at"> = { at: `t."updatedAt"` };
/** Uses the time of the session's last report, because a late report can change an event of the session. */
const OF_SESSION: Pick<ScannedTable, "at"> = {
  at: `(select s.last_received_at from recorded_session s
    where s.organization_id = t.organization_id and s.session_id = t.session_id)`,
};

const ID = "an id as it was sent, by which rows find each other";
const WORD = "one of a fixed list of words";
const ACCOUNT = "of a person's account, which no program writes";
const CREDENTIAL = "a name or an end of a credential, which its owner gave it";
const CLIENT = "of a program that a person let in, checked against what it registered";
const PROVIDER = "of an organization's OpenID provider, which an owner or the provider gives";
const MAIL_SERVER = "of an organization's mail server, which an owner set";
const CHECKED = "a few characters of a checked form";

/** Text and JSON columns that the command does not scan, by table. Each value is the reason. */
export const UNSCANNED_COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  account: { email: ACCOUNT, passwordHash: "a hash", name: ACCOUNT },
  apiKey: { label: CREDENTIAL, last4: CREDENTIAL },
  audit: { event: WORD },
  awaitedSession: { reference: ID, kind: WORD },
  budget: { kind: WORD },
  commentText: { language: WORD },
  change: { type: WORD, action: WORD, event: WORD, actor: "the name of a member" },
  delivery: { status: WORD, notices: "ids, numbers and names of tools" },
  externalId: { type: WORD, source: "the name of a tracker", externalId: ID },
  externalUser: { email: "an address of a person" },
  idempotency: { key: ID, field: WORD },
  ingestKey: { name: CREDENTIAL, prefix: CREDENTIAL, last4: CREDENTIAL },
  invitation: { email: "an address of a person" },
  issue: { labelSet: ID, previousIdentifiers: CHECKED, stateType: WORD },
  issueCount: { kind: WORD },
  issueLabel: { color: CHECKED },
  issueLease: { sessionId: ID, trippedBy: WORD },
  issueProof: { verdict: WORD, eventIds: ID },
  issueRelation: { type: WORD },
  issueText: { language: WORD },
  login: { oidcSession: PROVIDER },
  mailServer: { host: MAIL_SERVER, security: WORD, username: MAIL_SERVER, from: MAIL_SERVER },
  notice: {
    group: "an id, the name of a tool or a day",
    value: WORD,
    subject: "ids, numbers and the name of a tool",
    told: WORD,
    toldValue: WORD,
  },
  noticeRule: {
    condition: WORD,
    sessionStates: WORD,
    failureKinds: WORD,
    issueStateTypes: WORD,
    channel: WORD,
    emails: "addresses of people",
    targetHost: "the host of an address that an owner gave it",
    error: "words of the server and numbers",
    quietFrom: CHECKED,
    quietTo: CHECKED,
    timeZone: CHECKED,
  },
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
  oidcIdentity: { issuer: PROVIDER, subject: PROVIDER },
  oidcOnce: { returnTo: "a path of this server", person: PROVIDER },
  oidcProvider: {
    issuer: PROVIDER,
    clientId: PROVIDER,
    domains: CHECKED,
    groupsClaim: PROVIDER,
    groupRoles: PROVIDER,
  },
  organization: {
    searchLanguage: WORD,
    name: "the name that an owner gave it",
    urlKey: CHECKED,
    previousUrlKeys: CHECKED,
    retentionAgents: "names of agents, which an owner set",
    ownPrices: "names of models and their prices, which an owner set",
    redactionPatterns: "patterns that an owner set, which may spell the beginning of a secret",
  },
  project: { color: CHECKED },
  projectStatus: { type: WORD, color: CHECKED },
  recorded_action: { kind: WORD, sha: ID },
  recorded_deletion: { user_id: ID },
  recorded_event: { kind: WORD, digest: "a hash of the row", redacted: "counts of marks, made anew with the texts" },
  recorded_failure_group: { days: "dates and counts" },
  inboxNotice: { type: WORD },
  recorded_observation: { key_name: CREDENTIAL },
  recorded_rollup: { positions: "ids of rows at which walks of upkeep ended" },
  recorded_session: { external_id: ID, state: WORD },
  recorded_usage_day: { kind: WORD },
  recorded_usage_hour: { kind: WORD },
  team: { key: CHECKED, color: CHECKED, readyStateTypes: WORD },
  teamKey: { key: CHECKED },
  throttle: { key: "an address that guesses came from" },
  user: { role: WORD, name: ACCOUNT, displayName: ACCOUNT, email: ACCOUNT },
  webhook: { url: "the server has to call it", resourceTypes: WORD, error: "words of the server and numbers" },
  workflowState: { type: WORD, color: CHECKED },
};

const TEXTS: readonly ValueType[] = ["text", "text[]", "json"];

/**
 * Returns the text and JSON columns of the resources' tables, except the columns in UNSCANNED_COLUMNS. Skips tables
 * that have no `updatedAt`, and tables whose columns have other names than the entity's fields (`names`).
 */
const ofResources = (): Record<string, ScannedTable> =>
  Object.fromEntries(
    storedEntities(entityModel).flatMap(({ table, columns, names }) => {
      const texts = Object.entries(columns).flatMap(([name, type]) => (TEXTS.includes(type) ? [name] : []));
      const scanned = texts.filter((name) => !Object.hasOwn(getOwnProperty(UNSCANNED_COLUMNS, table) ?? {}, name));
      return columns["updatedAt"] && !names && scanned.length > 0 ? [[table, { columns: scanned, ...UPDATED }]] : [];
    }),
  );

/**
 * The columns that may contain secrets, by table. Source rows come before
 * rows derived from them; the change log comes last.
 */
export const SCANNED_TABLES: Readonly<Record<string, ScannedTable>> = {
  recorded_observation: { columns: ["body"], at: "t.received_at" },
  recorded_event: {
    columns: ["primitive_name", "primitive_type", "args", "result", "metadata", "model", "message"],
    most: {
      primitive_name: MAX_NAME_CHARS,
      primitive_type: MAX_TYPE_CHARS,
      args: MAX_PAYLOAD_BYTES,
      result: MAX_PAYLOAD_BYTES,
    },
    at: `greatest(t.received_at, ${OF_SESSION.at})`,
  },
  recorded_session: {
    columns: ["user_id", "metadata", "client_config", "source", "observed", "models", "hold_reason", "waits_for"],
    at: "t.last_received_at",
  },
  recorded_action: { columns: ["path", "place", "data"], ...OF_SESSION },
  recorded_delta: { columns: ["models"], ...OF_SESSION },
  recorded_user: { columns: ["user_id", "traits"] },
  recorded_service: { columns: ["service", "example"] },
  recorded_tool_hour: { columns: ["tool"] },
  recorded_tool_day: { columns: ["tool"] },
  recorded_usage_hour: { columns: ["name"] },
  recorded_usage_day: { columns: ["name"] },
  recorded_failure_group: { columns: ["tool", "message", "agents"] },
  ...ofResources(),
  issueHandover: { columns: ["text"] },
  issueText: { columns: ["text"] },
  commentText: { columns: ["text"] },
  delivery: { columns: ["attempts"], ...CREATED },
  idempotency: { columns: ["outcome"], ...CREATED },
  audit: { columns: ["detail"], ...CREATED },
  change: { columns: ["data", "updatedFrom"], ...CREATED },
};
