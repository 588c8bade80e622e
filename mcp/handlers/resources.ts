import { z } from "zod";
import { COMPLETION_DOCUMENTS } from "../documents/team.ts";
import { NotFoundError, ProtocolError } from "../errors.ts";
import { buildUriTemplate, RESOURCES } from "../resources.ts";
import { defineHandler, withProtocolErrors } from "./handler.ts";

interface Teams {
  teams: { nodes: { key: string; name: string }[] };
}

const anyParams = z.unknown();
const readParams = z.object({ uri: z.string().max(2_000) });

/** Handlers of resources/list (all teams), resources/templates/list and resources/read. */
export const resourceHandlers = [
  defineHandler("resources/templates/list", anyParams, () => ({
    resourceTemplates: [...RESOURCES.values()].map((kind) => ({
      uriTemplate: buildUriTemplate(kind),
      name: kind.name,
      title: kind.title,
      description: kind.description,
      mimeType: kind.mimeType,
    })),
  })),
  defineHandler("resources/list", anyParams, async (_, client, signal) => {
    const context = client.request(signal);
    const { teams } = await withProtocolErrors(context.graphql<Teams>(COMPLETION_DOCUMENTS.teams), context);
    const mimeType = "application/json";
    return {
      resources: teams.nodes.map(({ key, name }) => ({
        uri: `tracker://team/${key}`,
        name: key,
        title: name,
        mimeType,
      })),
    };
  }),
  defineHandler("resources/read", readParams, async ({ uri }, client, signal) => {
    const [, name = "", value = ""] = /^tracker:\/\/([a-z]+)\/([^/?#]+)$/.exec(uri) ?? [];
    const kind = RESOURCES.get(name);
    if (!kind) throw new ProtocolError(-32002, unknownResource(uri), { uri });
    const context = client.request(signal);
    const text = await withProtocolErrors(kind.read(decoded(value), context), context).catch((error: Error) => {
      throw error.cause instanceof NotFoundError
        ? new ProtocolError(-32002, `Resource not found: ${uri}`, { uri })
        : error;
    });
    return { contents: [{ uri, mimeType: kind.mimeType, text }] };
  }),
];

const unknownResource = (uri: string) =>
  `Resource not found: ${uri}. There are ${[...RESOURCES.values()].map(buildUriTemplate).join(", ")}.`;

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new ProtocolError(-32602, "Invalid params: uri: contains an invalid percent-encoding");
  }
}
