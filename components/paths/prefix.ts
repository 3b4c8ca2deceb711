// For addresses that do not go through the router, which adds the prefix to links and removes it from `usePathname`.

/** `/guard`, for example; empty: this build serves the whole host. Set by the build (next.config.mjs). */
// biome-ignore lint/style/noProcessEnv: the build replaces it with a string
const PREFIX = process.env['SIGNALBOX_PREFIX'] ?? ''

export function withPrefix(path: string): string {
  // Next redirects `/guard/` to `/guard`.
  return PREFIX === '' ? path : `${PREFIX}${path.replace(/^\/(?=[?#]|$)/, '')}`
}

export function withoutPrefix(path: string): string {
  const rest = path.startsWith(PREFIX) ? path.slice(PREFIX.length) : path
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Address of this server as the browser reached it, with its prefix. */
export function serverAddress(): string {
  return `${window.location.origin}${PREFIX}`
}
