// read_before_write: a file that exists must have been read, and not changed since, before a tool may overwrite it.
import type { ReadBeforeWriteDocument } from '../config.ts'
import { type FileFact, fileFact } from '../fact.ts'
import { getIn } from '../persistent-map.ts'
import type { ReadMark, SessionState } from '../state.ts'
import { foundFor, type PathForm, pathFormOf } from './path-argument.ts'
import { type Call, type Finding, type Policy, plainPolicy } from './policy.ts'
import { marksOf } from './remember-reads.ts'

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
  return {
    ...plainPolicy({
      denies: document.write_tools,
      check: (call, state) => check(settings, call, state),
    }),
    reads: {
      rule: id,
      tools: writesCount ? [...document.read_tools, ...document.write_tools] : document.read_tools,
      form,
    },
  }
}

function check({ id, form, expires }: Settings, call: Call, state: SessionState): Finding | null {
  const found = foundFor(call.paths, form)
  // A call that was not looked through for this form is as bad as one with a hidden path.
  if (found === undefined || found.hidden) {
    return unknown(
      'file.path_hidden',
      '',
      'The path of this call is hidden, so the write cannot be checked.',
    )
  }
  const { given, normal } = found
  if (given === null) return null
  if (normal === null) {
    return deny('file.outside_workspace', given, `File '${given}' is outside the workspace.`)
  }
  const file = fileFact(call.facts, normal)
  const mark = getIn(marksOf(state.reads, id), normal)
  return judge({ given, file, mark, expires })
}

interface Case {
  readonly given: string
  readonly file: FileFact
  readonly mark: ReadMark | undefined
  readonly expires: boolean
}

function judge({ given, file, mark, expires }: Case): Finding {
  if (file.exists === 'unknown') {
    return unknown(
      'file.existence_unknown',
      given,
      `File '${given}' could not be checked, so it cannot be overwritten.`,
    )
  }
  if (!file.exists) return allow('file.new', given, NO_CAUSE)
  if (file.kind === 'directory') {
    return deny('file.is_directory', given, `'${given}' is a directory and cannot be overwritten.`)
  }
  if (mark === undefined) {
    return unread('file.not_read', NO_CAUSE, {
      path: given,
      reason: `File '${given}' must be read before overwriting.`,
    })
  }
  if (expires && mark.fingerprint !== null && changed(mark.fingerprint, file)) {
    return unread('file.changed', [mark.seq], {
      path: given,
      reason: `File '${given}' changed since it was read. Read it again before overwriting.`,
    })
  }
  return allow('file.was_read', given, [mark.seq])
}

function changed(fingerprint: string, file: FileFact): boolean {
  return file.fingerprint !== undefined && file.fingerprint !== fingerprint
}

const NO_CAUSE: readonly number[] = []

function allow(code: string, path: string, because: readonly number[]): Finding {
  return { result: 'allow', code, params: { path }, because }
}

function unread(
  code: string,
  because: readonly number[],
  { path, reason }: { readonly path: string; readonly reason: string },
): Finding {
  return {
    result: 'deny',
    code,
    params: { path },
    because,
    reason_class: 'prerequisite_missing',
    reason,
  }
}

function deny(code: string, path: string, reason: string): Finding {
  return {
    result: 'deny',
    code,
    params: { path },
    because: NO_CAUSE,
    reason_class: 'rule_said_no',
    reason,
  }
}

function unknown(code: string, path: string, reason: string): Finding {
  return {
    result: 'error',
    code,
    params: { path },
    because: NO_CAUSE,
    reason_class: 'could_not_evaluate',
    reason,
  }
}
