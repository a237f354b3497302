import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * The options for the bundle of every function; the test of the bundles uses the same options. The options leave out
 * the parts of the SDK that look for credentials outside of the environment: Lambda's environment has credentials, so
 * the SDK never loads these parts. A module that is imported on demand becomes a separate file, so that a cold start
 * does not load it.
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
 * `core/file/document/sandbox.ts` looks for it. Adds the maps of East Asian characters for pdf.js. Only functions that
 * run turns need the sandbox, because web functions never extract text. `sharp` is not in the file: it has native code,
 * which the function installs for its architecture.
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
    // mammoth is CommonJS and requires Node's own modules at run time, so the bundle defines `require`.
    banner: {
      js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  })
  await cp('node_modules/pdfjs-dist/cmaps', join(folder, 'cmaps'), { recursive: true })
}
