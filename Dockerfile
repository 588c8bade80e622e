# Runs the sources as they are: there is no build step.
FROM node:22-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# No install script of a dependency is needed: native parts come as prebuilt packages.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json launch.js ./
COPY db ./db
COPY server ./server
COPY mcp ./mcp
# The image's unprivileged user owns nothing but the data.
RUN mkdir /data && chown node:node /data && chmod 700 /data
USER node
VOLUME /data
EXPOSE 4000 4100
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4000}/api/health/live`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# node itself is told of signals, not npm: it drains and ends by itself.
CMD ["node", "--max-semi-space-size=8", "launch.js", "server/main.ts"]
