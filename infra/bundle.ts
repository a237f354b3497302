import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * The options for the bundle of every function; the test of the bundles uses the same options. They leave out parts of
 * the SDK that look for credentials outside of the environment. The SDK loads these parts only if the environment has
 * no credentials, and Lambda's environment has them. A part that is imported on demand is a separate file, so that a
 * cold start does not load it.
 */
export const bundling = {
  minify: true,
  splitting: true,
  esbuild: {
    keepNames: false,
    external: [
      '@aws-sdk/credential-provider-http',
      '@aws-sdk/credential-provider-ini',
      '@aws-sdk/credential-provider-login',
      '@aws-sdk/credential-provider-process',
      '@aws-sdk/credential-provider-sso',
      '@aws-sdk/credential-provider-web-identity',
      '@smithy/credential-provider-imds',
    ],
  },
}

/**
 * Builds the sandbox's child as `sandbox-child.mjs` into the folder of a function's bundle, where
 * `core/file/document/sandbox.ts` looks for it. Adds the maps of East Asian characters for pdf.js. Every function that
 * runs turns needs it; web functions never extract text. `sharp` is native: the function installs it for its
 * architecture.
 */
export async function bundleSandbox(folder: string): Promise<void> {
  await build({
    entryPoints: ['core/file/document/sandbox-child.ts'],
    outfile: join(folder, 'sandbox-child.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    minify: true,
    external: ['sharp'],
    // mammoth is CommonJS and requires Node's own modules at run time.
    banner: {
      js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  })
  await cp('node_modules/pdfjs-dist/cmaps', join(folder, 'cmaps'), { recursive: true })
}
