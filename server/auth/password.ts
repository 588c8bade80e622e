import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { createFairSemaphore } from "../../concurrency/fair-semaphore.ts";
import { unavailable } from "../errors.ts";

/** argon2id with 19 MiB, two passes and one thread, as OWASP recommends for servers. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Each run holds a core and 19 MiB, and a thread of the pool that files and DNS also need. Checks of passwords go before
 * new passwords, and networks take turns: who floods the server with either waits behind everybody else.
 */
const hashing = createFairSemaphore(Math.min(2, availableParallelism()), {
  maxWaiting: 200,
  maxWaitMs: 8_000,
  refusal: () => unavailable("Too many sign-ins at the moment; try again shortly.", 2),
});

/** The number of passwords that wait to be hashed or checked, for the metrics. */
export const passwordsWaiting = (): number => hashing.waiting();

/** The place in the queue of the operator's own commands. */
export const OPERATOR = "the operator";

/**
 * Hashes a new password. Unicode forms that look alike (NFKC) are the same password.
 * @param network the network that the request came from
 */
export const hashPassword = (password: string, network: string): Promise<string> =>
  hashing.run({ priority: 1, key: network }, () => hash(password.normalize("NFKC"), PARAMETERS));

/** A hash of a password nobody has: checked for unknown users, so that their answer takes as long. */
const NOBODY = "$argon2id$v=19$m=19456,t=2,p=1$WM5X+ESNfq9En4BF/NDoWQ$ocyLrvHnvGmhv+8l6dRKJYysD3EUWM+3Lr/VIBadTo0";

/**
 * Checks a password against the stored hash. Without one, as for an unknown user, the answer is always false.
 * @param network the network that the request came from
 */
export async function verifyPassword(
  stored: string | null | undefined,
  password: string,
  network: string,
): Promise<boolean> {
  const check = () => verify(stored ?? NOBODY, password.normalize("NFKC"));
  return (await hashing.run({ priority: 0, key: network }, check)) && typeof stored === "string";
}
