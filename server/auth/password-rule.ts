/**
 * SQL that is true for an organization that logins by password open. One that demands its OpenID provider is opened by
 * logins of that alone.
 * @param organizationId SQL of its id
 */
export const takesPasswords = (organizationId: string): string =>
  `not exists (select from "oidcProvider" p where p."organizationId" = ${organizationId} and p.required)`;
