import { z } from "zod";
import { COMPLETION } from "../documents/completion.ts";
import { NotFound, ProtocolError } from "../errors.ts";
import { RESOURCES } from "../resources/index.ts";
import { templateOf } from "../resources/resource.ts";
import { checkedParams } from "./handler.ts";
import type { Method } from "./index.ts";
import { reported } from "./protocol-errors.ts";

const read = z.object({ uri: z.string().max(2_000) });

/** resources/list (the teams), resources/templates/list and resources/read. */
export const resourceMethods = {
  "resources/templates/list": () => ({
    resourceTemplates: [...RESOURCES.values()].map((kind) => ({
      uriTemplate: templateOf(kind),
      name: kind.name,
      title: kind.title,
      description: kind.description,
      mimeType: kind.mimeType,
    })),
  }),
  "resources/list": async (_, session, signal) => {
    const caller = session.caller(signal);
    const asked = caller.graphql<{ teams: { nodes: { key: string; name: string }[] } }>(COMPLETION.teams);
    const { teams } = await reported(asked, caller);
    const mimeType = "application/json";
    const resources = teams.nodes.map(({ key, name }) => ({
      uri: `tracker://team/${key}`,
      name: key,
      title: name,
      mimeType,
    }));
    return { resources };
  },
  "resources/read": async (params, session, signal) => {
    const { uri } = checkedParams(read, params);
    const [, name = "", value = ""] = /^tracker:\/\/([a-z]+)\/([^/?#]+)$/.exec(uri) ?? [];
    const kind = RESOURCES.get(name);
    if (!kind) {
      const known = [...RESOURCES.values()].map(templateOf).join(", ");
      throw new ProtocolError(-32002, `Resource not found: ${uri}. There are ${known}.`, { uri });
    }
    const caller = session.caller(signal);
    const text = await reported(kind.read(decoded(value), caller), caller).catch((error: Error) => {
      throw error.cause instanceof NotFound ? new ProtocolError(-32002, `Resource not found: ${uri}`, { uri }) : error;
    });
    return { contents: [{ uri, mimeType: kind.mimeType, text }] };
  },
} satisfies Record<string, Method>;

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new ProtocolError(-32602, "Invalid params: uri: a percent sign that encodes nothing");
  }
}
