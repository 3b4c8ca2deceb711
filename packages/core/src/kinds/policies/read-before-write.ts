import type { RuleResult } from '../../model/effect.ts'
import type { FileFact } from '../../model/fact.ts'
import { pointerTo } from '../../model/json.ts'
import { getIn, hashMapKey } from '../../model/persistent-map.ts'
import type { Problem } from '../../model/problem.ts'
import type { RuleBase } from '../../model/rule.ts'
import type { ReadMark, SessionState } from '../../model/state.ts'
import {
  compareNames,
  type Judgment,
  looser,
  quoted,
  stricter,
  unproven,
} from '../base/judgment.ts'
import { error, place } from '../base/place.ts'
import { type Step, step } from '../base/policy-reason.ts'
import { counted, names, text } from '../base/rule-words.ts'
import { isNonObject } from './call.ts'
import { allow, cannotTell, deny, denyUntilMet, type Finding } from './finding.ts'
import {
  foundFor,
  isPlain,
  MOST_PATHS,
  type PathArgument,
  type PathForm,
  resolvePathForm,
} from './path-argument.ts'
import { type Call, createPolicy, type Policy } from './policy.ts'
import {
  compareRest,
  NOTHING_TO_VIEW,
  noApproval,
  none,
  type Pair,
  type PolicyRule,
  type PolicyWords,
} from './policy-rule.ts'
import { findMarks } from './remember-reads.ts'

/** An existing file must have been read before a tool in `write_tools` may overwrite it. */
export interface ReadBeforeWriteDocument extends RuleBase {
  readonly type: 'read_before_write'
  readonly read_tools: readonly string[]
  readonly write_tools: readonly string[]
  /** Argument names that contain the path. Absent: `path`, `file_path`. */
  readonly path_params?: readonly string[]
  /** Prefix under which tools see the workspace, e.g. `/workspace`. Absent: none. */
  readonly mount_point?: string
  /** Absent: true. True: a file whose fingerprint changed since it was read must be read again. */
  readonly reads_expire_on_change?: boolean
  /** Absent: true. True: after a successful write, the agent knows the written content. */
  readonly writes_count_as_reads?: boolean
}

interface Settings {
  readonly id: string
  readonly hash: number
  readonly form: PathForm
  readonly expires: boolean
}

