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
