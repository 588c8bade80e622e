import { AppError } from "../../../../errors.ts";
import { MAX_FIELDS, MAX_VALUE_LEVELS } from "../../model.ts";

/** The refusal of bytes that are no such message. */
export const malformed = () =>
  new AppError("input", "The body is not the protobuf message that this endpoint takes", { tag: "invalid_protobuf" });

/** The refusal of what nests too deep. */
export const tooDeep = () =>
  new AppError("input", `Values must be nested at most ${MAX_VALUE_LEVELS} levels deep`, { tag: "too_deep" });

/** The refusal of what takes too long to walk. */
export const tooMany = () =>
  new AppError("input", `The body must hold at most ${MAX_FIELDS} fields; export less at once`, {
    tag: "too_many_values",
    limit: MAX_FIELDS,
  });
