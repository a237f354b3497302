FROM public.ecr.aws/docker/library/node:24-slim
WORKDIR /app
ENV NODE_ENV=production
COPY package.json package-lock.json ./
# The binary of the deployment tool is of no use in here.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/sst-linux-* && npm cache clean --force
COPY core ./core
COPY scripts/worker.ts scripts/command.ts ./scripts/
COPY infra/local/connection.ts infra/local/damage.ts infra/local/environment.ts ./infra/local/
USER node
CMD ["node", "scripts/worker.ts"]
