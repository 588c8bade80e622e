import { getOwnProperty } from "../../formats/own.ts";
import { inputError } from "../errors.ts";

/**
 * The destination of a stored secret or of its signatures: an address, and other values that decide who can read the
 * secret.
 */
export type SecretReceiver = Readonly<Record<string, string | number | null>>;

/**
 * Returns the receiver at a URL: scheme, host and port. The path does not matter, because every path of a URL leads to
 * the same server.
 */
export const secretReceiverOfUrl = (url: string): SecretReceiver => ({ address: new URL(url).origin });

/** Returns true if two receivers are equal in every value. */
export const isSameSecretReceiver = (before: SecretReceiver | undefined, after: SecretReceiver): boolean =>
  before !== undefined &&
  Object.keys({ ...before, ...after }).every((name) => getOwnProperty(before, name) === getOwnProperty(after, name));

/**
 * Checks that a stored secret stays with its receiver. A change to another receiver must contain the secret again.
 * @param member the input field that takes the secret
 * @param before undefined if the stored receiver is not known
 * @throws inputError
 */
export function requireSameSecretReceiver(
  member: string,
  before: SecretReceiver | undefined,
  after: SecretReceiver,
): void {
  if (isSameSecretReceiver(before, after)) return;
  const changed = Object.keys(after).filter((name) => getOwnProperty(before, name) !== getOwnProperty(after, name));
  const now = changed.map((name) => `${name} ${getOwnProperty(after, name)}`).join(", ");
  throw inputError(
    `${member} is required again: the server never sends the stored ${member} to another receiver (${now})`,
    member,
  );
}