export function readBeforeWrite(document: ReadBeforeWriteDocument): Policy {
  const { id } = document
  const form = resolvePathForm(document)
  const expires = document.reads_expire_on_change ?? true
  const settings = { id, hash: hashMapKey(id), form, expires }
  const writesCount = document.writes_count_as_reads ?? true
  return createPolicy({
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
  if (isNonObject(call.args, state)) {
    const reason = `The arguments of this call are not an object, so rule '${id}' could not be evaluated.`
    return cannotTell('arguments.not_an_object', {}, { reason })
  }
  const found = foundFor(call.paths, form)?.found
  // A call that was not searched for this form is treated as a call with a hidden path.
  if (found === undefined || found.some(({ hidden }) => hidden)) {
    const reason = 'The path of this call is hidden, so the write cannot be checked.'
    return cannotTell('file.path_hidden', { path: '' }, { reason })
  }
  if (found.length > MOST_PATHS) {
    const reason = `This call names more than ${MOST_PATHS} paths, so the write cannot be checked.`
    return cannotTell('file.too_many_paths', { most: MOST_PATHS }, { reason })
  }
  let first: Finding | null = null
  for (const one of found) {
    const finding = checkPath(settings, one, { call, state })
    if (finding !== null && finding.result !== 'allow') return finding
    first ??= finding
  }
  return first
}

function checkPath(
  { id, hash, expires }: Settings,
  one: PathArgument,
  { call, state }: { readonly call: Call; readonly state: SessionState },
): Finding | null {
  const { given: path, normal, file } = one
  if (path === null) return null
  if (normal === null) {
    const reason = `File '${path}' is outside the workspace.`
    return deny('file.outside_workspace', { path }, { reason })
  }
  if (!isPlain(one, call.facts)) {
    const reason = `Path '${path}' leaves a folder by '..' that is a link or could not be checked. Give the path without '..'.`
    return cannotTell('file.behind_link', { path }, { reason })
  }
  const mark = getIn(findMarks(state.reads, id, hash), normal, one.hash)
  return judge({ path, file, mark, expires })
}

interface Case {
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
    return denyUntilMet('file.not_read', params, { reason })
  }
  const because = [mark.seq]
  if (expires && mark.fingerprint !== null && changed(mark.fingerprint, file)) {
    const reason = `File '${path}' changed since it was read. Read it again before overwriting.`
    return denyUntilMet('file.changed', params, { reason, because })
  }
  return allow('file.was_read', params, because)
}

function changed(fingerprint: string, file: FileFact): boolean {
  return file.fingerprint !== undefined && file.fingerprint !== fingerprint
}

export const readBeforeWriteRule: PolicyRule<ReadBeforeWriteDocument> = {
  governs: ({ write_tools }) => write_tools,
  denies: ({ write_tools }) => write_tools,
  toolsNamed: ({ read_tools, write_tools }, pointer) => [
    ...place(read_tools, pointerTo(pointer, 'read_tools')),
    ...place(write_tools, pointerTo(pointer, 'write_tools')),
  ],
  toolsWatched: none,
  prerequisites: none,
  deniesAlways: () => false,
  seesCommands: false,
  approvalSeconds: noApproval,
  errors: lockedFiles,
  compare: compareReads,
  carryOver: (before, after, { reads }) =>
    reads !== undefined && remembersAlike(before, after) ? { reads } : {},
  needsToolOnly: false,
  view: () => NOTHING_TO_VIEW,
}

function lockedFiles(
  { read_tools, write_tools }: ReadBeforeWriteDocument,
  pointer: string,
): readonly Problem[] {
  if (read_tools.length > 0 || write_tools.length === 0) return []
  const message =
    'No tool can read, so every existing file is locked. Name the tools that read in read_tools.'
  return [error(pointerTo(pointer, 'read_tools'), 'no_read_tool', message)]
}

/**
 * Tools whose success makes a file known may only be removed. If reads expire, not even that is stricter: a read that no longer counts
 * leaves an older read in force, and since that one the file may not have changed.
 */
function compareReads(pair: Pair<ReadBeforeWriteDocument>): readonly Judgment[] {
  const { before, after, pointer, name } = pair
  const expired = before.reads_expire_on_change ?? true
  const expires = after.reads_expire_on_change ?? true
  const at = (field: string) => pointerTo(pointer, field)
  const judgments: Judgment[] = [
    ...compareNames([before.write_tools, after.write_tools], {
      pointer: at('write_tools'),
      says: [`${name} governs writes of`, `${name} no longer governs writes of`],
    }),
    ...compareRest(pair, [
      'read_tools',
      'write_tools',
      'path_params',
      'mount_point',
      'optional',
      'reads_expire_on_change',
      'writes_count_as_reads',
    ]),
  ]
  if (expired !== expires) {
    const side = expires ? stricter : looser
    const says = expires ? 'expire' : 'no longer expire'
    judgments.push(side(at('reads_expire_on_change'), `${name}: reads ${says} on change`))
  }
  if (resolvePathForm(before).key !== resolvePathForm(after).key) {
    judgments.push(
      unproven(pointer, `${name} reads the path from other arguments or a different mount point`),
    )
  }
  return [...judgments, ...compareKnown(pair, expired)]
}

function compareKnown(
  { before, after, pointer, name }: Pair<ReadBeforeWriteDocument>,
  expired: boolean,
): readonly Judgment[] {
  const [was, is] = [knownBy(before), knownBy(after)]
  const more = is.filter((tool) => !was.includes(tool))
  const fewer = was.filter((tool) => !is.includes(tool))
  const at = pointerTo(pointer, 'read_tools')
  const tell = (tools: readonly string[], does: string) =>
    `${name}: a successful call of ${quoted(tools)} ${does} as a read`
  return [
    ...(more.length === 0 ? [] : [looser(at, tell(more, 'counts'))]),
    ...(fewer.length === 0
      ? []
      : [(expired ? looser : stricter)(at, tell(fewer, 'no longer counts'))]),
  ]
}

function knownBy(document: ReadBeforeWriteDocument): readonly string[] {
  const { read_tools, write_tools, writes_count_as_reads: counts = true } = document
  return [...new Set(counts ? [...read_tools, ...write_tools] : read_tools)]
}

function remembersAlike(before: ReadBeforeWriteDocument, after: ReadBeforeWriteDocument): boolean {
  const [was, is] = [[...knownBy(before)].sort(), [...knownBy(after)].sort()]
  return (
    was.join('\n') === is.join('\n') && resolvePathForm(before).key === resolvePathForm(after).key
  )
}

export const readBeforeWriteWords: PolicyWords<ReadBeforeWriteDocument> = {
  describe: ({ read_tools, write_tools }) =>
    `${names(write_tools)} may overwrite a file only after ${names(read_tools, 'or')} has read it`,
  sentences: {
    'file.new': (p) => `${text(p['path'])} does not exist yet`,
    'file.was_read': (p) => `${text(p['path'])} was read before`,
    'file.not_read': (p) => `${text(p['path'])} exists and was not read`,
    'file.changed': (p) => `${text(p['path'])} changed since it was read`,
    'file.is_directory': (p) => `${text(p['path'])} is a directory`,
    'file.outside_workspace': (p) => `${text(p['path'])} is outside the workspace`,
    'file.existence_unknown': (p) => `Whether ${text(p['path'])} exists is unknown`,
    'file.path_hidden': () => 'The path of the call was redacted',
    'file.behind_link': (p) => `${text(p['path'])} leaves a folder that may be a link`,
    'file.too_many_paths': (p) => `The call names more than ${counted(p['most'], 'path')}`,
    'arguments.not_an_object': () => 'The arguments of the call are not an object',
  },
  reasons: {
    'file.new': { basis: 'file' },
    'file.was_read': { basis: 'read_file' },
    'file.not_read': {
      basis: 'unread_file',
      steps: (denial, policy) => readStep(denial, '', policy?.read_tools),
    },
    'file.changed': {
      basis: 'changed_file',
      steps: (denial, policy) => readStep(denial, ' again', policy?.read_tools),
    },
    'file.is_directory': {
      basis: 'file',
      steps: (denial) => [
        step('agent', `Use a file instead of the directory ${quotePath(denial)}`),
      ],
    },
    'file.outside_workspace': {
      basis: 'path',
      steps: (denial) => [
        step('agent', `Write to a file inside the workspace instead of ${quotePath(denial)}`),
      ],
    },
    'file.existence_unknown': {
      basis: 'unknown_file',
      steps: (denial) => [step('operator', `Make ${quotePath(denial)} visible to the runtime`)],
    },
    'file.path_hidden': {
      basis: 'path',
      steps: () => [step('config', 'Stop redacting the path argument')],
    },
    'file.behind_link': {
      basis: 'path',
      steps: (denial) => [step('agent', `Write ${quotePath(denial)} without '..'`)],
    },
    'file.too_many_paths': {
      basis: 'path',
      steps: ({ params }) => [
        step('agent', `Write at most ${String(params['most'])} files in one call`),
      ],
    },
    'arguments.not_an_object': {
      basis: 'input',
      steps: () => [step('agent', 'Pass the arguments as an object')],
    },
  },
}

function quotePath({ params }: RuleResult): string {
  return `\`${String(params['path'] ?? '')}\``
}

/** `again`: word with a leading space, or empty. */
function readStep(
  { params }: RuleResult,
  again: string,
  tools: readonly string[] = [],
): readonly Step[] {
  const file = String(params['path'] ?? '')
  const readers = tools.map((name) => `\`${name}\``).join(' or ') || 'a reading tool'
  const [tool] = tools
  const call = tool === undefined ? null : `${tool} ${file}`
  return [step('agent', `Read \`${file}\`${again} with ${readers}`, call)]
}
