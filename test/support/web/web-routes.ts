import { readFileSync } from "node:fs";
import type { Tenant } from "../server.ts";
import type { WebWorld } from "./web-world.ts";

const NOBODY = "0198c0de-0000-7000-8000-000000000001";

/** Patterns of the app's routes, read from the app's table of routes. */
const PATTERNS = [...readFileSync("web/routes.ts", "utf8").matchAll(/^ {2}\["([^"]+)", /gm)].map(([, pattern]) =>
  String(pattern),
);

/** Names of the pages of the settings, read from the app's lists. */
const SETTINGS = [...readFileSync("web/pages/settings/settings.tsx", "utf8").matchAll(/^ {2}\["([^"]+)", /gm)].map(
  ([, name]) => String(name),
);

/** Ids of entities in an organization; without a world, ids that do not exist. */
interface Ids {
  sessions: [a: string, b: string];
  event: string;
  failure: string;
  entry: string;
  tool: string;
  user: string;
  identifier: string;
  project: string;
  cycle: string;
  /** Paths that the API returns. */
  given: string[];
}

/** Returns every URL path of the app for an organization: at least one per route, and one per page of the settings. */
export async function listAddresses(tenant: Tenant, world?: WebWorld): Promise<string[]> {
  const ids = world ? await idsOf(tenant, world) : idsOfNothing(tenant);
  const shown: Record<string, string[]> = {
    "/sessions": ["/sessions", "/sessions?q=exit&range=-P7D"],
    "/sessions/:id": [`/sessions/${ids.sessions[0]}`],
    "/sessions/:id/:reading": ["transcript", "log", "files"].map(
      (reading) => `/sessions/${ids.sessions[0]}/${reading}`,
    ),
    "/sessions/:id/events/:event": [`/sessions/${ids.sessions[0]}/events/${ids.event}`],
    "/sessions/:a/compare/:b": [`/sessions/${ids.sessions[0]}/compare/${ids.sessions[1]}`],
    "/inbox/:id": [`/inbox/${ids.entry}`],
    "/failures/:id": [`/failures/${ids.failure}`],
    "/usage": ["/usage", "/usage?by=tool&figure=sessions"],
    "/tools/:name": [`/tools/${encodeURIComponent(ids.tool)}`],
    "/users/:id": [`/users/${encodeURIComponent(ids.user)}`],
    "/issues": ["/issues", "/issues?layout=board", "/issues?state=all&q=script"],
    "/issues/:identifier": [`/issues/${ids.identifier}`],
    "/projects/:id": [`/projects/${ids.project}`],
    "/cycles/:id": [`/cycles/${ids.cycle}`],
    "/settings/:part": SETTINGS.map((name) => `/settings/${name}`),
    "/:urlKey/:kind/*": ids.given,
  };
  return PATTERNS.flatMap((pattern) => {
    const addresses = shown[pattern] ?? (pattern.includes(":") ? [] : [pattern]);
    if (addresses.length === 0) throw new Error(`${pattern} has no address in test/support/web/web-routes.ts`);
    return addresses;
  });
}

const idsOfNothing = ({ urlKey }: Tenant): Ids => ({
  sessions: [NOBODY, NOBODY],
  event: NOBODY,
  failure: NOBODY,
  entry: NOBODY,
  tool: "nothing",
  user: "nobody",
  identifier: "ENG-9999",
  project: NOBODY,
  cycle: NOBODY,
  given: [
    ...["issue/ENG-9999/gone", "project/gone-1", "team/NONE", "profiles/nobody", `settings/labels/${NOBODY}`],
    ...[`settings/states/${NOBODY}`, `settings/webhooks/${NOBODY}`],
  ].map((rest) => `/${urlKey}/${rest}`),
});

async function idsOf(tenant: Tenant, world: WebWorld): Promise<Ids> {
  const read = await tenant.gql(`{
    recordedSessions(first: 2) { nodes { id } }
    failed: recordedSessions(first: 1, filter: { hasFailures: { eq: true } }) { nodes { id events(filter: { success: { eq: false } }, first: 1) { nodes { id } } } }
    recordedFailureGroups(first: 1) { nodes { id } }
    inbox(first: 1) { nodes { id } }
    cycles(first: 1) { nodes { id } }
    users(first: 1) { nodes { url } }
    workflowStates(first: 1) { nodes { id } }
    projects(first: 1) { nodes { id } }
    webhooks(first: 1) { nodes { id } }
  }`);
  const idOf = (name: string): string => read[name].nodes[0].id;
  const pathOf = (name: string): string => new URL(read[name].nodes[0].url).pathname;
  const settings = `/${tenant.urlKey}/settings`;
  return {
    sessions: [idOf("failed"), read.recordedSessions.nodes[1].id],
    event: read.failed.nodes[0].events.nodes[0].id,
    failure: idOf("recordedFailureGroups"),
    entry: idOf("inbox"),
    tool: world.hostile?.tool ?? world.tool,
    user: world.hostile?.user ?? world.userId,
    identifier: world.identifier,
    project: idOf("projects"),
    cycle: idOf("cycles"),
    given: [
      ...[world.path, world.projectPath, `/${tenant.urlKey}/team/ENG`, pathOf("users")],
      ...[`${settings}/labels/${world.labelId}`, `${settings}/states/${idOf("workflowStates")}`],
      `${settings}/webhooks/${idOf("webhooks")}`,
    ],
  };
}

/** Adds entities to a world that some pages show and that `makeWorld` does not create. */
export async function addRemainingEntities(tenant: Tenant, { teamId, projectId, issueId }: WebWorld): Promise<void> {
  const make = (mutation: string, type: string, input: object) =>
    tenant.gql(`mutation($input: ${type}!) { ${mutation}(input: $input) { success } }`, { input });
  const days = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString();
  await make("cycleCreate", "CycleCreateInput", { teamId, startsAt: days(-3), endsAt: days(11) });
  await make("projectMilestoneCreate", "ProjectMilestoneCreateInput", { projectId, name: "Beta" });
  await make("customViewCreate", "CustomViewCreateInput", { name: "Urgent bugs", filterData: { priority: { eq: 1 } } });
  await make("issueClaim", "IssueClaimInput", { id: issueId });
  await tenant.rest("POST", "/api/webhooks", { target: "http://127.0.0.1:9/hook", label: "ci" });
}
/** Returns the shape of an address: the pattern of the route, and the names in the query. */
export function findAddressShape(address: string): string {
  const [path = "", query] = address.split("?");
  const fits = (pattern: string) =>
    new RegExp(`^${pattern.replaceAll(/:\w+/g, "[^/]+").replace("*", ".*")}$`).test(path);
  const kind = path.split("/")[2];
  const pattern = PATTERNS.find(fits) ?? path;
  return `${pattern === "/:urlKey/:kind/*" ? kind : pattern}?${[...new URLSearchParams(query).keys()].sort()}`;
}
