import { z } from "zod";
import { parseAbsolute } from "../../formats/moments.ts";
import { isOwnPath } from "../../formats/own-paths.ts";

/** PostgreSQL stores no NUL, and a lone surrogate is no character: both are refused before they reach it. */
const storable = (text: string) => !text.includes("\0") && !/\p{Surrogate}/u.test(text);

/** A text a person typed, 1 to `max` characters without the white space around it. */
export const text = (max: number) =>
  z.string().trim().min(1).max(max).refine(storable, "contains characters that cannot be stored");

export const id = z.uuid();
export const timestamp = z.iso.datetime();
export const name = text(256);

/** A moment that a caller gives. The year 0 is none: PostgreSQL does not have it. */
export const moment = z.iso
  .datetime({ offset: true })
  .refine((text) => parseAbsolute(text) !== undefined, "must be a time of the years 1 to 9999");

/** Compared in lower case, as mail is in practice. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email().max(254))
  .meta({ format: "email", examples: ["ada@example.com"] });

/** Long enough for any passphrase, short enough to hash. */
export const password = z
  .string()
  .min(8)
  .max(1024)
  .refine(storable, "contains characters that cannot be stored")
  .meta({ format: "password" });

export const urlKey = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, "takes 1 to 64 characters of a-z, 0-9 and -")
  .meta({ examples: ["acme"] });

/** The organization that a login is to act in. */
export const actingIn = urlKey.optional().describe("urlKey of the organization to act in; the last used when absent.");

/** The urlKey of an organization that is made now. Those that exist keep theirs. */
export const newUrlKey = urlKey.refine((text) => !isOwnPath(text), "is the name of a page of Trackway's own");

/** An opaque token this server handed out. */
export const token = z.string().min(1).max(512);

export const account = z.object({ id, email: z.string(), name: z.string() });

/** The pair of tokens every way of logging in answers with. `expiresIn` is the access token's life in seconds. */
export const tokens = z.object({
  accessToken: z.string(),
  refreshToken: z.string().optional().describe("Always there, but for a page that has it kept in its cookie."),
  expiresIn: z.int(),
});

export const success = z.object({ success: z.literal(true) });

/** The reply of a route that only succeeds. */
export const done = { success: true } as const;

/** The members of a query by which a list is read page by page. */
export const page = {
  limit: z.coerce.number().int().min(1).max(250).default(50).describe("How many at most."),
  cursor: z.string().max(200).optional().describe("`next_cursor` of the page before."),
};
