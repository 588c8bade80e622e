import { z } from "zod";
import type { GraphqlClient } from "../api/graphql.ts";
import { FAILURE } from "../documents/failure.ts";
import type { EventNode } from "./event.ts";

/** The outcome of filing a failure: `known`, its event is on the issue already. */
export const filedFailure = z.object({
  issue: z.string(),
  title: z.string(),
  url: z.string(),
  status: z.enum(["created", "commented", "reopened", "known"]),
});

type FiledFailure = z.output<typeof filedFailure>;

/** The last event of each kind of failure. A turn that failed because of a call in it counts as that call. */
export function failuresOf(events: readonly EventNode[]): EventNode[] {
  const failed = events.filter(({ success }) => !success);
  const parents = new Set(failed.map(({ parentId }) => parentId));
  const kinds = new Map(
    failed.filter(({ id }) => !parents.has(id)).map((event) => [event.failureGroupId ?? event.id, event]),
  );
  return [...kinds.values()];
}

/** Files an issue about a failure, or adds to the one there is. */
export async function fileFailure(graphql: GraphqlClient, input: object): Promise<FiledFailure> {
  type Filed = { status: FiledFailure["status"]; issue: { identifier: string; title: string; url: string } };
  const { issueCreateFromFailure } = await graphql<{ issueCreateFromFailure: Filed }>(FAILURE.file, { input });
  const { status, issue } = issueCreateFromFailure;
  return { issue: issue.identifier, title: issue.title, url: issue.url, status };
}
