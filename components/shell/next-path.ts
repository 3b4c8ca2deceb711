// Resolves the path to open after login.

/** Placeholder for this server, under any name. */
const HERE = 'http://here.invalid'

/**
 * The path of this server that `next` names, with its query and anchor; else `/`. Read as a browser reads it, which drops tabs and takes a backslash
 * for a slash, so that no address makes the login page lead elsewhere.
 */
export function nextPath(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, HERE)) return '/'
  const { origin, pathname, search, hash } = new URL(next, HERE)
  // A path of two slashes would be read as a host when it is asked for.
  return origin === HERE && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/'
}
