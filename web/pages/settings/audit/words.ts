import { getOwnProperty } from "../../../../formats/own.ts";
import type { EndpointReply } from "../../../data/api.ts";

/** Entry of the audit log. */
export type AuditEntry = EndpointReply<"GET /api/audit">["entries"][number];

/** Nouns for the entities that audit entries are about: singular and plural. */
export const AUDIT_SUBJECT_NOUNS: Record<string, [one: string, several: string]> = {
  login: ["login", "Logins"],
  apiKey: ["personal key", "Personal keys"],
  ingestKey: ["ingest key", "Ingest keys"],
  connection: ["connected app", "Connected apps"],
  agent: ["agent", "Agents"],
  webhook: ["webhook", "Webhooks"],
  noticeRule: ["notice rule", "Notice rules"],
  mailServer: ["mail server", "Mail server"],
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
  "login.ended": "Signed out",
  "login.replayed": "Reused an old refresh token; the login was revoked",
  "connection.made": "Connected the app",
  "connection.ended": "Disconnected the app",
  "connection.replayed": "A token of an app was used twice; the app was disconnected",
  "invitation.accepted": "Accepted an invitation",
  "member.role": "Changed the role of a member",
  "recording.read": "Read",
  "oidc.joined": "Linked an account to the company sign-in",
  "oidc.left": "Lost access: no longer in a group that may sign in",
  "oidc.loggedOut": "Signed out by the company sign-in",
  "organization.redaction": "Changed the redaction settings",
  "webhook.rotated": "Created a new secret for a webhook",
};

/** Formats an audit entry as the beginning of a sentence. Returns the name of the event if the event is unknown. */
export function formatAuditEntry({ event }: AuditEntry): string {
  const [noun = "", verb = ""] = event.split(".");
  const known = getOwnProperty(AUDIT_SUBJECT_NOUNS, noun)?.[0];
  if (getOwnProperty(WORDS, event) || !known) return getOwnProperty(WORDS, event) ?? event;
  const words = verb.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${/^[aeiou]/.test(known) ? "an" : "a"} ${known}`;
}

/** Returns the name of the entity that an entry is about. */
export function formatAuditSubject({ detail }: AuditEntry): string {
  const names = ["sessionId", "list", "name", "label", "clientName", "email", "host", "urlKey", "clientId"].map((key) =>
    getOwnProperty(detail, key),
  );
  return String(names.find((name) => typeof name === "string" && name !== "") ?? "");
}
