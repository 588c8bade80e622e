import { z } from "zod";
import { getMember, listMembers, removeMember, setRole } from "../../accounts/members/member.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { model } from "../../resources/index.ts";
import { endLeasesOf } from "../../resources/lease/expire.ts";
import { scopeOf } from "../../scope.ts";
import { mutate } from "../../write/mutate.ts";
import type { Write } from "../../write/write.ts";
import * as field from "../fields.ts";
import { type Call, route } from "../route.ts";

const tag = "Members";
const role = z.enum(["owner", "member"]);
const member = z.object({ id: field.id, email: z.string(), name: z.string(), role, createdAt: field.timestamp });
const lastOwner = { 409: "Nobody would own the organization (`last_owner`)." };

const list = route({
  method: "get",
  path: "/api/members",
  tag,
  summary: "List the members",
  description: "In the order they joined, 250 at a time.",
  access: "member",
  query: z.strictObject({ cursor: z.guid().optional().describe("`next_cursor` of the page before.") }),
  replies: { 200: z.object({ members: z.array(member), next_cursor: z.string().optional() }) },
  async run({ runtime, caller, query }) {
    const { members, next } = await listMembers(runtime.db, caller.organizationId, query.cursor);
    return { members, ...(next && { next_cursor: next }) };
  },
});

const change = route({
  method: "patch",
  path: "/api/members/:id",
  tag,
  summary: "Give a member another role",
  description: "It counts within a second, for tokens that are out as well. An organization keeps at least one owner.",
  access: "owner",
  body: z.strictObject({ role }),
  replies: { 200: member },
  errors: lastOwner,
  async run({ runtime, caller, body, params: { id = "" } }) {
    await mutate(scopeOf(runtime, caller), model, (write) => setRole(write, id, body.role).then(() => ({})), {
      needs: "owner",
    });
    credentialsRevoked(runtime.db);
    return getMember(runtime.db, caller.organizationId, id);
  },
});

const remove = route({
  method: "delete",
  path: "/api/members/:id",
  tag,
  summary: "Remove a member",
  description: "Their tokens and keys no longer open the organization; what they wrote stays.",
  access: "owner",
  replies: { 200: field.success },
  errors: lastOwner,
  run: (call) => removeWith(call, removeMember),
});

/** Removes who acts in the organization, a member or an agent: credentials open nothing any more, and what they hold is free. */
export async function removeWith(
  { runtime, caller, params: { id = "" } }: Call<"owner">,
  remove: (write: Write, id: string) => Promise<unknown>,
): Promise<typeof field.done> {
  const work = async (write: Write) => {
    await remove(write, id);
    await endLeasesOf(write, id);
    return {};
  };
  await mutate(scopeOf(runtime, caller), model, work, { needs: "owner" });
  credentialsRevoked(runtime.db);
  return field.done;
}

/** Members: everyone sees them, owners manage them. */
export const memberRoutes = [list, change, remove];
