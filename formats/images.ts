/** Members of JSON text that hold the bytes of an image or another file in base64, with or without the head of a data URL. */
const BYTES = /"(data|base64|image_url|url)":\s*"(?:data:([\w/+.-]+);base64,)?([A-Za-z0-9+/]{256,}={0,2})"/g;

/** JSON text in which the bytes of images are replaced by their type and their number. */
export const withoutImages = (json: string): string =>
  json.replace(BYTES, (_all, name: string, type: string | undefined, data: string) => {
    const bytes = Math.floor((data.replace(/=+$/, "").length * 3) / 4);
    return `"${name}":"[${type ? `${type}, ` : ""}${bytes} bytes]"`;
  });
