// Plain Next: strict mode, packages taken from their sources, and the headers that every answer carries. The
// Content-Security-Policy is set per page in proxy.ts, because it holds a nonce.
import { SECURITY_HEADERS } from './server/http/security-headers.mjs'

const headers = Object.entries(SECURITY_HEADERS).map(([key, value]) => ({ key, value }))

// Set for the build by scripts/build-steps.mjs and for the server by scripts/start.mjs, to the same path; empty: none.
const prefix = process.env['SIGNALBOX_PREFIX'] ?? ''

/** @type {import('next').NextConfig} */
const config = {
  // scripts/build-steps.mjs builds in another folder, so that a running server keeps its own until the new one is whole.
  distDir: process.env['SIGNALBOX_BUILD_FOLDER'] ?? '.next',
  basePath: prefix,
  // Used by code that bypasses the router (components/paths/prefix.ts).
  env: { SIGNALBOX_PREFIX: prefix },
  reactStrictMode: true,
  // `npm test` type-checks the whole tree once; a start need not do it again.
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
  ],
  turbopack: { root: import.meta.dirname },
  experimental: {
    optimizePackageImports: ['lucide-react', 'recharts'],
    // A click while the server is unreachable waits; otherwise the browser's error page replaces the console.
    useOffline: true,
    // Every build is made in a new folder, so that a cache in it is never read; maps are read in development only. Both took
    // 340 of 376 MB, and a fifth of the time.
    turbopackFileSystemCacheForBuild: false,
    turbopackSourceMaps: process.env['NODE_ENV'] !== 'production',
  },
  // Addresses that links and bookmarks still hold.
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
  // Only browsers request this, when a page changes its head.
  rewrites: async () => [{ source: '/favicon.ico', destination: '/icon.svg' }],
  headers: async () => [
    { source: '/:path*', headers },
    // Its address has a digest of it; browsers ask for it again whenever the address of the page changes.
    {
      source: '/icon.svg',
      headers: [{ key: 'cache-control', value: 'public, max-age=31536000, immutable' }],
    },
  ],
}

export default config
