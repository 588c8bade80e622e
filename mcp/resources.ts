import type { RequestContext } from "./client-context.ts";
import { COMPLETION } from "./documents/team.ts";
import { limitSize } from "./results.ts";
import { getIssue } from "./tools/issues/get-issue.ts";
import { getSession } from "./tools/recorded/get-session.ts";
import { getTeam } from "./tools/teams.ts";

/** A kind of thing that can be read by URI. */
export interface ResourceKind {
  /** The part of the URI after `tracker://`, and the name of the template. */
  name: string;
  title: string;
  description: string;
  /** The variable of the template. */
  variable: string;
  mimeType: "application/json" | "text/plain";
  /** The text of the one a URI names; rejects with NotFound when there is none. */
  read(value: string, context: RequestContext): Promise<string>;
  /** Values that continue what has been typed, the likeliest first, at most 100. */
  complete(typed: string, context: RequestContext): Promise<string[]>;
}

/** The template of the URIs of a kind. */
export const templateOf = ({ name, variable }: ResourceKind) => `tracker://${name}/{${variable}}`;

interface FoundIssues {
  issues: { nodes: { identifier: string }[] };
}

/** An issue, as get_issue shows it. */
const issueResource: ResourceKind = {
  name: "issue",
  title: "Issue",
  description: "An issue with its description, sub-issues and newest comments.",
  variable: "identifier",
  mimeType: "application/json",
  async read(issue, context) {
    return limitSize(await getIssue.handler({ issue }, context)).json;
  },
  /** Text that begins no identifier is searched for in the issues. */
  async complete(typed, { graphql }) {
    const [, key, digits] = /^([a-z][a-z0-9]*)?(?:-(\d*))?$/i.exec(typed) ?? [];
    const search = async () => identifiers(await graphql<FoundIssues>(COMPLETION.search, { term: typed }));
    if (typed !== "" && key === undefined) return search();
    const comparator = digits === undefined ? { startsWithIgnoreCase: key ?? "" } : { eqIgnoreCase: key };
    const found = identifiers(await graphql<FoundIssues>(COMPLETION.issues, { filter: { team: { key: comparator } } }));
    const continued = found.filter((identifier) => identifier.toLowerCase().startsWith(typed.toLowerCase()));
    return continued.length > 0 || digits !== undefined || typed === "" ? continued : search();
  },
};

const identifiers = ({ issues }: FoundIssues) => issues.nodes.map(({ identifier }) => identifier);

interface FoundTeams {
  teams: { nodes: { key: string }[] };
}

/** A team, as get_team shows it. */
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
    const { teams } = await graphql<FoundTeams>(COMPLETION.teams, { filter });
    return teams.nodes.map(({ key }) => key);
  },
};

interface FoundSessions {
  recordedSessions: { nodes: { id: string }[] };
}

/** A recorded session, as get_session shows it, as text. */
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
    const { recordedSessions } = await graphql<FoundSessions>(COMPLETION.sessions);
    return recordedSessions.nodes.map(({ id }) => id).filter((id) => id.startsWith(typed.toLowerCase()));
  },
};

/** Every kind of resource, by the name in its URI. */
export const RESOURCES: ReadonlyMap<string, ResourceKind> = new Map(
  [issueResource, teamResource, sessionResource].map((kind) => [kind.name, kind]),
);
