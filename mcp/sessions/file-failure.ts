import { createHash } from "node:crypto";
import type { GraphqlClient } from "../api/graphql.ts";
import { ISSUE } from "../documents/issue.ts";
import { Conflict } from "../errors.ts";
import { commentText, type Failure, issueText, markOf } from "./failure.ts";

/** What became of one failure. */
export interface Report {
  issue: string;
  title: string;
  url: string;
  /** `known`: this very event was reported before. */
  status: "created" | "commented" | "known";
}

interface Occasion {
  sessionId: string;
  user: string | undefined;
  team: { id: string };
  /** Further members of the input of issueCreate. */
  input: object;
}

interface Known {
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
 * Files an issue for a failure, or comments on the open one about the same failure. An event that was reported before
 * is not reported again, even when its issue is closed by now.
 */
export async function fileFailure(graphql: GraphqlClient, failure: Failure, occasion: Occasion): Promise<Report> {
  const latest = await latestIssue(graphql, failure, occasion);
  if (latest && takes(latest, failure)) return addTo(graphql, latest, failure, occasion);
  try {
    // An id that follows from the failure: of two reports at once, one creates and the other meets a conflict.
    return await create(graphql, failure, occasion, idFrom(occasion.team.id, failure.fingerprint, latest?.id ?? ""));
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    const winner = await latestIssue(graphql, failure, occasion);
    if (winner && takes(winner, failure)) return addTo(graphql, winner, failure, occasion);
    return create(graphql, failure, occasion, undefined);
  }
}

const takes = (issue: Known, failure: Failure) => !CLOSED.has(issue.state.type) || knows(issue, failure);

const knows = ({ comments, description }: Known, { event }: Failure) =>
  comments.nodes.length > 0 || description?.includes(event.id) === true;

async function latestIssue(graphql: GraphqlClient, failure: Failure, { team }: Occasion): Promise<Known | undefined> {
  const variables = { team: { id: { eq: team.id } }, mark: markOf(failure), event: failure.event.id };
  const { issues } = await graphql<{ issues: { nodes: Known[] } }>(ISSUE.reported, variables);
  return issues.nodes[0];
}

async function addTo(graphql: GraphqlClient, issue: Known, failure: Failure, { sessionId }: Occasion): Promise<Report> {
  const report = { issue: issue.identifier, title: issue.title, url: issue.url };
  if (knows(issue, failure)) return { ...report, status: "known" };
  await graphql(ISSUE.comment, { input: { issueId: issue.id, body: commentText(failure, sessionId) } });
  return { ...report, status: "commented" };
}

async function create(
  graphql: GraphqlClient,
  failure: Failure,
  occasion: Occasion,
  id: string | undefined,
): Promise<Report> {
  const { team, input, sessionId, user } = occasion;
  const { issueCreate } = await graphql<{ issueCreate: { issue: Known } }>(ISSUE.create, {
    input: { ...input, ...issueText(failure, sessionId, user), teamId: team.id, ...(id && { id }) },
  });
  const { identifier, title, url } = issueCreate.issue;
  return { issue: identifier, title, url, status: "created" };
}

/** A UUID (version 8) made of some texts. */
function idFrom(...texts: string[]): string {
  const bytes = createHash("sha256").update(texts.join("\n")).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
