// Plain Next: strict mode, packages taken from their sources, and the headers that every answer carries. The
// Content-Security-Policy is set per page in proxy.ts, because it holds a nonce.

const securityHeaders = [
  { key: 'X-Content-Type-Options', value: 'nosniff' },
  { key: 'X-Frame-Options', value: 'DENY' },
  { key: 'Referrer-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Opener-Policy', value: 'same-origin' },
  { key: 'Cross-Origin-Resource-Policy', value: 'same-origin' },
  { key: 'Permissions-Policy', value: 'camera=(), microphone=(), geolocation=(), payment=()' },
]

/** @type {import('next').NextConfig} */
const config = {
  reactStrictMode: true,
  // `npm test` type-checks the whole tree once; a start need not do it again.
  typescript: { ignoreBuildErrors: true },
  typedRoutes: false,
  poweredByHeader: false,
  serverExternalPackages: ['pg', '@prisma/client', '@prisma/adapter-pg', 'graphile-worker'],
  turbopack: { root: import.meta.dirname },
  experimental: { optimizePackageImports: ['lucide-react', 'recharts'] },
  headers: async () => [{ source: '/:path*', headers: securityHeaders }],
}

export default config
