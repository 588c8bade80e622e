import { readOwn } from "../../formats/own.ts";
import { inputError } from "../errors.ts";

/** The place that a stored secret is sent to, or that its signatures are: an address, and whatever else decides who reads it. */
export type Receiver = Readonly<Record<string, string | number | null>>;

/** The receiver at a URL: its scheme, host and port. The path leads to the same server. */
export const receiverAt = (url: string): Receiver => ({ address: new URL(url).origin });

/** Tells whether two receivers are the same in all that is named of either. */
export const isSameReceiver = (before: Receiver | undefined, after: Receiver): boolean =>
  before !== undefined &&
  Object.keys({ ...before, ...after }).every((name) => readOwn(before, name) === readOwn(after, name));

/**
 * Keeps a stored secret where it is: a change that leads to another receiver has to give the secret again.
 * @param member the member of the input that takes the secret
 * @param before undefined where the stored receiver is not known
 * @throws inputError
 */
export function requireSameReceiver(member: string, before: Receiver | undefined, after: Receiver): void {
  if (isSameReceiver(before, after)) return;
  const changed = Object.keys(after).filter((name) => readOwn(before, name) !== readOwn(after, name));
  const now = changed.map((name) => `${name} ${readOwn(after, name)}`).join(", ");
  throw inputError(`${member} is needed again: the stored one is never sent to another place (${now})`, member);
}
