import { z } from "zod";
import { INBOX_DOCUMENTS } from "../../documents/recorded.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { type GraphqlConnection, PAGE_ARGUMENT_SCHEMAS, PAGE_RESULT_SCHEMAS, toPage, truncate } from "../../results.ts";

const entry = z.object({
  type: z.string(),
  since: z.string(),
  question: z.string().optional(),
  session_id: z.string().optional(),
  client: z.string().optional(),
  host: z.string().optional(),
  cwd: z.string().optional(),
  event_id: z.string().optional(),
  issue: z.string().optional(),
  failure: z.string().optional(),
  by: z.string().optional(),
});

interface EntryNode {
  type: string;
  createdAt: string;
  question: string | null;
  session: {
    id: string;
    source: string | null;
    clientConfig: string | null;
    metadata: Record<string, unknown>;
  } | null;
  event: { id: string } | null;
  issue: { identifier: string } | null;
  failureGroup: { id: string } | null;
  comment: { user: { name: string } | null } | null;
  holder: { name: string } | null;
}

/** Number of characters shown of a question. */
const QUESTION = 300;

/**
 * Lists the caller's inbox. No tool can answer for the user. An entry of a session that waits for an answer therefore
 * shows where the session runs.
 */
export const listInbox = defineTool({
  name: "list_inbox",
  title: "List inbox",
  description: "List what needs the user's attention, oldest first.",
  toolset: "work",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject(PAGE_ARGUMENT_SCHEMAS),
  outputSchema: z.object({ entries: z.array(entry), ...PAGE_RESULT_SCHEMAS }),
  async handler({ limit, cursor }, { graphql }) {
    const { inbox } = await graphql<{ inbox: GraphqlConnection<EntryNode> }>(INBOX_DOCUMENTS.list, {
      first: limit,
      after: cursor,
    });
    const { rows, rest } = toPage(inbox, toRow);
    return { entries: rows, ...rest };
  },
});

const toText = (value: unknown): string | undefined =>
  typeof value === "string" ? truncate(value, QUESTION) : undefined;

function toRow({ type, createdAt, question, session, event, issue, ...rest }: EntryNode): z.input<typeof entry> {
  return {
    type,
    since: createdAt,
    question: toText(question),
    session_id: session?.id,
    client: session?.clientConfig ?? session?.source ?? undefined,
    host: toText(session?.metadata["host"]),
    cwd: toText(session?.metadata["cwd"]),
    event_id: event?.id,
    issue: issue?.identifier,
    failure: rest.failureGroup?.id,
    by: rest.comment?.user?.name ?? rest.holder?.name,
  };
}
