import { oidcPaths } from "./oidc/navigation.ts";
import { referencePagePaths } from "./pages.ts";
import { routes } from "./routes.ts";

export { controlMiddleware } from "./middleware.ts";

/** Every path of the control plane. `:name` stands for variable parts. */
export const controlPaths: readonly string[] = [...routes.map(({ path }) => path), ...referencePagePaths, ...oidcPaths];
