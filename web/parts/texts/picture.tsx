import { useState } from "preact/hooks";
import { formatBytes } from "./format.ts";

/** Picture in a text: base64 data, type according to the first bytes, and size in bytes. */
interface PictureData {
  type: string;
  base64: string;
  size: number;
}

/** Maximum size of a picture in bytes. */
const LARGEST = 1_048_576;
/** Minimum length of a picture's text. */
const SHORTEST = 60;

/** First bytes of each supported type, as Latin-1. A dot stands for any byte. */
const TYPES: [type: string, begin: string][] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "RIFF....WEBP"],
];
/** Base64 code of the first bytes of a picture, at the beginning of a text or after a quotation mark or a comma. */
const BEGINS = /(?:^|["',])(?:iVBORw0KGgo|\/9j\/|R0lGOD[dl]h|UklGR)/;

/** Returns true if a text may contain a picture. A picture is shown only after the full text is read. */
export const mayContainPicture = (text: string): boolean => BEGINS.test(text);

/** Parses a picture from base64 or a `data:` URL. Ignores the declared type. */
export function parsePicture(text: string): PictureData | undefined {
  if (text.length < SHORTEST) return undefined;
  const base64 = text.replace(/^data:[^,]{0,100};base64,/, "");
  const type = typeOf(base64);
  if (!type || !/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(base64)) return undefined;
  return { type, base64, size: Math.floor((base64.length * 3) / 4) };
}

function typeOf(base64: string): string | undefined {
  try {
    const first = atob(base64.slice(0, 24));
    const fits = (begin: string) => [...begin].every((sign, at) => sign === "." || sign === first[at]);
    return TYPES.find(([, begin]) => fits(begin))?.[0];
  } catch {
    return undefined;
  }
}

/** Recorded picture. A picture that is too large or broken is described in words. */
export function Picture({ type, base64, size }: PictureData) {
  const [broken, setBroken] = useState(false);
  const about = `${type}, ${formatBytes(size)}`;
  if (size > LARGEST) return <span class="dim">Image ({about}), too large to show</span>;
  if (broken) return <span class="dim">Image ({about}), cannot be shown</span>;
  return (
    <figure class="picture">
      <img
        src={`data:${type};base64,${base64}`}
        alt="Recorded by the agent"
        decoding="async"
        onError={() => setBroken(true)}
      />
      <figcaption class="dim">{about}</figcaption>
    </figure>
  );
}
