import { z } from "zod";
import { readMailServer, removeMailServer, saveMailServer } from "../../../accounts/mail-server.ts";
import { isSender } from "../../../mail/mail.ts";
import * as field from "../../fields.ts";
import { defineRoute, defineSuccessOnlyRoute, type RouteCall } from "../../route.ts";

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
    .describe(
      "`tls`: encrypted from the first byte. `starttls`: encrypted after STARTTLS, which the mail server must offer. `none`: not encrypted.",
    ),
  username: field.trimmedText(255).nullable().describe("Null if the mail server needs no sign-in."),
  from: z
    .string()
    .trim()
    .max(320)
    .refine(isSender, "is an email address, with a name or without: Trackway <notices@example.com>")
    .describe("Sender of the emails."),
};

const shown = z.object({ mailServer: z.object(server).nullable() });

async function show({ runtime, caller: { organizationId } }: RouteCall<"owner">): Promise<z.infer<typeof shown>> {
  return { mailServer: (await readMailServer(runtime.db, organizationId)) ?? null };
}

export const mailServerRoutes = [
  defineRoute("get /api/mail-server", tag, {
    summary: "Show the organization's mail server",
    description:
      "The response does not contain the password. If `mailServer` is null, email goes through the mail server of this Trackway server, if it has one.",
    access: "owner",
    replies: { 200: shown },
    run: show,
  }),
  defineRoute("patch /api/mail-server", tag, {
    summary: "Set the organization's mail server",
    description:
      "Trackway sends the organization's invitations and notices through this mail server. `password` is stored encrypted and never returned.",
    access: "owner",
    body: z.strictObject({
      ...server,
      username: server.username.default(null),
      password: z.string().min(1).max(1_000).optional().describe("If absent, the server keeps the stored password."),
    }),
    replies: { 200: shown },
    async run(call) {
      await saveMailServer(call.runtime, call.caller, call.body);
      return show(call as RouteCall<"owner">);
    },
  }),
  defineSuccessOnlyRoute("delete /api/mail-server", tag, {
    summary: "Remove the organization's mail server",
    description: "After the removal, email goes through the mail server of this Trackway server, if it has one.",
    access: "owner",
    errors: { 404: "There is none (`not_found`)." },
    does: ({ runtime, caller }) => removeMailServer(runtime.db, caller),
  }),
];
