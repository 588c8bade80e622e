import { z } from "zod";
import { createAgent, deleteAgent, listAgents } from "../../accounts/keys/personal-key.ts";
import { model } from "../../resources/index.ts";
import { scopeOf } from "../../scope.ts";
import { mutate } from "../../write/mutate.ts";
import type { Write } from "../../write/write.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";
import { removeWith } from "./members.ts";

const tag = "Agents";

const create = route({
  method: "post",
  path: "/api/agents",
  tag,
  summary: "Make an agent",
  description:
    "A user of type `app` with a key of its own. `token` is that key, shown this once: it does what a member does, and every change says which agent acted, and for whom.",
  access: "owner",
  body: z.strictObject({ name: field.name }),
  replies: { 201: z.object({ id: field.id, name: z.string(), token: z.string() }) },
  errors: { 409: "As many agents as there can be (`limit_reached`)." },
  async run({ runtime, caller, body: { name } }) {
    const work = async (write: Write) => {
      const { id, token } = await createAgent(write, name);
      return { id, values: { token } };
    };
    const { result } = await mutate(scopeOf(runtime, caller), model, work, { needs: "owner" });
    return { id: String(result.id), name, token: String(result.values?.["token"]) };
  },
});

const list = route({
  method: "get",
  path: "/api/agents",
  tag,
  summary: "List the organization's agents",
  description: "Newest first, without their keys.",
  access: "owner",
  replies: {
    200: z.object({
      agents: z.array(
        z.object({
          id: field.id,
          name: z.string(),
          last4: z.string().nullable(),
          createdAt: field.timestamp,
          lastUsedAt: field.timestamp.nullable(),
        }),
      ),
    }),
  },
  run: async ({ runtime, caller }) => ({ agents: await listAgents(runtime.db, caller.organizationId) }),
});

const remove = route({
  method: "delete",
  path: "/api/agents/:id",
  tag,
  summary: "Delete an agent",
  description: "Its key opens nothing from now on, and what it holds is free again; what it wrote stays.",
  access: "owner",
  replies: { 200: field.success },
  run: (call) => removeWith(call, deleteAgent),
});

/** Agents: owners manage the organization's. */
export const agentRoutes = [create, list, remove];
