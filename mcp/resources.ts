import type { RequestContext } from "./client-context.ts";
import { COMPLETION_DOCUMENTS } from "./documents/team.ts";
import { limitSize } from "./results.ts";
import { getIssue } from "./tools/issues/get-issue.ts";
import { getSession } from "./tools/recorded/get-session.ts";
import { getTeam } from "./tools/teams.ts";

/** Kind of MCP resource. Clients read an object of this kind by its URI. */
export interface ResourceKind {
  /** First part of the URI after `tracker://`, such as `issue`; also the name of the URI template. */
  name: string;
  title: string;
  description: string;
  /** Variable of the URI template. */
  variable: string;
  mimeType: "application/json" | "text/plain";
  /**
   * Returns the content of an object as text. `value` is the value of the variable in the object's URI. @throws
   * NotFoundError if the object does not exist
   */
  read(value: string, context: RequestContext): Promise<string>;
  /** Returns up to 100 values that complete the typed text, the most likely first. */
  complete(typed: string, context: RequestContext): Promise<string[]>;
}

/** Returns the URI template for a kind of resource. */
export const buildUriTemplate = ({ name, variable }: ResourceKind) => `tracker://${name}/{${variable}}`;

interface FoundIssues {
  issues: { nodes: { identifier: string }[] };
}

/** Issue in the form of get_issue. */
const issueResource: ResourceKind = {
  name: "issue",
  title: "Issue",
  description: "An issue with its description, sub-issues and newest comments.",
  variable: "identifier",
  mimeType: "application/json",
  async read(issue, context) {
    return limitSize(await getIssue.handler({ issue }, context)).json;
  },
  async complete(typed, { graphql }) {
    const [, key, digits] = /^([a-z][a-z0-9]*)?(?:-(\d*))?$/i.exec(typed) ?? [];
    const search = async () => identifiers(await graphql<FoundIssues>(COMPLETION_DOCUMENTS.search, { term: typed }));
    if (typed !== "" && key === undefined) return search();
    const comparator = digits === undefined ? { startsWithIgnoreCase: key ?? "" } : { eqIgnoreCase: key };
    const found = identifiers(
      await graphql<FoundIssues>(COMPLETION_DOCUMENTS.issues, { filter: { team: { key: comparator } } }),
    );
    const continued = found.filter((identifier) => identifier.toLowerCase().startsWith(typed.toLowerCase()));
    return continued.length > 0 || digits !== undefined || typed === "" ? continued : search();
  },
};

const identifiers = ({ issues }: FoundIssues) => issues.nodes.map(({ identifier }) => identifier);

interface FoundTeams {
  teams: { nodes: { key: string }[] };
}

/** Team in the form of get_team. */
const teamResource: ResourceKind = {
  name: "team",
  title: "Team",
  description: "A team with its states, labels, members, projects and current cycle.",
  variable: "key",
  mimeType: "application/json",
  async read(team, context) {
    return limitSize(await getTeam.handler({ team }, context)).json;
  },
  async complete(typed, { graphql }) {
    const begins = { startsWithIgnoreCase: typed };
    const filter = typed === "" ? {} : { or: [{ key: begins }, { name: begins }] };
    const { teams } = await graphql<FoundTeams>(COMPLETION_DOCUMENTS.teams, { filter });
    return teams.nodes.map(({ key }) => key);
  },
};

interface FoundSessions {
  recordedSessions: { nodes: { id: string }[] };
}

/** Resource for a recorded session, as text with the content of the tool `get_session`. */
const sessionResource: ResourceKind = {
  name: "session",
  title: "Session",
  description: "A recorded agent session as a tree of turns and tool calls.",
  variable: "id",
  mimeType: "text/plain",
  async read(session_id, context) {
    const { session } = await getSession.handler({ session_id }, context);
    const { tree, ...about } = session as { tree: string };
    return `${JSON.stringify(about)}\n\n${tree}`;
  },
  async complete(typed, { graphql }) {
    const { recordedSessions } = await graphql<FoundSessions>(COMPLETION_DOCUMENTS.sessions);
    return recordedSessions.nodes.map(({ id }) => id).filter((id) => id.startsWith(typed.toLowerCase()));
  },
};

/** All kinds of resources. The key is the kind's name in the URI. */
export const RESOURCES: ReadonlyMap<string, ResourceKind> = new Map(
  [issueResource, teamResource, sessionResource].map((kind) => [kind.name, kind]),
);
