import { forbidden } from "../errors.ts";
import type { Write } from "../write/write.ts";

/** @throws forbidden for members who are not owners. */
export function requireOwner({ scope }: Write): void {
  if (scope.role !== "owner") throw forbidden("only owners of the organization may do this");
}
