import { createHash } from "node:crypto";
import type { GraphqlClient } from "../api/graphql.ts";
import { ISSUE } from "../documents/issue.ts";
import { Conflict } from "../errors.ts";
import { commentText, type Failure, fingerprintTag, issueText } from "./failure.ts";

/** The issue that one failure is on now. */
export interface FiledFailure {
  issue: string;
  title: string;
  url: string;
  /** `known`: this very event is on the issue already. */
  status: "created" | "commented" | "known";
}

/** Where a failure is filed, and which session it is from. */
interface FailureContext {
  sessionId: string;
  user: string | undefined;
  team: { id: string };
  /** Members of the input of issueCreate beside those this module fills. */
  input: object;
}

interface ExistingIssue {
  id: string;
  identifier: string;
  title: string;
  url: string;
  description: string | null;
  state: { type: string };
  comments: { nodes: unknown[] };
}

const CLOSED = new Set(["completed", "canceled", "duplicate"]);

/**
 * Files an issue for a failure, or comments on the open issue about the same kind of failure. An event that is on an
 * issue already is left there, even when that issue is closed by now.
 */
export async function fileFailure(
  graphql: GraphqlClient,
  failure: Failure,
  context: FailureContext,
): Promise<FiledFailure> {
  const latest = await latestIssue(graphql, failure, context);
  if (latest && canTake(latest, failure)) return commentOn(graphql, latest, failure, context);
  try {
    // The id follows from the failure: of two calls at once one creates the issue, and the other meets a conflict.
    return await createIssue(
      graphql,
      failure,
      context,
      uuidFrom(context.team.id, failure.fingerprint, latest?.id ?? ""),
    );
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    const winner = await latestIssue(graphql, failure, context);
    if (winner && canTake(winner, failure)) return commentOn(graphql, winner, failure, context);
    return createIssue(graphql, failure, context, undefined);
  }
}

const canTake = (issue: ExistingIssue, failure: Failure) => !CLOSED.has(issue.state.type) || hasEvent(issue, failure);

const hasEvent = ({ comments, description }: ExistingIssue, { event }: Failure) =>
  comments.nodes.length > 0 || description?.includes(event.id) === true;

async function latestIssue(
  graphql: GraphqlClient,
  failure: Failure,
  { team }: FailureContext,
): Promise<ExistingIssue | undefined> {
  const variables = { team: { id: { eq: team.id } }, mark: fingerprintTag(failure), event: failure.event.id };
  const { issues } = await graphql<{ issues: { nodes: ExistingIssue[] } }>(ISSUE.reported, variables);
  return issues.nodes[0];
}

async function commentOn(
  graphql: GraphqlClient,
  issue: ExistingIssue,
  failure: Failure,
  { sessionId }: FailureContext,
): Promise<FiledFailure> {
  const filed = { issue: issue.identifier, title: issue.title, url: issue.url };
  if (hasEvent(issue, failure)) return { ...filed, status: "known" };
  await graphql(ISSUE.comment, { input: { issueId: issue.id, body: commentText(failure, sessionId) } });
  return { ...filed, status: "commented" };
}

async function createIssue(
  graphql: GraphqlClient,
  failure: Failure,
  context: FailureContext,
  id: string | undefined,
): Promise<FiledFailure> {
  const { team, input, sessionId, user } = context;
  const { issueCreate } = await graphql<{ issueCreate: { issue: ExistingIssue } }>(ISSUE.create, {
    input: { ...input, ...issueText(failure, sessionId, user), teamId: team.id, sessionId, ...(id && { id }) },
  });
  const { identifier, title, url } = issueCreate.issue;
  return { issue: identifier, title, url, status: "created" };
}

/** A UUID (version 8) made of some texts. */
function uuidFrom(...texts: string[]): string {
  const bytes = createHash("sha256").update(texts.join("\n")).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
