import { z } from "zod";
import { TEAM } from "../../documents/team.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";

interface Data {
  viewer: { name: string; displayName: string; email: string };
  organization: { name: string; urlKey: string };
}

/** Whose key this is. */
export const whoami = defineTool({
  name: "whoami",
  title: "Who am I",
  description: "Show whose key this is, and the organization.",
  toolset: "core",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({}),
  outputSchema: z.object({
    user: z.object({ name: z.string(), display_name: z.string(), email: z.string() }),
    organization: z.object({ name: z.string(), url_key: z.string() }),
  }),
  async handler(_, { graphql }) {
    const { viewer, organization } = await graphql<Data>(TEAM.viewer);
    return {
      user: { name: viewer.name, display_name: viewer.displayName, email: viewer.email },
      organization: { name: organization.name, url_key: organization.urlKey },
    };
  },
});
