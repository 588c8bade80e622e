# Any image with Node.js, npm and an unprivileged user `node` (1000) does; .ci/image builds one of Debian's packages.
ARG BASE=docker.io/library/node:22-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No install script of a dependency is needed: native parts come as prebuilt packages.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts ./scripts
COPY db ./db
COPY concurrency ./concurrency
COPY formats ./formats
COPY redaction ./redaction
COPY system ./system
COPY server ./server
COPY mcp ./mcp
COPY cli ./cli
COPY web ./web
COPY docs ./docs
COPY examples ./examples
COPY CHANGELOG.md llms.txt ./
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${BASE}
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
# Without sources beside it, the build has nothing to do; `npm run backup` and the like look for it.
COPY scripts/build.js scripts/folders.js scripts/node-version.js ./scripts/
COPY mcp/bin.js ./mcp/
COPY cli/bin.js ./cli/
# The image's unprivileged user owns nothing but the data.
RUN mkdir /data && chown node:node /data && chmod 700 /data
USER node
VOLUME /data
EXPOSE 4000 4100
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4000}/api/health/live`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# node itself is told of signals, not npm: it drains and ends by itself.
CMD ["node", "--max-semi-space-size=16", "--enable-source-maps", "dist/server/main.js"]
