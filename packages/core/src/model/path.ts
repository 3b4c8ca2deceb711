// Normalizes file paths, so that `./a`, `a`, `/workspace/a` and `<root>/a` are one file (specs/policies.md).

export interface PathContext {
  /** Absolute path of the workspace; null: unknown, so a leading slash is ignored. */
  readonly workspaceRoot: string | null
  /** Prefix under which tools see the workspace; null: none. */
  readonly mountPoint: string | null
}

/** Splits a path into segments and resolves `.`, `..` and empty ones; null: a `..` climbs above the start. */
function resolveSegments(path: string): readonly string[] | null {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') kept.push(segment)
    else if (kept.pop() === undefined) return null
  }
  return kept
}

function below(segments: readonly string[], prefix: string | null): readonly string[] | null {
  if (prefix === null) return null
  const wanted = resolveSegments(prefix)
  if (wanted === null || wanted.length > segments.length) return null
  return wanted.every((segment, i) => segment === segments[i])
    ? segments.slice(wanted.length)
    : null
}

/**
 * Returns the path relative to the workspace, `.` for the workspace itself; null: the path is outside. Symbolic links are the shell's
 * responsibility: it answers `unknown` for a file outside the workspace that a link leads to.
 */
export function normalizePath(path: string, context: PathContext): string | null {
  if (isNormal(path)) return path
  if (path.includes('\0')) return null
  const segments = resolveSegments(path)
  if (segments === null) return null
  if (!path.startsWith('/')) return segments.join('/') || '.'
  const inside = below(segments, context.workspaceRoot) ?? below(segments, context.mountPoint)
  if (inside !== null) return inside.join('/') || '.'
  return context.workspaceRoot === null ? segments.join('/') || '.' : null
}

/** Limit on listed folders; the rest counts as unknown. */
const MOST_LEFT = 16

/**
 * Lists the folders that a `..` of the path leaves, in normal form, each once; null: a folder outside the workspace, or more than the
 * limit. The kernel follows a link before it goes up and `normalizePath` does not, so they disagree if one of the folders is a link.
 */
export function listFoldersLeft(path: string, context: PathContext): readonly (string | null)[] {
  if (!path.includes('..')) return NO_FOLDERS
  const left = new Set<string | null>()
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') {
      kept.push(segment)
      continue
    }
    if (kept.length === 0 || left.size >= MOST_LEFT) {
      left.add(null)
      break
    }
    left.add(normalizePath(`${path.startsWith('/') ? '/' : ''}${kept.join('/')}`, context))
    kept.pop()
  }
  return [...left]
}

const NO_FOLDERS: readonly (string | null)[] = []

/** Normalizes a path that a document names; null: the path is outside the workspace. */
export function pathInDocument(path: string): string | null {
  return normalizePath(path, { workspaceRoot: null, mountPoint: null })
}

const SLASH = 0x2f
const DOT = 0x2e

/** Detects the common case without splitting: every call with a path is checked, and a regular expression takes three times as long. */
function isNormal(path: string): boolean {
  let before = SLASH
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i)
    if (code === 0 || (code === SLASH && (before === SLASH || before === DOT))) return false
    before = code
  }
  return before !== SLASH && before !== DOT
}
