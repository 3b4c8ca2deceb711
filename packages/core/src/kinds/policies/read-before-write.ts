// read_before_write: a file that exists must have been read, and not changed since, before a tool may overwrite it.

import { type FileFact, fileFact } from '../../model/fact.ts'
import { getIn } from '../../model/persistent-map.ts'
import type { RuleBase } from '../../model/rule.ts'
import type { ReadMark, SessionState } from '../../model/state.ts'
import { areNoObject } from './call.ts'
import { allow, askFirst, cannotTell, deny, type Finding } from './finding.ts'
import {
  foundFor,
  isPlain,
  MOST_PATHS,
  type PathArgument,
  type PathForm,
  pathFormOf,
} from './path-argument.ts'
import { type Call, type Policy, policyOf } from './policy.ts'
import { marksOf } from './remember-reads.ts'

/** An existing file must have been read before a tool in `write_tools` may overwrite it. */
export interface ReadBeforeWriteDocument extends RuleBase {
  readonly type: 'read_before_write'
  readonly read_tools: readonly string[]
  readonly write_tools: readonly string[]
  /** Argument names that hold the path, first match wins. Absent: `path`, `file_path`. */
  readonly path_params?: readonly string[]
  /** Prefix under which the tools see the workspace, e.g. `/workspace`. Absent: none. */
  readonly mount_point?: string
  /** Absent: true. A file whose fingerprint changed since it was read must be read again. */
  readonly reads_expire_on_change?: boolean
  /** Absent: true. A successful write makes the written content known to the agent. */
  readonly writes_count_as_reads?: boolean
}

interface Settings {
  readonly id: string
  readonly form: PathForm
  readonly expires: boolean
}

export function readBeforeWrite(document: ReadBeforeWriteDocument): Policy {
  const { id } = document
  const form = pathFormOf(document)
  const settings = { id, form, expires: document.reads_expire_on_change ?? true }
  const writesCount = document.writes_count_as_reads ?? true
  return policyOf({
    denies: document.write_tools,
    check: (call, state) => check(settings, call, state),
    reads: {
      rule: id,
      tools: writesCount ? [...document.read_tools, ...document.write_tools] : document.read_tools,
      form,
    },
  })
}

function check(settings: Settings, call: Call, state: SessionState): Finding | null {
  const { id, form } = settings
  if (areNoObject(call.args, state)) {
    const reason = `The arguments of this call are not an object, so rule '${id}' could not be evaluated.`
    return cannotTell('arguments.not_an_object', {}, { reason })
  }
  const found = foundFor(call.paths, form)?.found
  // A call that was not looked through for this form is as bad as one with a hidden path.
  if (found === undefined || found.some(({ hidden }) => hidden)) {
    const reason = 'The path of this call is hidden, so the write cannot be checked.'
    return cannotTell('file.path_hidden', { path: '' }, { reason })
  }
  if (found.length > MOST_PATHS) {
    const reason = `This call names more than ${MOST_PATHS} paths, so the write cannot be checked.`
    return cannotTell('file.too_many_paths', { most: MOST_PATHS }, { reason })
  }
  const findings = found.flatMap((one) => checkPath(settings, one, { call, state }) ?? [])
  const [first] = findings
  return findings.find(({ result }) => result !== 'allow') ?? first ?? null
}

function checkPath(
  { id, expires }: Settings,
  one: PathArgument,
  { call, state }: { readonly call: Call; readonly state: SessionState },
): Finding | null {
  const { given: path, normal } = one
  if (path === null) return null
  if (normal === null) {
    const reason = `File '${path}' is outside the workspace.`
    return deny('file.outside_workspace', { path }, { reason })
  }
  if (!isPlain(one, call.facts)) {
    const reason = `Path '${path}' leaves a folder by '..' that is a link or could not be checked. Give the path without '..'.`
    return cannotTell('file.behind_link', { path }, { reason })
  }
  const file = fileFact(call.facts, normal)
  const mark = getIn(marksOf(state.reads, id), normal)
  return judge({ path, file, mark, expires })
}

interface Case {
  /** As the agent gave it. */
  readonly path: string
  readonly file: FileFact
  readonly mark: ReadMark | undefined
  readonly expires: boolean
}

function judge({ path, file, mark, expires }: Case): Finding {
  const params = { path }
  if (file.exists === 'unknown') {
    const reason = `File '${path}' could not be checked, so it cannot be overwritten.`
    return cannotTell('file.existence_unknown', params, { reason })
  }
  if (!file.exists) return allow('file.new', params)
  if (file.kind === 'directory') {
    const reason = `'${path}' is a directory and cannot be overwritten.`
    return deny('file.is_directory', params, { reason })
  }
  if (mark === undefined) {
    const reason = `File '${path}' must be read before overwriting.`
    return askFirst('file.not_read', params, { reason })
  }
  const because = [mark.seq]
  if (expires && mark.fingerprint !== null && changed(mark.fingerprint, file)) {
    const reason = `File '${path}' changed since it was read. Read it again before overwriting.`
    return askFirst('file.changed', params, { reason, because })
  }
  return allow('file.was_read', params, because)
}

function changed(fingerprint: string, file: FileFact): boolean {
  return file.fingerprint !== undefined && file.fingerprint !== fingerprint
}
