import { randomUUID } from "node:crypto";
import { callRestApi, type RestReply, type Tenant } from "./server.ts";

/** User who joined a tenant's organization as a member. */
export interface Guest {
  id: string;
  email: string;
  password: string;
  accessToken: string;
  rest(method: string, path: string, body?: unknown): Promise<RestReply>;
}

/** Invites a user, who creates an account with the invitation. */
export async function inviteGuest({ url, rest }: Tenant): Promise<Guest> {
  const account = { email: `member-${randomUUID()}@example.com`, password: `password ${randomUUID()}` };
  const { body } = await rest("POST", "/api/invitations", { email: account.email });
  const reply = await callRestApi(url, "POST", "/api/invitations/accept", {
    body: { token: body["token"], name: "Mona Member", password: account.password },
  });
  const accessToken = String(reply.body["accessToken"]);
  const headers = { Authorization: `Bearer ${accessToken}` };
  return {
    ...account,
    id: (reply.body["user"] as { id: string }).id,
    accessToken,
    rest: (method, path, sent) => callRestApi(url, method, path, { headers, body: sent }),
  };
}
