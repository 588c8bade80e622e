import { z } from "zod";
import { parseAbsoluteTime } from "../../formats/moments.ts";
import { isReservedPathSegment } from "../../formats/own-paths.ts";

/** PostgreSQL cannot store NUL, and a lone surrogate is not a character, so both are rejected before the database. */
const storable = (text: string) => !text.includes("\0") && !/\p{Surrogate}/u.test(text);

/** A text of 1 to `max` characters, without surrounding white space. */
export const trimmedText = (max: number) =>
  z.string().trim().min(1).max(max).refine(storable, "contains characters that cannot be stored");

export const id = z.uuid();
export const timestamp = z.iso.datetime();
export const name = trimmedText(256);

/** A timestamp from a caller. The year 0 is rejected, because PostgreSQL has no year 0. */
export const timestampInput = z.iso
  .datetime({ offset: true })
  .refine((text) => parseAbsoluteTime(text) !== undefined, "must be a time of the years 1 to 9999");

/** Email addresses are converted to lower case, because mail servers ignore case in practice. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email().max(254))
  .meta({ format: "email", examples: ["ada@example.com"] });

/** The maximum is long enough for any passphrase, and short enough to hash quickly. */
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

/** The organization in which a login acts. */
export const actingOrganizationKey = urlKey
  .optional()
  .describe("urlKey of the organization to act in; default: the last used organization.");

/**
 * The `urlKey` of a new organization must not be the name of one of Trackway's own pages. An existing organization
 * keeps its key in any case.
 */
export const newUrlKey = urlKey.refine(
  (text) => !isReservedPathSegment(text),
  "is the name of a page of Trackway's own",
);

/** An opaque token that this server issued. */
export const opaqueToken = z.string().min(1).max(512);

export const accountSchema = z.object({ id, email: z.string(), name: z.string() });

/** The token pair that every login returns. `expiresIn` is the access token's lifetime in seconds. */
export const tokenPairSchema = z.object({
  accessToken: z.string(),
  refreshToken: z
    .string()
    .optional()
    .describe("Absent for requests from web pages, because web pages get the value in a cookie."),
  expiresIn: z.int(),
});

export const successSchema = z.object({ success: z.literal(true) });

/** Reply of a route that returns nothing but success. */
export const successReply = { success: true } as const;

/** Query parameters of a paged list. */
export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(250).default(50).describe("Maximum number of entries."),
  cursor: z.string().max(200).optional().describe("`next_cursor` of the previous page."),
};
