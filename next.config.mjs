// Plain Next: strict mode, typed routes, packages taken from their sources. Headers that every response carries live here.
/** @type {import('next').NextConfig} */
const config = {
  reactStrictMode: true,
  typedRoutes: false,
  poweredByHeader: false,
  serverExternalPackages: ['pg', '@prisma/client', '@prisma/adapter-pg'],
  turbopack: { root: import.meta.dirname },
  experimental: { optimizePackageImports: ['lucide-react', 'recharts'] },
}

export default config
