import { logIn, logOut } from "../api/control.ts";
import { graphql, whoIs } from "../api/graphql.ts";
import { askSecret } from "../prompt.ts";
import type { Worker } from "./caller.ts";

/**
 * Does some work by a sign-in of the person, who gives the password for it: whoever has the key alone may be an agent.
 * @throws Failure where nobody is at a terminal to give it
 */
export async function signedIn<T>(who: Worker, work: (who: Worker) => Promise<T>): Promise<T> {
  const { url } = who.caller;
  const { viewer, organization } = await whoIs(who.caller);
  const password = await askSecret(`Password of ${viewer.email}?`, "have a person run it in a terminal");
  const tokens = await logIn(url, { email: viewer.email, password, organization: organization.urlKey });
  const caller = { url, apiKey: `Bearer ${tokens.accessToken}` };
  try {
    return await work({ ...who, ask: (document, variables) => graphql(caller, document, variables) });
  } finally {
    await logOut(url, tokens.refreshToken);
  }
}
