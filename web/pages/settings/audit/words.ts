import { readOwn } from "../../../../formats/own.ts";
import type { Reply } from "../../../data/api.ts";

/** An entry of the audit log. */
export type AuditEntry = Reply<"GET /api/audit">["entries"][number];

/** The subject of entries: singular and plural. */
export const NOUNS: Record<string, [one: string, several: string]> = {
  login: ["login", "Logins"],
  apiKey: ["personal key", "Personal keys"],
  ingestKey: ["ingest key", "Ingest keys"],
  connection: ["connected program", "Connected programs"],
  agent: ["agent", "Agents"],
  webhook: ["webhook", "Webhooks"],
  invitation: ["invitation", "Invitations"],
  member: ["member", "Members"],
  recording: ["recording", "Reads of recordings"],
  recordedSession: ["session", "Recorded sessions"],
  recordedUser: ["recorded user", "Recorded users"],
  oidc: ["company sign-in", "Company sign-in"],
  organization: ["organization", "Organization"],
};

const WORDS: Record<string, string> = {
  "login.began": "Signed in",
  "login.replayed": "Used a login that was over: all its tokens were ended",
  "connection.made": "Connected the program",
  "connection.ended": "Ended a connected program",
  "connection.replayed": "A program’s token was used twice: it was disconnected",
  "invitation.accepted": "Accepted an invitation",
  "member.role": "Changed the role of a member",
  "recording.read": "Read",
  "oidc.joined": "Joined an account to their company’s sign-in",
  "oidc.left": "Lost the group that lets people in",
  "oidc.loggedOut": "Was signed out by their company",
  "organization.redaction": "Changed what is taken out of texts",
  "webhook.rotated": "Gave a webhook a new secret",
};

/** An entry as a sentence begins; an event that this page does not know is shown as it is called. */
export function wordsOf({ event }: AuditEntry): string {
  const [noun = "", verb = ""] = event.split(".");
  const known = readOwn(NOUNS, noun)?.[0];
  if (readOwn(WORDS, event) || !known) return readOwn(WORDS, event) ?? event;
  const words = verb.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${/^[aeiou]/.test(known) ? "an" : "a"} ${known}`;
}

/** The name of what it was done to. */
export function subjectOf({ detail }: AuditEntry): string {
  const names = ["sessionId", "list", "name", "label", "clientName", "email", "host", "urlKey", "clientId"].map((key) =>
    readOwn(detail, key),
  );
  return String(names.find((name) => typeof name === "string" && name !== "") ?? "");
}
