// The files of a call: where rules find their paths, and the results of their look-ups. Rules with the same settings share one form, so
// that the paths of a call are read and resolved once for any number of rules.
import { type Facts, linkFact } from '../../model/fact.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { listFoldersLeft, normalizePath } from '../../model/path.ts'
import type { PendingCall, SessionState } from '../../model/state.ts'

const DEFAULT_PATH_PARAMS = ['path', 'file_path']

export interface PathForm {
  /** Equal for rules that find the same paths in every call. */
  readonly key: string
  /** Argument names, in order. */
  readonly params: readonly string[]
  readonly mountPoint: string | null
}

/** One path in the arguments of a call. */
export interface PathArgument {
  /** Path as the agent gave it; null: it cannot be seen. */
  readonly given: string | null
  /** null also when the path is outside the workspace. */
  readonly normal: string | null
  /** Folders that a `..` of the path leaves (path.ts); empty under semantics 1, which takes the path by its words. */
  readonly left: readonly (string | null)[]
  /** Redaction or truncation replaced the path. */
  readonly hidden: boolean
}

export interface FoundPaths {
  /** The form's key. */
  readonly form: string
  /** In the order of the form's parameters; none: the call names no path. */
  readonly found: readonly PathArgument[]
}

/** The fields of a rule that locate the path of a call. */
export interface PathFields {
  /** Absent: `path`, `file_path`. */
  readonly path_params?: readonly string[]
  /** Prefix under which the tools see the workspace, e.g. `/workspace`. Absent: none. */
  readonly mount_point?: string
}

export function resolvePathForm(document: PathFields): PathForm {
  const params = document.path_params ?? DEFAULT_PATH_PARAMS
  const mountPoint = document.mount_point ?? null
  return { key: JSON.stringify([mountPoint, ...params]), params, mountPoint }
}

const HIDDEN: PathArgument = { given: null, normal: null, left: [], hidden: true }

/** Every parameter that contains a path or a list of paths; under semantics 1 the first that contains a path. */
export function findPaths(
  { key: form, params, mountPoint }: PathForm,
  args: JsonObject,
  { workspaceRoot, semantics }: SessionState,
): FoundPaths {
  const found: PathArgument[] = []
  const context = { workspaceRoot, mountPoint }
  const add = (value: JsonValue | undefined): void => {
    if (typeof value === 'string') {
      const left = semantics < 2 ? HIDDEN.left : listFoldersLeft(value, context)
      found.push({ given: value, normal: normalizePath(value, context), left, hidden: false })
    } else if (value !== undefined && isMark(value)) found.push(HIDDEN)
    else if (Array.isArray(value) && semantics >= 2) for (const item of value) add(item)
  }
  for (const name of params) {
    add(Object.hasOwn(args, name) ? args[name] : undefined)
    if (semantics < 2 && found.length > 0) break
  }
  return { form, found }
}

/** Paths found for a form; undefined: no search was made. */
export function foundFor<Found extends { readonly form: string }>(
  found: readonly Found[],
  { key }: PathForm,
): Found | undefined {
  for (const one of found) if (one.form === key) return one
  return undefined
}

/** More paths in one call are not looked up: their facts would not fit into the event. */
export const MOST_PATHS = 100

/** Paths whose facts are looked up: all, or none when there are too many. */
export function listInspectedPaths(paths: FoundPaths | undefined): readonly PathArgument[] {
  return paths === undefined || paths.found.length > MOST_PATHS ? [] : paths.found
}

/** In normal form: the path of a call that a finding names as the agent gave it, else the first. null: none. */
export function findNormalPath(
  paths: readonly FoundPaths[],
  form: PathForm,
  given: JsonValue | undefined,
): string | null {
  const found = foundFor(paths, form)?.found ?? []
  return (found.find((one) => one.given === given) ?? found[0])?.normal ?? null
}

/** The paths of a pending call that a form found. */
export function pathsFor(paths: PendingCall['paths'], { key }: PathForm): readonly string[] {
  const found: string[] = []
  for (const { form, path } of paths) if (form === key) found.push(path)
  return found
}

/** True when text and kernel agree on the path's target: no `..` of it leaves a link, or a possible one. */
export function isPlain({ left }: PathArgument, facts: Facts | undefined): boolean {
  return left.every((folder) => folder !== null && linkFact(facts, folder) === false)
}

function isMark(value: JsonValue): boolean {
  return (
    isJsonObject(value) && (Object.hasOwn(value, '$redacted') || Object.hasOwn(value, '$truncated'))
  )
}
