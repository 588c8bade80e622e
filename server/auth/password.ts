import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { createSemaphore } from "../../concurrency/semaphore.ts";
import { unavailable } from "../errors.ts";

/** argon2id with 19 MiB, two passes and one thread, as OWASP recommends for servers. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each run holds a core and 19 MiB, and a thread of the pool that files and DNS also need. */
const hashing = createSemaphore(Math.min(2, availableParallelism()), {
  maxWaiting: 200,
  maxWaitMs: 8_000,
  refusal: () => unavailable("Too many sign-ins at the moment; try again shortly.", 2),
});

/** The number of passwords that wait to be hashed or checked, for the metrics. */
export const passwordsWaiting = (): number => hashing.waiting();

/** Hashes a password. Unicode forms that look alike (NFKC) are the same password. */
export const hashPassword = (password: string): Promise<string> =>
  hashing.run(() => hash(password.normalize("NFKC"), PARAMETERS));

/** A hash of a password nobody has: checked for unknown users, so that their answer takes as long. */
const NOBODY = "$argon2id$v=19$m=19456,t=2,p=1$WM5X+ESNfq9En4BF/NDoWQ$ocyLrvHnvGmhv+8l6dRKJYysD3EUWM+3Lr/VIBadTo0";

/** Checks a password against the stored hash. Without one, as for an unknown user, the answer is always false. */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const same = await hashing.run(() => verify(stored ?? NOBODY, password.normalize("NFKC")));
  return same && typeof stored === "string";
}
