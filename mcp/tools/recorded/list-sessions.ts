import { z } from "zod";
import { AGENT_NAME_SCHEMA, parsePastTime } from "../../arguments/filters.ts";
import { SESSION_DOCUMENTS } from "../../documents/recorded.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import {
  type GraphqlConnection,
  PAGE_ARGUMENT_SCHEMAS,
  PAGE_RESULT_SCHEMAS,
  toNonEmptyText,
  toPage,
  truncate,
} from "../../results.ts";
import { toUsage, USAGE_RESULT_SCHEMAS, type UsageNode } from "../../sessions/session.ts";

const session = z.object({
  id: z.string(),
  user: z.string().optional(),
  started: z.string(),
  client: z.string().optional(),
  agent: z.string().optional(),
  prompt: z.string().optional(),
  state: z.string(),
  waits_for: z.string().optional(),
  events: z.int(),
  failures: z.int().optional(),
  ...USAGE_RESULT_SCHEMAS,
});

interface SessionNode {
  id: string;
  startedAt: string;
  user: { id: string } | null;
  clientConfig: string | null;
  source: string | null;
  state: string;
  waitsFor: string | null;
  totals: UsageNode & { events: number; failures: number };
  brief: { agent: string | null; message: string | null };
}

/** Number of characters shown of the first prompt. */
const PROMPT = 80;

const inputSchema = z.strictObject({
  user: z.string().optional(),
  agent: AGENT_NAME_SCHEMA.optional(),
  trait: z.string().optional().describe("of the user, key=value"),
  metadata: z.string().optional().describe("key=value"),
  failed: z.boolean().optional().describe("has failures"),
  state: z.string().optional().describe("as stuck"),
  since: z.string().optional().describe("ISO date or P7D"),
  until: z.string().optional(),
  sort: z.enum(["duration", "cost", "failures"]).optional().describe("most first"),
  ...PAGE_ARGUMENT_SCHEMAS,
});

export const listSessions = defineTool({
  name: "list_sessions",
  title: "List sessions",
  description: "List recorded agent sessions, newest first.",
  toolset: "sessions",
  annotations: ANNOTATIONS.reads,
  inputSchema,
  outputSchema: z.object({ sessions: z.array(session), ...PAGE_RESULT_SCHEMAS }),
  async handler({ limit, cursor, sort, ...wanted }, { graphql }) {
    const order = sort && { sort: [{ [sort]: { order: "Descending" } }] };
    const variables = { filter: filterOf(wanted), first: limit, after: cursor, ...order };
    const data = await graphql<{ recordedSessions: GraphqlConnection<SessionNode> }>(SESSION_DOCUMENTS.list, variables);
    const { rows, rest } = toPage(data.recordedSessions, toRow);
    return { sessions: rows, ...rest };
  },
});

function filterOf(wanted: Omit<z.output<typeof inputSchema>, "limit" | "cursor" | "sort">) {
  const { user, agent, trait, metadata, failed, state, since, until } = wanted;
  const whose = {
    ...(user !== undefined && { id: { eq: user } }),
    ...(trait !== undefined && { traits: keyValue("trait", trait) }),
  };
  const time = {
    ...(since !== undefined && { gte: parsePastTime("since", since) }),
    ...(until !== undefined && { lte: parsePastTime("until", until) }),
  };
  return {
    ...(Object.keys(whose).length > 0 && { user: whose }),
    ...(metadata !== undefined && { metadata: keyValue("metadata", metadata) }),
    ...(agent !== undefined && { agent: { eq: agent } }),
    ...(failed !== undefined && { hasFailures: { eq: failed } }),
    ...(state !== undefined && { state: { eq: stateNamed(state) } }),
    ...(Object.keys(time).length > 0 && { startedAt: time }),
  };
}

/** States of a session, with GraphQL's names. */
const STATES = [
  ...["working", "waitingForPermission", "waitingForAnswer", "stuck"],
  ...["looping", "idle", "failed", "ended"],
];

const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/**
 * Finds the session state that a text names. Ignores upper and lower case and every character that is not a letter.
 * @throws ToolError for an unknown state
 */
function stateNamed(text: string): string {
  const letters = (name: string) => name.replace(/[^a-z]/gi, "").toLowerCase();
  const found = STATES.find((name) => letters(name) === letters(text));
  if (!found) throw new ToolError(`No session has the state "${text}". Use one of ${STATES.map(inWords).join(", ")}.`);
  return found;
}

/**
 * Parses text such as `plan=pro`. A value that is a number, `true`, `false` or `null` is converted to this type; any
 * other value stays a string.
 */
function keyValue(name: string, text: string) {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new ToolError(`${name} "${text}" has no value. Write key=value.`);
  return { key, eq: /^(true|false|null|-?\d+(\.\d+)?)$/.test(value) ? JSON.parse(value) : value };
}

function toRow({
  id,
  startedAt,
  user,
  clientConfig,
  source,
  state,
  waitsFor,
  totals,
  brief,
}: SessionNode): z.input<typeof session> {
  return {
    id,
    user: user?.id,
    started: startedAt,
    client: clientConfig ?? source ?? undefined,
    agent: toNonEmptyText(brief.agent),
    prompt: truncate(brief.message, PROMPT),
    state,
    waits_for: truncate(waitsFor, PROMPT),
    events: totals.events,
    failures: totals.failures || undefined,
    ...toUsage(totals),
  };
}
