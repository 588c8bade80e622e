/** Fields of linear.graphql that are the same for everybody, but not empty. */
export const VALUES: Readonly<Record<string, unknown>> = {
  "Organization.releaseChannel": "public",
  "Team.cyclesEnabled": true,
  "Team.issueEstimationType": "notUsed",
  "Team.timezone": "UTC",
  "Team.visibility": "public",
  "User.avatarBackgroundColor": "#bec2c8",
  "User.canAccessAnyPublicTeam": true,
  "User.isAssignable": true,
  "User.isMentionable": true,
};
