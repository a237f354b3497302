import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * The options by which every function is bundled; the test of the bundles uses the same. Parts of the SDK that look for credentials
 * anywhere but in the environment are left out: they are loaded only where the environment has none, and Lambda's has.
 * A part that is imported on demand is a file of its own, so that a cold start does not load it.
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
 * `core/file/document/sandbox.ts` looks for it, with the maps of East Asian characters for pdf.js. For every function that runs turns; web functions never extract. `sharp` is
 * native: the function installs it for its architecture.
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
    // mammoth is CommonJS and asks for Node's own modules at run time.
    banner: {
      js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  })
  await cp('node_modules/pdfjs-dist/cmaps', join(folder, 'cmaps'), { recursive: true })
}
