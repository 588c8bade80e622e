import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { createFairSemaphore } from "../../concurrency/fair-semaphore.ts";
import { unavailable } from "../errors.ts";

/** argon2id with 19 MiB, two passes and one thread, as OWASP recommends for servers. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Limits concurrent hashing. Each run occupies a core, 19 MiB and a thread of the pool that files and DNS also use.
 * Password checks have priority over new passwords, and networks take turns, so that a network that floods the server
 * delays only itself.
 */
const hashing = createFairSemaphore(Math.min(2, availableParallelism()), {
  maxWaiting: 200,
  maxWaitMs: 8_000,
  refusal: () => unavailable("Too many sign-ins at the moment; try again shortly.", 2),
});

/** Number of passwords that wait for hashing or for a check, for the metrics. */
export const countWaitingPasswordJobs = (): number => hashing.waiting();

/** Key of the operator's own commands in the hashing queue, in place of a network. */
export const OPERATOR_QUEUE_KEY = "the operator";

/**
 * Hashes a new password. Unicode forms that are equal under NFKC are the same password.
 * @param network the network that sent the request
 */
export const hashPassword = (password: string, network: string): Promise<string> =>
  hashing.run({ priority: 1, key: network }, () => hash(password.normalize("NFKC"), PARAMETERS));

/** A hash that matches no password. Checked for unknown users, so that the response takes equally long. */
const NOBODY = "$argon2id$v=19$m=19456,t=2,p=1$WM5X+ESNfq9En4BF/NDoWQ$ocyLrvHnvGmhv+8l6dRKJYysD3EUWM+3Lr/VIBadTo0";

/**
 * Checks a password against the stored hash. Without a stored hash, as for an unknown user, the result is always
 * false.
 * @param network the network that sent the request
 */
export async function verifyPassword(
  stored: string | null | undefined,
  password: string,
  network: string,
): Promise<boolean> {
  const check = () => verify(stored ?? NOBODY, password.normalize("NFKC"));
  return (await hashing.run({ priority: 0, key: network }, check)) && typeof stored === "string";
}
