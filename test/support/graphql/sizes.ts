import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { createEvent, createSession, sendRaw } from "../recording/ingest.ts";
import { createOrganization, startSharedServer, type Tenant } from "../server.ts";
import { createWorkspaceIn, type Workspace } from "../workspace.ts";

/**
 * Creates an organization with `size` entities of each kind. With 0, the organization contains only what every
 * organization has.
 */
export async function createOrganizationOfSize(size: number): Promise<Tenant> {
  const tenant = await createOrganization();
  if (size === 0) return tenant;
  const space = await createWorkspaceIn(tenant);
  const each = async <T>(make: (at: number) => Promise<T>) => {
    const made: T[] = [];
    for (let at = 0; at < size; at += 1) made.push(await make(at));
    return made;
  };
  await fillWork(space, each);
  for (let at = 0; at < size; at += 1) await record(tenant, size, at);
  const { runtime } = await startSharedServer();
  await updateHourAndGroupCounts(runtime);
  return tenant;
}

type Each = <T>(make: (at: number) => Promise<T>) => Promise<T[]>;

async function fillWork(space: Workspace, each: Each): Promise<void> {
  const { does, teamId } = space;
  const { viewer } = await space.gql("{ viewer { id } }");
  const makes = async (mutation: string, input: object, entity: string) =>
    (await does(mutation, { input }, `${entity} { id }`))[entity].id as string;
  const labelIds = await each((at) => makes("issueLabelCreate", { name: `label ${at}`, teamId }, "issueLabel"));
  const member = { leadId: viewer.id, memberIds: [viewer.id] };
  const projects = await each((at) =>
    makes("projectCreate", { name: `P ${at}`, teamIds: [teamId], ...member }, "project"),
  );
  const milestones = await each((at) =>
    makes("projectMilestoneCreate", { name: `M ${at}`, projectId: projects[at] }, "projectMilestone"),
  );
  await each((at) =>
    makes("customViewCreate", { name: `V ${at}`, projectId: projects[at], shared: true }, "customView"),
  );
  await each((at) => makes("templateCreate", { name: `T ${at}`, type: "issue", templateData: {}, teamId }, "template"));
  const days = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString();
  const cycles = await each((at) =>
    makes("cycleCreate", { teamId, startsAt: days(at * 14 + 1), endsAt: days(at * 14 + 14) }, "cycle"),
  );
  let parentId: string | undefined;
  const issues = await each(async (at) => {
    const plans = { projectId: projects[at], projectMilestoneId: milestones[at], cycleId: cycles[at] };
    const links = { ...plans, labelIds, assigneeId: viewer.id, parentId };
    const { id } = await space.issue({ title: `It's "${at}"`, description: "\\ and more", ...links });
    parentId ??= id;
    return id;
  });
  const thread = await each((at) => makes("commentCreate", { issueId: issues[0], body: `so ${at}` }, "comment"));
  await each((at) => makes("commentCreate", { issueId: issues[0], parentId: thread[0], body: `no ${at}` }, "comment"));
  const hook = { url: "https://hooks.invalid/", enabled: false, resourceTypes: ["Issue"] };
  await each((at) => makes("webhookCreate", { ...hook, label: `hook ${at}` }, "webhook"));
  const rule = { condition: "leaseExpired", channel: "email", emails: ["x@example.com"], enabled: false, teamId };
  await each((at) => makes("noticeRuleCreate", { ...rule, name: `rule ${at}` }, "noticeRule"));
}

/** Words that separate failure groups; numbers in messages do not. */
const KINDS = ["disk", "network", "memory"];

/** Records a session with nested events, and a failure of a separate group. */
async function record({ url, ingestKey }: Tenant, size: number, at: number): Promise<void> {
  const session = createSession({ user_data: { user_id: `u-${at}` } });
  const headers = { "x-api-key": ingestKey };
  const post = (path: string, body: object) => sendRaw(`${url}/api/v1/${path}`, JSON.stringify(body), headers);
  await post("capture-session", session);
  const metadata = { "checkpoint.a": 1, "checkpoint.b": 3 };
  const turn = createEvent({ session_id: session.session_id, metadata });
  await post("capture-event", turn);
  for (let n = 0; n < size; n += 1) {
    await post("capture-event", createEvent({ session_id: session.session_id, parent_id: turn.event_id, metadata }));
  }
  const failure = { primitive_name: "Bash", success: false, result: `no more ${KINDS[at]}` };
  await post("capture-event", createEvent({ session_id: session.session_id, ...failure }));
}
