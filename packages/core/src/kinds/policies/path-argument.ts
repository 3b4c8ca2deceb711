// Rules with the same settings share one form, so that the paths of a call are read and resolved once for any number of rules.
import type { ToolRequested } from '../../model/event.ts'
import { type Facts, type FileFact, fileFact, linkFact, UNKNOWN_FILE } from '../../model/fact.ts'
import { getOwn, isJsonObject, type JsonValue } from '../../model/json.ts'
import { listFoldersLeft, normalizePath } from '../../model/path.ts'
import { hashMapKey } from '../../model/persistent-map.ts'
import type { PendingCall, SessionState } from '../../model/state.ts'

const DEFAULT_PATH_PARAMS = ['path', 'file_path']

export interface PathForm {
  /** Equal for rules that find the same paths in every call. */
  readonly key: string
  readonly params: readonly string[]
  readonly mountPoint: string | null
}

export interface PathArgument {
  /** Path as the agent gave it; null: hidden. */
  readonly given: string | null
  /** Normal form; null: the path is hidden or outside the workspace. */
  readonly normal: string | null
  /** Hash of the normal form, by which rules look it up; 0 without one. */
  readonly hash: number
  /** Folders that a `..` of the path leaves (model/path.ts). Empty under semantics 1, which resolves paths by text alone. */
  readonly left: readonly (string | null)[]
  /** True: redaction or truncation replaced the path. */
  readonly hidden: boolean
  /** Unknown when no fact is recorded. */
  readonly file: FileFact
}

export interface FoundPaths {
  readonly form: string
  /** In the order of the form's parameters. Empty: the call names no path. */
  readonly found: readonly PathArgument[]
}

export interface PathFields {
  /** Absent: `path`, `file_path`. */
  readonly path_params?: readonly string[]
  /** Prefix under which tools see the workspace, e.g. `/workspace`. Absent: none. */
  readonly mount_point?: string
}

export function resolvePathForm(document: PathFields): PathForm {
  const params = document.path_params ?? DEFAULT_PATH_PARAMS
  const mountPoint = document.mount_point ?? null
  return { key: JSON.stringify([mountPoint, ...params]), params, mountPoint }
}

const HIDDEN: PathArgument = {
  given: null,
  normal: null,
  hash: 0,
  left: [],
  hidden: true,
  file: UNKNOWN_FILE,
}

/** Reads every parameter that contains a path or a list of paths; under semantics 1 only the first that contains a path. */
export function findPaths(
  { key: form, params, mountPoint }: PathForm,
  { args, facts }: Pick<ToolRequested, 'args' | 'facts'>,
  { workspaceRoot, semantics }: SessionState,
): FoundPaths {
  const found: PathArgument[] = []
  const context = { workspaceRoot, mountPoint }
  const add = (value: JsonValue | undefined): void => {
    if (typeof value === 'string') {
      const left = semantics < 2 ? HIDDEN.left : listFoldersLeft(value, context)
      found.push(toPathArgument(value, normalizePath(value, context), { left, facts }))
    } else if (value !== undefined && isMark(value)) found.push(HIDDEN)
    else if (Array.isArray(value) && semantics >= 2) for (const item of value) add(item)
  }
  for (const name of params) {
    add(getOwn(args, name))
    if (semantics < 2 && found.length > 0) break
  }
  return { form, found }
}

function toPathArgument(
  given: string,
  normal: string | null,
  { left, facts }: Pick<PathArgument, 'left'> & { readonly facts: Facts | undefined },
): PathArgument {
  return normal === null
    ? { ...HIDDEN, given, left, hidden: false }
    : {
        given,
        normal,
        hash: hashMapKey(normal),
        left,
        hidden: false,
        file: fileFact(facts, normal),
      }
}

/** Paths found for a form; undefined: the call was not searched for this form. */
export function foundFor<Found extends { readonly form: string }>(
  found: readonly Found[],
  { key }: PathForm,
): Found | undefined {
  for (const one of found) if (one.form === key) return one
  return undefined
}

/** With more paths in one call, none is looked up, because the facts would not fit into the event. */
export const MOST_PATHS = 100

/** Paths whose facts are looked up: all, or none if there are too many. */
export function listInspectedPaths(paths: FoundPaths | undefined): readonly PathArgument[] {
  return paths === undefined || paths.found.length > MOST_PATHS ? [] : paths.found
}

/** Normal form of the path that a finding names as the agent gave it, or else of the first path; null: none. */
export function findNormalPath(
  paths: readonly FoundPaths[],
  form: PathForm,
  given: JsonValue | undefined,
): string | null {
  const found = foundFor(paths, form)?.found ?? []
  return (found.find((one) => one.given === given) ?? found[0])?.normal ?? null
}

export function pathsFor(paths: PendingCall['paths'], { key }: PathForm): readonly string[] {
  const found: string[] = []
  for (const { form, path } of paths) if (form === key) found.push(path)
  return found
}

/** True if text and kernel agree on the path's target: no `..` of the path leaves a folder that is, or may be, a link. */
export function isPlain({ left }: PathArgument, facts: Facts | undefined): boolean {
  return left.every((folder) => folder !== null && linkFact(facts, folder) === false)
}

function isMark(value: JsonValue): boolean {
  return (
    isJsonObject(value) && (Object.hasOwn(value, '$redacted') || Object.hasOwn(value, '$truncated'))
  )
}
