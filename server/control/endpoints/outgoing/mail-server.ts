import { z } from "zod";
import { removeMailServer, saveMailServer, shownMailServer } from "../../../accounts/mail-server.ts";
import { isSender } from "../../../mail/mail.ts";
import * as field from "../../fields.ts";
import { action, type Call, route } from "../../route.ts";

const tag = "Notices";

const host = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^(?:[a-z0-9]([a-z0-9.-]*[a-z0-9])?|[0-9a-f:.]+)$/, "is a name or an address, such as smtp.example.com");

const server = {
  host,
  port: z.int().min(1).max(65_535),
  security: z
    .enum(["tls", "starttls", "none"])
    .describe("Encrypted from the first byte, after STARTTLS, which the server has to offer, or not at all."),
  username: field.text(255).nullable().describe("Null where nobody signs in."),
  from: z
    .string()
    .trim()
    .max(320)
    .refine(isSender, "is an e-mail address, with a name or without: Trackway <notices@example.com>")
    .describe("The sender of mails."),
};

const shown = z.object({ mailServer: z.object(server).nullable() });

async function show({ runtime, caller: { organizationId } }: Call<"owner">): Promise<z.infer<typeof shown>> {
  return { mailServer: (await shownMailServer(runtime.db, organizationId)) ?? null };
}

/** The mail server of an organization. */
export const mailServerRoutes = [
  route("get /api/mail-server", tag, {
    summary: "Show the organization's mail server",
    description: "Without its password. Null: mails go by the server's own, where it has one.",
    access: "owner",
    replies: { 200: shown },
    run: show,
  }),
  route("patch /api/mail-server", tag, {
    summary: "Set the organization's mail server",
    description: "Its invitations and notices go by it. `password` is stored encrypted and never shown.",
    access: "owner",
    body: z.strictObject({
      ...server,
      username: server.username.default(null),
      password: z.string().min(1).max(1_000).optional().describe("Left out, the stored one stays."),
    }),
    replies: { 200: shown },
    async run(call) {
      await saveMailServer(call.runtime, call.caller, call.body);
      return show(call as Call<"owner">);
    },
  }),
  action("delete /api/mail-server", tag, {
    summary: "Remove the organization's mail server",
    description: "Its mails go by the server's own, where it has one.",
    access: "owner",
    errors: { 404: "There is none (`not_found`)." },
    does: ({ runtime, caller }) => removeMailServer(runtime.db, caller),
  }),
];
