import { retryWhileBusy } from "../../test/support/db/busy.ts";
import { callRestApi, createOrganization, sendGraphQL } from "../../test/support/server.ts";
import type { Finding } from "./judge.ts";

/** Guesses at one password before the throttle refuses. */
const GUESSES = 10;
const TRIES = 45;

/** Checks that limits hold for all servers together: password guesses, and an organization's requests. */
export async function checkSharedLimits(urls: readonly string[]): Promise<Finding[]> {
  const at = (turn: number) => urls[turn % urls.length] ?? "";
  const tenant = await retryWhileBusy(() => createOrganization({ url: at(0) }));
  const guess = { email: tenant.email, password: "wrong, and guessed again" };
  const guesses = await Promise.all(
    Array.from({ length: TRIES }, (_, turn) => callRestApi(at(turn), "POST", "/api/auth/login", { body: guess })),
  );
  const checked = guesses.filter(({ status }) => status === 401).length;
  let renamed = 0;
  for (let turn = 0; turn < TRIES; turn += 1) {
    const name = `Name ${turn}`;
    const rename = "mutation ($name: String!) { organizationUpdate(input: { name: $name }) { success } }";
    await sendGraphQL(at(turn), tenant.apiKey, { query: rename, variables: { name } });
    const seen = await sendGraphQL(at(turn + 1), tenant.apiKey, { query: "{ organization { name } }" });
    if (seen.data?.organization.name === name) renamed += 1;
  }
  await tenant.rest("DELETE", `/api/api-keys/${(await keyId(tenant)) ?? ""}`);
  await new Promise((resume) => setTimeout(resume, 1_000));
  const revoked = await Promise.all(urls.map((url) => sendGraphQL(url, tenant.apiKey, { query: "{ viewer { id } }" })));
  return [
    { what: "guesses at a password that were looked at", figure: checked, held: checked === GUESSES },
    { what: "stale names read on another server", figure: TRIES - renamed, held: renamed === TRIES },
    {
      what: "servers that took a revoked key after a second",
      figure: revoked.filter(({ status }) => status !== 401).length,
      held: revoked.every(({ status }) => status === 401),
    },
  ];
}

async function keyId(tenant: Awaited<ReturnType<typeof createOrganization>>): Promise<string | undefined> {
  const { body } = await tenant.rest("GET", "/api/api-keys");
  return (Object.values(body).find(Array.isArray) as { id: string }[] | undefined)?.[0]?.id;
}
