// proxy.ts sets the Content-Security-Policy per page, because it contains a nonce.
import { SECURITY_HEADERS } from './server/http/security-headers.mjs'

const headers = Object.entries(SECURITY_HEADERS).map(([key, value]) => ({ key, value }))

// scripts/build-steps.mjs sets it for the build and scripts/start.mjs for the server, to the same path; empty: none.
const prefix = process.env['SIGNALBOX_PREFIX'] ?? ''

/** @type {import('next').NextConfig} */
const config = {
  // scripts/build-steps.mjs builds in another folder, so that a running server keeps its own until the new one is complete.
  distDir: process.env['SIGNALBOX_BUILD_FOLDER'] ?? '.next',
  basePath: prefix,
  // For code that bypasses the router (components/paths/prefix.ts).
  env: { SIGNALBOX_PREFIX: prefix },
  reactStrictMode: true,
  // `npm test` checks the types of the whole tree, so a start need not.
  typescript: { ignoreBuildErrors: true },
  typedRoutes: false,
  poweredByHeader: false,
  // scripts/serve.mjs compresses every answer, including those that Next does not produce.
  compress: false,
  serverExternalPackages: [
    'pg',
    '@prisma/client',
    '@prisma/adapter-pg',
    'graphile-worker',
    'pino',
    'prom-client',
    '@nats-io/jetstream',
    '@nats-io/transport-node',
    // If bundled, they would be in the chunks of nearly every page. The CEL evaluator would be as well, but outside of the bundle its values
    // are not those of core, which is inside, and every condition fails.
    '@trpc/server',
    'better-auth',
    'zod',
  ],
  turbopack: { root: import.meta.dirname },
  experimental: {
    optimizePackageImports: ['lucide-react', 'recharts'],
    // Makes a click wait while the server is unreachable, instead of replacing the console by the browser's error page.
    useOffline: true,
    // Every build uses a new folder, so a cache in it is never read; source maps are only read in development. Both took 340 of 376 MB, and
    // a fifth of the time.
    turbopackFileSystemCacheForBuild: false,
    turbopackSourceMaps: process.env['NODE_ENV'] !== 'production',
  },
  // Former addresses, which links and bookmarks still contain.
  redirects: async () => [
    { source: '/rollouts', destination: '/releases', permanent: true },
    { source: '/rollouts/:id', destination: '/releases/:id', permanent: true },
    { source: '/approvals', destination: '/call-approvals', permanent: true },
    {
      source: '/configs/:path*/cohorts',
      destination: '/configs/:path*/staged-rollout',
      permanent: true,
    },
    { source: '/settings/audit', destination: '/settings/audit-log', permanent: true },
    { source: '/settings/audit/:id', destination: '/settings/audit-log/:id', permanent: true },
  ],
  // Only browsers request it, when a page changes its head.
  rewrites: async () => [{ source: '/favicon.ico', destination: '/icon.svg' }],
  headers: async () => [
    { source: '/:path*', headers },
    // Its address contains its digest; browsers request it again when the page's address changes.
    {
      source: '/icon.svg',
      headers: [{ key: 'cache-control', value: 'public, max-age=31536000, immutable' }],
    },
  ],
}

export default config
