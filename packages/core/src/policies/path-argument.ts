// The file that a call is about: where rules look for its path, and what they find. Rules that look the same way share one
// form, so that the path of a call is read and resolved once, however many rules ask for it.
import type { ReadBeforeWriteDocument } from '../config.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { normalizePath } from '../path.ts'
import type { SessionState } from '../state.ts'

const DEFAULT_PATH_PARAMS = ['path', 'file_path']

export interface PathForm {
  /** Equal for rules that find the same path in every call. */
  readonly key: string
  /** Argument names, first match wins. */
  readonly params: readonly string[]
  readonly mountPoint: string | null
}

/** What one form found in a call. */
export interface PathArgument {
  /** The form's key. */
  readonly form: string
  /** As the agent gave it; null: there is none that can be seen. */
  readonly given: string | null
  /** null also when the path lies outside the workspace. */
  readonly normal: string | null
  /** Redaction or truncation replaced the path. */
  readonly hidden: boolean
}

export function pathFormOf(document: ReadBeforeWriteDocument): PathForm {
  const params = document.path_params ?? DEFAULT_PATH_PARAMS
  const mountPoint = document.mount_point ?? null
  return { key: JSON.stringify([mountPoint, ...params]), params, mountPoint }
}

export function pathArgument(
  { key: form, params, mountPoint }: PathForm,
  args: JsonObject,
  { workspaceRoot }: SessionState,
): PathArgument {
  for (const name of params) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (typeof value === 'string') {
      const normal = normalizePath(value, { workspaceRoot, mountPoint })
      return { form, given: value, normal, hidden: false }
    }
    if (value !== undefined && isMark(value)) {
      return { form, given: null, normal: null, hidden: true }
    }
  }
  return { form, given: null, normal: null, hidden: false }
}

/** What was found for a form; undefined: nobody looked. */
export function foundFor<Found extends { readonly form: string }>(
  found: readonly Found[],
  { key }: PathForm,
): Found | undefined {
  for (const one of found) if (one.form === key) return one
  return undefined
}

function isMark(value: JsonValue): boolean {
  return (
    isJsonObject(value) && (Object.hasOwn(value, '$redacted') || Object.hasOwn(value, '$truncated'))
  )
}
