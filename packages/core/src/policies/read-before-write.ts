// read_before_write: a file that exists must have been read, and not changed since, before a tool may overwrite it.
import type { ReadBeforeWriteDocument } from '../config.ts'
import { type FileFact, fileFact } from '../fact.ts'
import { isJsonObject, type JsonValue } from '../json.ts'
import { normalizePath } from '../path.ts'
import { emptyMap, getIn, setIn } from '../persistent-map.ts'
import type { ReadMark, SessionState } from '../state.ts'
import { type Call, type Finding, type Policy, plainPolicy } from './policy.ts'

const DEFAULT_PATH_PARAMS = ['path', 'file_path']

interface Settings {
  readonly id: string
  readonly pathParams: readonly string[]
  readonly mountPoint: string | null
  readonly expires: boolean
}

/** The path as the agent gave it; `hidden` when redaction or truncation replaced it; null when there is none. */
type GivenPath = { readonly given: string } | 'hidden' | null

export function readBeforeWrite(document: ReadBeforeWriteDocument): Policy {
  const settings: Settings = {
    id: document.id,
    pathParams: document.path_params ?? DEFAULT_PATH_PARAMS,
    mountPoint: document.mount_point ?? null,
    expires: document.reads_expire_on_change ?? true,
  }
  const writesCount = document.writes_count_as_reads ?? true
  return {
    ...plainPolicy({
      denies: document.write_tools,
      check: (call, state) => check(settings, call, state),
    }),
    reads: {
      rule: document.id,
      tools: writesCount ? [...document.read_tools, ...document.write_tools] : document.read_tools,
      pathOf: (call, state) => normalOf(givenPath(call, settings.pathParams), settings, state),
      remember: (draft, success) => {
        const mark: ReadMark = { seq: success.seq, fingerprint: success.file.fingerprint ?? null }
        const known = getIn(draft.reads, settings.id) ?? emptyMap<ReadMark>()
        draft.reads = setIn(draft.reads, settings.id, setIn(known, success.path, mark))
      },
    },
  }
}

function isMark(value: JsonValue): boolean {
  return (
    isJsonObject(value) && (Object.hasOwn(value, '$redacted') || Object.hasOwn(value, '$truncated'))
  )
}

function givenPath(call: Call, names: readonly string[]): GivenPath {
  for (const name of names) {
    const value = Object.hasOwn(call.args, name) ? call.args[name] : undefined
    if (typeof value === 'string') return { given: value }
    if (value !== undefined && isMark(value)) return 'hidden'
  }
  return null
}

function normalOf(path: GivenPath, settings: Settings, state: SessionState): string | null {
  if (path === null || path === 'hidden') return null
  const { workspaceRoot } = state
  return normalizePath(path.given, { workspaceRoot, mountPoint: settings.mountPoint })
}

function check(settings: Settings, call: Call, state: SessionState): Finding | null {
  const path = givenPath(call, settings.pathParams)
  if (path === null) return null
  if (path === 'hidden')
    return unknown(
      'file.path_hidden',
      '',
      'The path of this call is hidden, so the write cannot be checked.',
    )
  const normal = normalOf(path, settings, state)
  if (normal === null) {
    return deny(
      'file.outside_workspace',
      path.given,
      `File '${path.given}' is outside the workspace.`,
    )
  }
  const file = fileFact(call.facts, normal)
  const mark = getIn(getIn(state.reads, settings.id) ?? emptyMap<ReadMark>(), normal)
  return judge({ given: path.given, file, mark, expires: settings.expires })
}

interface Case {
  readonly given: string
  readonly file: FileFact
  readonly mark: ReadMark | undefined
  readonly expires: boolean
}

function judge({ given, file, mark, expires }: Case): Finding {
  const params = { path: given }
  if (file.exists === 'unknown') {
    return unknown(
      'file.existence_unknown',
      given,
      `File '${given}' could not be checked, so it cannot be overwritten.`,
    )
  }
  if (!file.exists) return { result: 'allow', code: 'file.new', params, because: [] }
  if (file.kind === 'directory') {
    return deny('file.is_directory', given, `'${given}' is a directory and cannot be overwritten.`)
  }
  if (mark === undefined) {
    return {
      ...deny('file.not_read', given, `File '${given}' must be read before overwriting.`),
      reason_class: 'prerequisite_missing',
    }
  }
  if (expires && mark.fingerprint !== null && changed(mark.fingerprint, file)) {
    return {
      ...deny(
        'file.changed',
        given,
        `File '${given}' changed since it was read. Read it again before overwriting.`,
      ),
      because: [mark.seq],
      reason_class: 'prerequisite_missing',
    }
  }
  return { result: 'allow', code: 'file.was_read', params, because: [mark.seq] }
}

function changed(fingerprint: string, file: FileFact): boolean {
  return file.fingerprint !== undefined && file.fingerprint !== fingerprint
}

function deny(code: string, path: string, reason: string): Finding {
  return {
    result: 'deny',
    code,
    params: { path },
    because: [],
    reason_class: 'rule_said_no',
    reason,
  }
}

function unknown(code: string, path: string, reason: string): Finding {
  return {
    result: 'error',
    code,
    params: { path },
    because: [],
    reason_class: 'could_not_evaluate',
    reason,
  }
}
