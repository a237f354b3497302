FROM public.ecr.aws/docker/library/node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY core ./core
COPY scripts/worker.ts scripts/command.ts scripts/bundle.ts ./scripts/
COPY infra/bundle.ts ./infra/
COPY infra/local ./infra/local
RUN node scripts/bundle.ts --worker image

# One file for what a start loads: no sources, and of the packages `sharp` alone, which is native.
FROM public.ecr.aws/docker/library/node:24-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/image ./
COPY --from=build /app/node_modules/sharp ./node_modules/sharp
COPY --from=build /app/node_modules/@img ./node_modules/@img
COPY --from=build /app/node_modules/detect-libc ./node_modules/detect-libc
COPY --from=build /app/node_modules/semver ./node_modules/semver
USER node
CMD ["node", "scripts/worker.mjs"]
