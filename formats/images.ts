/**
 * Members of JSON text that contain base64 data of an image or another file, with or without the `data:` prefix of a
 * data URL.
 */
const BYTES = /"(data|base64|image_url|url)":\s*"(?:data:([\w/+.-]+);base64,)?([A-Za-z0-9+/]{256,}={0,2})"/g;

/** Replaces the base64 data of images in JSON text by the media type and the number of bytes. */
export const replaceImages = (json: string): string =>
  json.replace(BYTES, (_all, name: string, type: string | undefined, data: string) => {
    const bytes = Math.floor((data.replace(/=+$/, "").length * 3) / 4);
    return `"${name}":"[${type ? `${type}, ` : ""}${bytes} bytes]"`;
  });
