/** A pattern of an organization's own: its matches are taken out as secrets of a kind of this name. */
export interface OwnPattern {
  name: string;
  pattern: string;
}

/** The switches of an organization: which secrets are taken out of its texts. */
export interface RedactionOptions {
  /** False keeps every text as it was sent. Header names of the server are hidden all the same. */
  enabled: boolean;
  /** Takes out values that look random beside a telling name, whatever their spelling. */
  entropy: boolean;
  /** Takes out e-mail addresses, telephone numbers, IBANs and card numbers. */
  personalData: boolean;
  patterns: readonly OwnPattern[];
}

/** The switches of an organization that has set none. */
export const DEFAULT_OPTIONS: RedactionOptions = { enabled: true, entropy: false, personalData: false, patterns: [] };
