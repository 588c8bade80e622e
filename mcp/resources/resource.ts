import type { RequestContext } from "../request-context.ts";

/** A kind of thing that can be read by URI. */
export interface ResourceKind {
  /** The part of the URI after `tracker://`, and the name of the template. */
  name: string;
  title: string;
  description: string;
  /** The variable of the template. */
  variable: string;
  mimeType: "application/json" | "text/plain";
  /** The text of the one a URI names; rejects with NotFound when there is none. */
  read(value: string, context: RequestContext): Promise<string>;
  /** Values that continue what has been typed, the likeliest first, at most 100. */
  complete(typed: string, context: RequestContext): Promise<string[]>;
}

/** The template of the URIs of a kind. */
export const templateOf = ({ name, variable }: ResourceKind) => `tracker://${name}/{${variable}}`;
