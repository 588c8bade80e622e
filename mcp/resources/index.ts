import { issueResource } from "./issue.ts";
import type { ResourceKind } from "./resource.ts";
import { sessionResource } from "./session.ts";
import { teamResource } from "./team.ts";

/** Every kind of resource, by the name in its URI. */
export const RESOURCES: ReadonlyMap<string, ResourceKind> = new Map(
  [issueResource, teamResource, sessionResource].map((kind) => [kind.name, kind]),
);
